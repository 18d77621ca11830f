//! Conversations as they are stored, streamed and sent: sessions hold messages, messages hold parts, and a tool part
//! holds one call and its one result.
//!
//! These are plain values. The store writes them, providers turn them into requests, the screen draws them. Order is by
//! `seq`, never by id.

mod call;
mod context_change;
mod delta;
mod ids;
mod json;
mod message;
mod model;
mod part;
mod permission_key;
#[cfg(test)]
pub(crate) mod sample;
mod stop;
mod task;
mod task_board;
#[cfg(test)]
pub(crate) mod task_sample;
mod terminal_row;
mod todo;
mod usage;

pub(crate) use call::TITLE_COLUMNS;
pub use call::{Attachment, CallResult, CallState, ErrorKind};
pub use context_change::{
    Compaction, ContextChange, KeptKind, KeptText, MaskedOutputs, SentAgain, WithheldKind, WithheldParts,
};
pub use delta::StreamEvent;
pub use ids::{CallId, MessageId, SessionId, TaskId};
pub use json::Json;
pub use message::{Message, MessageState, Role};
pub use model::{ModelRef, model_name};
pub use part::{FilePart, Native, Notice, NoticeKind, Part, PartBody, ReasoningPart, TextPart, ToolPart};
pub use permission_key::PermissionKey;
pub use stop::Stop;
pub use task::{Budget, Isolation, TaskActivity, TaskRow, TaskStatus, WorktreeChanges};
pub use task_board::{BoardIdError, BoardItem, BoardItemId, BoardItemName, BoardRow, BoardStatus};
pub use terminal_row::{TerminalInput, TerminalOwner, TerminalRow, TerminalStatus, Typist};
pub use todo::{Todo, TodoChange, TodoEdit, TodoPriority, TodoStatus};
pub use usage::{Price, Usage};
