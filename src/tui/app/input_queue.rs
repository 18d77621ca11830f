//! Messages that wait to be sent, while their list has the keys.
//!
//! The session owns the queue: it sends from it whenever a turn comes to a boundary. So nothing is changed here. The
//! session is asked, the list shows what it says, and a text comes back into the composer only when the session has given
//! it out of its hands. Whoever is too late is told that the message was sent.

use std::time::Instant;

use super::{App, Focus, SessionLink, TurnStatus};
use crate::session::{Op, QueueDirection, QueuedKind, QueuedMessage};
use crate::tui::keymap::{Action, Context};
use crate::tui::queue_list::WaitingId;
use crate::tui::statusbar::Hints;
use crate::view::theme::Meaning;

/// The purpose for which an input is taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TakeBackPurpose {
    Edit,
    Remove,
}

impl App {
    /// Gives the list the keys, on its newest row; says whether something waits.
    pub(super) fn focus_queue(&mut self) -> bool {
        let ids = self.views.front.waiting_ids();
        let waits = self.views.front.queue_list.choose(usize::MAX, &ids);
        if waits {
            self.focus_composer();
            self.views.front.focus = Focus::Queue;
        }
        waits
    }

    /// The same, on the row of the list that was clicked.
    pub(super) fn focus_queue_row(&mut self, row: u16) {
        let ids = self.views.front.waiting_ids();
        self.focus_composer();
        if self.views.front.queue_list.choose_shown(row, &ids) {
            self.views.front.focus = Focus::Queue;
        }
    }

    /// Performs an action of the list.
    pub(super) fn act_on_queue(&mut self, action: Action, now: Instant) {
        let Some(chosen) = self.views.front.queue_list.chosen() else {
            return;
        };
        match (action, chosen) {
            (Action::RowUp, _) => {
                let ids = self.views.front.waiting_ids();
                if !self.views.front.queue_list.step(-1, &ids) {
                    self.focus_composer();
                    self.older(now);
                }
            }
            (Action::RowDown, _) => {
                let ids = self.views.front.waiting_ids();
                if !self.views.front.queue_list.step(1, &ids) {
                    self.focus_composer();
                }
            }
            (Action::QueueEdit, chosen) => self.take_back(chosen, TakeBackPurpose::Edit, now),
            (Action::QueueRemove, chosen) => self.take_back(chosen, TakeBackPurpose::Remove, now),
            (Action::QueueSooner, WaitingId::Queued(id)) => self.send(Op::Shift {
                id,
                way: QueueDirection::Sooner,
            }),
            (Action::QueueLater, WaitingId::Queued(id)) => self.send(Op::Shift {
                id,
                way: QueueDirection::Later,
            }),
            (Action::QueueRedirect, WaitingId::Queued(id)) if self.views.front.turn == TurnStatus::Busy => {
                self.send(Op::Redirect(id));
            }
            (Action::QueueRedirect, WaitingId::Queued(_)) => {
                let enter = self.keymap.label(Context::Composer, Action::Send);
                let words =
                    format!("no turn is running; {enter} in an empty composer sends the held messages");
                self.say(words, Meaning::TextMuted, now);
            }
            (_, WaitingId::Unsent(_)) => {
                self.say(
                    "the message is sent when the session has opened",
                    Meaning::TextMuted,
                    now,
                );
            }
            _ => {}
        }
    }

    /// Takes an input out of the queue. The session is asked for one that it has, once.
    fn take_back(&mut self, chosen: WaitingId, wanted: TakeBackPurpose, now: Instant) {
        match chosen {
            WaitingId::Queued(id) => {
                if self.views.front.wanted_inputs.insert(id, wanted).is_none() {
                    self.send(Op::Unqueue(id));
                }
            }
            WaitingId::Unsent(place) => self.take_unsent(place, wanted, now),
        }
    }

    fn take_unsent(&mut self, place: usize, wanted: TakeBackPurpose, now: Instant) {
        let is_input = |(_, op): &(usize, &Op)| matches!(op, Op::Submit(_) | Op::Queue(_));
        let found = self
            .views
            .front
            .unsent
            .iter()
            .enumerate()
            .filter(is_input)
            .nth(place);
        let Some((index, _)) = found else { return };
        if let Op::Submit(input) | Op::Queue(input) = self.views.front.unsent.remove(index) {
            self.front(now).take_back_input(&input, wanted);
        }
        self.views.front.follow_queue();
    }

    pub(super) fn held_count(&self) -> usize {
        let is_held = |queued: &&QueuedMessage| queued.kind == QueuedKind::Held;
        self.views.front.queue.iter().filter(is_held).count()
    }

    pub(super) fn queue_hints(&self, hints: &mut Hints<'_>) {
        let key = |action| self.keymap.label(Context::Queue, action);
        hints.key(key(Action::QueueEdit), "edit");
        hints.key(key(Action::QueueRemove), "remove");
        if self.views.front.link != SessionLink::Opening {
            hints.pair(key(Action::QueueSooner), key(Action::QueueLater), "move");
        }
        if self.views.front.turn == TurnStatus::Busy {
            let chosen = self.views.front.queue_list.chosen();
            let is_steer = self.views.front.queue.iter().any(|queued| {
                chosen == Some(WaitingId::Queued(queued.id)) && queued.kind == QueuedKind::Steer
            });
            hints.key(
                key(Action::QueueRedirect),
                if is_steer { "queue" } else { "steer" },
            );
        }
        hints.key(self.keymap.label(Context::Global, Action::Escape), "back");
    }
}
