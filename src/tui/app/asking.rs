//! Questions of the session in front and its tasks: shown, put off and answered. Text that was written in a form and never
//! sent moves to the composer.
//!
//! A question opens by itself when the composer is empty and no key was pressed for a while. Until then it is one row above
//! the composer; keys go to the draft, and a key or a click opens the question ([`Hearing`]).

use std::sync::Arc;
use std::time::Instant;

use super::hearing::{Hearing, REST};
use super::layers::LayerSlot;
use super::trees::TreeView;
use super::view_update::ViewUpdate;
use super::{App, Effect};
use crate::permission::PermissionReply;
use crate::question::{Question, QuestionId, Reply};
use crate::session::Op;
use crate::text::sanitize::{Revealed, reveal_line};
use crate::tui::dialog::{Trust, TrustAnswer, WaitingRow, waiting_words};
use crate::tui::keymap::Action;
use crate::tui::tasks::words;
use crate::tui::terminal_environment::path_words;
use crate::tui::transcript::RedrawUrgency;
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

    /// Shows the first question that comes up by itself and was not put off, if none is shown and the composer rests.
    pub(super) fn show_question(&mut self) {
        if self.may_open && self.view.composer.is_empty() {
            let TreeView { questions, tasks, .. } = &mut *self.tree;
            let task = self.view.task.as_ref();
            if questions.show(self.scopes, |question| TreeView::comes_up(tasks, question, task)) {
                *self.hearing = Hearing::by_itself(self.now);
                *self.is_left_by_typing = false;
            }
        }
        self.count_asks();
    }

    /// Sends an answer; text that is not sent with it goes into the composer.
    pub(super) fn answer(&mut self, id: QuestionId, reply: Reply, text: Option<String>) {
        if let Reply::Permission(PermissionReply::Always { scope, patterns }) = &reply {
            for (key, _) in patterns {
                self.scopes.choose(key, *scope);
            }
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
    /// Returns true if a question may come up by itself: nothing else has the keys, and none came for a while.
    pub(super) fn may_open_question(&self, now: Instant) -> bool {
        self.is_free_for_question() && self.rests_at().is_none_or(|at| at <= now)
    }

    /// Returns true if nothing is open that a question would take the keys from.
    fn is_free_for_question(&self) -> bool {
        let view = &self.views.front;
        self.layers.is_empty()
            && self.leader.is_none()
            && !self.held.is_waiting()
            && view.search.is_none()
            && !view.writes_todo()
            && view.composer.is_empty()
    }

    /// Returns when the composer has rested since the last key.
    fn rests_at(&self) -> Option<Instant> {
        self.last_key.map(|at| at + REST)
    }

    /// Returns when the question that waits comes up by itself, if it does.
    pub(super) fn question_opens_at(&self, now: Instant) -> Option<Instant> {
        let waits = self.waiting_trust().is_some()
            || self.waiting_question().is_some()
            || self.views.front.opens_summary && !self.is_asking();
        let at = self.rests_at().unwrap_or(now);
        (waits && self.is_free_for_question()).then_some(at)
    }

    /// The question about trust, while it waits as a row.
    pub(super) fn waiting_trust(&self) -> Option<&Trust> {
        self.trust.as_ref().filter(|_| !self.is_trust_open)
    }

    /// The question of the tree in front that would come up next, while it waits as a row.
    pub(super) fn waiting_question(&self) -> Option<&Arc<Question>> {
        let TreeView {
            questions,
            tasks,
            front,
            ..
        } = self.tree();
        if *front != self.views.front.slot {
            return None;
        }
        let task = self.views.front.task.as_ref();
        questions.next(|question| TreeView::comes_up(tasks, question, task))
    }

    /// Returns the row of the questions that wait, if there are some and none is on screen.
    pub(super) fn waiting_row(&self) -> Option<WaitingRow> {
        let words = match (self.waiting_trust(), self.waiting_question()) {
            (Some(trust), _) => {
                let home = self.appearance.terminal_environment.home.as_deref();
                Revealed::own("trust ").and(reveal_line(&path_words(trust.root(), home)))
            }
            (None, Some(question)) => waiting_words(question),
            (None, None) => return None,
        };
        Some(WaitingRow {
            count: self.views.front.facts.asks + usize::from(self.waiting_trust().is_some()),
            words,
            is_left_by_typing: self.is_left_by_typing,
            key: self.keymap.after_leader(Action::NextAsk),
        })
    }

    /// Opens the question that waits, if the composer has rested.
    pub(super) fn open_resting_question(&mut self, now: Instant) -> RedrawUrgency {
        if self.question_opens_at(now).is_none_or(|at| at > now) {
            return RedrawUrgency::None;
        }
        if self.waiting_trust().is_some() {
            self.is_trust_open = true;
            self.is_left_by_typing = false;
            self.hearing = Hearing::by_itself(now);
        } else if self.waiting_question().is_some() {
            self.show_question(now);
        } else if let Some(draft) = self.views.front.summary.clone() {
            self.show_summary(&draft, now);
        } else {
            self.views.front.opens_summary = false;
        }
        RedrawUrgency::Urgent
    }

    pub(super) fn show_question(&mut self, now: Instant) {
        self.front(now).show_question();
    }

    /// Gives the keys back to the draft because somebody types: the question on screen is a row again.
    pub(super) fn leave_question(&mut self, slot: LayerSlot, now: Instant) {
        self.hearing.forget_burst();
        self.is_left_by_typing = true;
        if let Some(dialog) = self.dialog_mut(slot) {
            dialog.leave();
        }
        if slot == LayerSlot::Trust {
            self.is_trust_open = false;
        } else {
            self.tree_mut().questions.leave_shown();
            self.front(now).count_asks();
        }
        self.focus_composer();
    }

    /// Goes to the question that waits as a row; says whether one does.
    pub(super) fn go_to_waiting_question(&mut self, now: Instant) -> bool {
        if self.waiting_trust().is_some() {
            self.is_trust_open = true;
            self.is_left_by_typing = false;
            self.hearing = Hearing::by_person(now);
            return true;
        }
        let waiting = self.waiting_question().map(|question| question.id);
        waiting.is_some_and(|id| self.show_this_question(id, now))
    }

    /// Goes to the question that was pressed with the mouse, or whose row was.
    pub(super) fn press_question(&mut self, now: Instant) {
        if self.is_asking() {
            self.hearing.go_to();
        } else {
            self.go_to_waiting_question(now);
        }
    }

    /// Shows the question behind the one on screen.
    pub(super) fn next_question(&mut self, now: Instant) {
        self.hearing = Hearing::by_person(now);
        let scopes = self.scopes.clone();
        self.tree_mut().questions.show_next(&scopes);
        self.front(now).count_asks();
    }

    /// Shows a question of the tree in the conversation in front, wherever it would come up by itself.
    pub(super) fn show_this_question(&mut self, id: QuestionId, now: Instant) -> bool {
        self.is_left_by_typing = false;
        self.hearing = Hearing::by_person(now);
        let scopes = self.scopes.clone();
        let is_shown = self.tree_mut().questions.show_this(id, &scopes);
        self.front(now).count_asks();
        is_shown
    }

    pub(super) fn put_off_question(&mut self, now: Instant) {
        self.tree_mut().questions.put_off_shown();
        self.show_question(now);
    }

    /// Brings back what was put off, or goes on to the next question, of this tree or then of another.
    pub(super) fn recall_asks(&mut self, now: Instant) {
        if self.waiting_trust().is_some() {
            self.close_layers(now);
            self.go_to_waiting_question(now);
            return;
        }
        let questions = &self.tree().questions;
        let has_asked_all = questions.is_empty() || questions.is_last_shown();
        if has_asked_all && self.go_to_ask(now) {
            return;
        }
        if self.tree().questions.shown().is_some() {
            return self.next_question(now);
        }
        if self.tree().questions.is_empty() {
            return self.say_while("no question is waiting", Meaning::TextMuted, now);
        }
        self.close_layers(now);
        self.recall_questions(now);
    }

    /// Shows the first question, also one that was put off or does not come up here by itself.
    pub(super) fn recall_questions(&mut self, now: Instant) {
        self.tree_mut().questions.recall();
        let first = self.waiting_question().map(|question| question.id);
        let first = first.or_else(|| Some(self.tree().questions.iter().next()?.id));
        if let Some(first) = first {
            self.show_this_question(first, now);
        }
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
