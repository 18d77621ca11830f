//! The ends of tasks: by themselves, by a person, by their parent, by a limit.

use super::observation::TurnResult;
use super::{Effect, EndCause, Scheduler};
use crate::conversation::{ErrorKind, SessionId, TaskActivity, TaskStatus};
use crate::text::markdown::first_line;
use crate::text::width::truncate;

/// Milliseconds after which a task that was asked to stop counts as ended.
const STOP_GRACE: i64 = 4_000;
/// Milliseconds without any event after which a task is given up.
const GIVEN_UP_AFTER: i64 = 30 * 60_000;

/// Columns of the beginning of a result.
const RESULT_COLUMNS: usize = 120;

/// How a task ends.
enum TaskEnd {
    Completed,
    /// With the reason, where it is not plain.
    Cancelled(Option<String>),
    Failed(String, ErrorKind),
}

impl TaskEnd {
    fn into_row(self) -> (TaskStatus, Option<String>, Option<ErrorKind>) {
        match self {
            Self::Completed => (TaskStatus::Completed, None, None),
            Self::Cancelled(why) => (TaskStatus::Cancelled, why, None),
            Self::Failed(why, kind) => (TaskStatus::Failed, Some(why), Some(kind)),
        }
    }
}

impl Scheduler {
    /// Cancels a task and everything below it. `is_silent`: nobody is told of it.
    pub fn cancel(&mut self, session: &SessionId, is_silent: bool, now: i64) {
        self.count_time(now);
        if let Some(task) = self.nodes.get_mut(session).and_then(|node| node.task.as_mut()) {
            task.is_silent |= is_silent && !task.row.status.is_ended();
        }
        self.stop(session, &EndCause::Cancelled, now);
    }

    /// Stops a task and, silently, everything below it. One that has ended stays as it is.
    pub(super) fn stop(&mut self, session: &SessionId, cause: &EndCause, now: i64) {
        let Some(node) = self.nodes.get_mut(session) else {
            return;
        };
        let is_turn_running = node.progress.is_turn_running;
        let Some(task) = node.task.as_mut().filter(|task| !task.row.status.is_ended()) else {
            return;
        };
        let is_first = task.stop.is_none();
        task.stop.get_or_insert_with(|| (cause.clone(), now));
        let is_queued = task.row.status == TaskStatus::Queued;
        self.stop_below(session, cause, now);
        if is_queued || !is_turn_running {
            self.effects.push(Effect::Stop(session.clone()));
            self.finish_stopped(session, now);
        } else if is_first {
            self.effects.push(Effect::Stop(session.clone()));
        }
    }

    pub(super) fn stop_below(&mut self, session: &SessionId, cause: &EndCause, now: i64) {
        let children = self.nodes.get(session).map(|node| node.children.clone());
        for child in children.unwrap_or_default() {
            let is_root = *session == self.root;
            if let Some(task) = self.nodes.get_mut(&child).and_then(|node| node.task.as_mut()) {
                // The root is told of its tasks also when the budget ends them all.
                task.is_silent |= !is_root && !task.row.status.is_ended();
            }
            self.stop(&child, cause, now);
        }
    }

    fn finish_stopped(&mut self, session: &SessionId, now: i64) {
        let task = self.nodes.get(session).and_then(|node| node.task.as_ref());
        let Some((cause, _)) = task.and_then(|task| task.stop.clone()) else {
            return;
        };
        match cause {
            EndCause::Cancelled => self.finish(session, TaskEnd::Cancelled(None), now),
            EndCause::Limit(why) => self.finish(session, TaskEnd::Failed(why, ErrorKind::Limit), now),
        }
    }

    pub(super) fn end_turn(&mut self, session: &SessionId, result: TurnResult, now: i64) {
        let Some(node) = self.nodes.get_mut(session) else {
            return;
        };
        node.progress.end_turn();
        node.is_woken = false;
        let has_pending = !node.pending.is_empty();
        let Some(task) = node.task.as_ref() else {
            return self.wake(session);
        };
        if task.row.status != TaskStatus::Running {
            return;
        }
        if task.stop.is_some() {
            return self.finish_stopped(session, now);
        }
        let error = task.error.clone();
        match result {
            _ if task.is_interrupted => {
                let why = "the user stopped it".to_owned();
                self.finish(session, TaskEnd::Cancelled(Some(why)), now);
            }
            TurnResult::Failed(why) => {
                let why = error.unwrap_or(why);
                self.finish(session, TaskEnd::Failed(why, ErrorKind::Unavailable), now);
            }
            TurnResult::Cancelled => {
                let why = "the user refused one of its calls".to_owned();
                self.finish(session, TaskEnd::Failed(why, ErrorKind::Rejected), now);
            }
            TurnResult::Completed if has_pending || self.has_active_tasks(session) => {
                self.refresh(session, now);
                self.wake(session);
            }
            TurnResult::Completed => self.finish(session, TaskEnd::Completed, now),
        }
    }

    fn finish(&mut self, session: &SessionId, end: TaskEnd, now: i64) {
        let Some(node) = self.nodes.get_mut(session) else {
            return;
        };
        node.progress.end_turn();
        node.pending.clear();
        let Some(task) = node.task.as_mut() else { return };
        (task.row.status, task.row.error, task.row.failure) = end.into_row();
        (task.row.since, task.row.ended) = (now, Some(now));
        if task.row.status == TaskStatus::Completed {
            // Empty where the agent ended without an answer.
            task.row.now = truncate(&first_line(&task.text), RESULT_COLUMNS).into_owned();
        }
        let parent = task.row.parent.clone();
        let call = task.waiting_call.take();
        let is_told = task.row.is_background && !task.is_silent;
        self.change(session, true);
        self.slots.forget(session);
        self.stop_below(session, &EndCause::Cancelled, now);
        if let Some(node) = self.nodes.get_mut(&parent) {
            if let Some(call) = call {
                node.progress.delegate(&call, false);
            }
            if is_told {
                node.pending.push(session.clone());
            }
        }
        self.grant(now);
        self.refuse_waiting();
        self.settle_parent(&parent, now);
    }

    /// A task of this session has ended.
    fn settle_parent(&mut self, parent: &SessionId, now: i64) {
        self.refresh(parent, now);
        let has_tasks = self.has_active_tasks(parent);
        let Some(node) = self.nodes.get(parent) else {
            return;
        };
        let is_idle = !node.progress.is_turn_running && node.progress.has_asked;
        let is_running = node.running_task().is_some();
        if is_running && is_idle && !has_tasks && node.pending.is_empty() {
            // Its tasks were all that it waited for, and there is nothing to tell it of them.
            self.finish(parent, TaskEnd::Completed, now);
        } else {
            self.wake(parent);
        }
    }

    /// Looks at what time alone brings.
    pub fn tick(&mut self, now: i64) {
        self.count_time(now);
        self.release_due(now);
        for session in self.order.clone() {
            let Some(node) = self.nodes.get(&session) else {
                continue;
            };
            let Some(task) = node.running_task() else { continue };
            let stop = task.stop.as_ref();
            if stop.is_some_and(|(_, since)| since + STOP_GRACE <= now) {
                self.finish_stopped(&session, now);
            } else if self.gives_up_at(&session).is_some_and(|at| at <= now) {
                let why = "nothing happened in it for 30 minutes".to_owned();
                self.stop(&session, &EndCause::Limit(why), now);
            } else if node.progress.stalls_at().is_some_and(|at| at <= now) {
                self.refresh(&session, now);
            }
        }
    }

    fn gives_up_at(&self, session: &SessionId) -> Option<i64> {
        let node = self.nodes.get(session)?;
        let activity = node.task.as_ref()?.row.activity;
        let waits = matches!(
            activity,
            TaskActivity::WaitingForPerson | TaskActivity::WaitingForTasks
        );
        let is_in_line = node.progress.is_turn_running && !self.slots_has(session);
        (!waits && !is_in_line).then_some(node.progress.last_event + GIVEN_UP_AFTER)
    }

    fn slots_has(&self, session: &SessionId) -> bool {
        self.row(session)
            .is_some_and(|row| self.slots.has(session, &row.model))
    }

    /// When [`tick`](Self::tick) is to be called next; `None` while nothing waits for the time.
    pub fn deadline(&self, now: i64) -> Option<i64> {
        let of_accounts = self
            .nodes
            .iter()
            .filter_map(|(session, node)| self.overdue_at(session, &node.account, now));
        let of_tasks = self.order.iter().filter_map(|session| {
            let node = self.nodes.get(session)?;
            let task = node.running_task()?;
            let stop = task.stop.as_ref().map(|(_, since)| since + STOP_GRACE);
            let stall = node
                .progress
                .stalls_at()
                .filter(|_| task.row.activity != TaskActivity::Stalled);
            [stop, stall, self.gives_up_at(session)]
                .into_iter()
                .flatten()
                .min()
        });
        self.prefixes
            .deadline()
            .into_iter()
            .chain(of_accounts)
            .chain(of_tasks)
            .min()
    }
}
