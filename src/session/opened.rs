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
    pub notes: OpeningNotes,
}

/// Sentences for the person, told when a session is open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpeningNotes {
    /// Events, such as a session that was not there.
    pub events: Vec<String>,
    /// The state of the setup, such as a warning of the configuration, as far as it is to be told now.
    pub standing: Vec<String>,
}

impl OpeningNotes {
    /// Returns all of them.
    pub fn iter(&self) -> impl Iterator<Item = &String> {
        self.events.iter().chain(&self.standing)
    }
}
