//! The question that is put, and what is typed to answer it.

use super::ReaderSession;
use super::notice::SpokenNotice;
use crate::permission::PermissionReply;
use crate::screen_reader::console::PromptNumber;
use crate::screen_reader::question_queue::WithdrawnPosition;
use crate::screen_reader::questions::{LineMeaning, PendingQuestion};
use crate::screen_reader::trust::TOO_EARLY;
use crate::session::SettledQuestion;

impl ReaderSession {
    pub(super) fn ask(&mut self, asked: Box<dyn PendingQuestion>) {
        self.asks.add(asked);
        match self.asks.len() {
            1 => self.ask_next(),
            count => self.aside(&format!(
                "Another question is waiting after this one; {count} in all."
            )),
        }
    }

    /// Tells the question that is next, if its time has come. It takes an answer from [`Self::accept_answers`] on.
    pub(super) fn ask_next(&mut self) {
        if self.asks.is_due() {
            self.rounds += 1;
            self.asks.put(self.rounds);
            self.say_question();
        }
    }

    pub(super) fn say_question(&mut self) {
        if let Some(asked) = self.asks.first() {
            let lines = [vec![self.titled(asked)], asked.lines()].concat();
            self.output.question(&lines);
        }
    }

    /// Tells the question that waits again, without what it is about: other words came between it and its answer.
    pub(super) fn say_options(&mut self) {
        if let Some(asked) = self.asks.first() {
            let lines = [vec![self.titled(asked)], asked.options()].concat();
            self.output.question(&lines);
        }
    }

    /// Returns what was put to the person and takes no answer yet.
    pub(in crate::screen_reader) fn unheard_round(&self) -> Option<PromptNumber> {
        let returned = self
            .returned
            .as_ref()
            .and_then(|returned| returned.notice.unheard_round());
        let leaving = self.leaving.as_ref().and_then(SpokenNotice::unheard_round);
        self.asks.unheard_round().or(returned).or(leaving)
    }

    /// Returns true if this is a question, to which nothing may be an answer that was begun before it.
    pub(in crate::screen_reader) fn is_question(&self, round: PromptNumber) -> bool {
        self.asks.unheard_round() == Some(round)
    }

    /// From now on lines are answers to this, if it is what waits.
    pub(in crate::screen_reader) fn accept_answers(&mut self, round: PromptNumber) {
        if let Some(returned) = &mut self.returned
            && returned.notice.accept_answers(round)
        {
            self.aside("/send sends your message again unchanged.");
        }
        if let Some(leaving) = &mut self.leaving
            && leaving.accept_answers(round)
        {
            self.aside("/quit again quits; anything else stays.");
        }
        if self.asks.accept_answers(round) {
            self.prompt();
        }
    }

    pub(super) fn answer(&mut self, line: &str) {
        let Some(asked) = self.asks.answerable_mut() else {
            return self.say(TOO_EARLY);
        };
        match asked.read_line(line.trim()) {
            LineMeaning::Answer(op, told) => {
                self.asks.remove_first();
                self.say(told.as_str());
                self.send(op);
            }
            LineMeaning::Next(lines) => self.output.question(&lines),
            LineMeaning::Unclear(why) => self.say(why.as_str()),
        }
    }

    pub(super) fn dismiss(&mut self) {
        match self.asks.first().map(PendingQuestion::dismiss) {
            None => self.say("No question is waiting."),
            Some(None) => self.say("A permission is answered with a number; 3 denies."),
            Some(Some(op)) => {
                self.asks.remove_first();
                self.say("Left without an answer.");
                self.send(op);
            }
        }
    }

    pub(super) fn on_settled(&mut self, settled: &SettledQuestion) {
        if self.asks.has_arrived(settled.id) {
            self.ask_next();
            return self.prompt();
        }
        let told = match settled.permission.as_ref().map(|permission| &permission.reply) {
            None | Some(PermissionReply::Withdrawn) => "The question was withdrawn.",
            Some(PermissionReply::Nobody | PermissionReply::Reject(_)) => "The question was denied.",
            Some(PermissionReply::Once | PermissionReply::Always { .. } | PermissionReply::Revised(_)) => {
                "The question was allowed."
            }
        };
        self.withdraw(|asked| asked.id() == settled.id, told);
    }

    /// Takes a question away that was not answered here, and goes on with the next.
    pub(super) fn withdraw(&mut self, is_it: impl Fn(&dyn PendingQuestion) -> bool, told: &str) {
        match self.asks.withdraw(is_it) {
            WithdrawnPosition::Nothing => {}
            WithdrawnPosition::Later => self.say(told),
            WithdrawnPosition::First => {
                self.say(told);
                self.ask_next();
            }
        }
        self.prompt();
    }
}
