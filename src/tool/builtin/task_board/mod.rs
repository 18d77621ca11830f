//! The tools of the task board, `task_create`, `task_get`, `task_list` and `task_update`: work items of a project, which
//! outlive sessions. The board is in the database; these tools check what they are given, answer with JSON, and draw it.

mod card;
mod create;
mod get;
mod list;
#[cfg(test)]
mod tests;
mod update;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(super) use create::TaskCreateTool;
pub(super) use get::TaskGetTool;
pub(super) use list::TaskListTool;
pub(super) use update::TaskUpdateTool;

use crate::conversation::{
    BoardIdError, BoardItem, BoardItemId, BoardItemName, BoardRow, BoardStatus, ErrorKind, PermissionKey,
};
use crate::store::BoardError;
use crate::text::sanitize::sanitize_line;
use crate::tool::{Output, ToolError};

/// The permission key of the four.
const KEY: &PermissionKey = &PermissionKey::own("task_board");

/// Items of the board, for the eye and for scripts.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::tool::builtin) struct ListDetails {
    pub(super) tasks: Vec<BoardRow>,
    /// Pending items among them that wait for nothing.
    pub(super) ready: Vec<BoardItemId>,
}

/// One item, for the eye and for scripts.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ItemDetails {
    /// `None` if there is no such item. Details without it are those of a call that failed.
    #[serde(deserialize_with = "Option::deserialize")]
    task: Option<BoardItem>,
    /// Items that waited for this one alone, and now wait for nothing.
    #[serde(default)]
    unblocked: Vec<BoardItemName>,
    /// The status before a call that changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    previous: Option<BoardStatus>,
}

impl ItemDetails {
    fn of(task: Option<BoardItem>) -> Self {
        Self {
            task,
            unblocked: Vec::new(),
            previous: None,
        }
    }

    /// Answers with JSON, under the title of the item.
    fn output(self, answer: &Value, otherwise: &BoardItemId) -> Output<Self> {
        let title = match &self.task {
            Some(item) => card::subject_and_status(&item.subject, item.status),
            None => format!("no item {otherwise}"),
        };
        Output::new(title, answer.to_string(), self)
    }
}

impl From<BoardError> for ToolError {
    fn from(error: BoardError) -> Self {
        let hint = match &error {
            BoardError::Unknown(_) => "Use an id that task_create or task_list answered with.",
            BoardError::Deleted(_) => "Leave it out, or give it another status first.",
            BoardError::Cycle(_) => "Take one of these dependencies away first, or leave the new one out.",
            BoardError::Store(_) => return Self::new(ErrorKind::Io, error.to_string()),
        };
        Self::new(ErrorKind::InvalidArgs, error.to_string()).hint(hint)
    }
}

fn id(given: &str) -> Result<BoardItemId, ToolError> {
    given.parse().map_err(|error: BoardIdError| {
        ToolError::invalid_args(error.to_string())
            .hint("Use an id that task_create or task_list answered with.")
    })
}

fn ids(given: &[String]) -> Result<Vec<BoardItemId>, ToolError> {
    given.iter().map(|given| id(given)).collect()
}

/// Returns a name or title on one line.
fn line(given: &str) -> String {
    sanitize_line(given).trim().to_owned()
}

fn subject(given: &str) -> Result<String, ToolError> {
    let subject = line(given);
    if subject.is_empty() {
        return Err(ToolError::invalid_args(
            "`subject` is empty; it must name the item in a few words",
        ));
    }
    Ok(subject)
}
