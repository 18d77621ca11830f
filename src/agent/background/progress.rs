//! The work of one session at the moment, from its own events: nothing is guessed from text or time.

use std::collections::{HashMap, HashSet};

use super::RequestId;
use crate::conversation::{CallId, TaskActivity};
use crate::question::QuestionId;

/// Milliseconds without an event after which a session with nothing open has stalled.
pub(super) const STALLED_AFTER: i64 = 60_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallProgress {
    Ready,
    Running,
    /// It waits for a task that it started.
    Delegating,
}

#[derive(Debug, Default)]
pub(super) struct Progress {
    pub(super) is_turn_running: bool,
    is_replying: bool,
    /// True once a request was admitted.
    pub(super) has_asked: bool,
    requests: HashSet<RequestId>,
    calls: HashMap<CallId, CallProgress>,
    /// Open questions and the calls that asked them.
    questions: HashMap<QuestionId, CallId>,
    /// When something happened last.
    pub(super) last_event: i64,
}

impl Progress {
    pub(super) fn begin_turn(&mut self) {
        self.is_turn_running = true;
    }

    /// Nothing of a turn outlives it.
    pub(super) fn end_turn(&mut self) {
        self.is_turn_running = false;
        self.is_replying = false;
        self.requests.clear();
        self.calls.clear();
        self.questions.clear();
    }

    pub(super) fn request(&mut self, request: RequestId) {
        self.requests.insert(request);
    }

    pub(super) fn end_request(&mut self, request: RequestId) {
        self.requests.remove(&request);
        self.is_replying &= !self.requests.is_empty();
    }

    pub(super) fn begin_reply(&mut self) {
        self.is_replying = true;
    }

    pub(super) fn end_reply(&mut self) {
        self.is_replying = false;
    }

    pub(super) fn ready(&mut self, call: CallId) {
        self.calls.insert(call, CallProgress::Ready);
    }

    pub(super) fn run(&mut self, call: CallId) {
        self.calls.insert(call, CallProgress::Running);
    }

    /// A call waits for a task, or does so no more.
    pub(super) fn delegate(&mut self, call: &CallId, is_waiting: bool) {
        if let Some(state) = self.calls.get_mut(call) {
            *state = if is_waiting {
                CallProgress::Delegating
            } else {
                CallProgress::Running
            };
        }
    }

    pub(super) fn end_call(&mut self, call: &CallId) {
        self.calls.remove(call);
        self.questions.retain(|_, asking| asking != call);
    }

    pub(super) fn ask(&mut self, question: QuestionId, call: CallId) {
        self.questions.insert(question, call);
    }

    pub(super) fn settle(&mut self, question: QuestionId) {
        self.questions.remove(&question);
    }

    /// `has_tasks` says whether tasks that it started are queued or running.
    pub(super) fn activity(&self, has_tasks: bool, now: i64) -> TaskActivity {
        let is_asking = |call: &CallId| self.questions.values().any(|asking| asking == call);
        let works = |(call, state): (&CallId, &CallProgress)| match state {
            CallProgress::Running => !is_asking(call),
            // It is looked at before it runs, unless it waits for its turn behind others.
            CallProgress::Ready => self.questions.is_empty() && !self.is_delegating(),
            CallProgress::Delegating => false,
        };
        if self.is_replying || self.calls.iter().any(works) {
            TaskActivity::Working
        } else if !self.questions.is_empty() {
            TaskActivity::WaitingForPerson
        } else if self.is_delegating() || (!self.is_turn_running && has_tasks) {
            TaskActivity::WaitingForTasks
        } else if self.requests.is_empty() && self.last_event + STALLED_AFTER <= now {
            TaskActivity::Stalled
        } else {
            TaskActivity::WaitingForModel
        }
    }

    fn is_delegating(&self) -> bool {
        self.calls
            .values()
            .any(|state| *state == CallProgress::Delegating)
    }

    /// When it will have stalled if nothing happens.
    pub(super) fn stalls_at(&self) -> Option<i64> {
        let has_nothing_open = self.requests.is_empty() && self.calls.is_empty() && self.questions.is_empty();
        (self.is_turn_running && !self.is_replying && has_nothing_open)
            .then_some(self.last_event + STALLED_AFTER)
    }
}
