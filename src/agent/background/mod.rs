//! Tasks: which may run, what each does, what they may spend, and who is told how they ended.
//!
//! The scheduler of one tree of sessions. It does nothing itself and reads no clock: [`Scheduler`] is given what happens and
//! the time, and [`Scheduler::take_effects`] says what is to be done. So queues, budgets, cancelling and notices are tested
//! without any of them. Times are milliseconds since the Unix epoch.
//!
//! ```text
//! Queued ─slot→ Running ─turn over, no tasks of its own left→ Completed | Failed | Cancelled
//!                 ▲ │                                               │
//!                 │ └─ waits for a person or its own tasks: no slot │
//!                 └──────────────── resumed ────────────────────────┘
//! ```

mod account;
mod breaker;
mod ending;
mod node;
mod notices;
mod observation;
mod prefix;
mod progress;
mod requests;
mod slots;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use crate::conversation::{
    Budget, CallId, ModelRef, SessionId, TaskActivity, TaskRow, TaskStatus, WorktreeChanges,
};
use account::Account;
use node::{Node, TaskEntry};
pub use notices::Notice;
pub use observation::{Observation, TurnResult};
use prefix::Prefixes;
use requests::OpenRequest;
pub use slots::SlotLimits;
use slots::{SlotUse, Slots};

/// Number of a request to a model, one for each try.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(pub u64);

/// Limits of one tree.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    pub slots: SlotLimits,
    /// How deep tasks may start tasks.
    pub max_depth: u32,
    /// Calls of one task; 0 is any number.
    pub max_tool_calls: u32,
    /// Tasks in the tree; 0 is any number.
    pub max_spawned: u32,
    /// Of the root and all tasks together, from one message of the person to the next.
    pub budget: Budget,
}

/// A task to be started.
#[derive(Debug, Clone)]
pub struct NewTask {
    pub session: SessionId,
    pub parent: SessionId,
    /// The call that waits for it; `None` in the background.
    pub waiting_call: Option<CallId>,
    /// Name of the tool that starts it.
    pub started_by: &'static str,
    pub agent: String,
    pub category: Option<String>,
    pub description: String,
    pub model: ModelRef,
    /// True if the provider reads what it cached for less.
    pub has_cache: bool,
    pub budget: Budget,
    /// The work tree that it will have.
    pub worktree: Option<WorktreeChanges>,
}

/// Why a task may not be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartRefusal {
    TooDeep { depth: u32, limit: u32 },
    TooMany { limit: u32 },
    Spent(String),
}

/// Something to be done, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Start the session of a task with its prompt.
    Open(SessionId),
    /// Interrupt a session's turn.
    Stop(SessionId),
    /// End the root's turn with an error: what may be spent is spent, in words.
    StopSpent(SessionId, String),
    /// A task is as this says now: tell it and, where its status is another, store it.
    Changed {
        row: Box<TaskRow>,
        is_stored: bool,
    },
    Admit(RequestId),
    /// A request may not be sent, because of this.
    Refuse(RequestId, String),
    /// A session that does nothing is to take its notices.
    Wake(SessionId),
}

/// Why a task ends before its turn does by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndCause {
    /// By a person or its parent.
    Cancelled,
    /// By a limit, in words.
    Limit(String),
}

/// The tasks of one tree.
#[derive(Debug)]
pub struct Scheduler {
    limits: Limits,
    root: SessionId,
    nodes: HashMap<SessionId, Node>,
    /// The sessions of tasks in the order in which they were started.
    order: Vec<SessionId>,
    slots: Slots,
    prefixes: Prefixes,
    requests: HashMap<RequestId, OpenRequest>,
    effects: Vec<Effect>,
    /// Up to here the time of work is counted.
    counted_to: i64,
}

impl Scheduler {
    pub fn new(root: SessionId, limits: Limits, now: i64) -> Self {
        let node = Node::new(None, 0, Account::new(limits.budget));
        Self {
            slots: Slots::new(limits.slots.clone()),
            limits,
            nodes: HashMap::from([(root.clone(), node)]),
            root,
            order: Vec::new(),
            prefixes: Prefixes::default(),
            requests: HashMap::new(),
            effects: Vec::new(),
            counted_to: now,
        }
    }

    /// Takes in the tasks that are stored, in the order in which they were started. Those that were not ended are found
    /// interrupted. `is_told` says whether the parent knows how one ended.
    pub fn restore(&mut self, stored: Vec<(TaskRow, bool)>, now: i64) {
        for (mut row, is_told) in stored {
            let is_cut = !row.status.is_ended();
            if is_cut {
                row.status = TaskStatus::Interrupted;
                (row.since, row.ended) = (now, Some(now));
            }
            let (session, parent) = (row.session.clone(), row.parent.clone());
            let is_pending = row.status == TaskStatus::Interrupted || row.is_background;
            if let Some(parent) = self.nodes.get_mut(&parent) {
                parent.children.push(session.clone());
                if !is_told && is_pending {
                    parent.pending.push(session.clone());
                }
            }
            let mut node = Node::new(Some(parent), row.depth, Account::default());
            node.task = Some(TaskEntry::new(row, false));
            self.nodes.insert(session.clone(), node);
            self.order.push(session.clone());
            if is_cut {
                self.change(&session, true);
            }
        }
    }

    /// Returns what is to be done, once.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// All tasks, in the order in which they were started.
    pub fn rows(&self) -> impl Iterator<Item = &TaskRow> {
        self.order.iter().filter_map(|session| self.row(session))
    }

    pub fn row(&self, session: &SessionId) -> Option<&TaskRow> {
        Some(&self.nodes.get(session)?.task.as_ref()?.row)
    }

    /// Returns true if a session is that of a task which has ended.
    pub fn is_ended(&self, session: &SessionId) -> bool {
        self.row(session).is_some_and(|row| row.status.is_ended())
    }

    /// A task's last text, as far as it has come.
    pub fn text(&self, session: &SessionId) -> Option<&str> {
        Some(&self.nodes.get(session)?.task.as_ref()?.text)
    }

    /// Returns true if `ancestor` is above a task in its tree.
    pub fn is_above(&self, ancestor: &SessionId, session: &SessionId) -> bool {
        let mut parent = self.nodes.get(session).and_then(|node| node.parent.as_ref());
        while let Some(above) = parent {
            if above == ancestor {
                return true;
            }
            parent = self.nodes.get(above).and_then(|node| node.parent.as_ref());
        }
        false
    }

    /// Returns true if any task is queued or running.
    pub fn is_active(&self) -> bool {
        self.rows().any(|row| !row.status.is_ended())
    }

    /// Returns why a session may not start a task.
    pub fn check_start(&self, parent: &SessionId) -> Result<(), StartRefusal> {
        let depth = self.nodes.get(parent).map_or(0, |node| node.depth) + 1;
        let limit = self.limits.max_depth;
        if depth > limit {
            return Err(StartRefusal::TooDeep { depth, limit });
        }
        let limit = self.limits.max_spawned;
        if limit > 0 && self.order.len() >= limit as usize {
            return Err(StartRefusal::TooMany { limit });
        }
        match self.spent_above(parent) {
            Some(spent) => Err(StartRefusal::Spent(spent)),
            None => Ok(()),
        }
    }

    /// The row of a task that is about to be started.
    pub fn new_row(&self, task: &NewTask, now: i64) -> TaskRow {
        let depth = self.nodes.get(&task.parent).map_or(0, |node| node.depth) + 1;
        queued_row(task, depth, now)
    }

    /// The work tree of a task was measured.
    pub fn set_worktree(&mut self, session: &SessionId, changes: WorktreeChanges) {
        let task = self.nodes.get_mut(session).and_then(|node| node.task.as_mut());
        let Some(task) = task.filter(|task| task.row.worktree.as_ref() != Some(&changes)) else {
            return;
        };
        task.row.worktree = Some(changes);
        self.change(session, true);
    }

    /// The end of a task was told: that is to be stored.
    pub fn settle(&mut self, session: &SessionId) {
        self.change(session, true);
    }

    /// Puts a task into the queue.
    pub fn start(&mut self, task: &NewTask, now: i64) -> Result<(), StartRefusal> {
        self.count_time(now);
        self.check_start(&task.parent)?;
        let (session, parent) = (task.session.clone(), task.parent.clone());
        let depth = self.nodes.get(&parent).map_or(0, |node| node.depth) + 1;
        let mut node = Node::new(Some(parent.clone()), depth, Account::new(task.budget));
        node.progress.last_event = now;
        let call = task.waiting_call.as_ref();
        node.task = Some(TaskEntry::new(queued_row(task, depth, now), task.has_cache));
        self.nodes.insert(session.clone(), node);
        self.order.push(session.clone());
        if let Some(parent) = self.nodes.get_mut(&parent) {
            parent.children.push(session.clone());
        }
        self.enqueue(&session, call, now);
        Ok(())
    }

    /// Puts an ended task into the queue again; it goes on with all that it knows. Returns false if it has not ended.
    pub fn resume(
        &mut self,
        session: &SessionId,
        call: Option<&CallId>,
        budget: Budget,
        now: i64,
    ) -> Result<bool, StartRefusal> {
        self.count_time(now);
        if let Some(spent) = self.spent_above(session) {
            return Err(StartRefusal::Spent(spent));
        }
        let Some(node) = self.nodes.get_mut(session) else {
            return Ok(false);
        };
        let Some(task) = node.task.as_mut().filter(|task| task.row.status.is_ended()) else {
            return Ok(false);
        };
        task.begin_again(call.is_none());
        node.account = Account::new(budget);
        node.progress.last_event = now;
        self.forget_notice(session);
        self.enqueue(session, call, now);
        Ok(true)
    }

    fn enqueue(&mut self, session: &SessionId, call: Option<&CallId>, now: i64) {
        let Some(task) = self.nodes.get_mut(session).and_then(|node| node.task.as_mut()) else {
            return;
        };
        (task.row.status, task.row.since) = (TaskStatus::Queued, now);
        task.waiting_call = call.cloned();
        let (model, parent) = (task.row.model.clone(), task.row.parent.clone());
        if let (Some(call), Some(parent)) = (call, self.nodes.get_mut(&parent)) {
            parent.progress.delegate(call, true);
        }
        self.change(session, true);
        self.refresh(&parent, now);
        self.slots.wait(session, &model, SlotUse::Start);
        self.grant(now);
    }

    /// The call that waits for a task does so no more: its end is told like that of any other in the background.
    pub fn continue_in_background(&mut self, session: &SessionId, now: i64) {
        self.count_time(now);
        let Some(task) = self.nodes.get_mut(session).and_then(|node| node.task.as_mut()) else {
            return;
        };
        if task.row.is_background || task.row.status.is_ended() {
            return;
        }
        task.row.is_background = true;
        let (parent, call) = (task.row.parent.clone(), task.waiting_call.take());
        if let (Some(call), Some(parent)) = (call, self.nodes.get_mut(&parent)) {
            parent.progress.delegate(&call, false);
        }
        self.change(session, true);
        self.refresh(&parent, now);
    }

    /// Hands out free slots.
    fn grant(&mut self, now: i64) {
        for (session, wanted) in self.slots.grant() {
            match wanted {
                SlotUse::Start => {
                    if let Some(task) = self.nodes.get_mut(&session).and_then(|node| node.task.as_mut()) {
                        task.row.status = TaskStatus::Running;
                        task.row.activity = TaskActivity::WaitingForModel;
                        (task.row.since, task.row.started) = (now, Some(now));
                        task.row.ended = None;
                    }
                    if let Some(node) = self.nodes.get_mut(&session) {
                        node.progress.last_event = now;
                    }
                    self.change(&session, true);
                    self.effects.push(Effect::Open(session));
                }
                SlotUse::Request(request) => self.admit(request, now),
            }
        }
    }

    /// Gives up a task's slot where it waits for somebody else.
    fn lend(&mut self, session: &SessionId, now: i64) {
        let Some(node) = self.nodes.get(session) else {
            return;
        };
        let waits = match node.progress.activity(self.has_active_tasks(session), now) {
            TaskActivity::WaitingForPerson | TaskActivity::WaitingForTasks => true,
            TaskActivity::Working | TaskActivity::WaitingForModel | TaskActivity::Stalled => false,
        };
        if waits || !node.progress.is_turn_running {
            self.release_slot(session, now);
        }
    }

    fn release_slot(&mut self, session: &SessionId, now: i64) {
        // A task that was given one and has not begun its turn keeps it.
        let has_begun = self
            .nodes
            .get(session)
            .is_some_and(|node| node.progress.has_asked);
        if has_begun {
            self.slots.release(session);
            self.grant(now);
        }
    }

    fn has_active_tasks(&self, session: &SessionId) -> bool {
        self.active_tasks(session).next().is_some()
    }

    /// Returns the tasks that a session started and that are queued or running.
    fn active_tasks(&self, session: &SessionId) -> impl Iterator<Item = &TaskRow> {
        let children = self.nodes.get(session).map(|node| &node.children);
        let rows = children.into_iter().flatten().filter_map(|child| self.row(child));
        rows.filter(|row| !row.status.is_ended())
    }

    /// Notes that a row has changed. Each status is told, and of what happens in between the last.
    fn change(&mut self, session: &SessionId, is_stored: bool) {
        let Some(row) = self.row(session).cloned().map(Box::new) else {
            return;
        };
        let of_task = |effect: &&mut Effect| matches!(effect, Effect::Changed { row: of, .. } if of.session == row.session);
        if let Some(Effect::Changed {
            row: last,
            is_stored: stored,
        }) = self.effects.iter_mut().rev().find(of_task)
            && last.status == row.status
        {
            (*last, *stored) = (row, *stored || is_stored);
            return;
        }
        self.effects.push(Effect::Changed { row, is_stored });
    }

    /// Works out what a running task does now, and tells it where that is something else.
    fn refresh(&mut self, session: &SessionId, now: i64) {
        let has_tasks = self.has_active_tasks(session);
        let Some(node) = self.nodes.get_mut(session) else {
            return;
        };
        let activity = node.progress.activity(has_tasks, now);
        let Some(task) = node.task.as_mut() else { return };
        if task.row.status == TaskStatus::Running && task.row.activity != activity {
            (task.row.activity, task.row.since) = (activity, now);
            self.change(session, false);
        }
        self.lend(session, now);
    }
}

fn queued_row(task: &NewTask, depth: u32, now: i64) -> TaskRow {
    TaskRow {
        task: crate::conversation::TaskId::of(&task.session),
        session: task.session.clone(),
        parent: task.parent.clone(),
        started_by: task.started_by.to_owned(),
        depth,
        agent: task.agent.clone(),
        category: task.category.clone(),
        description: task.description.clone(),
        model: task.model.clone(),
        is_background: task.waiting_call.is_none(),
        status: TaskStatus::Queued,
        activity: TaskActivity::default(),
        since: now,
        now: String::new(),
        calls: 0,
        usage: crate::conversation::Usage::default(),
        cost: Some(0.0),
        created: now,
        started: None,
        ended: None,
        error: None,
        failure: None,
        worktree: task.worktree.clone(),
    }
}
