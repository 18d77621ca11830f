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
    /// Number of exchanges of the recording that had ended when this one began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) began: Option<usize>,
    pub(super) request: RequestSummary,
    #[serde(default)]
    pub(super) reply: Vec<Frame>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<RecordedFailure>,
}

/// The part of a request that is kept. Only `last` has to match at replay; by agent and text a conversation is found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RequestSummary {
    /// Name of the agent that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) agent: Option<String>,
    pub(super) last: LastInput,
    /// The beginning of the user's last text. What lathe itself tells the model is none.
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
    /// Something that lathe tells the model by itself, such as that a task has ended, beside no results of calls.
    Notice,
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
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) voids_reply: bool,
}

impl Exchange {
    pub(super) fn has_calls(&self) -> bool {
        let events = self.reply.iter().map(|frame| &frame.event);
        events
            .into_iter()
            .any(|event| matches!(event, RecordedEvent::Call { .. } | RecordedEvent::Use { .. }))
    }
}

impl RequestSummary {
    pub(super) fn of(request: &Request) -> Self {
        let mut hash = Sha256::new();
        for tool in request.tools.iter() {
            hash.update(&tool.name);
            hash.update(tool.schema.to_string());
        }
        let messages = request.messages.iter();
        let user = messages
            .clone()
            .rfind(|message| message.role == Role::User && !message.is_reminder());
        // A notice joins the results of calls whenever it comes, which is not the same at replay.
        let newest = messages.rev().find(|message| !message.is_reminder());
        let reply = newest.filter(|message| message.role == Role::Assistant);
        let calls = reply.map(|reply| reply.calls().map(|call| call.tool.clone()).collect::<Vec<_>>());
        let calls = calls.filter(|calls| !calls.is_empty());
        let last = match (&calls, reply) {
            (Some(_), _) => LastInput::Results,
            (None, Some(_)) => LastInput::Notice,
            (None, None) => LastInput::User,
        };
        Self {
            agent: Some(request.agent.clone()),
            last,
            text: user.map(|message| message.text().chars().take(PROMPT).collect()),
            calls,
            messages: Some(request.messages.len()),
            tools: Some(format!("{:x}", hash.finalize())),
        }
    }

    /// Returns true if a request that ends like `asked` is the one that was recorded.
    pub(super) fn fits(&self, asked: &Self) -> bool {
        let is_of_kind = self.is_of_kind(asked)
            // Before there were notices, what lathe says was told like the user's words.
            || (self.last, asked.last) == (LastInput::User, LastInput::Notice);
        is_of_kind && (self.calls.is_none() || self.calls == asked.calls)
    }

    pub(super) fn is_of_kind(&self, asked: &Self) -> bool {
        self.last == asked.last
    }

    /// Returns how well a conversation that begins like this one fits one that begins like `asked`: the more, the better.
    pub(super) fn likeness(&self, asked: &Self) -> usize {
        let is_same_text = self.text.is_some() && self.text == asked.text;
        let is_same_agent = self.agent.is_some() && self.agent == asked.agent;
        2 * usize::from(is_same_text) + usize::from(is_same_agent)
    }

    /// Says in a few words what stands at the end of the request.
    pub(super) fn described(&self, purpose: Purpose) -> String {
        let purpose = match purpose {
            Purpose::Turn => "turn",
            Purpose::Title => "title",
            Purpose::Compaction => "summary",
        };
        match self.last {
            LastInput::User => match self.text.as_deref() {
                Some(text) => format!("a {purpose} after the prompt \"{}\"", shortened(text)),
                None => format!("a {purpose} after a prompt"),
            },
            LastInput::Notice => format!("a {purpose} after a notice of lathe"),
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
            voids_reply: error.voids_reply,
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
            voids_reply: failure.voids_reply,
            refusal: None,
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
