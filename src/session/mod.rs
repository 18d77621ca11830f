//! One live conversation behind a handle: operations in, events out.
//!
//! The TUI, headless runs and editors are peers: each holds a [`Handle`] and none can reach around it. The session's actor
//! owns all state. [`Handle::attach`] gives a snapshot and a receiver from the same instant; one front end writes, any
//! number watch. What belongs to a tree of sessions, such as the questions of them all, is a stream of its own, which
//! [`Handle::attach_with_tree`] brings along. A receiver that falls behind is told so and attaches anew; the session never waits for it.
//!
//! Everything that crosses a handle ([`Op`], [`Envelope`], [`Snapshot`], [`query::Query`], [`query::Answer`], and what
//! they hold: questions, forms, cards) is data that serde reads and writes, so that a front end may be another process.
//! Nothing in it leads back into the session: what only the session can do, such as to look at an edited call or to
//! draw that of a tool which no front end knows, is asked for. The program itself serialises none of it. Enums are tagged with the variant's name in snake case
//! (`{"shift": {…}}`, `"release"`), times are milliseconds since the Unix epoch, durations numbers with their unit in
//! the field's name, ids of messages, calls and sessions strings. A path that is not UTF-8 is refused with an error that
//! says so.

mod actor;
mod draft;
mod event;
pub mod export;
pub mod host;
pub mod import;
pub(crate) mod mention;
mod missing_commands;
mod moment;
mod opened;
mod outbox;
mod profile;
pub mod query;
mod recorder;
mod restored_prompt;
mod shown_todos;
mod surroundings;
mod tasks;
mod terminal_op;
mod terminal_rows;
mod title;
mod tree;
pub mod undo;
pub mod wire;

pub use crate::agent::reminder::PLAN;
pub use draft::{StoredDraft, StoredFile, StoredPaste};
pub use event::{
    ContextReport, ContextReportKind, Envelope, ErrorReport, Event, QueuedKind, QueuedMessage, ReportKind,
    RequestUsage, RestoredConversation, Retry, SettledPermission, SettledQuestion, SummaryDraft,
    TurnEndReason,
};
pub use missing_commands::missing_command;
pub use surroundings::{EarlierSession, InstructionFile, Surroundings};

pub use crate::store::{Grant, GrantOrigin, GrantScope, StoreError};
pub use outbox::{Receiver, RecvError};
pub use terminal_op::{TerminalOp, TypedBytes};

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use crate::conversation::{
    FilePart, Message, ModelRef, Price, SessionId, TaskId, TaskRow, TerminalRow, TodoEdit, Usage,
};
use crate::permission::{ChosenScopes, Mode};
use crate::question::{Question, QuestionId, Reply};
pub use crate::tool::CallUpdate;
use crate::tool::SeenFiles;
use query::{Answer, Query};

/// Operations that a front end asks of the session.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// Starts a turn; while one runs, steers it: the message joins at the next tool boundary.
    Submit(Input),
    /// Is sent when the running turn has ended.
    Queue(Input),
    /// Runs a shell command of the person's own, beside whatever else goes on. The model is sent it with the next request
    /// after it has ended.
    Shell(String),
    /// Takes a waiting input back: [`Event::Unqueued`] has it, unless it was sent meanwhile.
    Unqueue(u64),
    /// Lets a waiting input change places with its neighbour, as long as both steer or neither does.
    Shift {
        id: u64,
        way: QueueDirection,
    },
    /// A steer waits for the end of the turn instead; what waits for that, or is held, steers the turn that runs.
    Redirect(u64),
    /// Sends what was held when a turn was interrupted.
    Release,
    /// Stops the turn and everything it started. A steer that waits is sent at once.
    Interrupt,
    Answer {
        id: QuestionId,
        reply: Reply,
    },
    /// Wants to know what was allowed for good: [`Event::Grants`].
    ListGrants,
    /// Takes a stored rule back, at once.
    RevokeGrant(i64),
    /// Changes an entry of the todo list. The model is told with the next request.
    EditTodo(TodoEdit),
    /// Judges later asks by this mode, at once. What waits stays until [`Op::Rejudge`]. Mode `plan` brings agent `plan`
    /// along, and another mode the agent that was there before it.
    SetMode(Mode),
    /// Judges what waits by the mode of now.
    Rejudge,
    /// Goes on as this agent: at once, or with the next step of the turn that runs. Agent `plan` brings mode `plan` along,
    /// and another agent the mode that was there before it.
    SetAgent(String),
    /// Asks this model from then on: at once, or with the next step of the turn that runs.
    SetModel(ModelRef),
    /// Has a summary of the conversation written, with what the person wants in it above all: [`Event::SummaryDrafted`].
    Compact(Option<String>),
    /// Puts the summary that was drafted, as the person has edited it, in place of what it stands for; `None` drops it.
    UseSummary(Option<String>),
    /// Sends again what was left out for the model because its provider refused it.
    SendRefusedAgain,
    /// Gives the session a name, which none that a model finds replaces.
    Rename(String),
    /// The text in the composer, kept across a crash.
    Draft(String),
    /// Does something about tasks that this session or one below it started.
    Task(TaskOp),
    /// Does something to a terminal of the tree, for the person.
    Terminal(TerminalOp),
    /// Ends the session's actor after everything is on disk.
    Close,
}

/// An action of a person on tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskOp {
    /// Stops a task and everything that it started.
    Cancel(TaskId),
    /// Stops all tasks below the session.
    CancelAll,
    /// The tasks that the session's calls wait for go on in the background.
    ToBackground,
}

/// Returns true if both agent and mode are `plan`, which are one thing and are named once.
pub fn is_plan(agent: &str, mode: Mode) -> bool {
    agent == PLAN && mode == Mode::Plan
}

/// In the order in which what waits is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueDirection {
    Sooner,
    Later,
}

/// Base64 that a message's files may have together: the providers take requests of 20 to 32 MB.
pub const MOST_FILES_BYTES: usize = 20 << 20;

/// A message that a person sends.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Input {
    pub text: String,
    pub files: Vec<FilePart>,
    /// Files to be read before it is sent. One that cannot be read sends it back.
    pub mentions: Vec<Mention>,
    /// The paths of those that a rule asks about and the person means: they were told, and sent it again.
    pub meant: Vec<String>,
    /// The paths of those that are left out: they could not be read, and the person was told and sent it again.
    pub without: Vec<String>,
    /// The command of the user's own that the text calls.
    pub command: Option<CalledCommand>,
    /// Files that the session read for it; empty before that. The conversation has seen it when the input has joined it.
    pub seen: Arc<SeenFiles>,
    /// An agent asks it of a task; otherwise a person does.
    #[serde(default)]
    pub is_delegated: bool,
}

impl Input {
    /// The text as the model is sent it.
    fn full_text(&self) -> String {
        match &self.command {
            Some(CalledCommand::Expanded(text)) => format!("{}\n{text}", self.text),
            Some(CalledCommand::ByName { .. }) | None => self.text.clone(),
        }
    }
}

/// State of a command that a text calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CalledCommand {
    ByName {
        name: String,
        arguments: String,
    },
    /// It is sent behind the text.
    Expanded(String),
}

impl CalledCommand {
    /// Returns the command of the user's own that a text calls.
    pub(crate) fn of(text: &str, commands: &[CommandChoice]) -> Option<Self> {
        let spoken = text.strip_prefix('/')?;
        let (name, rest) = spoken.split_once(char::is_whitespace).unwrap_or((spoken, ""));
        let own = commands.iter().find(|command| command.name == name)?;
        Some(Self::ByName {
            name: own.name.clone(),
            arguments: rest.trim().to_owned(),
        })
    }
}

/// A file that the text names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mention {
    /// From the session's directory on, or absolute, or from home.
    pub path: String,
    /// From the first to the last of these lines, counted from 1.
    pub lines: Option<(u64, u64)>,
    /// It can be nothing but a file. Another name that is none is text.
    pub is_sure: bool,
    /// The label that stands for the file in the text, where that is not its path. Such a file is never left out.
    pub label: Option<String>,
}

/// Facts of the session that a title row shows.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SessionInfo {
    pub id: SessionId,
    pub title: String,
    pub agent: String,
    /// Those it can be changed to, itself included.
    pub agents: Vec<AgentChoice>,
    pub model: ModelRef,
    /// Those it can ask, this one included.
    pub models: Vec<ModelChoice>,
    /// Commands of the user's own.
    pub commands: Vec<CommandChoice>,
    pub mode: Mode,
    /// A stored rule allows every edit in the project without a question.
    pub allows_edits: bool,
    pub directory: PathBuf,
    /// The model's context window in tokens, when it is known.
    pub context_limit: Option<u64>,
    /// Tokens in the context after the last request.
    pub context_used: u64,
    /// Sums over the session.
    pub usage: Usage,
    /// US dollars; `None` when a price is unknown.
    pub cost: Option<f64>,
    /// Why nothing can be sent, where the session can only be read.
    pub read_only: Option<ReadOnlyReason>,
    /// Why the model cannot be asked, where it cannot: nothing is sent until another one is chosen.
    #[serde(default)]
    pub model_problem: Option<String>,
    /// The scripted model answers.
    pub demo: bool,
    /// The scopes with which the next "always" begins: those of the newest stored rules.
    pub scopes: ChosenScopes,
    pub surroundings: Surroundings,
}

/// Why a session can only be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadOnlyReason {
    /// Another process, which the text names, has it open.
    OpenIn(String),
    /// This was its directory, and the person has not said where it goes on.
    DirectoryGone(PathBuf),
}

impl std::fmt::Display for ReadOnlyReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::OpenIn(process) => write!(f, "open in {process}"),
            Self::DirectoryGone(directory) => {
                write!(f, "its directory `{}` is gone", directory.display())
            }
        }
    }
}

/// An agent that a session can go on as.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentChoice {
    pub name: String,
    /// Empty when nobody described it.
    pub description: String,
    /// The model that it asks, where it names one itself.
    pub model: Option<ModelRef>,
    /// Names or wildcards that it switches on or off; the last that matches wins.
    pub tools: Vec<(String, bool)>,
    /// Its own permissions as sentences, in order.
    pub rules: Vec<String>,
    /// Files that define it, the weakest first.
    pub sources: Vec<String>,
}

/// A command of the user's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandChoice {
    pub name: String,
    /// Empty when nobody described it.
    pub description: String,
    /// The arguments to write behind the name; empty when nobody says.
    pub argument_hint: String,
    pub text: Arc<str>,
}

/// A model that a session can ask.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelChoice {
    pub model: ModelRef,
    pub protocol: Cow<'static, str>,
    /// Address of its provider; empty when the provider is unknown.
    pub address: String,
    /// The variable that would hold a key, where there is none and its provider wants one.
    pub missing_key: Option<Cow<'static, str>>,
    /// Tokens of input and output together.
    pub context: u64,
    /// Tokens of one reply.
    pub output: u64,
    pub images: bool,
    pub pdf: bool,
    pub reasoning: bool,
    pub price: Option<Price>,
}

/// All of a session at one instant.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Snapshot {
    /// The last event of the session that this snapshot includes.
    pub seq: u64,
    pub info: SessionInfo,
    pub messages: Vec<Arc<Message>>,
    /// Those of all sessions of the tree, oldest first; empty where only the session was attached to.
    pub questions: Vec<Arc<Question>>,
    /// All tasks of the tree in the order in which they were started; empty where only the session was attached to.
    pub tasks: Vec<Arc<TaskRow>>,
    /// All terminals of the tree in the order in which they were started; empty where only the session was attached to.
    pub terminals: Vec<TerminalRow>,
    pub queue: Vec<QueuedMessage>,
    pub todos: Vec<Value>,
    pub busy: bool,
    pub draft: String,
}

/// A front end's way to one session.
#[derive(Debug, Clone)]
pub struct Handle {
    commands: mpsc::Sender<Command>,
}

/// Messages to the actor. Full means that it is 256 behind a person: the sender is told.
#[derive(Debug)]
enum Command {
    Op(Op),
    Attach(Streams, oneshot::Sender<(Snapshot, Receiver)>),
    Ask(Query, oneshot::Sender<Answer>),
    Task(TaskCommand),
}

/// A command of the tasks of a tree to one of its sessions.
#[derive(Debug)]
enum TaskCommand {
    /// Begin a turn with the prompt of a task, or let it join the one that runs.
    Prompt(Input),
    /// Run a command first, and begin with the prompt when it has ended well.
    SetUp { command: String, then: Input },
    /// Stop the turn: not the person wants it.
    Stop,
    /// End the turn with an error: what may be spent is spent, in words.
    StopSpent(String),
    /// Begin a turn with the notices that wait, unless one runs.
    TakeNotices,
    /// The mode of the tree is this from now on.
    Mode(Mode),
}

/// Streams that a receiver is attached to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Streams {
    Session,
    SessionAndTree,
    /// The same, and the streams of all sessions that join the tree.
    WholeTree,
}

/// The session cannot take an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    #[error("the session is busy; try again in a moment")]
    Busy,
    #[error("the session has ended")]
    Closed,
}

impl Handle {
    /// Hands an operation over without waiting.
    pub fn send(&self, op: Op) -> Result<(), SendError> {
        self.commands
            .try_send(Command::Op(op))
            .map_err(|error| match error {
                mpsc::error::TrySendError::Full(_) => SendError::Busy,
                mpsc::error::TrySendError::Closed(_) => SendError::Closed,
            })
    }

    /// Returns true if both lead to the same session.
    fn is_same(&self, other: &Self) -> bool {
        self.commands.same_channel(&other.commands)
    }

    /// Asks something beside the stream of events.
    pub async fn ask(&self, query: Query) -> Result<Answer, SendError> {
        let (sender, answer) = oneshot::channel();
        self.commands
            .send(Command::Ask(query, sender))
            .await
            .map_err(|_| SendError::Closed)?;
        answer.await.map_err(|_| SendError::Closed)
    }

    /// Returns the session as it is now and a receiver of everything that happens in it afterwards.
    pub async fn attach(&self) -> Result<(Snapshot, Receiver), SendError> {
        self.attach_to(Streams::Session).await
    }

    /// The same with what belongs to the session's tree: the questions of all its sessions.
    pub async fn attach_with_tree(&self) -> Result<(Snapshot, Receiver), SendError> {
        self.attach_to(Streams::SessionAndTree).await
    }

    /// The same with everything that happens in tasks that are started from now on. This receiver never falls behind: it is
    /// for those that tell every event, and has to be read as events come.
    pub async fn attach_with_all(&self) -> Result<(Snapshot, Receiver), SendError> {
        self.attach_to(Streams::WholeTree).await
    }

    /// Hands over what the tasks of the tree want.
    fn command(&self, command: TaskCommand) -> Result<(), SendError> {
        self.commands
            .try_send(Command::Task(command))
            .map_err(|error| match error {
                mpsc::error::TrySendError::Full(_) => SendError::Busy,
                mpsc::error::TrySendError::Closed(_) => SendError::Closed,
            })
    }

    async fn attach_to(&self, streams: Streams) -> Result<(Snapshot, Receiver), SendError> {
        let (answer, attached) = oneshot::channel();
        self.commands
            .send(Command::Attach(streams, answer))
            .await
            .map_err(|_| SendError::Closed)?;
        attached.await.map_err(|_| SendError::Closed)
    }
}
