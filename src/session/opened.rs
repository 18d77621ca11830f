//! Sessions that were opened, as they are handed on: to the tasks of a tree, to the host, to front ends.

use std::sync::Arc;

use tokio::task::JoinHandle;

use super::Handle;
use crate::tool::Registry;

/// A session whose actor runs.
pub(super) struct RunningSession {
    pub handle: Handle,
    /// Draws the session's calls.
    pub tools: Arc<Registry>,
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
