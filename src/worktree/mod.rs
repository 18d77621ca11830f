//! Repositories of their own for isolated tasks: made from a project, compared with their base, applied to the project,
//! removed.
//!
//! A tree holds work that is nowhere else, and what works in it may do anything to it. So:
//!
//! - Its base is kept in a repository of lathe's own, outside of the tree and out of reach of what is confined to the
//!   tree. Whatever becomes of the tree's `.git`, its changes are known.
//! - Changes are found by content. The record names the git tree that was applied last, at first the base; what differs
//!   from it is not applied. No list of applied files has to agree with anything.
//! - A tree appears by one rename, when all else is done. It goes by one rename too, is looked at again where it then is,
//!   and only after that is removed. What a killed process leaves behind is put right by `recovery`: a tree that was not
//!   handed out goes, one that was on its way out comes back.
//! - Whoever works in a tree has a [`Lease`]; to apply or remove it the lock is held alone.
//! - The project is written by `files::transaction` and by nothing else, and its `.git` not at all: where the kernel can,
//!   git is confined to the record.
//!
//! ```text
//! worktrees/PROJECT/TASK          the tree, with a `.git` of its own that borrows the record's objects
//! worktree-records/TASK/
//!     record.json                 task, project, base, what is applied
//!     lock
//!     repository                  bare: the base and every state of the tree that was looked at
//!     index                       the files of the tree as they were made: unchanged ones are not read again
//!     references                  the branches and tags that the tree began with
//!     new                         a tree that is not finished
//!     removing                    a tree on its way out
//!     settled                     there while nothing in `removing` is needed any more
//! ```
//!
//! Everything here blocks. Attributes, line endings and filters are off in the record and in the tree: files are bytes.

mod apply;
mod changes;
mod create;
mod error;
mod git;
mod held;
mod lock;
mod look;
mod merge;
mod own_commits;
mod project_file;
mod record;
mod recovery;
mod remove;
mod snapshot;
mod source;
mod state;
mod storage;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::conversation::TaskId;
use storage::Storage;

pub use apply::{ApplyResult, Conflict, FileSelection, Selection};
pub use changes::{Against, ChangeKind, TreeChanges, TreeFile, TreeHunk};
pub use create::NewTree;
pub use error::TreeError;
pub use held::HeldWork;
pub use lock::Lease;
pub use record::TreeState;
pub use remove::{Removal, RemovedTree, ShownFile, ShownWork};
pub use state::{TreeSize, TreeSummary};

/// The trees of all projects of one data directory.
#[derive(Debug, Clone)]
pub struct Worktrees {
    storage: Storage,
    /// Directory for the records of changes of several project files.
    transactions: PathBuf,
    /// Of git.
    environment: Vec<(OsString, OsString)>,
}

impl Worktrees {
    /// Opens nothing yet. `transactions` is the directory for the records of [`crate::files::Transaction`].
    pub fn new(data: &Path, transactions: PathBuf, environment: Vec<(OsString, OsString)>) -> Self {
        Self {
            storage: Storage::new(data),
            transactions,
            environment,
        }
    }

    /// The directory of a task's tree, whether it is there or not.
    pub fn path(&self, project: &Path, task: &TaskId) -> PathBuf {
        self.storage.tree(project, task)
    }

    /// Returns the tree that a directory lies in. Only its record is read.
    pub fn around(&self, directory: &Path) -> Option<TreePlace> {
        let (task, root) = self.storage.around(directory)?;
        let record = self.storage.record(&task);
        let git = root.join(".git");
        Some(TreePlace {
            project: self
                .storage
                .load(&record)
                .ok()
                .flatten()
                .map(|record| record.project),
            objects: record.repository().join("objects"),
            kept: ["config", "hooks", "objects/info"]
                .map(|name| git.join(name))
                .into(),
            root,
            task,
        })
    }
}

/// A tree, with what has to be known of it to work in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreePlace {
    pub task: TaskId,
    pub root: PathBuf,
    /// The project that it was made of; `None` where its record is gone.
    pub project: Option<PathBuf>,
    /// The objects that its repository borrows.
    pub objects: PathBuf,
    /// Files of its repository that decide what git starts for whoever looks into it, and what it reads.
    pub kept: Vec<PathBuf>,
}
