//! Observations of a session, and what follows from them.

use super::{Effect, EndCause, Scheduler};
use crate::conversation::{CallId, SessionId, TaskStatus, Usage};
use crate::question::QuestionId;

/// Reason for the end of a turn, as far as it matters to a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnResult {
    Completed,
    /// In words.
    Failed(String),
    /// By the person, or because a call was refused without a word.
    Cancelled,
}

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq)]
pub enum Observation {
    TurnStarted,
    ReplyStarted,
    /// The reply's text grows.
    Text(String),
    ReplyEnded,
    CallReady(CallId),
    /// A call runs; `hash` is of its tool and arguments, `title` what a person would call it.
    CallStarted {
        call: CallId,
        title: String,
        hash: u64,
    },
    CallEnded(CallId),
    Asked {
        question: QuestionId,
        call: CallId,
        title: String,
    },
    Settled(QuestionId),
    Usage {
        usage: Usage,
        cost: Option<f64>,
    },
    /// In words.
    Error(String),
    /// The person stopped the turn.
    Interrupted,
    /// The person sent a message.
    PersonSpoke,
    TurnEnded(TurnResult),
}

impl Scheduler {
    /// Takes in what happened in a session. One that is not of this tree changes nothing.
    pub fn observe(&mut self, session: &SessionId, observation: Observation, now: i64) {
        self.count_time(now);
        let Some(node) = self.nodes.get_mut(session) else {
            return;
        };
        node.progress.last_event = now;
        match observation {
            Observation::TurnStarted => self.begin_turn(session, now),
            Observation::ReplyStarted => {
                node.progress.begin_reply();
                if let Some(task) = &mut node.task {
                    task.is_text_old = true;
                }
            }
            Observation::Text(text) => self.grow_text(session, &text),
            Observation::ReplyEnded => node.progress.end_reply(),
            Observation::CallReady(call) => node.progress.ready(call),
            Observation::CallStarted { call, title, hash } => {
                self.start_call(session, call, title, hash, now);
            }
            Observation::CallEnded(call) => node.progress.end_call(&call),
            Observation::Asked {
                question,
                call,
                title,
            } => {
                node.progress.ask(question, call);
                self.set_now(session, &title);
            }
            Observation::Settled(question) => node.progress.settle(question),
            Observation::Usage { usage, cost } => self.add_usage(session, usage, cost),
            Observation::Error(error) => {
                if let Some(task) = &mut node.task {
                    task.error = Some(error);
                }
            }
            Observation::Interrupted => {
                node.is_held = true;
                if let Some(task) = &mut node.task {
                    task.is_interrupted = true;
                }
            }
            Observation::PersonSpoke => self.hear_person(session),
            Observation::TurnEnded(result) => return self.end_turn(session, result, now),
        }
        self.refresh_line(session, now);
    }

    /// The session and the one above it do something else now, perhaps.
    fn refresh_line(&mut self, session: &SessionId, now: i64) {
        self.refresh(session, now);
        let parent = self.nodes.get(session).and_then(|node| node.parent.clone());
        if let Some(parent) = parent {
            self.refresh(&parent, now);
        }
    }

    fn begin_turn(&mut self, session: &SessionId, now: i64) {
        let Some(node) = self.nodes.get_mut(session) else {
            return;
        };
        node.progress.begin_turn();
        node.is_woken = false;
        // A person goes on with a task that has ended.
        let Some(task) = node.task.as_mut().filter(|task| task.row.status.is_ended()) else {
            return;
        };
        if task.stop.is_some() {
            // It was stopped on its way to its first turn.
            return self.effects.push(Effect::Stop(session.clone()));
        }
        task.begin_again(true);
        task.is_silent = true;
        (task.row.status, task.row.started, task.row.since) = (TaskStatus::Running, Some(now), now);
        self.change(session, true);
    }

    fn grow_text(&mut self, session: &SessionId, text: &str) {
        let task = self.nodes.get_mut(session).and_then(|node| node.task.as_mut());
        let Some(task) = task else { return };
        if std::mem::take(&mut task.is_text_old) {
            task.text.clear();
        }
        task.text.push_str(text);
    }

    fn start_call(&mut self, session: &SessionId, call: CallId, title: String, hash: u64, now: i64) {
        let most = self.limits.max_tool_calls;
        let Some(node) = self.nodes.get_mut(session) else {
            return;
        };
        node.progress.run(call);
        let Some(task) = &mut node.task else { return };
        task.row.calls += 1;
        task.row.now = title;
        let runaway = task.breaker.count(hash, most);
        self.change(session, false);
        if let Some(why) = runaway {
            self.stop(session, &EndCause::Limit(why), now);
        }
    }

    pub(super) fn set_now(&mut self, session: &SessionId, text: &str) {
        let task = self.nodes.get_mut(session).and_then(|node| node.task.as_mut());
        if let Some(task) = task {
            text.clone_into(&mut task.row.now);
            self.change(session, false);
        }
    }

    fn add_usage(&mut self, session: &SessionId, usage: Usage, cost: Option<f64>) {
        let task = self.nodes.get_mut(session).and_then(|node| node.task.as_mut());
        if let Some(task) = task {
            task.row.usage += usage;
            task.row.cost = task.row.cost.zip(cost).map(|(sum, cost)| sum + cost);
            self.change(session, false);
        }
    }

    /// The person wants it to go on: what was held is not, and what the tree may spend is whole again.
    fn hear_person(&mut self, session: &SessionId) {
        if let Some(node) = self.nodes.get_mut(session) {
            node.is_held = false;
            if let Some(task) = node.task.as_mut().filter(|task| task.row.status.is_ended()) {
                task.stop = None;
            }
        }
        if let Some(root) = self.nodes.get_mut(&self.root) {
            root.account.reset();
        }
    }
}
