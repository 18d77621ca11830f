//! Requests to models: each is admitted once, when there is a slot, money and time for it.

use super::account::Account;
use super::prefix::Prefix;
use super::slots::SlotUse;
use super::{Effect, EndCause, RequestId, Scheduler};
use crate::conversation::{ModelRef, SessionId, Usage};

/// A request that was asked for and is not over.
#[derive(Debug)]
pub(super) struct OpenRequest {
    pub(super) session: SessionId,
    is_admitted: bool,
    /// Refused for this, once no task is at work any more.
    refusal: Option<String>,
}

impl Scheduler {
    /// A session wants to ask a model. [`Effect::Admit`] or [`Effect::Refuse`] follows, now or later.
    pub fn request(&mut self, session: &SessionId, model: &ModelRef, request: RequestId, now: i64) {
        self.count_time(now);
        let open = OpenRequest {
            session: session.clone(),
            is_admitted: false,
            refusal: None,
        };
        self.requests.insert(request, open);
        let Some(node) = self.nodes.get_mut(session) else {
            // Of no tree that is scheduled here: nothing limits it.
            return self.effects.push(Effect::Admit(request));
        };
        node.progress.request(request);
        node.progress.last_event = now;
        let is_task = node.task.is_some();
        if is_task && !self.slots.has(session, model) {
            self.slots.wait(session, model, SlotUse::Request(request));
            self.grant(now);
        } else {
            self.admit(request, now);
        }
        self.refresh(session, now);
    }

    /// A request has its slot.
    pub(super) fn admit(&mut self, request: RequestId, now: i64) {
        let prefix = self.first_prefix(request);
        let may_go = prefix.is_none_or(|prefix| self.prefixes.ask(prefix, request, now));
        if may_go {
            self.let_go(request, now);
        }
    }

    /// Returns what a task's first request begins with, where others can use what the provider caches of it.
    fn first_prefix(&self, request: RequestId) -> Option<Prefix> {
        let node = self.nodes.get(&self.requests.get(&request)?.session)?;
        let task = node.task.as_ref().filter(|task| task.has_cache)?;
        (!node.progress.has_asked).then(|| Prefix {
            agent: task.row.agent.clone(),
            category: task.row.category.clone(),
            model: task.row.model.clone(),
        })
    }

    /// Nothing but a budget stands between a request and its model. Looked at last, so that none starts above it.
    fn let_go(&mut self, request: RequestId, now: i64) {
        let Some(session) = self.requests.get(&request).map(|open| open.session.clone()) else {
            return;
        };
        if let Some(spent) = self.spent_above(&session) {
            return self.refuse(request, &session, spent, now);
        }
        if let Some(open) = self.requests.get_mut(&request) {
            open.is_admitted = true;
        }
        if let Some(node) = self.nodes.get_mut(&session) {
            node.progress.has_asked = true;
        }
        self.effects.push(Effect::Admit(request));
    }

    fn refuse(&mut self, request: RequestId, session: &SessionId, spent: String, now: i64) {
        if *session != self.root {
            let task = self.nodes.get_mut(session).and_then(|node| node.task.as_mut());
            if let Some(task) = task {
                task.stop.get_or_insert((EndCause::Limit(spent.clone()), now));
            }
            self.requests.remove(&request);
            return self.effects.push(Effect::Refuse(request, spent));
        }
        self.stop_below(&session.clone(), &EndCause::Limit(spent.clone()), now);
        if let Some(open) = self.requests.get_mut(&request) {
            open.refusal = Some(spent);
        }
        self.refuse_waiting();
    }

    /// Refuses what was to be refused once every task has ended.
    pub(super) fn refuse_waiting(&mut self) {
        if self.is_active() {
            return;
        }
        let effects = &mut self.effects;
        self.requests.retain(|request, open| match open.refusal.take() {
            Some(spent) => {
                effects.push(Effect::Refuse(*request, spent));
                false
            }
            None => true,
        });
    }

    /// The reply to a request begins.
    pub fn begin_reply(&mut self, request: RequestId, now: i64) {
        self.count_time(now);
        for next in self.prefixes.begin_reply(request) {
            self.let_go(next, now);
        }
    }

    /// A request is over, or not wanted any more. `usage` and `cost` are what it took; of a reply that was cut, an
    /// estimate.
    pub fn end_request(&mut self, request: RequestId, usage: &Usage, cost: Option<f64>, now: i64) {
        self.count_time(now);
        self.slots.forget_request(request);
        if let Some(open) = self.requests.remove(&request) {
            if open.is_admitted {
                self.charge(&open.session, usage, cost);
            }
            if let Some(node) = self.nodes.get_mut(&open.session) {
                node.progress.end_request(request);
            }
            self.refresh(&open.session, now);
        }
        if let Some(next) = self.prefixes.end(request, now) {
            self.let_go(next, now);
        }
    }

    pub(super) fn release_due(&mut self, now: i64) {
        for request in self.prefixes.release_due(now) {
            self.let_go(request, now);
        }
    }

    fn charge(&mut self, session: &SessionId, usage: &Usage, cost: Option<f64>) {
        let mut above = Some(session.clone());
        while let Some(node) = above.take().and_then(|session| self.nodes.get_mut(&session)) {
            node.account.charge(usage, cost);
            above.clone_from(&node.parent);
        }
    }

    /// Returns true if dollars are limited for a session, by its own budget or one above it.
    pub fn has_cost_limit(&self, session: &SessionId) -> bool {
        let mut above = self.nodes.get(session);
        while let Some(node) = above {
            if node.account.has_cost_limit() {
                return true;
            }
            above = node.parent.as_ref().and_then(|parent| self.nodes.get(parent));
        }
        false
    }

    /// Returns whose budget is spent of a session and those above it, in words.
    pub(super) fn spent_above(&self, session: &SessionId) -> Option<String> {
        let mut next = Some(session);
        while let Some(session) = next {
            let node = self.nodes.get(session)?;
            if let Some(spent) = node.account.spent() {
                return Some(match &node.task {
                    Some(task) => format!("the budget of task {} is spent: {spent}", task.row.task),
                    None => format!("the budget of this turn and its tasks is spent: {spent}"),
                });
            }
            next = node.parent.as_ref();
        }
        None
    }

    /// Adds the time since the last call to the accounts of those below which somebody works, and stops those whose time
    /// is over.
    pub(super) fn count_time(&mut self, now: i64) {
        let passed = now - self.counted_to;
        self.counted_to = self.counted_to.max(now);
        if passed <= 0 {
            return;
        }
        let timed =
            |(session, node): (&SessionId, &super::Node)| node.account.has_minutes().then(|| session.clone());
        let timed: Vec<SessionId> = self.nodes.iter().filter_map(timed).collect();
        for session in timed {
            if self.is_working_below(&session, now)
                && let Some(node) = self.nodes.get_mut(&session)
            {
                node.account.work(passed);
                self.stop_overdue(&session, now);
            }
        }
    }

    fn stop_overdue(&mut self, session: &SessionId, now: i64) {
        let left = self.nodes.get(session).and_then(|node| node.account.time_left());
        if left != Some(0) {
            return;
        }
        let Some(spent) = self.spent_above(session) else {
            return;
        };
        let cause = EndCause::Limit(spent.clone());
        if *session == self.root {
            self.stop_below(session, &cause, now);
            let is_running = self
                .nodes
                .get(session)
                .is_some_and(|node| node.progress.is_turn_running);
            if is_running {
                self.effects.push(Effect::StopSpent(session.clone(), spent));
            }
        } else {
            self.stop(session, &cause, now);
        }
    }

    /// Returns true if minutes are limited for any session of the tree.
    pub fn has_time_limit(&self) -> bool {
        self.nodes.values().any(|node| node.account.has_minutes())
    }

    /// When an account's time is over if whoever works now works on.
    pub(super) fn overdue_at(&self, session: &SessionId, account: &Account, now: i64) -> Option<i64> {
        let left = account.time_left().filter(|left| *left > 0)?;
        self.is_working_below(session, now)
            .then_some(self.counted_to + left)
    }

    /// Returns true if a session works, or one below it: waiting for a person, a slot or tasks is no work.
    fn is_working_below(&self, session: &SessionId, now: i64) -> bool {
        use crate::conversation::TaskActivity::{Stalled, WaitingForModel, Working};
        let Some(node) = self.nodes.get(session) else {
            return false;
        };
        let activity = node.progress.activity(self.has_active_tasks(session), now);
        let works = node.progress.is_turn_running && matches!(activity, Working | WaitingForModel | Stalled);
        works
            || node
                .children
                .iter()
                .any(|child| self.is_working_below(child, now))
    }
}
