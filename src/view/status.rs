//! The states of a call.

use crate::conversation::CallState;

/// Progress of a call; it picks the gutter's sign and colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CardStatus {
    Waiting,
    Running,
    Asking,
    Done,
    /// Ran, but look.
    Look,
    Failed,
    Denied,
    Interrupted,
}

impl From<CallState> for CardStatus {
    fn from(state: CallState) -> Self {
        match state {
            CallState::Pending => Self::Waiting,
            CallState::Running => Self::Running,
            CallState::Done => Self::Done,
            CallState::Failed => Self::Failed,
            CallState::Denied => Self::Denied,
            CallState::Cancelled | CallState::Interrupted => Self::Interrupted,
        }
    }
}
