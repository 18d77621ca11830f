//! What an undo or a redo would do, for people and programs.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::conversation::MessageId;
use crate::journal::{Plan, PlannedAction, PlannedFile, Refusal};
use crate::text::diff::parse_unified;

pub use crate::store::UndoDirection;

/// All that an undo or a redo would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoList {
    pub direction: UndoDirection,
    /// The message of the person's that the conversation goes back to before, or that comes back first; `None` where only
    /// files change.
    pub to: Option<MessageId>,
    /// Its words.
    pub prompt: String,
    /// When it was sent, in milliseconds since the Unix epoch.
    pub created: i64,
    /// Messages that leave the conversation, or come back.
    pub messages: usize,
    /// In the order of their paths.
    pub files: Vec<UndoFile>,
}

/// One file of the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoFile {
    /// Relative to the project where it lies in it.
    pub path: String,
    pub action: PlannedAction,
    /// Why it is left as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// It keeps the others from being undone unless it is left out.
    pub is_in_the_way: bool,
    /// What else there is to know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// From now to then; empty where there is none to show.
    pub diff: String,
    pub additions: usize,
    pub deletions: usize,
}

impl UndoList {
    /// The files that would change.
    pub fn changing(&self) -> impl Iterator<Item = &UndoFile> {
        self.files.iter().filter(|file| file.refused.is_none())
    }

    /// Returns true if files would have to change and every one of them is refused.
    pub fn is_refused(&self) -> bool {
        !self.files.is_empty() && self.changing().next().is_none()
    }

    /// The refused files.
    pub fn refused(&self) -> impl Iterator<Item = &UndoFile> {
        self.files.iter().filter(|file| file.refused.is_some())
    }

    /// The files that keep everything as it is unless they are left out.
    pub fn in_the_way(&self) -> impl Iterator<Item = &UndoFile> {
        self.files.iter().filter(|file| file.is_in_the_way)
    }
}

impl UndoFile {
    pub(super) fn all(plan: &Plan, project: &Path) -> Vec<Self> {
        plan.files.iter().map(|file| Self::new(file, project)).collect()
    }

    fn new(file: &PlannedFile, project: &Path) -> Self {
        let hunks = parse_unified(&file.diff);
        let lines = || hunks.iter().flat_map(|hunk| &hunk.lines);
        let note = file.by_command.then_some("a command changed it too");
        Self {
            path: display(&file.path, project),
            action: file.action,
            refused: file.refusal.as_ref().map(Refusal::reason),
            is_in_the_way: file.refusal.as_ref().is_some_and(Refusal::is_in_the_way),
            note: note.filter(|_| !file.is_refused()).map(str::to_owned),
            additions: lines().filter(|line| line.old_line.is_none()).count(),
            deletions: lines().filter(|line| line.new_line.is_none()).count(),
            diff: file.diff.clone(),
        }
    }
}

pub(super) fn display(path: &Path, project: &Path) -> String {
    path.strip_prefix(project)
        .unwrap_or(path)
        .to_string_lossy()
        .into_owned()
}
