//! Queries of a front end beside the stream of events: how full the context is, what was spent, how things stand, what
//! changed, the session as a text.
//!
//! The actor gathers what an answer is made of and goes on; weighing, reading and running git happen elsewhere. An answer
//! tells of the moment in which it was asked.

mod changes;
mod context;
mod costs;
mod export_file;
mod status;
mod terminals;
mod wording;

pub use changes::{ChangeScope, ChangedFile, Changes, FileState, Revert};
pub use context::{CacheMiss, ContextGroup, ContextItem, ContextSource, ContextUse, MissCause};
pub use costs::Costs;
pub use export_file::{ExportOutcome, ExportRequest};
pub use status::StatusGroup;
pub use terminals::{TerminalLine, TerminalScreen};

pub(crate) use super::moment::moment;
pub use crate::store::Spending;
pub(crate) use wording::{SpendingSum, SumOf, cost_of_miss, spender};

pub(in crate::session) use changes::{ChangesQuery, put_back};
pub(in crate::session) use context::ContextFacts;
pub(in crate::session) use costs::CostQuery;
pub(in crate::session) use export_file::ExportJob;
pub(in crate::session) use status::{bare_url, process_group};
pub(in crate::session) use terminals::{history, next_screen};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::export::ExportFormat;
use super::undo::{UndoList, UndoOutcome, UndoRequest};
use crate::conversation::{CallId, MessageId};
use crate::question::QuestionId;
use crate::view::card::Card;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Query {
    Context,
    Costs,
    Status,
    Changes(ChangeScope),
    /// Takes one hunk back, where the file is as it was shown.
    Revert(Revert),
    /// The session as a text.
    Export(ExportFormat),
    /// The session in a file.
    Keep(ExportRequest),
    /// Brings arguments that a person wrote in a question into the form of the call's tool.
    Fit {
        question: QuestionId,
        args: Map<String, Value>,
    },
    /// How a call is drawn as it is now, for a front end that does not know its tool.
    Card {
        call: CallId,
        expanded: bool,
    },
    /// The screen of a terminal of the tree: at once, or where `seen` is its generation, as soon as it is another one.
    /// Whoever shows a screen asks again when it was drawn, so output is never faster than it is drawn.
    Terminal {
        name: String,
        seen: Option<u64>,
    },
    /// The scrollback and the screen of a terminal of the tree.
    TerminalHistory(String),
    /// Asks if anything goes on in the session's tree or is about to.
    AtWork,
    /// What undoing everything from a message of the person's on would do; `None` is the last one.
    UndoList(Option<MessageId>),
    /// What taking the last undo back would do.
    RedoList,
    /// Undoes; [`Event::Restored`](super::Event::Restored) comes before the answer.
    Undo(UndoRequest),
    /// Takes the last undo back. Files that are others by now are left as they are, or keep everything as it is.
    Redo {
        skips_changed: bool,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Context(ContextUse),
    Costs(Costs),
    Status(Vec<StatusGroup>),
    Changes(Changes),
    /// The hunk is gone from this file.
    Reverted(String),
    Export(String),
    Kept(ExportOutcome),
    /// The arguments in the tool's form.
    Fits(Map<String, Value>),
    /// Why they are not the tool's.
    Unfit(String),
    /// `None`: the session has no such call, or its arguments are not there yet.
    Card(Option<Box<Card>>),
    /// `None`: there is no such terminal.
    Terminal(Option<Box<TerminalScreen>>),
    /// From the oldest line to the last of the screen; `None`: there is no such terminal.
    TerminalHistory(Option<Vec<TerminalLine>>),
    AtWork {
        is_at_work: bool,
        /// The last event of the session by then.
        seq: u64,
    },
    UndoList(Box<UndoList>),
    /// What was undone, or redone.
    Undone(UndoOutcome),
    /// A sentence that says what happened to the person's thing.
    Failed(String),
}
