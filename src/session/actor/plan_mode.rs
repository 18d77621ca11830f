//! Agent `plan` and mode `plan` are one thing: choosing either is both, and leaving it brings back what was there before.
//!
//! The mode of a person holds at once and the agent comes with the next step; an agent that is chosen brings its mode along
//! when it comes. Where agent `plan` cannot be used, mode `plan` works alone.

use super::Actor;
use crate::agent::reminder::PLAN;
use crate::permission::Mode;
use crate::session::Event;
use crate::tool::SessionEffect;

/// Agent and mode that come back when plan is left.
#[derive(Debug, Clone)]
pub(in crate::session) struct StateBeforePlan {
    /// `None` is the default primary.
    pub(in crate::session) agent: Option<String>,
    /// `Plan` is read as `Ask`.
    pub(in crate::session) mode: Mode,
}

impl Actor {
    /// The person chose a mode.
    pub(super) fn set_mode(&mut self, mode: Mode) {
        if self.parts.is_task {
            // A task has no other agent to become: the mode is the tree's all the same.
            return self.apply_mode(mode);
        }
        let before = self.parts.info.mode;
        // Another process holds it: nothing is asked here, and the agent is not this process's to change.
        let is_held = self.parts.info.read_only.is_some();
        let plans = self.coming_agent() == PLAN;
        let former = self.former_agent();
        let leaves = plans && mode != Mode::Plan && !is_held;
        if leaves && former.is_none() {
            let text = "there is no agent but `plan`; the mode stays `plan`".to_owned();
            self.publish(Event::Notice(text));
            return self.apply_mode(Mode::Plan);
        }
        let agent = match mode {
            Mode::Plan if !plans && !is_held => self.parts.profiles.check(PLAN).ok(),
            _ => former.filter(|_| leaves),
        };
        if let Some(agent) = &agent
            && agent == PLAN
            && before != Mode::Plan
        {
            self.note_before_plan();
        }
        // The mode is told first: who is told of it knows by that why the agent changes.
        self.apply_mode(mode);
        if let Some(agent) = agent {
            self.use_agent(agent);
        }
    }

    /// Does what a call asked for.
    pub(super) fn change_as_called(&mut self, effect: SessionEffect) {
        match effect {
            SessionEffect::Todos(todos) => self.take_todos(todos),
            SessionEffect::GoOn { agent, mode } => self.change_agent_and_mode(agent, mode),
            SessionEffect::Message(text) => self.join_message(text),
            SessionEffect::Answer(answer) => self.publish(Event::Answer(answer)),
        }
    }

    /// A mode that comes with another agent comes when that does.
    fn change_agent_and_mode(&mut self, agent: Option<String>, mode: Option<Mode>) {
        let brings_mode = agent.as_ref().is_some_and(|agent| agent != PLAN) && self.coming_agent() == PLAN;
        match mode {
            Some(mode) if brings_mode => self.parts.before_plan.mode = mode,
            Some(mode) => self.set_mode(mode),
            None => {}
        }
        if let Some(agent) = agent {
            self.change_agent(&agent);
        }
    }

    /// Called before the session is told to go on as an agent that somebody chose.
    pub(super) fn prepare_plan(&mut self, name: &str) {
        let plans = self.coming_agent() == PLAN;
        if name == PLAN && !plans && self.parts.info.mode != Mode::Plan {
            self.note_before_plan();
        }
        // Mode `plan` holds already, and the agent that should have come with it will not.
        if name != PLAN && plans && self.parts.info.agent != PLAN && self.parts.info.mode == Mode::Plan {
            self.apply_mode(self.former_mode());
        }
    }

    /// The mode follows an agent that has come. `before` is the one that was there until now.
    pub(super) fn follow_agent(&mut self, before: &str) {
        let (is_plan, mode) = (self.parts.info.agent == PLAN, self.parts.info.mode);
        if is_plan && mode != Mode::Plan {
            self.apply_mode(Mode::Plan);
        } else if before == PLAN && !is_plan && mode == Mode::Plan {
            self.apply_mode(self.former_mode());
        }
    }

    /// Returns who a message of the person is for. Where there is no agent `plan`, mode `plan` asks for what it does.
    pub(super) fn addressee(&self) -> String {
        match self.parts.info.mode {
            Mode::Plan => PLAN.to_owned(),
            Mode::Ask | Mode::AcceptEdits | Mode::Yolo => self.parts.info.agent.clone(),
        }
    }

    fn note_before_plan(&mut self) {
        self.parts.before_plan = StateBeforePlan {
            agent: Some(self.coming_agent().to_owned()),
            mode: self.parts.info.mode,
        };
    }

    fn former_agent(&self) -> Option<String> {
        let former = self.parts.before_plan.agent.clone();
        former.or_else(|| self.parts.profiles.default_beside_plan())
    }

    fn former_mode(&self) -> Mode {
        match self.parts.before_plan.mode {
            Mode::Plan => Mode::Ask,
            mode => mode,
        }
    }

    fn apply_mode(&mut self, mode: Mode) {
        self.parts.calls.services.tree.gates.set_mode(mode);
        self.parts.tasks.tell_mode(&self.parts.info.id, mode);
        self.take_mode(mode);
    }

    /// The tree is in this mode.
    pub(super) fn take_mode(&mut self, mode: Mode) {
        self.parts.info.mode = mode;
        self.publish(Event::Mode(mode));
    }
}
