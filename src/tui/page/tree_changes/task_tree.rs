//! The work tree of a task, as other parts of the screen name it to the page.

use crate::conversation::{TaskId, TaskRow};
use crate::session::host::TreeSummary;

/// Message about a task that has no tree of its own.
pub(crate) const NO_TREE: &str = "that task works in the project itself; `/diff` shows its changes";

/// The tree whose changes the page shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TaskTree {
    pub(crate) task: TaskId,
    /// The agent, if it is known, and what it was asked.
    pub(crate) name: String,
}

impl TaskTree {
    /// Returns the tree of a task; `None` for a task that works in the project's own directory.
    pub(crate) fn of(row: &TaskRow) -> Option<Self> {
        row.worktree.as_ref()?;
        Some(Self {
            task: row.task.clone(),
            name: format!("{} \"{}\"", row.agent, row.description),
        })
    }

    pub(crate) fn of_summary(tree: &TreeSummary) -> Self {
        let name = match tree.title.as_str() {
            "" => tree.task.to_string(),
            title => format!("\"{title}\""),
        };
        Self {
            task: tree.task.clone(),
            name,
        }
    }
}
