//! Messages of a person that have not joined the conversation: steers, the queue, and those that are held.

use std::sync::Arc;

use super::{Actor, WaitingInput};
use crate::agent::turn::{TurnEnd, TurnEvent};
use crate::conversation::{Message, MessageId};
use crate::session::{Event, Input, QueueDirection, QueuedKind, QueuedMessage, StoredDraft};

/// Tells apart the states of what was sent and is not in the conversation yet.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct UnsentKey {
    /// In their order.
    waiting: Vec<u64>,
    /// Prompts that hooks are asked about.
    hooked: usize,
    /// Messages whose files are being read.
    attaching: usize,
}

impl Actor {
    pub(super) fn push_waiting(&mut self, kind: QueuedKind, input: Input, message: Option<MessageId>) {
        let id = self.next_waiting;
        self.next_waiting += 1;
        self.wait(WaitingInput {
            id,
            kind,
            input,
            message,
        });
    }

    /// Puts an input where it will be sent: after the steers there are, or at the end. It is stored before anybody is told that
    /// it waits.
    fn wait(&mut self, waiting: WaitingInput) {
        let place = match waiting.kind {
            QueuedKind::Steer => self.steers(),
            QueuedKind::Queue | QueuedKind::Held => self.waiting.len(),
        };
        self.waiting.insert(place, waiting);
        self.store_unsent();
    }

    /// How many steers wait. They stand before the rest.
    fn steers(&self) -> usize {
        let is_steer = |waiting: &&WaitingInput| waiting.kind == QueuedKind::Steer;
        self.waiting.iter().take_while(is_steer).count()
    }

    pub(super) fn queued(&self) -> Vec<QueuedMessage> {
        let queued = |waiting: &WaitingInput| QueuedMessage {
            id: waiting.id,
            text: waiting.input.text.clone(),
            kind: waiting.kind,
        };
        self.waiting.iter().map(queued).collect()
    }

    pub(super) fn publish_queue(&mut self) {
        let queue = self.queued();
        self.publish(Event::Queue(queue));
    }

    pub(super) fn steer(&mut self, input: Input) {
        if let Some(input) = self.hold_steer(input) {
            self.steer_now(input);
        }
    }

    pub(super) fn steer_now(&mut self, input: Input) {
        let id = self.next_waiting;
        self.next_waiting += 1;
        self.steer_as(id, input);
    }

    fn steer_as(&mut self, id: u64, input: Input) {
        let message = Arc::new(self.user_message(&input));
        self.wait(WaitingInput {
            id,
            kind: QueuedKind::Steer,
            input,
            message: Some(message.id.clone()),
        });
        self.publish_queue();
        self.on_turn(TurnEvent::Steer(message));
    }

    pub(super) fn unqueue(&mut self, id: u64) {
        let Some(index) = self.place_of(id) else { return };
        self.unsteer(index);
        let waiting = self.waiting.remove(index);
        self.publish_queue();
        let input = waiting.map(|waiting| Arc::new(waiting.input));
        self.publish(Event::Unqueued { id, input });
    }

    pub(super) fn shift(&mut self, id: u64, way: QueueDirection) {
        let Some(index) = self.place_of(id) else { return };
        let other = match way {
            QueueDirection::Sooner => index.checked_sub(1),
            QueueDirection::Later => Some(index + 1),
        };
        let steers = self.steers();
        let is_neighbour =
            |other: &usize| *other < self.waiting.len() && (*other < steers) == (index < steers);
        let Some(other) = other.filter(is_neighbour) else {
            return;
        };
        let messages = (&self.waiting[index].message, &self.waiting[other].message);
        if let (Some(turn), (Some(one), Some(other))) = (&mut self.turn, messages) {
            turn.swap_steers(one, other);
        }
        self.waiting.swap(index, other);
        self.publish_queue();
    }

    pub(super) fn redirect(&mut self, id: u64) {
        let Some(index) = self.place_of(id) else { return };
        if self.turn.is_none() {
            return;
        }
        let is_steer = self.waiting[index].kind == QueuedKind::Steer;
        self.unsteer(index);
        let Some(mut waiting) = self.waiting.remove(index) else {
            return;
        };
        if is_steer {
            waiting.kind = QueuedKind::Queue;
            waiting.message = None;
            // The first of those that wait, as near to where it was as can be.
            self.waiting.insert(self.steers(), waiting);
            return self.publish_queue();
        }
        self.forget_going_on();
        match self.hold_steer(waiting.input) {
            Some(input) => self.steer_as(id, input),
            None => self.publish_queue(),
        }
    }

    /// Returns where an input waits, or says that it does not.
    fn place_of(&mut self, id: u64) -> Option<usize> {
        let place = self.waiting.iter().position(|waiting| waiting.id == id);
        if place.is_none() {
            self.publish(Event::Unqueued { id, input: None });
        }
        place
    }

    /// Has the turn forget a steer.
    fn unsteer(&mut self, index: usize) {
        if let (Some(turn), Some(message)) = (&mut self.turn, &self.waiting[index].message) {
            turn.unsteer(message);
        }
    }

    pub(super) fn release(&mut self) {
        if !self.is_busy() && !self.waiting.is_empty() {
            let inputs = self.waiting.drain(..).map(|waiting| waiting.input).collect();
            self.publish_queue();
            self.start_turn(inputs);
        }
    }

    /// Sends what was waiting for the end of the turn: a steer goes at once, also after an interrupt; what was queued
    /// goes after a good end and is held after a bad one.
    pub(super) fn continue_queue(&mut self, end: TurnEnd, has_steers: bool) {
        if self.closing {
            return;
        }
        let has_steers = has_steers
            && self
                .waiting
                .iter()
                .any(|waiting| waiting.kind == QueuedKind::Steer);
        if has_steers && end != TurnEnd::Failed {
            let (steers, rest): (Vec<_>, Vec<_>) = self
                .waiting
                .drain(..)
                .partition(|waiting| waiting.kind == QueuedKind::Steer);
            self.waiting.extend(rest);
            if end == TurnEnd::Cancelled {
                self.hold();
            }
            self.publish_queue();
            // The hooks of prompts have let them pass already.
            self.publish(Event::TurnStarted);
            return self.begin_turn(steers.into_iter().map(|waiting| waiting.input).collect());
        }
        match end {
            TurnEnd::Stop | TurnEnd::Length | TurnEnd::Refused | TurnEnd::Hooked => {
                // What is held waits for its `enter`, whatever was sent in between.
                let is_next = |waiting: &WaitingInput| waiting.kind != QueuedKind::Held;
                let place = self.waiting.iter().position(is_next);
                if let Some(next) = place.and_then(|place| self.waiting.remove(place)) {
                    self.publish_queue();
                    self.start_turn(vec![next.input]);
                }
            }
            TurnEnd::Failed | TurnEnd::Cancelled | TurnEnd::MaxSteps => {
                if !self.waiting.is_empty() {
                    self.hold();
                    self.publish_queue();
                }
            }
        }
    }

    /// Puts what was not sent before the draft: the session ends, and nobody hears any more that it comes back.
    pub(super) fn keep_unsent(&mut self) {
        let mut draft = StoredDraft::of_inputs(self.unsent());
        let is_empty = self.unsent().next().is_none();
        drop(self.take_attaching());
        if is_empty {
            return;
        }
        draft.append(StoredDraft::read(&self.parts.draft));
        self.parts.draft = draft.written();
        self.parts.recorder.draft(&self.parts.draft);
    }

    /// Returns what was sent and is not in the conversation yet.
    fn unsent(&self) -> impl DoubleEndedIterator<Item = &Input> {
        let waiting = self.waiting.iter().map(|waiting| &waiting.input);
        waiting
            .chain(self.hooking.prompts())
            .chain(self.attaching.inputs())
    }

    /// Stores what was sent and is not in the conversation yet, if that has changed. The next process puts it before the draft
    /// if this one is killed; what ends by itself does so with [`Self::keep_unsent`].
    pub(super) fn store_unsent(&mut self) {
        let now = if self.closing {
            UnsentKey::default()
        } else {
            UnsentKey {
                waiting: self.waiting.iter().map(|waiting| waiting.id).collect(),
                hooked: self.hooking.prompts().count(),
                attaching: self.attaching.inputs().count(),
            }
        };
        if now == self.stored_unsent {
            return;
        }
        let unsent = if self.closing {
            StoredDraft::default()
        } else {
            // What an agent asks of a task is nobody's draft.
            StoredDraft::of_inputs(self.unsent().filter(|input| !input.is_delegated))
        };
        self.parts.recorder.unsent(&unsent.written());
        self.stored_unsent = now;
    }

    /// Says something in the person's name between the steps, that no list of theirs shows.
    pub(super) fn join_message(&mut self, text: String) {
        let message = self.text_message(text);
        self.on_turn(TurnEvent::Steer(Arc::new(message)));
    }

    pub(super) fn hold(&mut self) {
        for waiting in &mut self.waiting {
            waiting.kind = QueuedKind::Held;
        }
    }

    pub(super) fn join_steer(&mut self, message: &Arc<Message>) {
        let is_it = |waiting: &WaitingInput| waiting.message.as_ref() == Some(&message.id);
        let place = self.waiting.iter().position(is_it);
        let joined = place.and_then(|place| self.waiting.remove(place));
        self.publish_queue();
        self.add_user_message(Message::clone(message));
        if let Some(waiting) = joined {
            self.note_seen(&waiting.input.seen);
        }
    }
}
