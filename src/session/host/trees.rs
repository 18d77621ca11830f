//! The work trees of isolated tasks, for every front end.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::conversation::TaskId;
use crate::files::ChangeLog;
use crate::journal::{Journal, SessionLog};
use crate::process::{EnvironmentRules, shell_environment};
use crate::session::{ErrorReport, ReportKind};
use crate::store::{SessionRow, Store, StoreError};
use crate::tool::records_dir;

pub use crate::worktree::{
    Against, ApplyResult, ChangeKind, Conflict, FileSelection, HeldWork, Removal, RemovedTree, Selection,
    TreeChanges, TreeFile, TreeHunk, TreeState, TreeSummary,
};
use crate::worktree::{TreeError, Worktrees};

/// Files that the model is told by name.
const NAMED: usize = 30;

/// A query about work trees; see [`TaskTrees`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TreeQuery {
    List,
    /// The changes in one that are not applied yet, with their hunks.
    Changes(TaskId),
    Apply(TaskId, Selection),
    Remove(TaskId, Removal),
}

/// The answer to a [`TreeQuery`]; it names what was asked for.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TreeAnswer {
    Listed(Result<Vec<TreeSummary>, ErrorReport>),
    Changes {
        task: TaskId,
        changes: Result<TreeChanges, ErrorReport>,
    },
    Applied {
        task: TaskId,
        applied: Result<ApplyResult, ErrorReport>,
    },
    Removed {
        task: TaskId,
        removed: Result<RemovedTree, ErrorReport>,
    },
}

/// Everything here blocks.
#[derive(Debug, Clone)]
pub struct TaskTrees {
    trees: Worktrees,
    data: PathBuf,
}

impl TaskTrees {
    /// Those of a data directory. Opens nothing yet.
    pub fn new(data: &Path) -> Self {
        let environment = shell_environment(std::env::vars_os(), &EnvironmentRules::default());
        Self {
            data: data.to_owned(),
            trees: Worktrees::new(data, records_dir(data), environment),
        }
    }

    pub fn answer(&self, query: TreeQuery) -> TreeAnswer {
        match query {
            TreeQuery::List => TreeAnswer::Listed(self.list()),
            TreeQuery::Changes(task) => TreeAnswer::Changes {
                changes: self.changes(&task, Against::Applied),
                task,
            },
            TreeQuery::Apply(task, selection) => TreeAnswer::Applied {
                applied: self.apply(&task, &selection),
                task,
            },
            TreeQuery::Remove(task, removal) => TreeAnswer::Removed {
                removed: self.remove(&task, &removal, |_| {}),
                task,
            },
        }
    }

    /// Has the trees of these sessions, whose project was moved, lead to where it is now.
    pub(super) fn follow(&self, old: &Path, new: &Path, sessions: &[SessionRow]) -> Result<(), ErrorReport> {
        let is_meant = |task: &TaskId| sessions.iter().any(|row| TaskId::of(&row.id) == *task);
        Ok(self.trees.follow(old, new, is_meant)?)
    }

    /// Returns all trees, those of the oldest tasks first.
    pub fn list(&self) -> Result<Vec<TreeSummary>, ErrorReport> {
        Ok(self.trees.list()?)
    }

    /// Returns the changes in a task's tree.
    pub fn changes(&self, task: &TaskId, against: Against) -> Result<TreeChanges, ErrorReport> {
        Ok(self.trees.changes(task, against)?)
    }

    /// Applies changes to the project: all that are selected, or, with a conflict, none.
    pub fn apply(&self, task: &TaskId, selection: &Selection) -> Result<ApplyResult, ErrorReport> {
        let log = self.log(task)?;
        let result = self.trees.apply_logged(task, selection, log)?;
        if !result.applied.is_empty() {
            let files = named(&result.applied);
            self.remind(
                task,
                &format!("The user has applied changes of task {task} to the project, whose files have them now: {files}."),
            );
        }
        Ok(result)
    }

    /// Has the model of the session that started the task told of this with its next message.
    fn remind(&self, task: &TaskId, sentence: &str) {
        let remind = || -> Result<(), StoreError> {
            let Some(store) = Store::open_existing(&self.data)? else {
                return Ok(());
            };
            match store.get(&task.session())?.and_then(|row| row.parent) {
                Some(parent) => store.add_reminder(&parent, sentence),
                None => Ok(()),
            }
        };
        if let Err(error) = remind() {
            // What was asked for is done all the same.
            tracing::warn!(%error, %task, "the model will not be told what became of a task's changes");
        }
    }

    /// The journal of the session that the task belongs to, so that what is applied can be undone there; `None` where that
    /// session was deleted.
    fn log(&self, task: &TaskId) -> Result<Option<Arc<dyn ChangeLog>>, ErrorReport> {
        let Some(store) = Store::open_existing(&self.data)? else {
            return Ok(None);
        };
        let session = task.session();
        if store.get(&session)?.is_none() {
            return Ok(None);
        }
        let root = store.root(&session)?;
        let journal = Journal::new(&self.data, store, root);
        Ok(Some(Arc::new(SessionLog::new(journal, session))))
    }

    /// Removes a task's tree. `name` is told what goes that was not applied, before anything is touched.
    pub fn remove(
        &self,
        task: &TaskId,
        removal: &Removal,
        name: impl FnOnce(&HeldWork),
    ) -> Result<RemovedTree, ErrorReport> {
        let removed = self.trees.remove(task, removal, name)?;
        if !removed.discarded.files.is_empty() {
            let files = named(&removed.discarded.files);
            self.remind(
                task,
                &format!(
                    "The user has discarded changes of task {task}, which are in no file now: {files}. Do not make \
                     them again unless the user asks for it."
                ),
            );
        }
        Ok(removed)
    }
}

/// Names files; of many the first.
fn named(files: &[String]) -> String {
    let mut named: Vec<String> = files.iter().take(NAMED).map(|file| format!("`{file}`")).collect();
    let more = files.len() - named.len();
    if more > 0 {
        named.push(format!("{more} more"));
    }
    named.join(", ")
}

impl From<TreeError> for ErrorReport {
    fn from(error: TreeError) -> Self {
        let (kind, hint) = match &error {
            TreeError::NotFound(_) => (
                ReportKind::BadRequest,
                Some("`lathe worktrees list` shows them all."),
            ),
            TreeError::Unapplied { .. }
            | TreeError::Stale(_)
            | TreeError::Live(_)
            | TreeError::Changed(_)
            | TreeError::NotAsShown(_) => (ReportKind::BadRequest, None),
            _ => (ReportKind::Storage, None),
        };
        Self {
            kind,
            message: error.to_string(),
            hint: hint.map(str::to_owned),
        }
    }
}
