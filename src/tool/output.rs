//! The result of a tool: output or an error.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::conversation::{Attachment, CallResult, ErrorKind};
use crate::permission::Ask;

/// The output of a call.
#[derive(Debug, Clone)]
pub struct Output<D> {
    /// One line; the pipeline cuts it at 80 columns.
    pub title: String,
    /// The text for the model: whole, or cut by the tool itself when `spilled` says so.
    pub text: String,
    pub details: D,
    pub attachments: Vec<Attachment>,
    /// The tool has cut the text and written the marker lines, because the whole did not fit in memory.
    pub spilled: Option<SpilledOutput>,
    /// The call is not ok although it has output and details: a command that ran out of time.
    pub failure: Option<ErrorKind>,
    /// The tool keeps to limits of its own that are no wider than the generic rule's: that one is not applied again to
    /// what it adds around the text.
    pub paged: bool,
}

/// Output that went to a file while it was produced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpilledOutput {
    /// File with the whole output; `None` when it could not be kept, which the text then says.
    pub path: Option<PathBuf>,
}

impl<D> Output<D> {
    pub fn new(title: impl Into<String>, text: impl Into<String>, details: D) -> Self {
        Self {
            title: title.into(),
            text: text.into(),
            details,
            attachments: Vec::new(),
            spilled: None,
            failure: None,
            paged: false,
        }
    }
}

/// An error the model can act on.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    pub kind: ErrorKind,
    /// Says what was expected and what was found, without the leading `Error: `.
    pub message: String,
    /// Says what to try; shown on a line of its own.
    pub hint: Option<String>,
    /// Further fields of `details.error`.
    extra: Option<Box<Value>>,
    first: Option<Box<EarlierAsks>>,
}

/// Asks that come before an error is told.
#[derive(Debug, Clone, Default)]
pub(super) struct EarlierAsks {
    /// Asked; see [`super::Tool::prepare`].
    pub(super) asks: Vec<Ask>,
    /// A rule that denies one of these is told in place of the error.
    pub(super) judged: Vec<Ask>,
}

impl ToolError {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: None,
            extra: None,
            first: None,
        }
    }

    /// Arguments that cannot be used.
    pub fn invalid_args(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidArgs, message)
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub fn extra(mut self, extra: Value) -> Self {
        self.extra = Some(Box::new(extra));
        self
    }

    /// Has these asked first, before what is asked already. Without a yes the model hears of the refusal, not of the
    /// error.
    pub fn after(mut self, mut asks: Vec<Ask>) -> Self {
        let first = self.first.get_or_insert_default();
        asks.append(&mut first.asks);
        first.asks = asks;
        self
    }

    /// Has the rules looked at first: what is denied anyway is told as denied, whatever else is the matter.
    pub fn unless_denied(mut self, asks: Vec<Ask>) -> Self {
        self.first.get_or_insert_default().judged = asks;
        self
    }

    pub(super) fn take_first(&mut self) -> EarlierAsks {
        self.first.take().map(|first| *first).unwrap_or_default()
    }

    /// The call was stopped before it did anything.
    pub fn not_executed() -> Self {
        Self::new(ErrorKind::Cancelled, "not executed")
    }

    /// The call was not begun, because nobody would know of it after a crash.
    pub fn not_recorded() -> Self {
        let message = "not executed, because the session could not be written down";
        Self::new(ErrorKind::Io, message).hint("Tell the user: lathe's data directory needs a look.")
    }

    /// Returns the result that the model and the screen get.
    pub fn into_result(self) -> CallResult {
        let mut result = CallResult::error(self.kind, &self.message, self.hint.as_deref());
        let extra = self.extra.map(|extra| *extra);
        if let (Some(Value::Object(extra)), Some(error)) = (extra, result.details.get_mut("error")) {
            for (key, value) in extra {
                error[key] = value;
            }
        }
        result
    }
}

/// Builds `details.error` for output that failed with details of its own.
pub(super) fn error_details(kind: ErrorKind) -> Value {
    json!({ "kind": kind })
}
