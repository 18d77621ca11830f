//! Type-ahead protection: for a moment after it appeared, a question takes no key for an answer.
//!
//! Each key that was dropped makes the moment begin anew. Where a draft is being typed, keys go on into the draft until
//! nothing was typed for a while.

use std::time::{Duration, Instant};

/// After it appeared, and after each key that it dropped.
const TYPE_AHEAD_PAUSE: Duration = Duration::from_millis(300);
/// After the last key of a draft.
const TYPING: Duration = Duration::from_millis(700);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TypeAheadGuard {
    Deaf {
        until: Instant,
    },
    /// A draft is being typed.
    Typing {
        until: Instant,
    },
    Over,
}

/// Receiver of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyRoute {
    Answer,
    Draft,
    Drop,
}

impl TypeAheadGuard {
    /// Begins when the question appears. `typed` is when the draft last got a key, if there is a draft.
    pub(crate) fn begin(now: Instant, typed: Option<Instant>) -> Self {
        match typed.map(|typed| typed + TYPING) {
            Some(until) if until > now => Self::Typing {
                until: until.max(now + TYPE_AHEAD_PAUSE),
            },
            _ => Self::Deaf {
                until: now + TYPE_AHEAD_PAUSE,
            },
        }
    }

    /// Says where a key goes that was pressed now.
    pub(crate) fn pass(&mut self, now: Instant) -> KeyRoute {
        self.pass_time(now);
        match self {
            Self::Over => KeyRoute::Answer,
            Self::Deaf { until } => {
                *until = now + TYPE_AHEAD_PAUSE;
                KeyRoute::Drop
            }
            Self::Typing { until } => {
                *until = now + TYPING;
                KeyRoute::Draft
            }
        }
    }

    /// Ends the guard when its time has come; says whether it did.
    pub(crate) fn pass_time(&mut self, now: Instant) -> bool {
        let is_over = self.until().is_some_and(|until| until <= now);
        if is_over {
            *self = Self::Over;
        }
        is_over
    }

    pub(crate) fn until(&self) -> Option<Instant> {
        match self {
            Self::Deaf { until } | Self::Typing { until } => Some(*until),
            Self::Over => None,
        }
    }

    pub(crate) fn is_typing(&self) -> bool {
        matches!(self, Self::Typing { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(start: Instant, millis: u64) -> Instant {
        start + Duration::from_millis(millis)
    }

    #[test]
    fn a_question_ignores_keys_at_first_and_after_each_dropped_key() {
        let start = Instant::now();
        let mut guard = TypeAheadGuard::begin(start, None);
        assert_eq!(guard.pass(after(start, 299)), KeyRoute::Drop);
        assert_eq!(guard.pass(after(start, 598)), KeyRoute::Drop);
        assert_eq!(guard.pass(after(start, 898)), KeyRoute::Answer);
        assert_eq!(guard.pass(after(start, 899)), KeyRoute::Answer);
    }

    #[test]
    fn keys_of_a_draft_go_on_into_the_draft() {
        let start = Instant::now();
        let mut guard = TypeAheadGuard::begin(after(start, 100), Some(start));
        assert_eq!(guard.pass(after(start, 650)), KeyRoute::Draft);
        assert_eq!(guard.pass(after(start, 1300)), KeyRoute::Draft);
        assert_eq!(guard.pass(after(start, 2000)), KeyRoute::Answer);
        let rested = TypeAheadGuard::begin(after(start, 701), Some(start));
        assert!(!rested.is_typing());
        let nearly = TypeAheadGuard::begin(after(start, 650), Some(start));
        assert_eq!(
            nearly.until(),
            Some(after(start, 950)),
            "never shorter than deafness"
        );
    }
}
