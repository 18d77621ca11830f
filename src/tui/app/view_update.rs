//! A conversation that takes in what happens in its session, wherever it stands.
//!
//! An event of a session changes its conversation and its tree. Of the rest of the screen it touches only what a
//! [`ViewUpdate`] lends; layers are about the conversation in front, and the [`App`] tells them afterwards.

use std::time::Instant;

use super::attention::Attention;
use super::hearing::Hearing;
use super::history::HistoryRead;
use super::session_view::SessionView;
use super::trees::{TreeView, tree_mut_of};
use super::{App, DRAFT, DraftState, Effect, REMARK, Remark, SessionLink};
use crate::permission::ChosenScopes;
use crate::session::Op;
use crate::tui::keymap::Keymap;
use crate::tui::sessions::SlotId;
use crate::tui::tasks::TaskList;
use crate::tui::transcript::RedrawUrgency;
use crate::view::Symbols;
use crate::view::theme::Meaning;

/// One conversation, with what else changes when something happens in its session.
pub(super) struct ViewUpdate<'a> {
    pub(super) view: &'a mut SessionView,
    pub(super) tree: &'a mut TreeView,
    pub(super) keymap: &'a Keymap,
    pub(super) symbols: Symbols,
    pub(super) attention: &'a mut Attention,
    /// The scopes that were chosen last for an "always".
    pub(super) scopes: &'a mut ChosenScopes,
    /// Of the question on screen.
    pub(super) hearing: &'a mut Hearing,
    pub(super) is_left_by_typing: &'a mut bool,
    /// True if a question may come up by itself.
    pub(super) may_open: bool,
    reading: &'a mut HistoryRead,
    effects: &'a mut Vec<Effect>,
    is_front: bool,
    /// True if it was part of the last frame.
    pub(super) is_drawn: bool,
    /// Milliseconds since the Unix epoch.
    pub(super) unix: i64,
    pub(super) now: Instant,
}

impl ViewUpdate<'_> {
    pub(super) fn say(&mut self, text: impl Into<String>, meaning: Meaning) {
        self.view.say(text, meaning, self.now);
    }

    /// Sends an operation once the session is open.
    pub(super) fn send(&mut self, op: Op) {
        if let Some(op) = self.view.note_sent(op, &self.tree.tasks) {
            self.send_now(op);
        }
    }

    pub(super) fn send_now(&mut self, op: Op) {
        self.effects.push(if self.is_front {
            Effect::Send(op)
        } else {
            Effect::SendTo(self.view.slot, op)
        });
    }

    pub(super) fn draft_changed(&mut self) {
        self.view.draft = DraftState::Due(self.now + DRAFT);
        self.reading.forget_recall();
    }

    /// Stores the draft now, if it changed.
    pub(super) fn store_draft(&mut self) {
        if let Some(op) = self.view.unstored_draft() {
            self.send_now(op);
        }
    }

    /// Puts a text into the composer, before what was begun meanwhile.
    pub(super) fn write_before(&mut self, text: &str) {
        self.view.composer.put_before(text, []);
        self.draft_changed();
    }

    /// Tells whoever looks elsewhere, at once where that is known.
    pub(super) fn notify_if_away(&mut self, text: String) {
        self.attention.notify_if_away(text, self.now);
        let due = self.attention.take_due(self.now, &self.view.facts.title);
        self.effects.extend(due);
    }
}

impl SessionView {
    /// Takes in what is sent; returns what the session is to have at once, and keeps what has to wait until it is open.
    pub(super) fn note_sent(&mut self, op: Op, tasks: &TaskList) -> Option<Op> {
        self.has_messages |= matches!(op, Op::Submit(_) | Op::Queue(_));
        self.is_held |= matches!(op, Op::Interrupt) && self.waits_for_tasks(tasks);
        self.is_held &= !matches!(op, Op::Submit(_) | Op::Queue(_) | Op::Release);
        if self.link == SessionLink::Opening {
            self.unsent.push(op);
            return None;
        }
        Some(op)
    }

    /// Returns what stores the draft, if it changed.
    pub(super) fn unstored_draft(&mut self) -> Option<Op> {
        if self.link != SessionLink::Open || self.draft == DraftState::Stored {
            return None;
        }
        self.draft = DraftState::Stored;
        Some(Op::Draft(self.composer.draft().stored()))
    }

    pub(super) fn say(&mut self, text: impl Into<String>, meaning: Meaning, now: Instant) {
        self.remark = Some(Remark {
            text: text.into(),
            meaning,
            until: now + REMARK,
            about: None,
        });
    }
}

impl App {
    /// The conversation in front, to be changed.
    pub(super) fn front(&mut self, now: Instant) -> ViewUpdate<'_> {
        let slot = self.views.front.slot;
        self.update(slot, now).expect("the conversation in front is open")
    }

    /// An open conversation, to be changed.
    pub(super) fn update(&mut self, slot: SlotId, now: Instant) -> Option<ViewUpdate<'_>> {
        let is_front = slot == self.views.front.slot;
        let may_open = is_front && self.trust.is_none() && self.may_open_question(now);
        let view = self.views.get_mut(slot)?;
        Some(ViewUpdate {
            tree: tree_mut_of(&mut self.trees, view),
            view,
            keymap: &self.keymap,
            symbols: self.appearance.terminal_environment.symbols,
            attention: &mut self.attention,
            scopes: &mut self.scopes,
            hearing: &mut self.hearing,
            is_left_by_typing: &mut self.is_left_by_typing,
            may_open,
            reading: &mut self.reading,
            effects: &mut self.effects,
            is_front,
            is_drawn: self.shown.views.contains(&slot),
            unix: self.wall_clock.at(now),
            now,
        })
    }

    /// Lets a conversation take something in, wherever it stands. One that is not open any more is left alone. A frame is
    /// drawn where it is seen, or where the screen counts it among those that want something.
    pub(super) fn in_view(
        &mut self,
        slot: SlotId,
        now: Instant,
        change: impl FnOnce(&mut ViewUpdate<'_>) -> RedrawUrgency,
    ) -> RedrawUrgency {
        if slot == self.views.front.slot {
            return change(&mut self.front(now));
        }
        let before = self.elsewhere();
        let Some(mut update) = self.update(slot, now) else {
            return RedrawUrgency::None;
        };
        let was_running = update.view.is_turn_running();
        let changed = change(&mut update);
        update.store_draft();
        update.view.has_news |= was_running && !update.view.is_turn_running();
        let is_drawn = update.is_drawn;
        if before == self.elsewhere() {
            return changed.only_if(is_drawn);
        }
        self.list_sessions_anew(now);
        RedrawUrgency::Urgent
    }
}
