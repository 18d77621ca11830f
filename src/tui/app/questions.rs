//! Questions that wait for the person in one session: which is on screen, which was put off, and where text goes that was
//! written in a form and never sent.
//!
//! A question that was begun is kept with all that was chosen and written until it is settled. Questions of permission
//! come first, but never take the place of a form that is on screen.

use std::sync::Arc;
use std::time::Instant;

use super::App;
use crate::permission::{PermissionReply, Scope};
use crate::question::{Question, QuestionId, QuestionKind, Reply};
use crate::session::Op;
use crate::tui::dialog::{self, Dialog, TypeAheadGuard};
use crate::view::theme::Meaning;

/// Questions that wait: those of permission before forms, each kind oldest first.
#[derive(Default)]
pub(super) struct OpenQuestions {
    list: Vec<OpenQuestion>,
    shown: Option<QuestionId>,
}

struct OpenQuestion {
    question: Arc<Question>,
    /// Made when it comes on screen for the first time.
    dialog: Option<Box<dyn Dialog>>,
    is_put_off: bool,
}

impl OpenQuestion {
    fn is_permission(&self) -> bool {
        matches!(self.question.about, QuestionKind::Permission(_))
    }
}

impl OpenQuestions {
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many wait for later.
    pub(super) fn put_off(&self) -> usize {
        self.list.iter().filter(|open| open.is_put_off).count()
    }

    pub(super) fn has_permissions(&self) -> bool {
        self.list.iter().any(OpenQuestion::is_permission)
    }

    /// Returns the number of the one on screen, from 1, and how many there are of those that come in turn. A permission
    /// is counted among permissions.
    pub(super) fn place(&self) -> (usize, usize) {
        let place = self.shown_place().unwrap_or(0);
        let permissions = self.list.iter().filter(|open| open.is_permission()).count();
        let count = if place < permissions {
            permissions
        } else {
            self.list.len()
        };
        (place + 1, count)
    }

    pub(super) fn shown(&self) -> Option<&dyn Dialog> {
        self.list[self.shown_place()?].dialog.as_deref()
    }

    pub(super) fn shown_mut(&mut self) -> Option<&mut (dyn Dialog + 'static)> {
        let place = self.shown_place()?;
        self.list[place].dialog.as_deref_mut()
    }

    fn shown_place(&self) -> Option<usize> {
        self.place_of(self.shown?)
    }

    fn place_of(&self, id: QuestionId) -> Option<usize> {
        self.list.iter().position(|open| open.question.id == id)
    }

    fn add(&mut self, question: &Arc<Question>) {
        if self.place_of(question.id).is_some() {
            return;
        }
        let open = OpenQuestion {
            question: Arc::clone(question),
            dialog: None,
            is_put_off: false,
        };
        let first_form = self.list.iter().position(|open| !open.is_permission());
        let place = first_form.filter(|_| open.is_permission());
        self.list.insert(place.unwrap_or(self.list.len()), open);
    }

    /// Takes one away; returns text that was written for it and never sent.
    fn remove(&mut self, id: QuestionId) -> Option<String> {
        let open = self.list.remove(self.place_of(id)?);
        self.shown = self.shown.filter(|shown| *shown != id);
        open.dialog?.unsent_text()
    }

    /// The one on screen is answered.
    pub(super) fn remove_shown(&mut self) {
        if let Some(place) = self.shown_place() {
            self.list.remove(place);
        }
        self.shown = None;
    }

    /// Leaves the one on screen for later.
    fn put_off_shown(&mut self) {
        if let Some(place) = self.shown_place() {
            self.list[place].is_put_off = true;
        }
        self.shown = None;
    }

    /// Brings back what was put off.
    fn recall(&mut self) {
        for open in &mut self.list {
            open.is_put_off = false;
        }
    }

    /// Shows the first that was not put off, if none is shown.
    fn show(&mut self, guard: TypeAheadGuard, scope: Scope) {
        if self.shown_place().is_none() {
            let next = self.list.iter().position(|open| !open.is_put_off);
            self.show_at(next, guard, scope);
        }
    }

    /// Shows the one behind the one on screen; behind the last comes the first.
    fn show_next(&mut self, guard: TypeAheadGuard, scope: Scope) {
        let Some(place) = self.shown_place().filter(|_| self.list.len() > 1) else {
            return;
        };
        let next = (place + 1) % self.list.len();
        if self.list[next].is_permission() != self.list[place].is_permission() {
            self.recall();
        }
        self.list[next].is_put_off = false;
        self.show_at(Some(next), guard, scope);
    }

    fn show_at(&mut self, place: Option<usize>, guard: TypeAheadGuard, scope: Scope) {
        self.shown = place.map(|place| {
            let open = &mut self.list[place];
            let question = &open.question;
            open.dialog
                .get_or_insert_with(|| dialog::open(question, guard))
                .appear(guard, scope);
            question.id
        });
    }
}

impl App {
    /// Takes over what waits in a session that was attached to. What was begun here stays.
    pub(super) fn attach_questions(&mut self, questions: &[Arc<Question>], now: Instant) {
        let is_open = |open: &OpenQuestion| questions.iter().any(|question| question.id == open.question.id);
        let gone = self.view.questions.list.iter().filter(|open| !is_open(open));
        let gone: Vec<QuestionId> = gone.map(|open| open.question.id).collect();
        for id in gone {
            self.settle_question(id, now);
        }
        for question in questions {
            self.view.questions.add(question);
        }
    }

    pub(super) fn put_question(&mut self, question: &Arc<Question>, now: Instant) {
        self.view.questions.add(question);
        self.show_question(now);
    }

    /// A question is gone that was not answered here: what was written for it is not lost.
    pub(super) fn settle_question(&mut self, id: QuestionId, now: Instant) {
        if let Some(text) = self.view.questions.remove(id) {
            self.write_before(&text, now);
        }
        self.show_question(now);
    }

    /// The session is gone, and with it who asked.
    pub(super) fn drop_questions(&mut self, now: Instant) {
        for open in std::mem::take(&mut self.view.questions).list {
            if let Some(text) = open.dialog.and_then(|dialog| dialog.unsent_text()) {
                self.write_before(&text, now);
            }
        }
        self.count_asks();
    }

    /// Shows the first question that was not put off, if none is shown.
    pub(super) fn show_question(&mut self, now: Instant) {
        let typed = self.view.typed.filter(|_| !self.view.composer.is_empty());
        let scope = self.scope.unwrap_or_default();
        self.view.questions.show(TypeAheadGuard::begin(now, typed), scope);
        self.count_asks();
    }

    /// Shows the question behind the one on screen.
    pub(super) fn next_question(&mut self, now: Instant) {
        let scope = self.scope.unwrap_or_default();
        self.view
            .questions
            .show_next(TypeAheadGuard::begin(now, None), scope);
        self.count_asks();
    }

    pub(super) fn put_off_question(&mut self, now: Instant) {
        self.view.questions.put_off_shown();
        self.show_question(now);
    }

    /// Sends an answer; text that is not sent with it goes into the composer.
    pub(super) fn answer(&mut self, id: QuestionId, reply: Reply, text: Option<String>, now: Instant) {
        if let Reply::Permission(PermissionReply::Always { scope, .. }) = &reply {
            self.scope = scope.remembered().or(self.scope);
        }
        if let Some(text) = text {
            self.write_before(&text, now);
        }
        self.send(Op::Answer { id, reply });
        self.show_question(now);
    }

    /// Brings back what was put off, or goes on to the next question, of this session or then of another.
    pub(super) fn recall_asks(&mut self, now: Instant) {
        let questions = &self.view.questions;
        let is_last = questions
            .shown_place()
            .is_none_or(|place| place + 1 == questions.len());
        let has_asked_all = questions.is_empty() || questions.shown.is_some() && is_last;
        if has_asked_all && self.go_to_ask(now) {
            return;
        }
        if self.view.questions.shown.is_some() {
            return self.next_question(now);
        }
        if self.view.questions.is_empty() {
            return self.say("nothing waits for an answer", Meaning::TextMuted, now);
        }
        self.close_layers(now);
        self.recall_questions(now);
    }

    /// Shows the first question, also one that was put off.
    pub(super) fn recall_questions(&mut self, now: Instant) {
        self.view.questions.recall();
        self.show_question(now);
    }

    fn count_asks(&mut self) {
        self.view.facts.asks = self.view.questions.put_off();
    }
}
