//! What a person said that has not joined the conversation: steers, the queue, and what is held.

use std::sync::Arc;

use super::{Actor, Waiting};
use crate::agent::turn::{TurnEnd, TurnEvent};
use crate::conversation::{Message, MessageId};
use crate::session::{Event, Input, Queued, QueuedKind};

impl Actor {
    pub(super) fn push_waiting(&mut self, kind: QueuedKind, input: Input, message: Option<MessageId>) {
        self.waiting.push_back(Waiting {
            id: self.next_waiting,
            kind,
            input,
            message,
        });
        self.next_waiting += 1;
    }

    pub(super) fn queued(&self) -> Vec<Queued> {
        let queued = |waiting: &Waiting| Queued {
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
        let message = Arc::new(self.user_message(&input));
        self.push_waiting(QueuedKind::Steer, input, Some(message.id.clone()));
        self.publish_queue();
        self.on_turn(TurnEvent::Steer(message));
    }

    pub(super) fn unqueue(&mut self, id: u64) {
        let Some(index) = self.waiting.iter().position(|waiting| waiting.id == id) else {
            return;
        };
        if let (Some(turn), Some(message)) = (&mut self.turn, &self.waiting[index].message) {
            turn.unsteer(message);
        }
        self.waiting.remove(index);
        self.publish_queue();
    }

    pub(super) fn release(&mut self) {
        if !self.is_busy() && !self.waiting.is_empty() {
            let inputs = self.waiting.drain(..).map(|waiting| waiting.input).collect();
            self.publish_queue();
            self.start_turn(inputs);
        }
    }

    /// What was waiting for the end of the turn: a steer goes at once, also after an interrupt; what was queued goes
    /// after a good end and is held after a bad one.
    pub(super) fn go_on(&mut self, end: TurnEnd, has_steers: bool) {
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
                if let Some(next) = self.waiting.pop_front() {
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

    /// Says something in the person's name between the steps, that no list of theirs shows.
    pub(super) fn join_message(&mut self, text: String) {
        let message = self.user_message(&Input {
            text,
            files: Vec::new(),
        });
        self.on_turn(TurnEvent::Steer(Arc::new(message)));
    }

    pub(super) fn hold(&mut self) {
        for waiting in &mut self.waiting {
            waiting.kind = QueuedKind::Held;
        }
    }

    pub(super) fn join_steer(&mut self, message: &Arc<Message>) {
        self.waiting
            .retain(|waiting| waiting.message.as_ref() != Some(&message.id));
        self.publish_queue();
        self.add_user_message(Message::clone(message));
    }
}
