//! The states of a call.

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
