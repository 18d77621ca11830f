//! A tool call's state and its one result.

use std::io;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::Json;
use crate::swap::Swap;
use crate::text::width::truncate;

/// Most columns of a title.
pub(crate) const TITLE_COLUMNS: usize = 80;

/// Lifecycle state of a call. It only ever moves forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    /// Its arguments are streaming, or it waits for its turn or for an answer.
    Pending,
    Running,
    Done,
    Failed,
    Denied,
    Cancelled,
    /// Found unfinished after a restart.
    Interrupted,
}

impl CallState {
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Pending | Self::Running)
    }
}

/// The result of a call: text for the model, `details` for the eye and for scripts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallResult {
    pub ok: bool,
    /// One line of at most 80 columns.
    pub title: String,
    /// The text for the model.
    pub output: String,
    /// Never sent to the model.
    #[serde(default)]
    pub details: Json,
    #[serde(default)]
    pub truncated: bool,
    /// The whole text, when `output` was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_path: Option<String>,
    #[serde(default)]
    pub duration_ms: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
}

impl CallResult {
    /// Makes the failed result every tool error becomes: `Error: …` and `details.error`.
    pub fn error(kind: ErrorKind, message: &str, hint: Option<&str>) -> Self {
        let mut error = serde_json::json!({ "kind": kind });
        let mut output = format!("Error: {message}");
        if let Some(hint) = hint {
            error["hint"] = Value::from(hint);
            output.push('\n');
            output.push_str(hint);
        }
        Self {
            ok: false,
            title: truncate(message.lines().next().unwrap_or_default(), TITLE_COLUMNS).into_owned(),
            output,
            details: serde_json::json!({ "error": error }).into(),
            truncated: false,
            output_path: None,
            duration_ms: 0,
            attachments: Vec::new(),
        }
    }

    /// Reads one from JSON text, and leaves its details unread.
    pub fn from_json(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str::<ReadResult<'_>>(text).map(Self::from)
    }

    /// Returns the kind of error, when there was one.
    pub fn error_kind(&self) -> Option<ErrorKind> {
        self.failure()?.kind
    }

    fn failure(&self) -> Option<Failure> {
        self.details.fields::<ErrorDetails>()?.error
    }

    /// Returns the final state that this result means.
    pub fn state(&self) -> CallState {
        if self.ok {
            return CallState::Done;
        }
        let failure = self.failure().unwrap_or_default();
        match failure.kind {
            Some(ErrorKind::Denied | ErrorKind::Rejected) => CallState::Denied,
            Some(ErrorKind::Hook) if !failure.ran => CallState::Denied,
            Some(ErrorKind::Cancelled) => CallState::Cancelled,
            Some(ErrorKind::Interrupted) => CallState::Interrupted,
            _ => CallState::Failed,
        }
    }
}

impl Swap for CallResult {
    fn weight(&self) -> usize {
        let attachments: usize = self
            .attachments
            .iter()
            .map(|attachment| attachment.data.len())
            .sum();
        self.output.len() + self.details.text_len() + attachments
    }

    fn to_bytes(&self) -> io::Result<Vec<u8>> {
        Ok(serde_json::to_vec(self)?)
    }

    fn from_bytes(bytes: &[u8]) -> io::Result<Self> {
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        Ok(Self::from_json(text)?)
    }

    fn unreadable(error: &io::Error) -> Self {
        let message = format!("the result of this call cannot be read back from disk: {error}");
        Self::error(
            ErrorKind::Io,
            &message,
            Some("it is stored with the session: open that again"),
        )
    }
}

/// A [`CallResult`] on its way out of JSON text, whose details are not read.
#[derive(Deserialize)]
struct ReadResult<'a> {
    ok: bool,
    title: String,
    output: String,
    #[serde(default, borrow)]
    details: Option<&'a RawValue>,
    #[serde(default)]
    truncated: bool,
    #[serde(default)]
    output_path: Option<String>,
    #[serde(default)]
    duration_ms: u64,
    #[serde(default)]
    attachments: Vec<Attachment>,
}

impl From<ReadResult<'_>> for CallResult {
    fn from(read: ReadResult<'_>) -> Self {
        Self {
            ok: read.ok,
            title: read.title,
            output: read.output,
            details: read.details.map(Json::from).unwrap_or_default(),
            truncated: read.truncated,
            output_path: read.output_path,
            duration_ms: read.duration_ms,
            attachments: read.attachments,
        }
    }
}

/// The part of `details` that describes an error.
#[derive(Deserialize)]
struct ErrorDetails {
    error: Option<Failure>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Failure {
    #[serde(deserialize_with = "known")]
    kind: Option<ErrorKind>,
    /// True if the call had run and a hook made an error of it; where a hook denied the call, nothing ran.
    #[serde(deserialize_with = "is_true")]
    ran: bool,
}

/// A kind of a newer lathe is none.
fn known<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<ErrorKind>, D::Error> {
    let kind = Value::deserialize(deserializer)?;
    Ok(ErrorKind::deserialize(kind).ok())
}

fn is_true<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(Value::deserialize(deserializer)? == Value::Bool(true))
}

/// An image or a PDF that goes to the model with a message or a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// `image/png`, `application/pdf` …
    pub mime: String,
    /// Base64 of the bytes.
    pub data: String,
}

/// The kinds of tool error, as scripts and models see them in `details.error.kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    InvalidArgs,
    UnknownTool,
    NotFound,
    NotRead,
    Stale,
    NoMatch,
    Ambiguous,
    Identical,
    Refused,
    HashMismatch,
    Overlap,
    Parse,
    Cancelled,
    Unavailable,
    Limit,
    Io,
    Denied,
    Rejected,
    Exists,
    IsDirectory,
    NotDirectory,
    Binary,
    Encoding,
    TooLarge,
    Timeout,
    Interrupted,
    Network,
    Http,
    Hook,
    Internal,
}
