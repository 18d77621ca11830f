//! What keys do to the draft: it is edited, sent, and taken back.

use std::time::Instant;

use crate::session::{Input, Op, QueuedKind};
use crate::tui::app::{App, DRAFT, DraftState, Link};
use crate::tui::composer::{Draft, Edited};
use crate::tui::keymap::Edit;
use crate::tui::page::PageKind;
use crate::tui::transcript::Change;
use crate::view::theme::Meaning;

/// Typed instead of a message, it opens the list of what is allowed for good.
const PERMISSIONS: &str = "/permissions";

impl App {
    /// Takes back what the editor left.
    pub(crate) fn edited(&mut self, text: &str, now: Instant) -> Change {
        // The loop stood still meanwhile, so it is still the same question.
        match &mut self.dialog {
            Some(dialog) if dialog.call_text().is_some() => dialog.set_call(text),
            _ => {
                self.composer.set(Draft::from_text(text));
                self.draft_changed(now);
            }
        }
        Change::Urgent
    }

    /// The session did not take an operation: what was written comes back.
    pub(crate) fn not_sent(&mut self, op: &Op, reason: &str, now: Instant) -> Change {
        if let Op::Submit(input) | Op::Queue(input) = op
            && self.composer.is_empty()
        {
            self.composer.set(Draft::from_text(&input.text));
        }
        self.complain(reason, now)
    }

    pub(super) fn edit(&mut self, edit: Edit, now: Instant) -> Change {
        match (self.composer.edit(edit), edit) {
            (Edited::Text, _) => self.draft_changed(now),
            (Edited::Caret, _) => {}
            (Edited::Nothing, Edit::Up) => self.recall(now),
            (Edited::Nothing, Edit::Down) if self.composer.newer() => self.draft_changed(now),
            (Edited::Nothing, _) => return Change::None,
        }
        Change::Urgent
    }

    /// Takes back the newest input that waits, or else goes back in the history.
    fn recall(&mut self, now: Instant) {
        let is_taken_back = self.composer.is_empty() && self.take_back();
        if is_taken_back || self.composer.older() {
            self.draft_changed(now);
        }
    }

    fn take_back(&mut self) -> bool {
        let is_input = |op: &Op| matches!(op, Op::Submit(_) | Op::Queue(_));
        if let Some(place) = self.unsent.iter().rposition(is_input) {
            if let Op::Submit(input) | Op::Queue(input) = self.unsent.remove(place) {
                self.composer.set(Draft::from_text(input.text));
            }
            return true;
        }
        // It leaves the list at once, so that a second key takes the next one.
        let Some(newest) = self.queue.pop() else {
            return false;
        };
        self.composer.set(Draft::from_text(newest.text));
        self.send(Op::Unqueue(newest.id));
        true
    }

    pub(super) fn submit(&mut self, op: fn(Input) -> Op, now: Instant) {
        if self.composer.continue_line() {
            return self.draft_changed(now);
        }
        if self.composer.text().trim() == PERMISSIONS {
            self.composer.take();
            self.draft_changed(now);
            self.typed = None;
            return self.open_page(PageKind::Rules, now);
        }
        if self.composer.is_blank() {
            if self.queue.iter().any(|queued| queued.kind == QueuedKind::Held) {
                self.send(Op::Release);
            }
            return;
        }
        match &self.link {
            Link::Opening | Link::Open => {}
            Link::ReadOnly(reason) => {
                let reason = reason.clone();
                return self.say(reason, Meaning::Warning, now);
            }
            Link::Gone => return self.say("no session is open; the draft stays here", Meaning::Warning, now),
        }
        let text = self.composer.take();
        self.send(op(Input {
            text,
            files: Vec::new(),
        }));
        self.draft_changed(now);
        self.typed = None;
        self.transcript.to_end();
    }

    pub(in crate::tui::app) fn draft_changed(&mut self, now: Instant) {
        self.typed = Some(now);
        self.draft = DraftState::Due(now + DRAFT);
    }

    /// Goes on as the agent after this one, in the order of `lathe agents`; while a turn runs, with its next step.
    pub(super) fn next_agent(&mut self, now: Instant) {
        if self.agents.is_empty() {
            return self.say("the session is still opening", Meaning::TextMuted, now);
        }
        let current = self.wanted_agent.as_ref().unwrap_or(&self.facts.agent);
        let place = self.agents.iter().position(|agent| agent.name == *current);
        let next = place.map_or(0, |place| (place + 1) % self.agents.len());
        let next = self.agents.get(next).map(|agent| agent.name.clone());
        let Some(next) = next.filter(|next| next != current) else {
            return self.say("there is no other agent", Meaning::TextMuted, now);
        };
        self.go_on_as(next, now);
    }
}
