//! Type-ahead protection of a question that a person has opened: for a moment after it appeared it takes no key.
//!
//! Each key that was dropped makes the moment begin anew. Questions that open by themselves have a protection of their own
//! (`tui::app::hearing`).

use std::time::{Duration, Instant};

/// After it appeared, and after each key that it dropped.
const TYPE_AHEAD_PAUSE: Duration = Duration::from_millis(300);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TypeAheadGuard {
    until: Instant,
}

impl TypeAheadGuard {
    /// Begins when the question appears.
    pub(crate) fn begin(now: Instant) -> Self {
        Self {
            until: now + TYPE_AHEAD_PAUSE,
        }
    }

    /// Returns true if a key that was pressed now is the question's; otherwise it is dropped.
    pub(crate) fn pass(&mut self, now: Instant) -> bool {
        let is_over = self.until <= now;
        if !is_over {
            *self = Self::begin(now);
        }
        is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_ignores_keys_at_first_and_after_each_dropped_key() {
        let start = Instant::now();
        let after = |millis| start + Duration::from_millis(millis);
        let mut guard = TypeAheadGuard::begin(start);
        assert!(!guard.pass(after(299)));
        assert!(!guard.pass(after(598)));
        assert!(guard.pass(after(898)));
        assert!(guard.pass(after(899)));
    }
}
