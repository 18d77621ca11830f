//! The work trees of isolated tasks, for every front end.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::conversation::TaskId;
use crate::files::ChangeLog;
use crate::journal::{Journal, SessionLog};
use crate::process::{EnvironmentRules, shell_environment};
use crate::session::{ErrorReport, ReportKind};
use crate::store::{SessionRow, Store};
use crate::tool::records_dir;

pub use crate::worktree::{
    Against, ApplyResult, ChangeKind, Conflict, FileSelection, HeldWork, Removal, RemovedTree, Selection,
    TreeChanges, TreeFile, TreeHunk, TreeState, TreeSummary,
};
use crate::worktree::{TreeError, Worktrees};

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
        Ok(self.trees.apply_logged(task, selection, log)?)
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
        Ok(self.trees.remove(task, removal, name)?)
    }
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
