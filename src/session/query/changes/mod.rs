//! Changes of files: in the session, in its last turn, or in the work tree.
//!
//! Edits are stored with their diffs and not with the files as they were. What a session or a turn made of a file is
//! found by taking its diffs back, the newest first, from the file as it is now; so the answer is one diff from before to
//! now. Where that does not work, because something else has changed the file since, the edits are shown one after the
//! other, and nothing can be reverted. The work tree is compared with `HEAD` by git.

mod recorded;
mod revert;
mod work_tree;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Answer;
use crate::conversation::Message;
use crate::tool::SessionServices;

pub use revert::Revert;
pub(in crate::session) use revert::put_back;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeScope {
    Session,
    /// The turn that runs, or the last one.
    Turn,
    WorkTree,
}

/// The changed files, in the order of their paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    pub scope: ChangeScope,
    pub files: Vec<ChangedFile>,
    /// A note about all of them.
    pub note: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedFile {
    /// As it is shown: relative to the project where it lies in it.
    pub path: String,
    pub real: PathBuf,
    pub state: FileState,
    pub additions: usize,
    pub deletions: usize,
    /// From before to now; empty where there is none to show.
    pub diff: String,
    /// Why there is no diff, or why it is not the whole truth.
    pub note: Option<String>,
    /// True if hunks can be taken back.
    pub reverts: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileState {
    Added,
    Changed,
    Removed,
    /// From this path.
    Moved(String),
}

/// The facts that an answer is made of.
pub(in crate::session) struct ChangesQuery {
    pub(in crate::session) scope: ChangeScope,
    pub(in crate::session) messages: Vec<Arc<Message>>,
    /// When the last turn began, where it is known.
    pub(in crate::session) turn: Option<i64>,
    pub(in crate::session) services: Arc<SessionServices>,
}

impl ChangesQuery {
    pub(in crate::session) async fn find(self) -> Answer {
        if self.scope == ChangeScope::WorkTree {
            let environment: Vec<(OsString, OsString)> = self.services.environment.clone();
            let root = self.services.roots.project_root().to_owned();
            return match work_tree::changes(root, environment).await {
                Ok(changes) => Answer::Changes(changes),
                Err(sentence) => Answer::Failed(sentence),
            };
        }
        let work = tokio::task::spawn_blocking(move || recorded::changes(&self));
        work.await
            .map_or_else(|error| Answer::Failed(error.to_string()), Answer::Changes)
    }
}
