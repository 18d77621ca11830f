//! Keys of permission questions: they are answered, put off and brought back.

use std::time::Instant;

use crate::permission::{PermissionReply, Scope};
use crate::question::Reply;
use crate::session::Op;
use crate::session::query::{Answer, Query};
use crate::tui::app::{App, Effect};
use crate::tui::dialog::{Guard, Permission, PermissionOutcome};
use crate::tui::keymap::Action;
use crate::view::theme::Meaning;

impl App {
    pub(super) fn answer(&mut self, action: Action, now: Instant) {
        let Some(dialog) = &mut self.view.dialog else {
            return;
        };
        let outcome = dialog.act(action);
        self.follow(outcome, now);
    }

    /// Takes the session's answer about the call as it was edited in the dialog.
    pub(in crate::tui::app) fn hear_in_dialog(&mut self, query: &Query, answer: &Answer, now: Instant) {
        let Some(dialog) = &mut self.view.dialog else {
            return;
        };
        let outcome = dialog.hear(query, answer);
        self.follow(outcome, now);
    }

    fn follow(&mut self, outcome: PermissionOutcome, now: Instant) {
        match outcome {
            PermissionOutcome::Stays => {}
            PermissionOutcome::Next => self.next_question(now),
            PermissionOutcome::Replied(reply) => self.reply(reply, now),
            PermissionOutcome::Asks(query) => self.effects.push(Effect::Ask(query)),
        }
    }

    fn reply(&mut self, reply: PermissionReply, now: Instant) {
        let Some(dialog) = self.view.dialog.take() else {
            return;
        };
        let id = dialog.question().id;
        if let PermissionReply::Always { scope, .. } = &reply {
            self.scope = scope.remembered().or(self.scope);
        }
        self.view.questions.retain(|question| question.id != id);
        self.view.put_off.remove(&id);
        self.send(Op::Answer {
            id,
            reply: Reply::Permission(reply),
        });
        self.show_question(now);
    }

    /// Shows the oldest question that was not put off, if none is shown.
    pub(in crate::tui::app) fn show_question(&mut self, now: Instant) {
        if self.view.forms.shown().is_some() {
            return self.show_form(now);
        }
        let shown = self.view.dialog.as_ref().map(|dialog| dialog.question().id);
        let is_open = |id| {
            self.view.questions.iter().any(|question| question.id == id) && !self.view.put_off.contains(&id)
        };
        if shown.is_some_and(is_open) {
            return;
        }
        let next = self
            .view
            .questions
            .iter()
            .find(|question| !self.view.put_off.contains(&question.id));
        let typed = self.view.typed.filter(|_| !self.view.composer.is_empty());
        let guard = Guard::begin(now, typed);
        self.view.dialog = next.map(|question| Permission::new(question.clone(), guard, self.first_scope()));
        self.show_form(now);
    }

    /// Returns true if no question of this session comes after the one on screen, or there is none at all.
    fn has_asked_all(&self) -> bool {
        match (&self.view.dialog, self.view.forms.shown()) {
            (Some(dialog), _) => {
                let newest = self.view.questions.last().map(|question| question.id);
                newest == Some(dialog.question().id) && self.view.forms.len() == 0
            }
            (None, Some(_)) => self.view.forms.place() == self.view.forms.len(),
            (None, None) => self.view.questions.is_empty() && self.view.forms.len() == 0,
        }
    }

    /// Brings back what was put off, or goes on to the next question, of this session or then of another.
    pub(super) fn recall_asks(&mut self, now: Instant) {
        if self.has_asked_all() && self.go_to_ask(now) {
            return;
        }
        if self.view.dialog.is_some() {
            return self.next_question(now);
        }
        if self.pass_form(now) {
            return;
        }
        if self.view.questions.is_empty() && self.view.forms.len() == 0 {
            return self.say("nothing waits for an answer", Meaning::TextMuted, now);
        }
        self.view.put_off.clear();
        self.view.forms.recall();
        self.close_layers(now);
        self.show_question(now);
    }

    fn next_question(&mut self, now: Instant) {
        let Some(dialog) = &self.view.dialog else { return };
        let id = dialog.question().id;
        let place = self.view.questions.iter().position(|question| question.id == id);
        if place.is_some_and(|place| place + 1 == self.view.questions.len()) && self.pass_to_forms(now) {
            return;
        }
        let next = place
            .map(|place| (place + 1) % self.view.questions.len())
            .and_then(|next| self.view.questions.get(next));
        let Some(next) = next.filter(|next| next.id != id).cloned() else {
            return;
        };
        self.view.put_off.remove(&next.id);
        self.count_asks();
        self.view.dialog = Some(Permission::new(next, Guard::begin(now, None), self.first_scope()));
    }

    fn first_scope(&self) -> Scope {
        self.scope.unwrap_or_default()
    }
}

/// Returns true if an action is a question's own, and not one of the whole screen.
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
