//! Undo and redo: files and conversation go back together to before a message of the person's.
//!
//! [`UndoList`] says what would happen, file by file; [`UndoRequest`] names what is wanted of it. The same work serves a
//! session that is open here, by its actor, and one that is open nowhere (`StoredSessions`). Undos are a stack, which the
//! next turn clears.

mod list;
#[cfg(test)]
mod tests;
mod work;

pub use list::{UndoDirection, UndoFile, UndoList};
pub(in crate::session) use work::{SessionUndo, UndoDone};

use serde::{Deserialize, Serialize};

use super::{ErrorReport, ReportKind};
use crate::conversation::MessageId;

/// What of a session is undone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UndoScope {
    #[default]
    Both,
    Files,
    Conversation,
}

/// An undo that is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoRequest {
    /// The message of the person's to go back to before; `None` is the last one.
    pub to: Option<MessageId>,
    pub scope: UndoScope,
    /// Files that cannot be undone are left as they are; else one of them keeps everything as it is.
    pub skips_changed: bool,
}

/// What was undone or redone, in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoOutcome {
    pub files: usize,
    /// Messages that left the conversation, or came back.
    pub messages: usize,
}

impl UndoScope {
    pub fn has_files(self) -> bool {
        self != Self::Conversation
    }

    pub fn has_conversation(self) -> bool {
        self != Self::Files
    }
}

fn refused(message: impl Into<String>) -> ErrorReport {
    ErrorReport::new(ReportKind::BadRequest, message)
}
