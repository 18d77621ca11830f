//! Slots: how many tasks may make requests at once, for each model and over a whole provider.
//!
//! A task needs a slot to leave the queue and to make a request. One that waits for a person or for its own tasks gives its
//! slot up, and waits for another before its next request, ahead of all that have not begun.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use super::RequestId;
use crate::conversation::{ModelRef, SessionId};

/// Caps; 0 means no limit.
#[derive(Debug, Clone, Default)]
pub struct SlotLimits {
    /// For each model that `per_model` does not name.
    pub max_concurrent: u32,
    /// By `provider/model`.
    pub per_model: BTreeMap<String, u32>,
    /// Over all models of a provider.
    pub per_provider: BTreeMap<String, u32>,
}

/// Use that a slot is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SlotUse {
    Start,
    Request(RequestId),
}

#[derive(Debug)]
struct Waiter {
    session: SessionId,
    model: ModelRef,
    wanted: SlotUse,
}

#[derive(Debug)]
pub(super) struct Slots {
    limits: SlotLimits,
    held: HashMap<SessionId, ModelRef>,
    /// First those that have begun, then the rest; each in the order in which they came.
    line: VecDeque<Waiter>,
}

impl Slots {
    pub(super) fn new(limits: SlotLimits) -> Self {
        Self {
            limits,
            held: HashMap::new(),
            line: VecDeque::new(),
        }
    }

    /// Returns true if a session has a slot of this model.
    pub(super) fn has(&self, session: &SessionId, model: &ModelRef) -> bool {
        self.held.get(session) == Some(model)
    }

    /// Puts a session into the line. A slot of another model that it has is given up.
    pub(super) fn wait(&mut self, session: &SessionId, model: &ModelRef, wanted: SlotUse) {
        self.held.remove(session);
        let place = match wanted {
            SlotUse::Start => self.line.len(),
            SlotUse::Request(_) => {
                let is_begun = |waiter: &&Waiter| waiter.wanted != SlotUse::Start;
                self.line.iter().take_while(is_begun).count()
            }
        };
        let waiter = Waiter {
            session: session.clone(),
            model: model.clone(),
            wanted,
        };
        self.line.insert(place, waiter);
    }

    pub(super) fn release(&mut self, session: &SessionId) {
        self.held.remove(session);
    }

    /// Takes a session out of the line, and its slot away.
    pub(super) fn forget(&mut self, session: &SessionId) {
        self.held.remove(session);
        self.line.retain(|waiter| waiter.session != *session);
    }

    /// Takes a request out of the line that is not wanted any more.
    pub(super) fn forget_request(&mut self, request: RequestId) {
        self.line
            .retain(|waiter| waiter.wanted != SlotUse::Request(request));
    }

    /// Hands free slots to those that wait, in their order: nobody overtakes one of the same model, or of a provider whose
    /// cap is reached.
    pub(super) fn grant(&mut self) -> Vec<(SessionId, SlotUse)> {
        let mut granted = Vec::new();
        let (mut models, mut providers) = (HashSet::new(), HashSet::new());
        let mut place = 0;
        while let Some(waiter) = self.line.get(place) {
            let model = waiter.model.clone();
            if models.contains(&model) || providers.contains(&model.provider) {
                place += 1;
            } else if !self.provider_has_room(&model.provider) {
                providers.insert(model.provider);
                place += 1;
            } else if !self.model_has_room(&model) {
                models.insert(model);
                place += 1;
            } else if let Some(waiter) = self.line.remove(place) {
                self.held.insert(waiter.session.clone(), waiter.model);
                granted.push((waiter.session, waiter.wanted));
            }
        }
        granted
    }

    fn model_has_room(&self, model: &ModelRef) -> bool {
        let limit = self.limits.per_model.get(&model.to_string());
        let limit = limit.copied().unwrap_or(self.limits.max_concurrent);
        let taken = self.held.values().filter(|held| *held == model).count();
        limit == 0 || taken < limit as usize
    }

    fn provider_has_room(&self, provider: &str) -> bool {
        let limit = self.limits.per_provider.get(provider).copied().unwrap_or(0);
        let taken = self
            .held
            .values()
            .filter(|held| held.provider == provider)
            .count();
        limit == 0 || taken < limit as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(name: &str) -> ModelRef {
        name.parse().unwrap()
    }

    fn slots(max: u32, provider: u32) -> Slots {
        Slots::new(SlotLimits {
            max_concurrent: max,
            per_model: BTreeMap::from([("p/wide".to_owned(), 0)]),
            per_provider: BTreeMap::from([("p".to_owned(), provider)]),
        })
    }

    fn started(slots: &mut Slots) -> Vec<SessionId> {
        slots.grant().into_iter().map(|(session, _)| session).collect()
    }

    #[test]
    fn those_of_one_model_start_in_their_order_and_no_more_than_its_cap() {
        let mut slots = slots(2, 0);
        let sessions: Vec<_> = (0..4).map(|_| SessionId::new()).collect();
        for session in &sessions {
            slots.wait(session, &model("p/m"), SlotUse::Start);
        }
        assert_eq!(started(&mut slots), sessions[..2]);
        assert!(started(&mut slots).is_empty());
        slots.release(&sessions[1]);
        assert_eq!(started(&mut slots), sessions[2..3]);
        slots.forget(&sessions[3]);
        slots.release(&sessions[0]);
        assert!(started(&mut slots).is_empty());
    }

    #[test]
    fn another_model_does_not_wait_and_a_providers_cap_counts_all_of_them() {
        let mut slots = slots(1, 2);
        let sessions: Vec<_> = (0..5).map(|_| SessionId::new()).collect();
        for (session, name) in sessions.iter().zip(["p/a", "p/a", "p/b", "p/wide", "q/c"]) {
            slots.wait(session, &model(name), SlotUse::Start);
        }
        let first = [&sessions[0], &sessions[2], &sessions[4]].map(Clone::clone);
        assert_eq!(started(&mut slots), first);
        slots.release(&sessions[2]);
        assert_eq!(started(&mut slots), sessions[3..4]);
    }

    #[test]
    fn one_that_has_begun_comes_before_those_that_have_not() {
        let mut slots = slots(1, 0);
        let [running, next, last] = [(); 3].map(|()| SessionId::new());
        for session in [&running, &next, &last] {
            slots.wait(session, &model("p/m"), SlotUse::Start);
        }
        assert_eq!(slots.grant().len(), 1);
        slots.release(&running);
        assert_eq!(started(&mut slots), std::slice::from_ref(&next));
        let request = SlotUse::Request(RequestId(7));
        slots.wait(&running, &model("p/m"), request);
        slots.release(&next);
        assert_eq!(slots.grant(), [(running.clone(), request)]);
        slots.release(&running);
        slots.wait(&running, &model("p/m"), request);
        slots.forget_request(RequestId(7));
        assert_eq!(started(&mut slots), [last]);
    }
}
