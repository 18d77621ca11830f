//! Changing the agent or the model of a session that lives.
//!
//! The change waits for the next request, or is made at once where no turn runs: calls of the reply that asked for it
//! still belong to the agent that made them. It is stored before it is told.

use super::Actor;
use crate::conversation::ModelRef;
use crate::permission::Mode;
use crate::session::Event;
use crate::session::query::CacheMiss;
use crate::session::wire::Profile;
use crate::tool::Abilities;

impl Actor {
    /// The session goes on as this agent with its next step.
    pub(super) fn change_agent(&mut self, name: &str) {
        if self.is_held() {
            return;
        }
        match self.parts.profiles.check(name) {
            Ok(name) => self.next_agent = Some(name).filter(|name| *name != self.parts.info.agent),
            Err(report) => return self.publish(Event::Notice(report.message)),
        }
        if self.turn.is_none() {
            self.become_next();
        }
    }

    /// The session asks this model with its next step.
    pub(super) fn change_model(&mut self, model: ModelRef) {
        if self.is_held() {
            return;
        }
        self.next_model = Some(model);
        if self.turn.is_none() {
            self.become_next();
        }
    }

    /// Whether another process holds the session, which is told.
    pub(super) fn is_held(&mut self) -> bool {
        let Some(held) = &self.parts.info.read_only else {
            return false;
        };
        let sentence = format!("this session is open in {held}; it is read-only here");
        self.publish(Event::Notice(sentence));
        true
    }

    /// Makes the changes that wait, if any do: the agent first, so that the model that was chosen is not its own.
    pub(super) fn become_next(&mut self) {
        if let Some(name) = self.next_agent.take() {
            let info = &self.parts.info;
            match self.parts.profiles.change(&name, &info.agent, &info.model) {
                Ok(profile) => self.become_profile(profile),
                Err(report) => {
                    let agent = info.agent.clone();
                    self.publish(Event::Notice(format!("{}; `{agent}` goes on", report.message)));
                }
            }
        }
        if let Some(model) = self
            .next_model
            .take()
            .filter(|model| *model != self.parts.info.model)
        {
            match self.parts.profiles.choose(&self.parts.info.agent, &model) {
                Ok(profile) => self.become_profile(profile),
                Err(report) => {
                    let model = self.parts.info.model.to_string();
                    self.publish(Event::Notice(format!(
                        "{}; `{model}` is asked on",
                        report.message
                    )));
                }
            }
        }
    }

    fn become_profile(&mut self, profile: Profile) {
        let agent = profile.agent().to_owned();
        let model = profile.turn.model.clone();
        let stored = self.parts.recorder.agent(&agent, &model, &profile.system);
        let calls = &mut self.parts.calls;
        calls.services.gate.change_rules(profile.permissions);
        calls.services.gate.rejudge();
        calls.agent.clone_from(&agent);
        calls.settings = profile.settings;
        calls.abilities = Abilities {
            images: profile.model.images,
            pdf: profile.model.pdf,
        };
        if let Some(turn) = &mut self.turn {
            turn.go_on_as(profile.turn.clone());
        }
        self.parts.turn = profile.turn;
        self.parts.system = profile.system;
        self.told.tell(&self.parts.calls);
        self.misses.push(CacheMiss::Changed);
        self.parts.temperature = profile.temperature;
        let info = &mut self.parts.info;
        let is_other_agent = info.agent != agent;
        info.agent.clone_from(&agent);
        info.context_limit = Some(profile.model.context);
        let is_other_model = info.model != model;
        info.model.clone_from(&model);
        self.parts.model = profile.model;
        if is_other_agent {
            self.publish(Event::Agent(agent));
        }
        if is_other_model {
            self.publish(Event::Model(model));
        }
        self.check(stored);
    }

    /// Who a message of the person is for: mode `plan` asks for what agent `plan` does.
    pub(super) fn addressee(&self) -> String {
        match self.parts.info.mode {
            Mode::Plan => crate::agent::reminder::PLAN.to_owned(),
            Mode::Ask | Mode::AcceptEdits | Mode::Yolo => self.parts.info.agent.clone(),
        }
    }
}
