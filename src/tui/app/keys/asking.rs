//! What keys do to permission questions: they are answered, put off and brought back.

use std::time::Instant;

use crate::permission::{Reply, Scope};
use crate::session::Op;
use crate::session::query::{Answer, Query};
use crate::tui::app::{App, Effect};
use crate::tui::dialog::{Guard, Outcome, Permission};
use crate::tui::keymap::Action;
use crate::view::theme::Meaning;

impl App {
    pub(super) fn answer(&mut self, action: Action, now: Instant) {
        let Some(dialog) = &mut self.dialog else { return };
        let outcome = dialog.act(action);
        self.follow(outcome, now);
    }

    /// What the session says of the call as it was edited in the dialog.
    pub(in crate::tui::app) fn hear_in_dialog(&mut self, query: &Query, answer: &Answer, now: Instant) {
        let Some(dialog) = &mut self.dialog else { return };
        let outcome = dialog.hear(query, answer);
        self.follow(outcome, now);
    }

    fn follow(&mut self, outcome: Outcome, now: Instant) {
        match outcome {
            Outcome::Stays => {}
            Outcome::Next => self.next_question(now),
            Outcome::Replied(reply) => self.reply(reply, now),
            Outcome::Asks(query) => self.effects.push(Effect::Ask(query)),
        }
    }

    fn reply(&mut self, reply: Reply, now: Instant) {
        let Some(dialog) = self.dialog.take() else { return };
        let id = dialog.question().id;
        if let Reply::Always { scope, .. } = &reply {
            self.scope = scope.remembered().or(self.scope);
        }
        self.questions.retain(|question| question.id != id);
        self.put_off.remove(&id);
        self.send(Op::Answer { id, reply });
        self.show_question(now);
    }

    /// Shows the oldest question that was not put off, if none is shown.
    pub(in crate::tui::app) fn show_question(&mut self, now: Instant) {
        if self.forms.shown().is_some() {
            return self.show_form(now);
        }
        let shown = self.dialog.as_ref().map(|dialog| dialog.question().id);
        let is_open =
            |id| self.questions.iter().any(|question| question.id == id) && !self.put_off.contains(&id);
        if shown.is_some_and(is_open) {
            return;
        }
        let next = self
            .questions
            .iter()
            .find(|question| !self.put_off.contains(&question.id));
        let typed = self.typed.filter(|_| !self.composer.is_empty());
        let guard = Guard::begin(now, typed);
        self.dialog = next.map(|question| Permission::new(question.clone(), guard, self.first_scope()));
        self.show_form(now);
    }

    /// Whether no question of this session comes after the one on screen, or there is none at all.
    fn has_asked_all(&self) -> bool {
        match (&self.dialog, self.forms.shown()) {
            (Some(dialog), _) => {
                let newest = self.questions.last().map(|question| question.id);
                newest == Some(dialog.question().id) && self.forms.len() == 0
            }
            (None, Some(_)) => self.forms.place() == self.forms.len(),
            (None, None) => self.questions.is_empty() && self.forms.len() == 0,
        }
    }

    /// Brings back what was put off, or goes on to the next question, of this session or then of another.
    pub(super) fn recall_asks(&mut self, now: Instant) {
        if self.has_asked_all() && self.go_to_ask(now) {
            return;
        }
        if self.dialog.is_some() {
            return self.next_question(now);
        }
        if self.pass_form(now) {
            return;
        }
        if self.questions.is_empty() && self.forms.len() == 0 {
            return self.say("nothing waits for an answer", Meaning::TextMuted, now);
        }
        self.put_off.clear();
        self.forms.recall();
        self.close_pages(now);
        self.show_question(now);
    }

    fn next_question(&mut self, now: Instant) {
        let Some(dialog) = &self.dialog else { return };
        let id = dialog.question().id;
        let place = self.questions.iter().position(|question| question.id == id);
        if place.is_some_and(|place| place + 1 == self.questions.len()) && self.pass_to_forms(now) {
            return;
        }
        let next = place
            .map(|place| (place + 1) % self.questions.len())
            .and_then(|next| self.questions.get(next));
        let Some(next) = next.filter(|next| next.id != id).cloned() else {
            return;
        };
        self.put_off.remove(&next.id);
        self.count_asks();
        self.dialog = Some(Permission::new(next, Guard::begin(now, None), self.first_scope()));
    }

    fn first_scope(&self) -> Scope {
        self.scope.unwrap_or_default()
    }
}

/// Whether an action is a question's own, and not one of the whole screen.
pub(super) fn answers(action: Action) -> bool {
    !matches!(
        action,
        Action::ClearOrQuit
            | Action::CycleMode
            | Action::PageUp
            | Action::PageDown
            | Action::Editor
            | Action::Redraw
            | Action::Suspend
            | Action::Leader
            | Action::OpenList(_)
    )
}
