//! One session of the tree: the root, or that of a task.

use super::account::Account;
use super::breaker::Breaker;
use super::progress::Progress;
use super::{EndCause, SessionId};
use crate::conversation::{CallId, TaskRow, TaskStatus};

#[derive(Debug)]
pub(super) struct Node {
    pub(super) parent: Option<SessionId>,
    pub(super) depth: u32,
    /// Sessions of the tasks that it started.
    pub(super) children: Vec<SessionId>,
    pub(super) progress: Progress,
    pub(super) account: Account,
    /// Tasks that ended and that it was not told of.
    pub(super) pending: Vec<SessionId>,
    /// The person stopped it: nothing but the person starts a turn of it.
    pub(super) is_held: bool,
    /// It was asked to take its notices and has not done so.
    pub(super) is_woken: bool,
    /// `None` for the root.
    pub(super) task: Option<TaskEntry>,
}

impl Node {
    pub(super) fn new(parent: Option<SessionId>, depth: u32, account: Account) -> Self {
        Self {
            parent,
            depth,
            children: Vec::new(),
            progress: Progress::default(),
            account,
            pending: Vec::new(),
            is_held: false,
            is_woken: false,
            task: None,
        }
    }
}

impl Node {
    /// Returns the task, if it runs.
    pub(super) fn running_task(&self) -> Option<&TaskEntry> {
        self.task
            .as_ref()
            .filter(|task| task.row.status == TaskStatus::Running)
    }
}

#[derive(Debug)]
pub(super) struct TaskEntry {
    pub(super) row: TaskRow,
    pub(super) has_cache: bool,
    /// The call of the parent that waits for it.
    pub(super) waiting_call: Option<CallId>,
    pub(super) text: String,
    /// The next text begins a reply, so it takes the place of the one before.
    pub(super) is_text_old: bool,
    pub(super) breaker: Breaker,
    /// The last error that its session reported in this run.
    pub(super) error: Option<String>,
    /// It was asked to stop, for this, then.
    pub(super) stop: Option<(EndCause, i64)>,
    /// The person stopped its turn.
    pub(super) is_interrupted: bool,
    /// Nobody is told of its end: who stopped it knows.
    pub(super) is_silent: bool,
}

impl TaskEntry {
    pub(super) fn new(row: TaskRow, has_cache: bool) -> Self {
        Self {
            row,
            has_cache,
            waiting_call: None,
            text: String::new(),
            is_text_old: true,
            breaker: Breaker::default(),
            error: None,
            stop: None,
            is_interrupted: false,
            is_silent: false,
        }
    }

    /// Forgets how it ended.
    pub(super) fn begin_again(&mut self, is_background: bool) {
        let row = TaskRow {
            is_background,
            error: None,
            failure: None,
            ended: None,
            ..self.row.clone()
        };
        *self = Self {
            text: std::mem::take(&mut self.text),
            ..Self::new(row, self.has_cache)
        };
    }
}
