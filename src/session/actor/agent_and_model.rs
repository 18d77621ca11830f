//! Changing the agent or the model of a session that lives.
//!
//! The change waits for the next request, or is made at once where no turn runs: calls of the reply that asked for it
//! still belong to the agent that made them. It is stored before anything is asked as the new agent.

use std::sync::Arc;

use super::Actor;
use crate::conversation::ModelRef;
use crate::session::profile::Profile;
use crate::session::query::MissCause;
use crate::session::{ErrorReport, Event, Input, ReadOnlyReason};
use crate::tool::Abilities;

impl Actor {
    /// The session goes on as this agent with its next step.
    pub(super) fn change_agent(&mut self, name: &str) {
        if self.is_held() {
            return;
        }
        match self.parts.profiles.check(name) {
            Ok(name) => {
                self.prepare_plan(&name);
                self.use_agent(name);
            }
            Err(report) => self.publish(Event::Notice(report.message)),
        }
    }

    /// The same with an agent that is known to be usable.
    pub(super) fn use_agent(&mut self, name: String) {
        self.next_agent = Some(name).filter(|name| *name != self.parts.info.agent);
        if self.turn.is_none() {
            self.become_next();
        }
    }

    /// Returns the agent that the next step belongs to.
    pub(super) fn coming_agent(&self) -> &str {
        self.next_agent.as_deref().unwrap_or(&self.parts.info.agent)
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

    /// Returns true if the session can only be read, and tells the person why.
    pub(super) fn is_held(&mut self) -> bool {
        let held = self.held();
        let is_held = held.is_some();
        if let Some(sentence) = held {
            self.publish(Event::Notice(sentence));
        }
        is_held
    }

    /// Says why the session can only be read, if it can.
    pub(super) fn held(&self) -> Option<String> {
        Some(match self.parts.info.read_only.as_ref()? {
            ReadOnlyReason::OpenIn(process) => {
                format!("this session is open in {process}; it is read-only here")
            }
            reason @ ReadOnlyReason::DirectoryGone(_) => {
                format!("this session is read-only: {reason}; `/cd DIR` has it go on in another one")
            }
        })
    }

    /// Gives messages back where the model cannot be asked, and says so. Returns those that can be sent.
    pub(super) fn with_model(&mut self, inputs: Vec<Input>) -> Option<Vec<Input>> {
        let Some(problem) = &self.parts.info.model_problem else {
            return Some(inputs);
        };
        let words = format!("not sent: its model is not available; choose one with `/model` ({problem})");
        for input in inputs {
            self.publish(Event::Refused(Arc::new(input)));
        }
        self.publish(Event::Notice(words));
        None
    }

    /// Makes the changes that wait, if any do: the agent first, so that the model that was chosen is not its own.
    pub(super) fn become_next(&mut self) {
        if let Some(name) = self.next_agent.take() {
            let info = &self.parts.info;
            let before = info.agent.clone();
            let profile = self.parts.profiles.change(&name, &info.agent, &info.model);
            self.become_or_tell(profile, &format!("the agent is still `{before}`"));
            self.follow_agent(&before);
        }
        if let Some(model) = self
            .next_model
            .take()
            .filter(|model| *model != self.parts.info.model)
        {
            let still = format!("the model is still `{}`", self.parts.info.model);
            let profile = self.parts.profiles.choose(&self.parts.info.agent, &model);
            self.become_or_tell(profile, &still);
        }
    }

    fn become_or_tell(&mut self, profile: Result<Profile, ErrorReport>, still: &str) {
        match profile {
            Ok(profile) => self.become_profile(profile),
            Err(report) => self.publish(Event::Notice(format!("{}; {still}", report.message))),
        }
    }

    fn become_profile(&mut self, profile: Profile) {
        let agent = profile.agent().to_owned();
        let model = profile.turn.model.clone();
        self.parts.recorder.agent(&agent, &model, &profile.system);
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
            turn.change_settings(profile.turn.clone());
        }
        let is_same_prefix = self.parts.prefix == profile.prefix && self.parts.info.model == model;
        self.parts.turn = profile.turn;
        self.parts.system = profile.system;
        self.parts.prefix = profile.prefix;
        self.parts.temperature = profile.temperature;
        let info = &mut self.parts.info;
        let is_other_agent = info.agent != agent;
        info.agent.clone_from(&agent);
        info.context_limit = Some(profile.model.context);
        let is_other_model = info.model != model;
        info.model.clone_from(&model);
        if is_other_model {
            info.model_problem = None;
        }
        // What was sent first stays as it was, byte for byte, where the agents share it.
        if !is_same_prefix || self.parts.prefix.is_some() {
            self.advertised
                .refresh(&self.parts.calls, &self.parts.sharing_prefix());
        }
        self.parts.model = profile.model;
        if is_other_model {
            self.context.forget_model();
        }
        if !is_same_prefix {
            self.tell_changed_prefix(is_other_model);
        }
        if is_other_agent {
            self.publish(Event::Agent(agent));
        }
        if is_other_model {
            self.publish(Event::Model(model));
        }
    }

    /// Says what it costs that the next request begins in another way than the last, before it is sent. A change that is
    /// taken back costs nothing.
    fn tell_changed_prefix(&mut self, is_other_model: bool) {
        let now = (self.parts.prefix.clone(), self.parts.info.model.clone());
        if self.asked_as.as_ref().is_none_or(|asked| *asked == now) {
            self.take_back_miss();
        } else if is_other_model {
            self.tell_miss(MissCause::Model);
        } else {
            self.tell_miss(MissCause::Agent);
        }
    }

    /// Stores what the next request is asked as. Where the one before was asked as another, what was cached is read anew.
    pub(super) fn ask_as(&mut self) {
        let stored = self.parts.recorder.store_agent();
        let now = (self.parts.prefix.clone(), self.parts.info.model.clone());
        let before = self.asked_as.replace(now);
        let is_first = !std::mem::replace(&mut self.has_asked, true);
        if let Some((prefix, model)) = before.filter(|_| is_first) {
            // The session may have been opened as another agent, or with another model.
            if model != self.parts.info.model {
                self.tell_miss_of_opening(MissCause::Model);
            } else if prefix != self.parts.prefix {
                self.tell_miss_of_opening(MissCause::Agent);
            }
        }
        self.check(stored);
    }
}
