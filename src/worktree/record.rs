//! The record of one tree: what it is, where it began, and what of it was applied.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::conversation::{SessionId, TaskId};

/// State of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum TreeState {
    /// A task or a process works in it.
    Live,
    /// It holds changes that were not applied.
    Unapplied,
    /// All its changes were applied.
    Applied,
    /// Nothing is changed in it.
    Empty,
}

impl TreeState {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Written with every record.
pub(super) const VERSION: u32 = 1;

/// As it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TreeRecord {
    pub(super) version: u32,
    pub(super) task: TaskId,
    pub(super) session: SessionId,
    /// The project that changes are applied to.
    pub(super) project: PathBuf,
    /// The project that the tree was made of, where that was moved since: the tree stays in the directory with its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) moved_from: Option<PathBuf>,
    /// Follows from project and task, so that the data directory may be moved.
    #[serde(skip)]
    pub(super) tree: PathBuf,
    /// A few words of the task.
    pub(super) title: String,
    /// The commit that the tree began with.
    pub(super) base: String,
    /// The git tree of that commit.
    pub(super) base_tree: String,
    /// The git tree with everything that was applied: the base, at first.
    pub(super) applied: String,
    /// Paths of submodules: their files are not in the tree.
    pub(super) submodules: Vec<String>,
    /// Milliseconds since the Unix epoch.
    pub(super) created: i64,
    /// As it was when the task ended or something was applied; `None` since a task began to work in it.
    pub(super) known: Option<KnownState>,
}

/// The state of a tree that nobody works in, as it was found last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KnownState {
    pub(super) state: TreeState,
}
