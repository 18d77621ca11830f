//! Deafness: for a moment after it appeared, a question takes no key for an answer.
//!
//! Each key that was dropped makes the moment begin anew. Where a draft is being typed, keys go on into the draft until
//! nothing was typed for a while.

use std::time::{Duration, Instant};

/// After it appeared, and after each key that it dropped.
const DEAF: Duration = Duration::from_millis(300);
/// After the last key of a draft.
const TYPING: Duration = Duration::from_millis(700);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guard {
    Deaf {
        until: Instant,
    },
    /// A draft is being typed.
    Typing {
        until: Instant,
    },
    Over,
}

/// Where a key goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pass {
    Answer,
    Draft,
    Drop,
}

impl Guard {
    /// Begins when the question appears. `typed` is when the draft last got a key, if there is a draft.
    pub(crate) fn begin(now: Instant, typed: Option<Instant>) -> Self {
        match typed.map(|typed| typed + TYPING) {
            Some(until) if until > now => Self::Typing {
                until: until.max(now + DEAF),
            },
            _ => Self::Deaf { until: now + DEAF },
        }
    }

    /// Says where a key goes that was pressed now.
    pub(crate) fn pass(&mut self, now: Instant) -> Pass {
        self.pass_time(now);
        match self {
            Self::Over => Pass::Answer,
            Self::Deaf { until } => {
                *until = now + DEAF;
                Pass::Drop
            }
            Self::Typing { until } => {
                *until = now + TYPING;
                Pass::Draft
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
    fn a_question_is_deaf_at_first_and_after_each_key_it_dropped() {
        let start = Instant::now();
        let mut guard = Guard::begin(start, None);
        assert_eq!(guard.pass(after(start, 299)), Pass::Drop);
        assert_eq!(guard.pass(after(start, 598)), Pass::Drop);
        assert_eq!(guard.pass(after(start, 898)), Pass::Answer);
        assert_eq!(guard.pass(after(start, 899)), Pass::Answer);
    }

    #[test]
    fn keys_of_a_draft_go_on_into_the_draft() {
        let start = Instant::now();
        let mut guard = Guard::begin(after(start, 100), Some(start));
        assert_eq!(guard.pass(after(start, 650)), Pass::Draft);
        assert_eq!(guard.pass(after(start, 1300)), Pass::Draft);
        assert_eq!(guard.pass(after(start, 2000)), Pass::Answer);
        let rested = Guard::begin(after(start, 701), Some(start));
        assert!(!rested.is_typing());
        let nearly = Guard::begin(after(start, 650), Some(start));
        assert_eq!(
            nearly.until(),
            Some(after(start, 950)),
            "never shorter than deafness"
        );
    }
}
