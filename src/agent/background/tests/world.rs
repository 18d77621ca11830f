//! A tree of sessions that behaves at random and does what the scheduler wants, so that what the scheduler says can be held
//! against what really goes on.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::json;

use crate::agent::background::{
    Effect, Limits, NewTask, Observation, RequestId, Scheduler, SlotLimits, TurnResult,
};
use crate::conversation::{Budget, CallId, ModelRef, SessionId, TaskActivity, TaskRow, TaskStatus, Usage};
use crate::question::QuestionId;

/// Numbers that look random and depend on a seed alone (xorshift64).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

#[derive(Debug, Clone, PartialEq)]
enum CallState {
    Ready,
    Running,
    Asking(QuestionId),
    /// Waits for this task.
    Delegating(SessionId),
}

#[derive(Debug, Clone, PartialEq)]
enum Phase {
    Idle,
    /// A request was asked for.
    Waiting(RequestId),
    Admitted(RequestId),
    Replying(RequestId),
    Calling,
}

#[derive(Debug)]
struct Session {
    phase: Phase,
    calls: Vec<(CallId, CallState)>,
    /// It was told to begin and has not.
    is_due: bool,
    is_stopping: bool,
    model: ModelRef,
    budget: Budget,
    parent: Option<SessionId>,
    tokens: u64,
    /// How often its parent was told that it ended.
    told: u32,
    /// How often it began.
    begun: u32,
}

pub(super) struct World {
    pub(super) scheduler: Scheduler,
    pub(super) random: Random,
    root: SessionId,
    sessions: HashMap<SessionId, Session>,
    order: Vec<SessionId>,
    /// Rows as they were told last.
    told: HashMap<SessionId, TaskRow>,
    now: i64,
    last_request: u64,
    last_question: u64,
    caps: SlotLimits,
    /// No further task is started.
    pub(super) is_closing: bool,
    spawned: usize,
}

fn model(name: &str) -> ModelRef {
    name.parse().unwrap()
}

const MODELS: [&str; 3] = ["p/a", "p/b", "q/c"];

impl World {
    pub(super) fn new(seed: u64, budget: Budget) -> Self {
        let root = SessionId::new();
        let caps = SlotLimits {
            max_concurrent: 2,
            per_model: BTreeMap::from([("q/c".to_owned(), 1)]),
            per_provider: BTreeMap::from([("p".to_owned(), 3)]),
        };
        let limits = Limits {
            slots: caps.clone(),
            max_depth: 3,
            max_tool_calls: 0,
            max_spawned: 0,
            budget,
        };
        let session = Session {
            is_due: true,
            ..Session::new(model("p/a"), budget, None)
        };
        Self {
            scheduler: Scheduler::new(root.clone(), limits, 0),
            random: Random::new(seed),
            sessions: HashMap::from([(root.clone(), session)]),
            order: vec![root.clone()],
            root,
            told: HashMap::new(),
            now: 0,
            last_request: 0,
            last_question: 0,
            caps,
            is_closing: false,
            spawned: 0,
        }
    }

    /// Lets one random thing happen, and checks everything that is said afterwards.
    pub(super) fn step(&mut self) {
        self.now += i64::try_from(self.random.below(3_000)).unwrap();
        let place = self.random.below(self.order.len());
        let session = self.order[place].clone();
        match self.random.below(20) {
            0 => self.scheduler.tick(self.now),
            1 => self.person(&session),
            _ => self.advance(&session),
        }
        self.perform();
        self.check();
    }

    /// Lets everything come to its end.
    pub(super) fn settle(&mut self) {
        self.is_closing = true;
        for _ in 0..200 {
            self.now += 2_000;
            self.scheduler.tick(self.now);
            self.perform();
            for session in self.order.clone() {
                for _ in 0..3 {
                    self.advance(&session);
                    self.perform();
                    self.check();
                }
            }
            if !self.scheduler.is_active()
                && self.sessions.values().all(|session| session.phase == Phase::Idle)
            {
                return;
            }
        }
        let open: Vec<_> = self
            .scheduler
            .rows()
            .filter(|row| !row.status.is_ended())
            .collect();
        panic!("these never end: {open:#?}");
    }

    fn person(&mut self, session: &SessionId) {
        match self.random.below(4) {
            0 => self.scheduler.cancel(session, self.random.one_in(2), self.now),
            1 => self.scheduler.continue_in_background(session, self.now),
            2 => {
                self.scheduler
                    .observe(session, Observation::PersonSpoke, self.now);
                self.forget_spending();
            }
            _ => {
                let is_root = *session == self.root;
                let sim = self.sessions.get_mut(session).unwrap();
                if sim.phase != Phase::Idle && !is_root {
                    self.scheduler
                        .observe(session, Observation::Interrupted, self.now);
                    sim.is_stopping = true;
                }
            }
        }
    }

    /// The account of the root begins anew; those of tasks go on.
    fn forget_spending(&mut self) {
        let root = self.root.clone();
        self.sessions.get_mut(&root).unwrap().tokens = 0;
    }

    fn advance(&mut self, session: &SessionId) {
        let (phase, is_stopping, is_due) = {
            let sim = &self.sessions[session];
            (sim.phase.clone(), sim.is_stopping, sim.is_due)
        };
        if is_stopping && phase != Phase::Idle {
            return self.end_turn(session, TurnResult::Cancelled);
        }
        match phase {
            Phase::Idle if is_due => self.begin_turn(session),
            Phase::Idle | Phase::Waiting(_) => {}
            Phase::Admitted(request) if self.random.one_in(8) => {
                // The connection is lost before anything came, and it is tried again.
                self.scheduler
                    .end_request(request, &Usage::default(), None, self.now);
                self.request(session);
            }
            Phase::Admitted(request) => {
                self.scheduler.begin_reply(request, self.now);
                self.observe(session, Observation::ReplyStarted);
                self.set_phase(session, Phase::Replying(request));
            }
            Phase::Replying(request) => self.end_reply(session, request),
            Phase::Calling => self.advance_calls(session),
        }
    }

    fn begin_turn(&mut self, session: &SessionId) {
        let sim = self.sessions.get_mut(session).unwrap();
        sim.is_due = false;
        sim.begun += 1;
        self.observe(session, Observation::TurnStarted);
        self.request(session);
    }

    fn request(&mut self, session: &SessionId) {
        for notice in self.scheduler.take_notices(session).0 {
            self.sessions.get_mut(&notice.row.session).unwrap().told += 1;
        }
        self.last_request += 1;
        let request = RequestId(self.last_request);
        let model = self.sessions[session].model.clone();
        self.set_phase(session, Phase::Waiting(request));
        self.scheduler.request(session, &model, request, self.now);
    }

    fn end_reply(&mut self, session: &SessionId, request: RequestId) {
        let usage = Usage {
            input: 50,
            output: u64::try_from(self.random.below(50)).unwrap(),
            ..Usage::default()
        };
        self.observe(
            session,
            Observation::Usage {
                usage,
                cost: Some(0.0),
            },
        );
        self.observe(session, Observation::ReplyEnded);
        self.scheduler.end_request(request, &usage, Some(0.0), self.now);
        let mut above = Some(session.clone());
        while let Some(sim) = above.take().and_then(|session| self.sessions.get_mut(&session)) {
            sim.tokens += usage.input + usage.output;
            above.clone_from(&sim.parent);
        }
        let count = if self.is_closing { 0 } else { self.random.below(4) };
        if count == 0 {
            return self.end_turn(session, TurnResult::Completed);
        }
        let calls: Vec<_> = (0..count).map(|_| (CallId::new(), CallState::Ready)).collect();
        for (call, _) in &calls {
            self.observe(session, Observation::CallReady(call.clone()));
        }
        let sim = self.sessions.get_mut(session).unwrap();
        sim.calls = calls;
        sim.phase = Phase::Calling;
    }

    fn advance_calls(&mut self, session: &SessionId) {
        let count = self.sessions[session].calls.len();
        if count == 0 {
            return self.request(session);
        }
        let place = self.random.below(count);
        let (call, state) = self.sessions[session].calls[place].clone();
        let next = match state {
            CallState::Ready => {
                let hash = u64::try_from(self.random.below(1_000)).unwrap();
                let title = "Read a.txt".to_owned();
                let started = Observation::CallStarted {
                    call: call.clone(),
                    title,
                    hash,
                };
                self.observe(session, started);
                Some(CallState::Running)
            }
            CallState::Running if self.random.one_in(4) => {
                self.last_question += 1;
                let question: QuestionId = serde_json::from_value(json!(self.last_question)).unwrap();
                let title = "bash wants to run".to_owned();
                let asked = Observation::Asked {
                    question,
                    call: call.clone(),
                    title,
                };
                self.observe(session, asked);
                Some(CallState::Asking(question))
            }
            CallState::Running if self.random.one_in(3) => self.delegate(session, &call),
            CallState::Asking(question) if self.is_closing || self.random.one_in(3) => {
                self.observe(session, Observation::Settled(question));
                Some(CallState::Running)
            }
            CallState::Asking(_) => Some(state),
            CallState::Delegating(ref task) => {
                let row = self.scheduler.row(task).unwrap();
                (!row.status.is_ended() && !row.is_background).then_some(state)
            }
            CallState::Running => None,
        };
        // A stop may have emptied the list meanwhile.
        let sim = self.sessions.get_mut(session).unwrap();
        let Some(place) = sim.calls.iter().position(|(other, _)| *other == call) else {
            return;
        };
        if let Some(next) = next {
            sim.calls[place].1 = next;
        } else {
            sim.calls.remove(place);
            self.observe(session, Observation::CallEnded(call));
        }
    }

    /// Starts a task. Returns what its call does then, `None` if it has ended.
    fn delegate(&mut self, parent: &SessionId, call: &CallId) -> Option<CallState> {
        if self.is_closing || self.spawned >= 40 {
            return None;
        }
        let is_background = self.random.one_in(2);
        let budget = Budget {
            tokens: self.random.one_in(3).then_some(400),
            ..Budget::default()
        };
        let model = model(MODELS[self.random.below(MODELS.len())]);
        let task = NewTask {
            session: SessionId::new(),
            parent: parent.clone(),
            waiting_call: (!is_background).then(|| call.clone()),
            started_by: "task",
            agent: "explore".to_owned(),
            category: None,
            description: "look".to_owned(),
            model: model.clone(),
            has_cache: self.random.one_in(2),
            budget,
            worktree: None,
        };
        let session = Session::new(model, budget, Some(parent.clone()));
        if self.scheduler.start(&task, self.now).is_err() {
            return None;
        }
        self.spawned += 1;
        self.sessions.insert(task.session.clone(), session);
        self.order.push(task.session.clone());
        (!is_background).then_some(CallState::Delegating(task.session))
    }

    fn end_turn(&mut self, session: &SessionId, result: TurnResult) {
        let sim = self.sessions.get_mut(session).unwrap();
        sim.is_stopping = false;
        let phase = std::mem::replace(&mut sim.phase, Phase::Idle);
        let calls = std::mem::take(&mut sim.calls);
        if let Phase::Waiting(request) | Phase::Admitted(request) | Phase::Replying(request) = phase {
            self.scheduler
                .end_request(request, &Usage::default(), None, self.now);
        }
        for (call, state) in calls {
            if let CallState::Delegating(task) = state {
                self.scheduler.cancel(&task, true, self.now);
            }
            self.observe(session, Observation::CallEnded(call));
        }
        self.observe(session, Observation::TurnEnded(result));
    }

    fn observe(&mut self, session: &SessionId, observation: Observation) {
        self.scheduler.observe(session, observation, self.now);
        self.perform();
    }

    fn set_phase(&mut self, session: &SessionId, phase: Phase) {
        self.sessions.get_mut(session).unwrap().phase = phase;
    }

    fn perform(&mut self) {
        loop {
            let effects = self.scheduler.take_effects();
            if effects.is_empty() {
                return;
            }
            for effect in effects {
                self.perform_one(effect);
            }
        }
    }

    fn perform_one(&mut self, effect: Effect) {
        match effect {
            Effect::Open(session) | Effect::Wake(session) => {
                self.sessions.get_mut(&session).unwrap().is_due = true;
            }
            Effect::Stop(session) | Effect::StopSpent(session, _) => {
                let sim = self.sessions.get_mut(&session).unwrap();
                sim.is_due = false;
                sim.is_stopping = sim.phase != Phase::Idle;
            }
            Effect::Changed { row, .. } => {
                self.told.insert(row.session.clone(), *row);
            }
            Effect::Admit(request) => self.admit(request),
            Effect::Refuse(request, why) => {
                assert!(why.contains("spent") || why.contains("over"), "{why}");
                if let Some(session) = self.waiting(request) {
                    if session == self.root {
                        assert!(
                            !self.scheduler.is_active(),
                            "the root stops before its tasks have ended"
                        );
                    }
                    self.end_turn(&session, TurnResult::Failed(why));
                }
            }
        }
    }

    fn waiting(&self, request: RequestId) -> Option<SessionId> {
        let waits = |session: &&SessionId| self.sessions[*session].phase == Phase::Waiting(request);
        self.order.iter().find(waits).cloned()
    }

    fn admit(&mut self, request: RequestId) {
        // One that was given up meanwhile is nobody's.
        let Some(session) = self.waiting(request) else {
            return;
        };
        let mut above = Some(session.clone());
        while let Some(sim) = above.take().map(|session| &self.sessions[&session]) {
            let limit = sim.budget.tokens.unwrap_or(u64::MAX);
            assert!(
                sim.tokens < limit,
                "a request starts above a budget: {} of {limit}",
                sim.tokens
            );
            above.clone_from(&sim.parent);
        }
        self.set_phase(&session, Phase::Admitted(request));
    }

    fn check(&self) {
        self.check_caps();
        for row in self.scheduler.rows() {
            let sim = &self.sessions[&row.session];
            assert_eq!(
                self.told.get(&row.session),
                Some(row),
                "what was told last is how it is"
            );
            let is_asking = || {
                sim.calls
                    .iter()
                    .any(|(_, state)| matches!(state, CallState::Asking(_)))
            };
            match (row.status, row.activity) {
                (TaskStatus::Queued, _) => assert_eq!(sim.phase, Phase::Idle, "{row:?}"),
                (TaskStatus::Running, TaskActivity::Working) => {
                    let mut calls = sim.calls.iter().map(|(_, state)| state);
                    let works =
                        calls.any(|state| self.works(state)) || matches!(sim.phase, Phase::Replying(_));
                    assert!(works, "{row:?} {sim:?}");
                }
                (TaskStatus::Running, TaskActivity::WaitingForPerson) => {
                    assert!(is_asking(), "{row:?} {sim:?}");
                }
                (TaskStatus::Running, _) => {}
                _ => assert!(sim.phase == Phase::Idle || sim.is_stopping, "{row:?} {sim:?}"),
            }
        }
    }

    /// Returns true if a call has something to do by itself. One whose task has ended, or went to the background, ends.
    fn works(&self, call: &CallState) -> bool {
        match call {
            CallState::Ready | CallState::Running => true,
            CallState::Asking(_) => false,
            CallState::Delegating(task) => {
                let row = self.scheduler.row(task).unwrap();
                row.is_background || row.status.is_ended()
            }
        }
    }

    /// No more requests are under way than the caps allow.
    fn check_caps(&self) {
        let at_work = self.order.iter().skip(1).map(|session| &self.sessions[session]);
        let at_work = at_work.filter(|sim| matches!(sim.phase, Phase::Admitted(_) | Phase::Replying(_)));
        let mut models: HashMap<&ModelRef, u32> = HashMap::new();
        let mut providers: HashMap<&str, u32> = HashMap::new();
        for sim in at_work.filter(|sim| !sim.is_stopping) {
            *models.entry(&sim.model).or_default() += 1;
            *providers.entry(&sim.model.provider).or_default() += 1;
        }
        for (model, count) in models {
            let cap = self.caps.per_model.get(&model.to_string());
            assert!(
                count <= *cap.unwrap_or(&self.caps.max_concurrent),
                "{model}: {count}"
            );
        }
        for (provider, count) in providers {
            let cap = self.caps.per_provider.get(provider);
            assert!(cap.is_none_or(|cap| count <= *cap), "{provider}: {count}");
        }
    }

    /// Every task has ended, and nobody was told of one twice.
    pub(super) fn check_end(&self) {
        let mut seen = HashSet::new();
        for row in self.scheduler.rows() {
            assert!(
                row.status.is_ended() && seen.insert(row.session.clone()),
                "{row:?}"
            );
            let sim = &self.sessions[&row.session];
            assert!(sim.told <= sim.begun.max(1), "told {} times: {row:?}", sim.told);
        }
    }
}

impl Session {
    fn new(model: ModelRef, budget: Budget, parent: Option<SessionId>) -> Self {
        Self {
            phase: Phase::Idle,
            calls: Vec::new(),
            is_due: false,
            is_stopping: false,
            model,
            budget,
            parent,
            tokens: 0,
            told: 0,
            begun: 0,
        }
    }
}
