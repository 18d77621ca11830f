//! Operations on their way to the session. A session that is busy is sent them again, in the same order; nothing is
//! lost.

use std::collections::VecDeque;

use crate::session::{Op, SendError};

/// `T` says which session an operation is for.
pub(super) struct Outbox<T> {
    ops: VecDeque<(T, Op)>,
    /// That it waits was told.
    is_told: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum SendOutcome {
    All,
    /// The session is busy. `is_new` where it was not the last time.
    Waits {
        is_new: bool,
    },
    Closed,
}

impl<T> Default for Outbox<T> {
    fn default() -> Self {
        Self {
            ops: VecDeque::new(),
            is_told: false,
        }
    }
}

impl<T> Outbox<T> {
    pub(super) fn push(&mut self, to: T, op: Op) {
        self.ops.push_back((to, op));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// Sends what it can; what was not taken stays.
    pub(super) fn send(&mut self, mut send: impl FnMut(&T, Op) -> Result<(), SendError>) -> SendOutcome {
        while let Some((to, op)) = self.ops.front() {
            match send(to, op.clone()) {
                Ok(()) => self.ops.pop_front(),
                Err(SendError::Busy) => {
                    let is_new = !std::mem::replace(&mut self.is_told, true);
                    return SendOutcome::Waits { is_new };
                }
                Err(SendError::Closed) => return SendOutcome::Closed,
            };
        }
        self.is_told = false;
        SendOutcome::All
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_busy_session_does_not_take_is_sent_again_in_order() {
        let mut outbox = Outbox::default();
        outbox.push((), Op::Shell("one".to_owned()));
        outbox.push((), Op::Shell("two".to_owned()));
        assert_eq!(
            outbox.send(|(), _| Err(SendError::Busy)),
            SendOutcome::Waits { is_new: true }
        );
        assert_eq!(
            outbox.send(|(), _| Err(SendError::Busy)),
            SendOutcome::Waits { is_new: false }
        );
        let mut taken = Vec::new();
        let sent = outbox.send(|(), op| {
            let Op::Shell(command) = op else { unreachable!() };
            taken.push(command);
            Ok(())
        });
        assert_eq!((sent, outbox.is_empty()), (SendOutcome::All, true));
        assert_eq!(taken, ["one", "two"]);
    }
}
