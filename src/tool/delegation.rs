//! The interface through which tools start, find and cancel tasks; whoever runs them is above the tools.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::sync::watch;

use super::{Abilities, ToolError};
use crate::conversation::{
    Budget, CallId, FilePart, Isolation, ModelRef, SessionId, TaskId, TaskRow, TaskStatus, WorktreeChanges,
};

/// How long a task that is stopped may take to end, with everything that it started.
pub(super) const STOP_GRACE: Duration = Duration::from_secs(4);

/// The agent, or the task, that an order is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskTarget {
    /// An agent, by its name in any case.
    Agent(String),
    /// A kind of work, which names the agent, the model and more.
    Category(String),
    /// The task or child session of this id goes on, with all that it knows.
    Resume(String),
}

/// A task as a call wants it.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskOrder {
    /// Name of the tool that starts it.
    pub tool: &'static str,
    pub target: TaskTarget,
    pub prompt: String,
    /// Files that go with the prompt.
    pub files: Vec<FilePart>,
    /// Three to five words; the first four of the prompt where it is empty.
    pub description: String,
    pub is_background: bool,
    /// As the agent's settings say where it is `None`.
    pub isolation: Option<Isolation>,
    pub budget: Budget,
    /// Asked instead of the model that the agent or the category names.
    pub model: Option<ModelRef>,
}

impl TaskOrder {
    /// An order in the foreground, with nothing in it that is not usual.
    pub(super) fn new(tool: &'static str, target: TaskTarget, description: String, prompt: String) -> Self {
        Self {
            tool,
            target,
            prompt,
            files: Vec::new(),
            description,
            is_background: false,
            isolation: None,
            budget: Budget::default(),
            model: None,
        }
    }
}

/// A task that may be started: its agent, its model and its place are settled.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedOrder {
    pub order: TaskOrder,
    pub agent: String,
    pub category: Option<String>,
    pub model: ModelRef,
    pub isolation: Isolation,
    /// The task that goes on, and the tokens that its context has.
    pub resumes: Option<(TaskId, u64)>,
}

/// The model that an agent would ask on a task.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskModel {
    pub reference: ModelRef,
    pub abilities: Abilities,
    /// Tokens of input and output together.
    pub context: u64,
}

/// The call that asks about tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskCaller {
    pub session: SessionId,
    pub call: CallId,
    pub agent: String,
}

/// A task as it is now.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskState {
    pub row: TaskRow,
    /// Its last text, as far as it has come.
    pub text: Arc<str>,
}

/// Follows one task.
pub type TaskWatch = watch::Receiver<Arc<TaskState>>;

/// A task that was cancelled.
#[derive(Debug, Clone, PartialEq)]
pub struct CancelledTask {
    pub row: TaskRow,
    pub previous: TaskStatus,
}

/// The work tree of a task, and what is changed in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeReport {
    pub changes: WorktreeChanges,
    /// Paths of the changed files.
    pub files: Vec<String>,
    /// Why that is not known.
    pub problem: Option<String>,
}

/// Starts, finds and cancels tasks. Whoever is not above a task in its tree is told that there is none.
pub trait Delegation: Send + Sync {
    /// Settles who works on an order and with what model, or says why nobody does and what can be done instead.
    fn check(&self, caller: &TaskCaller, order: TaskOrder) -> Result<CheckedOrder, ToolError>;

    /// Returns the model that would be asked on an order. Where images are wanted and nobody names a model, it is one that
    /// takes them, if there is any.
    fn model_for(
        &self,
        caller: &TaskCaller,
        order: &TaskOrder,
        wants_images: bool,
    ) -> Result<TaskModel, ToolError>;

    /// Starts a task. It is stored before this returns.
    fn start(
        &self,
        caller: &TaskCaller,
        order: CheckedOrder,
    ) -> BoxFuture<'static, Result<TaskWatch, ToolError>>;

    /// Finds a task by its id or the id of its session.
    fn find(&self, caller: &TaskCaller, id: &str) -> Result<TaskWatch, ToolError>;

    /// Stops a task because the call that waited for it was cancelled. Nobody is told of its end. Does not wait.
    fn stop(&self, task: &TaskId);

    /// Returns all text of a task that this caller was not given before, and notes that it was. The end of a task that
    /// is fetched this way is not told again.
    fn fetch(&self, caller: &TaskCaller, task: &TaskId) -> BoxFuture<'static, Result<String, ToolError>>;

    /// Returns what is changed in a task's work tree; `None` for a task without one.
    fn tree(&self, task: &TaskId) -> BoxFuture<'static, Option<TreeReport>>;

    /// Cancels a task and everything that it started, or all tasks below the caller. Nobody is told of those again.
    fn cancel(
        &self,
        caller: &TaskCaller,
        task: Option<&TaskId>,
    ) -> BoxFuture<'static, Result<Vec<CancelledTask>, ToolError>>;
}
