//! Sessions that were opened, as they are handed on: to the tasks of a tree, to the host, to front ends.

use tokio::task::JoinHandle;

use super::Handle;
use crate::tool::BuiltinCards;

/// A session whose actor runs.
pub(super) struct RunningSession {
    pub handle: Handle,
    /// Ends when the session's actor has written everything down.
    pub actor: JoinHandle<()>,
}

/// A session that is open, for a front end.
pub struct OpenedSession {
    pub handle: Handle,
    /// Draws the calls of built-in tools; the session itself draws all others.
    pub cards: BuiltinCards,
    /// Sentences for the person: warnings of the configuration, a session that was not there.
    pub notes: Vec<String>,
}
