//! Does what takes time: opens and closes the sessions of tasks, speaks to them, and watches the clock.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::mpsc;

use super::{LiveSession, Tasks, TreeStart, now};
use crate::conversation::{SessionId, TaskRow, TaskStatus};
use crate::session::opened::{OpenedSession, OpeningNotes, RunningSession};
use crate::session::{ErrorReport, Handle, Op, ReportKind, SendError, TaskCommand};
use crate::tool::BuiltinCards;

/// While tasks are at work the clock is looked at so often at least: what is due changes without a word.
const LONGEST_SLEEP: Duration = Duration::from_secs(30);
/// Between two tries to hand a message to a session that is busy.
const AGAIN: Duration = Duration::from_millis(5);

/// Something for the runner.
pub(super) enum Job {
    /// Open the session of a task and begin its turn.
    Open(SessionId),
    Command(SessionId, TaskCommand),
    /// Close the session of a task that has ended, unless a front end has it.
    Close(SessionId),
    /// Take the right to work in the tree of a task that goes on.
    Lease(SessionId),
    /// Measure the work tree of a task, after a while.
    Measure(SessionId, Duration),
}

/// Runs until the tree is gone.
pub(super) fn spawn(tasks: &Arc<Tasks>, mut jobs: mpsc::UnboundedReceiver<Job>) {
    let weak = Arc::downgrade(tasks);
    tokio::spawn(async move {
        loop {
            let sleep = match next_deadline(&weak) {
                Deadline::In(time) => Some(time),
                Deadline::Never => None,
                Deadline::Gone => return,
            };
            tokio::select! {
                job = jobs.recv() => match (job, weak.upgrade()) {
                    (Some(job), Some(tasks)) => tasks.run(job).await,
                    _ => return,
                },
                () = hurried(&weak) => {}
                () = sleep_for(sleep) => {
                    let Some(tasks) = weak.upgrade() else { return };
                    let mut state = tasks.lock();
                    state.scheduler.tick(now());
                    tasks.perform(&mut state);
                }
            }
        }
    });
}

/// The time at which the clock has to be looked at again.
enum Deadline {
    In(Duration),
    /// Nothing waits for the time.
    Never,
    /// There is no tree any more.
    Gone,
}

fn next_deadline(tasks: &Weak<Tasks>) -> Deadline {
    let Some(tasks) = tasks.upgrade() else {
        return Deadline::Gone;
    };
    let state = tasks.lock();
    let now = now();
    let due = state.scheduler.deadline(now);
    // The root may spend its time alone.
    if due.is_none() && !state.scheduler.is_active() && state.admissions.is_empty() {
        return Deadline::Never;
    }
    let due = due.map(|due| u64::try_from(due - now).unwrap_or(0));
    let due = due.map_or(LONGEST_SLEEP, Duration::from_millis);
    Deadline::In(due.min(LONGEST_SLEEP))
}

async fn hurried(tasks: &Weak<Tasks>) {
    match tasks.upgrade() {
        Some(tasks) => tasks.hurry.notified().await,
        None => std::future::pending().await,
    }
}

async fn sleep_for(time: Option<Duration>) {
    match time {
        Some(time) => tokio::time::sleep(time).await,
        None => std::future::pending().await,
    }
}

impl Tasks {
    async fn run(self: &Arc<Self>, job: Job) {
        let tasks = Arc::clone(self);
        match job {
            Job::Command(session, command) => self.command(&session, command).await,
            Job::Open(session) => drop(tokio::spawn(async move { tasks.begin(&session).await })),
            Job::Close(session) => drop(tokio::spawn(async move { tasks.close_ended(&session).await })),
            Job::Lease(session) => drop(tokio::spawn(async move { tasks.lease_again(&session).await })),
            Job::Measure(session, after) => {
                tokio::spawn(async move { tasks.measure(&session, after).await });
            }
        }
    }

    /// Opens the session of a task that left the queue, and gives it its prompt.
    async fn begin(self: Arc<Self>, session: &SessionId) {
        let handle = match self.enter_tree(session).await {
            Ok(tree) => self.open(session).await.map(|handle| (handle, tree)),
            Err(report) => Err(report),
        };
        let prompt = self.lock().prompts.remove(session);
        let is_running = |row: &TaskRow| row.status == TaskStatus::Running;
        // It may have been cancelled while it was opened.
        let is_wanted = self.lock().scheduler.row(session).is_some_and(is_running);
        let (handle, tree, mut prompt) = match (handle, prompt) {
            (Ok((handle, tree)), Some(prompt)) if is_wanted => (handle, tree, prompt),
            (Ok(_), _) => {
                self.lock().leases.remove(session);
                return;
            }
            (Err(report), _) => return self.fail(session, report.sentence()),
        };
        let command = match tree {
            TreeStart::Found => TaskCommand::Prompt(prompt),
            TreeStart::Made { setup, note } => {
                // Behind the prompt, which the session is named by.
                prompt.text = format!("{}\n\n{note}", prompt.text);
                match setup {
                    Some(command) => TaskCommand::SetUp {
                        command,
                        then: prompt,
                    },
                    None => TaskCommand::Prompt(prompt),
                }
            }
        };
        handle.deliver(command).await;
    }
    async fn command(&self, session: &SessionId, command: TaskCommand) {
        let handle = self.lock().handle(session, &self.root);
        if let Some(handle) = handle {
            handle.deliver(command).await;
        }
    }

    /// Attaches a front end to the session of a task, which is opened where it is not. It stays open until the front end
    /// detaches and the task has ended.
    pub(in crate::session) async fn attach(&self, session: &SessionId) -> Result<OpenedSession, ErrorReport> {
        let _one_at_a_time = self.opening.lock().await;
        let handle = self.open_locked(session).await?;
        if let Some(live) = self.lock().live.get_mut(session) {
            live.attached += 1;
        }
        Ok(OpenedSession {
            handle,
            cards: BuiltinCards::new(),
            notes: OpeningNotes::default(),
        })
    }

    /// Takes back a handle that a front end was given; says whether it is that of a session of the tree.
    pub(in crate::session) async fn detach(&self, handle: &Handle) -> bool {
        let session = {
            let mut state = self.lock();
            let mut live = state.live.iter_mut();
            let Some((session, live)) = live.find(|(_, live)| live.handle.is_same(handle)) else {
                return false;
            };
            live.attached = live.attached.saturating_sub(1);
            session.clone()
        };
        self.close_ended(&session).await;
        true
    }

    /// Returns the sessions of the tree that are open, its root not among them.
    pub(in crate::session) fn open_sessions(&self) -> Vec<SessionId> {
        self.lock().live.keys().cloned().collect()
    }

    /// Returns the session of a task, opened where it is not.
    async fn open(&self, session: &SessionId) -> Result<Handle, ErrorReport> {
        let _one_at_a_time = self.opening.lock().await;
        self.open_locked(session).await
    }

    /// The same for a caller that holds `opening`.
    async fn open_locked(&self, session: &SessionId) -> Result<Handle, ErrorReport> {
        let (row, sessions) = {
            let state = self.lock();
            if let Some(live) = state.live.get(session) {
                return Ok(live.handle.clone());
            }
            let row = state.scheduler.row(session).cloned();
            (row.ok_or_else(|| unknown(session))?, state.sessions.clone())
        };
        let sessions = sessions.ok_or_else(|| unknown(session))?;
        let opening = tokio::task::spawn_blocking(move || sessions.open(&row));
        let RunningSession { handle, actor } = opening.await.map_err(|_| unknown(session))??;
        {
            let mut state = self.lock();
            if !state.is_closing {
                let live = LiveSession {
                    handle: handle.clone(),
                    actor,
                    attached: 0,
                };
                state.live.insert(session.clone(), live);
                return Ok(handle);
            }
        }
        handle.close().await;
        Err(unknown(session))
    }

    async fn close_ended(&self, session: &SessionId) {
        let _one_at_a_time = self.opening.lock().await;
        let live = {
            let mut state = self.lock();
            let is_attached = state.live.get(session).is_none_or(|live| live.attached > 0);
            if !state.scheduler.is_ended(session) || is_attached {
                return;
            }
            state.readers.remove(session);
            state.live.remove(session)
        };
        if let Some(live) = live {
            live.close().await;
        }
    }
}

impl Handle {
    /// Hands over what the tasks of the tree want, and waits while the session is busy.
    pub(super) async fn deliver(&self, command: TaskCommand) {
        // The channel is closed where the session has ended: then nobody needs it any more.
        let _ = self.commands.send(crate::session::Command::Task(command)).await;
    }

    /// Asks the session to end.
    pub(in crate::session) async fn close(&self) {
        while self.send(Op::Close) == Err(SendError::Busy) {
            tokio::time::sleep(AGAIN).await;
        }
    }
}

fn unknown(session: &SessionId) -> ErrorReport {
    let message = format!("session `{session}` is not one of a task of this conversation");
    ErrorReport::new(ReportKind::Storage, message)
        .hinted("`lathe sessions list` shows the sessions that are stored.")
}
