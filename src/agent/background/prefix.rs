//! Siblings share what the provider has cached of their prompt: of several with the same beginning the first asks alone
//! until its reply begins, so that the others find it cached.

use std::collections::HashMap;

use super::RequestId;
use crate::conversation::ModelRef;

/// Maximum milliseconds for which others wait for the first reply to begin.
const LONGEST_WAIT: i64 = 5_000;

/// Everything that the beginning of a task's requests depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Prefix {
    pub(super) agent: String,
    pub(super) category: Option<String>,
    pub(super) model: ModelRef,
}

#[derive(Debug)]
enum PrefixState {
    /// The first request is on its way, since then.
    Asked {
        first: RequestId,
        since: i64,
        waiting: Vec<RequestId>,
    },
    Cached,
}

/// Prefixes that a task has asked with.
#[derive(Debug, Default)]
pub(super) struct Prefixes(HashMap<Prefix, PrefixState>);

impl Prefixes {
    /// Returns true if a session's first request may go out; otherwise it waits.
    pub(super) fn ask(&mut self, prefix: Prefix, request: RequestId, now: i64) -> bool {
        match self.0.get_mut(&prefix) {
            Some(PrefixState::Cached) => true,
            Some(PrefixState::Asked { waiting, .. }) => {
                waiting.push(request);
                false
            }
            None => {
                let asked = PrefixState::Asked {
                    first: request,
                    since: now,
                    waiting: Vec::new(),
                };
                self.0.insert(prefix, asked);
                true
            }
        }
    }

    /// Its reply begins. Returns those that may go out now.
    pub(super) fn begin_reply(&mut self, request: RequestId) -> Vec<RequestId> {
        let is_first =
            |state: &&mut PrefixState| matches!(state, PrefixState::Asked { first, .. } if *first == request);
        match self.0.values_mut().find(is_first) {
            Some(state) => state.release(),
            None => Vec::new(),
        }
    }

    /// It is over or not wanted any more. Returns the one that goes out in its place, as the first.
    pub(super) fn end(&mut self, request: RequestId, now: i64) -> Option<RequestId> {
        let mut next = None;
        self.0.retain(|_, state| match state {
            PrefixState::Asked {
                first,
                since,
                waiting,
            } if *first == request => {
                if waiting.is_empty() {
                    return false;
                }
                (*first, *since) = (waiting.remove(0), now);
                next = Some(*first);
                true
            }
            PrefixState::Asked { waiting, .. } => {
                waiting.retain(|waiting| *waiting != request);
                true
            }
            PrefixState::Cached => true,
        });
        next
    }

    /// Returns those that have waited long enough.
    pub(super) fn release_due(&mut self, now: i64) -> Vec<RequestId> {
        let due = self.0.values_mut().filter(|state| state.is_due(now));
        due.flat_map(PrefixState::release).collect()
    }

    /// When the next have waited long enough.
    pub(super) fn deadline(&self) -> Option<i64> {
        let waits = self.0.values().filter_map(|state| match state {
            PrefixState::Asked { since, waiting, .. } if !waiting.is_empty() => Some(since + LONGEST_WAIT),
            _ => None,
        });
        waits.min()
    }
}

impl PrefixState {
    fn is_due(&self, now: i64) -> bool {
        matches!(self, Self::Asked { since, waiting, .. } if !waiting.is_empty() && since + LONGEST_WAIT <= now)
    }

    fn release(&mut self) -> Vec<RequestId> {
        match std::mem::replace(self, Self::Cached) {
            Self::Asked { waiting, .. } => waiting,
            Self::Cached => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prefix(agent: &str) -> Prefix {
        Prefix {
            agent: agent.to_owned(),
            category: None,
            model: "p/m".parse().unwrap(),
        }
    }

    const REQUESTS: [RequestId; 3] = [RequestId(1), RequestId(2), RequestId(3)];

    #[test]
    fn the_first_goes_out_alone_until_its_reply_begins() {
        let [first, second, third] = REQUESTS;
        let mut prefixes = Prefixes::default();
        assert!(prefixes.ask(prefix("explore"), first, 0));
        assert!(!prefixes.ask(prefix("explore"), second, 1));
        assert!(prefixes.ask(prefix("oracle"), third, 2));
        assert_eq!(prefixes.begin_reply(third), []);
        assert_eq!(prefixes.begin_reply(first), [second]);
        assert!(prefixes.ask(prefix("explore"), third, 3));
        assert_eq!(prefixes.deadline(), None);
    }

    #[test]
    fn nobody_waits_longer_than_five_seconds() {
        let [first, second, third] = REQUESTS;
        let mut prefixes = Prefixes::default();
        assert!(prefixes.ask(prefix("explore"), first, 100));
        assert!(!prefixes.ask(prefix("explore"), second, 4_000));
        assert_eq!(prefixes.deadline(), Some(5_100));
        assert_eq!(prefixes.release_due(5_099), []);
        assert_eq!(prefixes.release_due(5_100), [second]);
        assert!(prefixes.ask(prefix("explore"), third, 5_101));
    }

    #[test]
    fn one_that_fails_leaves_its_place_to_the_next() {
        let [first, second, third] = REQUESTS;
        let mut prefixes = Prefixes::default();
        assert!(prefixes.ask(prefix("explore"), first, 0));
        assert!(!prefixes.ask(prefix("explore"), second, 0));
        assert!(!prefixes.ask(prefix("explore"), third, 0));
        assert_eq!(prefixes.end(second, 1), None);
        assert_eq!(prefixes.end(first, 2), Some(third));
        assert_eq!(prefixes.end(third, 3), None);
        assert!(prefixes.ask(prefix("explore"), first, 4));
    }
}
