//! Questions of the tree in front: taken in, shown, put off and answered, and where text goes that was written in a form and
//! never sent.

use std::sync::Arc;
use std::time::Instant;

use super::trees::TreeView;
use super::view_update::ViewUpdate;
use super::{App, Effect};
use crate::permission::PermissionReply;
use crate::question::{Question, QuestionId, Reply};
use crate::session::Op;
use crate::tui::dialog::{TrustAnswer, TypeAheadGuard};
use crate::tui::tasks::words;
use crate::view::theme::Meaning;

impl ViewUpdate<'_> {
    /// Takes over what waits in a tree that was attached to. What was begun here stays.
    pub(super) fn attach_questions(&mut self, questions: &[Arc<Question>]) {
        for id in self.tree.questions.take_over(questions) {
            self.take_unsent_text(id);
        }
    }

    pub(super) fn put_question(&mut self, question: &Arc<Question>) {
        self.tree.questions.add(question);
        self.show_question();
    }

    /// A question is gone that was not answered here: what was written for it is not lost.
    pub(super) fn settle_question(&mut self, id: QuestionId) {
        self.take_unsent_text(id);
        self.show_question();
    }

    fn take_unsent_text(&mut self, id: QuestionId) {
        if let Some(text) = self.tree.questions.remove(id) {
            self.write_before(&text);
        }
    }

    /// The session is gone, and with it who asked.
    pub(super) fn drop_questions(&mut self) {
        for text in self.tree.questions.take_all() {
            self.write_before(&text);
        }
        self.count_asks();
    }

    /// Shows the first question that comes up by itself and was not put off, if none is shown.
    pub(super) fn show_question(&mut self) {
        let typed = self.view.typed.filter(|_| !self.view.composer.is_empty());
        let guard = TypeAheadGuard::begin(self.now, typed);
        let TreeView { questions, tasks, .. } = &mut *self.tree;
        let task = self.view.task.as_ref();
        questions.show(guard, self.scope.unwrap_or_default(), |question| {
            TreeView::comes_up(tasks, question, task)
        });
        self.count_asks();
    }

    /// Sends an answer; text that is not sent with it goes into the composer.
    pub(super) fn answer(&mut self, id: QuestionId, reply: Reply, text: Option<String>) {
        if let Reply::Permission(PermissionReply::Always { scope, .. }) = &reply {
            *self.scope = scope.remembered().or(*self.scope);
        }
        if let Some(text) = text {
            self.write_before(&text);
        }
        self.send(Op::Answer { id, reply });
        self.show_question();
    }

    /// Notes who asks, and how many questions wait besides the one on screen.
    pub(super) fn count_asks(&mut self) {
        let TreeView { questions, tasks, .. } = &mut *self.tree;
        tasks.set_questions(questions.iter().map(|question| {
            let words = words::question(question);
            (&question.session, words)
        }));
        let task = self.view.task.as_ref();
        let comes_up = |question: &Question| TreeView::comes_up(tasks, question, task);
        self.view.facts.asks = questions.waiting(comes_up);
    }
}

impl App {
    pub(super) fn show_question(&mut self, now: Instant) {
        self.front(now).show_question();
    }

    /// Shows the question behind the one on screen.
    pub(super) fn next_question(&mut self, now: Instant) {
        let scope = self.scope.unwrap_or_default();
        self.tree_mut()
            .questions
            .show_next(TypeAheadGuard::begin(now, None), scope);
        self.front(now).count_asks();
    }

    /// Shows a question of the tree in the conversation in front, wherever it would come up by itself.
    pub(super) fn show_this_question(&mut self, id: QuestionId, now: Instant) -> bool {
        let scope = self.scope.unwrap_or_default();
        let guard = TypeAheadGuard::begin(now, None);
        let is_shown = self.tree_mut().questions.show_this(id, guard, scope);
        self.front(now).count_asks();
        is_shown
    }

    pub(super) fn put_off_question(&mut self, now: Instant) {
        self.tree_mut().questions.put_off_shown();
        self.show_question(now);
    }

    /// Brings back what was put off, or goes on to the next question, of this tree or then of another.
    pub(super) fn recall_asks(&mut self, now: Instant) {
        let questions = &self.tree().questions;
        let has_asked_all = questions.is_empty() || questions.is_last_shown();
        if has_asked_all && self.go_to_ask(now) {
            return;
        }
        if self.tree().questions.shown().is_some() {
            return self.next_question(now);
        }
        if self.tree().questions.is_empty() {
            return self.say("no question is waiting", Meaning::TextMuted, now);
        }
        self.close_layers(now);
        self.recall_questions(now);
    }

    /// Shows the first question, also one that was put off or does not come up here by itself.
    pub(super) fn recall_questions(&mut self, now: Instant) {
        self.tree_mut().questions.recall();
        self.show_question(now);
        let scope = self.scope.unwrap_or_default();
        let guard = TypeAheadGuard::begin(now, None);
        self.tree_mut().questions.show(guard, scope, |_| true);
        self.front(now).count_asks();
    }

    /// The question whether the project is trusted is answered, before there is a session.
    pub(super) fn answer_trust(&mut self, answer: TrustAnswer, now: Instant) {
        self.effects.push(Effect::Trust(answer));
        if answer == TrustAnswer::NotNow {
            let words = "continuing without the project's own code and rules";
            self.say(words, Meaning::TextMuted, now);
        }
    }
}
