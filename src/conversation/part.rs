//! The parts of a message, in wire order.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CallId, CallResult, CallState, ContextChange, Json};
use crate::swap::Swappable;

/// One part. `seq` orders the parts of a session and never changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    pub seq: u64,
    #[serde(flatten)]
    pub body: PartBody,
}

// Most parts are calls, so boxing them would save nothing.
#[allow(clippy::large_enum_variant)]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum PartBody {
    Text(TextPart),
    Reasoning(ReasoningPart),
    Tool(ToolPart),
    File(FilePart),
    Notice(Notice),
    /// A change of what the model is sent of the conversation; shown, and never sent itself.
    Context(ContextChange),
    /// A kind that a newer lathe wrote: kept as it is and drawn generically.
    #[serde(untagged)]
    Unknown(Value),
}

impl PartBody {
    /// Makes a text that is no provider's own block.
    pub fn text(text: impl Into<String>) -> Self {
        let (text, native) = (text.into(), None);
        Self::Text(TextPart { text, native })
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TextPart {
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native: Option<Native>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ReasoningPart {
    pub text: String,
    /// Without it the part is never sent back: reasoning without its signature is void.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native: Option<Native>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolPart {
    pub call: CallId,
    /// The provider's own id; it may be missing or repeated and is used on the wire alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_id: Option<String>,
    /// The name as the model gave it.
    pub tool: String,
    /// The arguments as the model wrote them: JSON text, possibly broken.
    pub raw_args: String,
    /// The arguments after normalisation, once the call was resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Json>,
    pub state: CallState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Swappable<CallResult>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native: Option<Native>,
    /// The calls inside this one, in their order. They are shown and never sent: their results are part of this one's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inner: Vec<ToolPart>,
}

impl ToolPart {
    /// Returns the result, which may have to be read from a file.
    pub fn result(&self) -> Option<Arc<CallResult>> {
        self.result.as_ref().map(Swappable::get)
    }
}

/// A file the user attached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FilePart {
    /// As shown to the user and to the model; behind it the lines that were asked for: `src/a.rs:40-59`.
    pub path: String,
    pub mime: String,
    /// Text for text files, base64 for images and PDFs.
    pub data: String,
    /// The label that stands for it in the message's text, where that is not its path: `[image 1: shot.png 640×480]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// Something that happened to the conversation; shown, never sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    pub kind: NoticeKind,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    Info,
    Interrupted,
    Error,
    Retry,
}

/// A provider's own block, kept to be sent back byte for byte to the same protocol and model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Native {
    /// `anthropic`, `openai-chat`, `openai-responses`, `gemini`.
    pub protocol: String,
    /// `provider/model`.
    pub model: String,
    pub json: Value,
}
