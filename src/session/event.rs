//! Events for a front end: one stream per session and one per tree of sessions, each in order.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Input;
use crate::conversation::{
    CallId, CallResult, Message, MessageId, MessageState, ModelRef, Part, PermissionKey, SessionId, Stop,
    TaskRow, TerminalRow, Usage,
};
use crate::hook::HookRun;
use crate::permission::{Mode, PermissionReply};
use crate::provider::ProviderErrorKind;
use crate::question::{Question, QuestionId, QuestionKind, Reply};
use crate::store::Grant;
use crate::swap::Swappable;
use crate::tool::CallUpdate;

/// One event with its place in the stream.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Envelope {
    /// Rises by one with each event of the stream, from 1.
    pub seq: u64,
    /// The session the event belongs to.
    pub session: SessionId,
    pub event: Event,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A message begins. A user's is whole already; a reply's parts follow.
    MessageStarted(Arc<Message>),
    /// A part of a reply begins; its text is empty.
    PartStarted {
        message: MessageId,
        part: Part,
    },
    /// Text, reasoning, or a call's JSON arguments grow. The only event that may be joined with its neighbour.
    Delta {
        message: MessageId,
        part: u64,
        delta: String,
    },
    /// The part as it is stored. Its calls' results come with [`Event::CallEnded`].
    PartEnded {
        message: MessageId,
        part: Part,
    },
    /// The message is as it is stored. Parts that were begun and are `dropped` (calls that never became whole) are gone.
    MessageEnded {
        message: MessageId,
        state: MessageState,
        stop: Option<Stop>,
        dropped: Vec<u64>,
    },
    /// A call was resolved and its arguments normalised; it runs when its turn comes.
    CallReady {
        call: CallId,
        tool: String,
        args: Value,
    },
    /// The call is being executed (no question is open any more).
    CallRunning {
        call: CallId,
    },
    CallUpdate {
        call: CallId,
        update: CallUpdate,
    },
    CallEnded {
        call: CallId,
        tool: String,
        result: Swappable<CallResult>,
    },
    /// A call of the envelope's session asks. Comes in the tree's stream.
    Asked(Arc<Question>),
    /// A question is gone: answered, withdrawn, or settled for want of a person. Comes in the tree's stream.
    Settled(SettledQuestion),
    /// A task of the tree is as this says. The envelope's session is the one that started it. Comes in the tree's stream.
    Task(Arc<TaskRow>),
    /// The terminals of the tree are as this says, in the order in which they were started. Comes in the tree's stream.
    Terminals(Arc<Vec<TerminalRow>>),
    Retry(Retry),
    /// What the model is sent of the conversation has changed, or could not be changed, or is read anew.
    Context(ContextReport),
    /// The conversation is this one from now on: something was undone or redone.
    Restored(Arc<RestoredConversation>),
    /// A summary of the conversation is being written, or that has ended.
    Summarising(bool),
    /// A summary that the person asked for waits for their word.
    SummaryDrafted(Arc<SummaryDraft>),
    /// One model request was paid for.
    Usage(RequestUsage),
    Error(ErrorReport),
    /// A turn is about to start: the command that its message calls runs in the shell first.
    Preparing,
    TurnStarted,
    TurnEnded(TurnEndReason),
    /// The messages that wait to be sent, in order.
    Queue(Vec<QueuedMessage>),
    /// An input was taken back, for whoever asked for it. `None`: it waits no more, so it was sent.
    Unqueued {
        id: u64,
        input: Option<Arc<Input>>,
    },
    Todos(Vec<Value>),
    Title(String),
    /// The project is on another branch now; none where it has no repository any more.
    Branch(Option<String>),
    Model(ModelRef),
    /// The window of the model, in tokens, as its server told it.
    Window(u64),
    /// The session's steps are this agent's from here on.
    Agent(String),
    Mode(Mode),
    /// Whether a stored rule now allows every edit in the project.
    AllowsEdits(bool),
    /// The result of a call that stands as the turn's answer.
    Answer(String),
    /// A sentence worth a line in the transcript.
    Notice(String),
    /// A hook ran and ended.
    Hook(Arc<HookRun>),
    /// Every rule that was stored by an answer, as somebody has asked or taken one back.
    Grants(Arc<Vec<Grant>>),
    /// A prompt was not sent: it goes back to whoever wrote it.
    Refused(Arc<Input>),
    /// The same, because a file that it mentions cannot be read, or needs a word first: those are its `meant`.
    Unread {
        input: Arc<Input>,
        report: ErrorReport,
        /// The reason alone, for whoever sends it again without those files.
        why: String,
    },
}

/// A conversation after an undo or a redo, with what belongs to it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RestoredConversation {
    pub messages: Vec<Arc<Message>>,
    pub todos: Vec<Value>,
    /// The text for the composer.
    pub draft: String,
    /// Tokens of the next request, as far as they are known.
    pub context_used: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SettledQuestion {
    pub id: QuestionId,
    pub call: CallId,
    /// Subject of the question, for a permission.
    pub permission: Option<SettledPermission>,
}

impl SettledQuestion {
    /// Tells how a question was answered; the patterns of one permission key stand together.
    pub(super) fn of(question: &Question, reply: Reply) -> Self {
        let permission = match (&question.about, reply) {
            (QuestionKind::Permission(inquiry), Reply::Permission(reply)) => {
                let mut asked: Vec<(PermissionKey, Vec<String>)> = Vec::new();
                for row in &inquiry.rows {
                    match asked.iter_mut().find(|(key, _)| key == row.key()) {
                        Some((_, patterns)) => patterns.push(row.pattern().to_owned()),
                        None => asked.push((row.key().clone(), vec![row.pattern().to_owned()])),
                    }
                }
                Some(SettledPermission {
                    tool: inquiry.tool.clone(),
                    asked,
                    reply,
                })
            }
            _ => None,
        };
        Self {
            id: question.id,
            call: question.call.clone(),
            permission,
        }
    }

    /// Returns the arguments that a person gave the call.
    pub fn revised(&self) -> Option<&Map<String, Value>> {
        match &self.permission.as_ref()?.reply {
            PermissionReply::Revised(args) => Some(args),
            _ => None,
        }
    }

    /// Returns true if permission was refused because nobody is there to give it.
    pub fn is_unattended(&self) -> bool {
        let reply = self.permission.as_ref().map(|permission| &permission.reply);
        reply == Some(&PermissionReply::Nobody)
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SettledPermission {
    pub tool: String,
    /// One for each key asked, with its patterns.
    pub asked: Vec<(PermissionKey, Vec<String>)>,
    pub reply: PermissionReply,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retry {
    /// From 1.
    pub attempt: u32,
    /// The request is given up after so many.
    pub most: u32,
    pub delay_ms: u64,
    pub reason: String,
    /// The cut reply, whose text is void.
    pub voided: Option<MessageId>,
}

/// A change of the context, as `run --format json` tells it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContextReport {
    pub kind: ContextReportKind,
    /// Tokens before and after.
    pub before: u64,
    pub after: u64,
    /// The last message that a summary stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covers_to: Option<MessageId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// US dollars that reading anew costs more than reading from the cache; `None` when the price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContextReportKind {
    /// Old outputs are sent as one line each.
    Masked,
    Compacted,
    /// There is no summary, and nothing was changed.
    Failed,
    /// The provider reads anew what it had cached.
    Miss,
}

/// A summary that is not used yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryDraft {
    /// Markdown.
    pub summary: String,
    /// Estimated tokens in the context now, and with the summary.
    pub before: u64,
    pub after: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RequestUsage {
    /// Tokens in the context after the request; `None` where it was no request of the conversation itself.
    pub context_used: Option<u64>,
    pub usage: Usage,
    /// US dollars; `None` when the price is unknown.
    pub cost: Option<f64>,
    pub model: ModelRef,
}

/// A turn or a session could not go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorReport {
    pub kind: ReportKind,
    pub message: String,
    pub hint: Option<String>,
}

impl ErrorReport {
    /// Creates a report without a hint.
    pub fn new(kind: ReportKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: None,
        }
    }

    /// Returns the report with a hint.
    pub fn hinted(self, hint: impl Into<String>) -> Self {
        Self {
            hint: Some(hint.into()),
            ..self
        }
    }

    /// Returns the message, and the hint on a line of its own.
    pub fn text(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{}\n{hint}", self.message),
            None => self.message.clone(),
        }
    }

    /// Returns the message and the hint on one line.
    pub fn sentence(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{}; {hint}", self.message),
            None => self.message.clone(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportKind {
    Config,
    Auth,
    RateLimit,
    Overloaded,
    Network,
    Context,
    BadRequest,
    BadResponse,
    /// The model or its provider declined.
    Refused,
    Untrusted,
    Storage,
    /// The budget of a turn and its tasks is spent.
    Budget,
    /// A hook refused a prompt.
    Hook,
    Internal,
}

impl From<ProviderErrorKind> for ReportKind {
    fn from(kind: ProviderErrorKind) -> Self {
        match kind {
            ProviderErrorKind::Auth => Self::Auth,
            ProviderErrorKind::RateLimit => Self::RateLimit,
            ProviderErrorKind::Overloaded => Self::Overloaded,
            ProviderErrorKind::Network => Self::Network,
            ProviderErrorKind::Context => Self::Context,
            ProviderErrorKind::BadRequest => Self::BadRequest,
            ProviderErrorKind::BadResponse => Self::BadResponse,
            ProviderErrorKind::Refused => Self::Refused,
            ProviderErrorKind::Budget => Self::Budget,
            ProviderErrorKind::Config => Self::Config,
        }
    }
}

/// Why a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnEndReason {
    Stop,
    Length,
    Error,
    Cancelled,
    MaxSteps,
}

/// An input that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuedMessage {
    pub id: u64,
    pub text: String,
    pub kind: QueuedKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueuedKind {
    /// Joins at the next tool boundary.
    Steer,
    /// Sent when the turn has ended.
    Queue,
    /// Was queued when the turn was interrupted; waits for `enter`.
    Held,
}
