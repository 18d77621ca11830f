//! The lines of a cassette.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::conversation::{Native, Role, Stop, StreamEvent, Usage};
use crate::provider::{ProviderError, ProviderErrorKind, Purpose, Request};

pub(super) const VERSION: u32 = 1;
/// Characters of a prompt that are kept to recognise it by.
const PROMPT: usize = 200;

/// One request and its reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Exchange {
    pub(super) v: u32,
    /// Tells the conversations of one recording apart; it is not a session's id at replay.
    #[serde(default)]
    pub(super) session: String,
    pub(super) purpose: Purpose,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<String>,
    pub(super) request: RequestSummary,
    #[serde(default)]
    pub(super) reply: Vec<Frame>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<RecordedFailure>,
}

/// The part of a request that is kept. Only `last` has to match at replay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RequestSummary {
    pub(super) last: LastInput,
    /// The beginning of the user's last text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    /// The names of the calls whose results are the last thing said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) calls: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) messages: Option<usize>,
    /// SHA-256 of the tools' names and schemas, to see whether two recordings differ in them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tools: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum LastInput {
    User,
    Results,
}

/// One event, `ms` after the one before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Frame {
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) ms: u64,
    #[serde(flatten)]
    pub(super) event: RecordedEvent,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RecordedEvent {
    Text(usize),
    Reasoning(usize),
    Call {
        block: usize,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        name: String,
    },
    Delta(usize, String),
    End {
        block: usize,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        native: Option<Native>,
    },
    Usage(Usage),
    Refusal(String),
    Stop(Stop),
    /// A whole text block, streamed word by word.
    Say(String),
    /// A whole reasoning block, likewise.
    Think(String),
    /// A whole call, its arguments streamed in small pieces.
    Use {
        name: String,
        #[serde(default)]
        args: Value,
    },
}

/// How a reply failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RecordedFailure {
    pub(super) kind: ProviderErrorKind,
    pub(super) message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) hint: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) retry_after_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) most_retries: Option<u32>,
}

impl RequestSummary {
    pub(super) fn of(request: &Request) -> Self {
        let last = request.messages.last();
        let calls: Vec<String> = match last {
            Some(message) if message.role == Role::Assistant => {
                message.calls().map(|call| call.tool.clone()).collect()
            }
            _ => Vec::new(),
        };
        let mut hash = Sha256::new();
        for tool in request.tools.iter() {
            hash.update(&tool.name);
            hash.update(tool.schema.to_string());
        }
        let user = request
            .messages
            .iter()
            .rfind(|message| message.role == Role::User);
        let is_results = last.is_some_and(|message| message.role == Role::Assistant);
        Self {
            last: if is_results {
                LastInput::Results
            } else {
                LastInput::User
            },
            text: user.map(|message| message.text().chars().take(PROMPT).collect()),
            calls: is_results.then_some(calls),
            messages: Some(request.messages.len()),
            tools: Some(format!("{:x}", hash.finalize())),
        }
    }

    /// Returns true if a request that ends like `asked` is the one that was recorded.
    pub(super) fn fits(&self, asked: &Self) -> bool {
        self.last == asked.last && (self.calls.is_none() || self.calls == asked.calls)
    }

    /// Says in a few words what stands at the end of the request.
    pub(super) fn described(&self, purpose: Purpose) -> String {
        let purpose = match purpose {
            Purpose::Turn => "turn",
            Purpose::Title => "title",
        };
        match self.last {
            LastInput::User => match self.text.as_deref() {
                Some(text) => format!("a {purpose} after the prompt \"{}\"", shortened(text)),
                None => format!("a {purpose} after a prompt"),
            },
            LastInput::Results => match self.calls.as_deref() {
                Some(calls) => format!("a {purpose} after the results of `{}`", calls.join("`, `")),
                None => format!("a {purpose} after results"),
            },
        }
    }
}

impl From<&ProviderError> for RecordedFailure {
    fn from(error: &ProviderError) -> Self {
        Self {
            kind: error.kind,
            message: error.message.clone(),
            hint: error.hint.clone(),
            retry_after_ms: error.retry_after.map(|wait| wait.as_millis() as u64),
            most_retries: error.most_retries,
        }
    }
}

impl From<&RecordedFailure> for ProviderError {
    fn from(failure: &RecordedFailure) -> Self {
        Self {
            kind: failure.kind,
            message: failure.message.clone(),
            hint: failure.hint.clone(),
            retry_after: failure.retry_after_ms.map(Duration::from_millis),
            most_retries: failure.most_retries,
        }
    }
}

impl From<&StreamEvent> for RecordedEvent {
    fn from(event: &StreamEvent) -> Self {
        match event {
            StreamEvent::TextStart { block } => Self::Text(*block),
            StreamEvent::ReasoningStart { block } => Self::Reasoning(*block),
            StreamEvent::CallStart {
                block,
                provider_id,
                name,
            } => Self::Call {
                block: *block,
                id: provider_id.clone(),
                name: name.clone(),
            },
            StreamEvent::Delta { block, delta } => Self::Delta(*block, delta.clone()),
            StreamEvent::End { block, native } => Self::End {
                block: *block,
                native: native.clone(),
            },
            StreamEvent::Usage(usage) => Self::Usage(*usage),
            StreamEvent::Refusal(words) => Self::Refusal(words.clone()),
            StreamEvent::Stop(stop) => Self::Stop(*stop),
        }
    }
}

fn shortened(text: &str) -> String {
    let line = crate::provider::error::one_line(text);
    match line.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

// Serde hands a reference to the field.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(ms: &u64) -> bool {
    *ms == 0
}
