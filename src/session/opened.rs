//! Sessions that were opened, as they are handed on: to the host, to the tasks of a tree, to front ends.

use std::sync::Arc;

use tokio::task::JoinHandle;

use super::Handle;
use crate::tool::Registry;

/// An opened session.
pub(super) struct WiredSession {
    pub handle: Handle,
    /// Draws the session's calls.
    pub tools: Arc<Registry>,
    /// Sentences for the user: warnings of the configuration, a session that was not there.
    pub notes: Vec<String>,
    /// Ends when the session's actor has written everything down.
    pub actor: JoinHandle<()>,
}

/// A session that is open, for a front end.
pub struct Opened {
    pub handle: Handle,
    /// Draws the session's calls.
    pub tools: Arc<Registry>,
    /// Sentences for the person: warnings of the configuration, a session that was not there.
    pub notes: Vec<String>,
}
