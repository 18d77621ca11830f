//! The tasks of a tree at work: opens their sessions, tells the scheduler what happens in them, and does what it says.
//!
//! [`Scheduler`] decides; it stands behind one lock here, and every call of it is followed by its effects. What can be done
//! at once is done under the lock, so that events, rows in the store and admissions keep their order. Opening a session
//! and speaking to one is the runner's.

mod delegation;
mod events;
mod metered;
mod notice;
mod runner;
mod trees;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::task::JoinHandle;

use super::opened::RunningSession;
use super::tree::SessionTree;
use super::{ErrorReport, Event, Handle, Input, TaskCommand, TaskOp};
use crate::agent::background::{Effect, Limits, Observation, RequestId, Scheduler, TurnResult};
use crate::conversation::{MessageId, ModelRef, SessionId, TaskRow, Usage, WorktreeChanges};
use crate::permission::Mode;
use crate::store::{NewSession, Store, StoreError};
use crate::tool::{
    CheckedOrder, Registry, TaskCaller, TaskModel, TaskOrder, TaskState, ToolError, TreeReport,
};
use crate::worktree::Lease;
use events::EventReader;
use runner::Job;

pub(super) use delegation::TaskDelegation;
pub(super) use metered::{MeteredProvider, spent_error};
pub(super) use trees::TreeStart;

/// Makes the sessions of tasks; `wire` has what it takes. Its methods read files and the store, and block.
pub(super) trait TaskSessions: TaskTrees {
    /// Settles who works on an order and with what model.
    fn check(&self, caller: &TaskCaller, order: TaskOrder) -> Result<CheckedOrder, ToolError>;

    /// Returns the model that would be asked on an order, with what it takes in.
    fn model_for(
        &self,
        caller: &TaskCaller,
        order: &TaskOrder,
        wants_images: bool,
    ) -> Result<TaskModel, ToolError>;

    /// Returns the session that is stored for a new task.
    fn new_session(&self, id: &SessionId, caller: &TaskCaller, order: &CheckedOrder) -> NewSession;

    /// Opens the stored session of a task.
    fn open(&self, row: &TaskRow) -> Result<RunningSession, ErrorReport>;

    /// Returns true if what a model's provider has cached is read for less.
    fn has_cache(&self, model: &ModelRef) -> bool;

    /// Returns the price of a request in US dollars, if it is known.
    fn price(&self, model: &ModelRef, usage: &Usage) -> Option<f64>;
}

/// Makes and measures the work trees of tasks; like the above it blocks.
pub(super) trait TaskTrees: Send + Sync {
    /// Says where an isolated task would work; `None` for one that is not isolated. Refuses what cannot be.
    fn plan_tree(
        &self,
        session: &SessionId,
        caller: &TaskCaller,
        order: &CheckedOrder,
    ) -> Result<Option<WorktreeChanges>, ToolError>;

    /// Makes the work tree of a task that is to have one and has none yet.
    fn make_tree(&self, row: &TaskRow) -> Result<TreeStart, ErrorReport>;

    /// Takes the right to work in the tree that a session's directory lies in, if it lies in one.
    fn lease_tree(&self, session: &SessionId) -> Result<Option<Lease>, ErrorReport>;

    /// Returns what is changed in a task's own tree.
    fn measure_tree(&self, row: &TaskRow) -> Option<TreeReport>;

    /// Notes how a task that has ended left its tree.
    fn settle_tree(&self, row: &TaskRow);
}

/// The tasks of one tree.
pub(super) struct Tasks {
    root: SessionId,
    store: Store,
    tree: Arc<SessionTree>,
    tools: Arc<Registry>,
    is_owner: bool,
    state: Mutex<TasksState>,
    jobs: mpsc::UnboundedSender<Job>,
    /// Something may be due earlier than it was.
    hurry: Notify,
    /// Held while a session is opened, so that none is opened twice.
    opening: tokio::sync::Mutex<()>,
}

struct TasksState {
    scheduler: Scheduler,
    /// `None` until the root is wired and after the tree is closed.
    sessions: Option<Arc<dyn TaskSessions>>,
    root: Option<Handle>,
    live: HashMap<SessionId, LiveSession>,
    readers: HashMap<SessionId, EventReader>,
    watches: HashMap<SessionId, watch::Sender<Arc<TaskState>>>,
    /// First prompts of the sessions that are about to be opened.
    prompts: HashMap<SessionId, Input>,
    admissions: HashMap<RequestId, oneshot::Sender<Result<(), String>>>,
    last_request: u64,
    /// The last message of a task that a session was given.
    fetched: HashMap<(SessionId, SessionId), MessageId>,
    /// Of the running tasks that work in a tree.
    leases: HashMap<SessionId, Lease>,
    /// Tasks whose tree is about to be measured.
    measuring: HashSet<SessionId>,
    is_closing: bool,
}

/// An open session of a task.
struct LiveSession {
    handle: Handle,
    actor: JoinHandle<()>,
    /// Number of front ends that are attached to it: it stays open for them when the task has ended.
    attached: usize,
}

/// Parts of [`Tasks`].
pub(super) struct TasksParts {
    pub(super) root: SessionId,
    pub(super) store: Store,
    pub(super) tree: Arc<SessionTree>,
    pub(super) tools: Arc<Registry>,
    pub(super) limits: Limits,
    /// This process has the tree; otherwise nothing of it is stored from here.
    pub(super) is_owner: bool,
}

impl Tasks {
    /// Takes in what is stored of the tree and starts the runner on the current runtime.
    pub(super) fn start(parts: TasksParts) -> Result<Arc<Self>, StoreError> {
        let stored = parts.store.tasks_of(&parts.root)?;
        let now = now();
        let mut scheduler = Scheduler::new(parts.root.clone(), parts.limits, now);
        let stored = stored.into_iter().map(|task| (task.row, task.is_told)).collect();
        scheduler.restore(stored, now);
        let (jobs, received) = mpsc::unbounded_channel();
        let tasks = Arc::new(Self {
            root: parts.root,
            store: parts.store,
            tree: parts.tree,
            tools: parts.tools,
            is_owner: parts.is_owner,
            state: Mutex::new(TasksState {
                scheduler,
                sessions: None,
                root: None,
                live: HashMap::new(),
                readers: HashMap::new(),
                watches: HashMap::new(),
                prompts: HashMap::new(),
                admissions: HashMap::new(),
                last_request: 0,
                fetched: HashMap::new(),
                leases: HashMap::new(),
                measuring: HashSet::new(),
                is_closing: false,
            }),
            jobs,
            hurry: Notify::new(),
            opening: tokio::sync::Mutex::new(()),
        });
        tasks.perform(&mut tasks.lock());
        runner::spawn(&tasks, received);
        Ok(tasks)
    }

    /// Gives it the root, and what makes the sessions of tasks.
    pub(super) fn connect(&self, root: Handle, sessions: Arc<dyn TaskSessions>) {
        let mut state = self.lock();
        state.root = Some(root);
        state.sessions = Some(sessions);
        for job in trees::unmeasured(state.scheduler.rows()) {
            // Nobody listens any more while the process ends.
            let _ = self.jobs.send(job);
        }
    }

    /// All tasks, in the order in which they were started.
    pub(super) fn rows(&self) -> Vec<Arc<TaskRow>> {
        self.lock().scheduler.rows().cloned().map(Arc::new).collect()
    }

    /// Returns true if a task runs in this session.
    pub(super) fn root(&self) -> &SessionId {
        &self.root
    }

    pub(super) fn has(&self, session: &SessionId) -> bool {
        self.lock().scheduler.row(session).is_some()
    }

    /// Returns true if a task is queued or running, or the root is still to be told of one that ended.
    pub(super) fn is_at_work(&self) -> bool {
        let state = self.lock();
        state.scheduler.is_active() || state.scheduler.has_notices(&self.root)
    }

    /// Takes in an event of a session of the tree. Called by its actor, in order.
    pub(super) fn observe(&self, session: &SessionId, event: &Event) {
        // The text of the root is nobody's business here, and it comes in many pieces.
        if *session == self.root && matches!(event, Event::Delta { .. } | Event::PartStarted { .. }) {
            return;
        }
        let mut state = self.lock();
        self.note_call(&mut state, session, event);
        let reader = state.readers.entry(session.clone()).or_default();
        if let Some(observation) = reader.read(event, &self.tools) {
            // Text says nothing of who works, and comes in many pieces.
            let is_text = matches!(observation, Observation::Text(_));
            state.scheduler.observe(session, observation, now());
            self.perform(&mut state);
            if !is_text && state.scheduler.has_time_limit() {
                // Whoever works from now on spends time, also where no task is at work.
                self.hurry.notify_one();
            }
        }
    }

    /// The person said something in a session, or stopped its turn.
    pub(super) fn observe_person(&self, session: &SessionId, observation: Observation) {
        let mut state = self.lock();
        state.scheduler.observe(session, observation, now());
        self.perform(&mut state);
    }

    /// A task cannot begin, because of this.
    pub(super) fn fail(&self, session: &SessionId, why: String) {
        let mut state = self.lock();
        let failed = Observation::TurnEnded(TurnResult::Failed(why));
        state.scheduler.observe(session, failed, now());
        self.perform(&mut state);
    }

    /// Hands a session the notices that wait for it, as one text, with the tasks that they are about.
    pub(super) fn take_notices(&self, session: &SessionId) -> Option<(String, Vec<SessionId>)> {
        let (notices, running) = self.lock().scheduler.take_notices(session);
        let told = notices.iter().map(|notice| notice.row.session.clone()).collect();
        notice::text(&notices, running, now()).map(|text| (text, told))
    }

    /// Returns true if a task that a session started in the background is queued or running.
    pub(super) fn has_running_in_background(&self, session: &SessionId) -> bool {
        self.lock().scheduler.running_in_background(session) > 0
    }

    /// Returns true if dollars are limited for a session.
    pub(super) fn has_cost_limit(&self, session: &SessionId) -> bool {
        self.lock().scheduler.has_cost_limit(session)
    }

    /// Returns true if notices wait for a session.
    pub(super) fn has_notices(&self, session: &SessionId) -> bool {
        self.lock().scheduler.has_notices(session)
    }

    /// Does what a person wants of tasks below a session.
    pub(super) fn on_op(&self, session: &SessionId, op: &TaskOp) {
        let mut state = self.lock();
        let below: Vec<SessionId> = {
            let rows = state.scheduler.rows();
            let of_op = rows.filter(|row| match op {
                TaskOp::Cancel(task) => row.task == *task,
                TaskOp::CancelAll => state.scheduler.is_above(session, &row.session),
                TaskOp::ToBackground => row.parent == *session,
            });
            of_op.map(|row| row.session.clone()).collect()
        };
        for task in below {
            match op {
                TaskOp::Cancel(_) | TaskOp::CancelAll => state.scheduler.cancel(&task, false, now()),
                TaskOp::ToBackground => state.scheduler.continue_in_background(&task, now()),
            }
        }
        self.perform(&mut state);
    }

    /// The mode is the tree's: every other session that is open is told.
    pub(super) fn tell_mode(&self, by: &SessionId, mode: Mode) {
        let state = self.lock();
        let others = state.live.iter().filter(|(session, _)| *session != by);
        let root = state.root.iter().filter(|_| *by != self.root);
        for handle in others.map(|(_, live)| &live.handle).chain(root) {
            // One that is too busy to hear it or has ended shows another mode; what is asked is judged by the right one.
            let _ = handle.command(TaskCommand::Mode(mode));
        }
    }

    /// Ends all tasks and waits until their sessions have written everything.
    pub(super) async fn close(&self) {
        let live = {
            let mut state = self.lock();
            state.is_closing = true;
            let open: Vec<SessionId> = state.scheduler.rows().map(|row| row.session.clone()).collect();
            for session in open {
                state.scheduler.cancel(&session, true, now());
            }
            self.perform(&mut state);
            state.sessions = None;
            std::mem::take(&mut state.live)
        };
        let ends = live.into_values().map(LiveSession::close);
        futures::future::join_all(ends).await;
        self.lock().leases.clear();
    }

    fn lock(&self) -> MutexGuard<'_, TasksState> {
        // The scheduler checks what it is told against what it knows, so a half-done call costs one task at most.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does what the scheduler wants.
    fn perform(&self, state: &mut TasksState) {
        for effect in state.scheduler.take_effects() {
            let job = match effect {
                Effect::Changed { row, is_stored } => {
                    self.tell(state, *row, is_stored);
                    continue;
                }
                Effect::Admit(request) => {
                    state.settle_admission(request, Ok(()));
                    continue;
                }
                Effect::Refuse(request, spent) => {
                    state.settle_admission(request, Err(spent));
                    continue;
                }
                Effect::Open(session) => Job::Open(session),
                Effect::Stop(session) => Job::Command(session, TaskCommand::Stop),
                Effect::StopSpent(session, spent) => Job::Command(session, TaskCommand::StopSpent(spent)),
                Effect::Wake(session) => Job::Command(session, TaskCommand::TakeNotices),
            };
            // Nobody listens any more while the process ends.
            let _ = self.jobs.send(job);
            self.hurry.notify_one();
        }
    }

    /// Tells a task's row as it is now, and stores it.
    fn tell(&self, state: &mut TasksState, row: TaskRow, is_stored: bool) {
        let session = &row.session;
        if is_stored {
            let is_told = state.scheduler.is_settled(session);
            let stored = if self.is_owner {
                self.store.put_task(&row, is_told)
            } else {
                Ok(())
            };
            if let Err(error) = stored {
                tracing::error!(%error, task = %row.task, "the state of a task was not stored");
            }
            if row.status.is_ended() {
                let _ = self.jobs.send(Job::Close(session.clone()));
            }
            if let Some(job) = state.follow_tree(&row) {
                let _ = self.jobs.send(job);
            }
        }
        if let Some(watch) = state.watches.get(session) {
            watch.send_replace(Arc::new(TaskState {
                text: state.scheduler.text(session).unwrap_or_default().into(),
                row: row.clone(),
            }));
        }
        self.tree.publish(&row.parent.clone(), Event::Task(Arc::new(row)));
    }
}

impl TasksState {
    fn settle_admission(&mut self, request: RequestId, result: Result<(), String>) {
        if let Some(admission) = self.admissions.remove(&request) {
            // Whoever waited may have given up a moment ago; its ticket ends the request.
            let _ = admission.send(result);
        }
    }

    /// Returns a task with what makes the sessions of tasks, where both are there.
    fn sessions_and_row(&self, session: &SessionId) -> Option<(Arc<dyn TaskSessions>, TaskRow)> {
        Some((self.sessions.clone()?, self.scheduler.row(session).cloned()?))
    }

    fn handle(&self, session: &SessionId, root: &SessionId) -> Option<Handle> {
        if session == root {
            return self.root.clone();
        }
        Some(self.live.get(session)?.handle.clone())
    }
}

impl LiveSession {
    async fn close(self) {
        self.handle.close().await;
        if let Err(error) = self.actor.await {
            tracing::error!(%error, "the session of a task ended by a fault");
        }
    }
}

fn now() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}
