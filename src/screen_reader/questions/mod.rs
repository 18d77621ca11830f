//! A question with numbered answers: a permission, or the form of a tool.

mod form;
mod permission;

use form::FormProgress;
use permission::PermissionQuestion;

use crate::conversation::SessionId;
use crate::question::{Question, QuestionId, QuestionKind};
use crate::session::Op;
use crate::text::sanitize::Revealed;

/// The meaning of a line for a question.
#[derive(Debug)]
pub(super) enum LineMeaning {
    /// The answer, and what is said of it.
    Answer(Op, Revealed),
    /// It leads on; this is said next.
    Next(Vec<Revealed>),
    /// It is no answer; this is why.
    Unclear(Revealed),
}

/// One that waits.
pub(super) trait PendingQuestion {
    fn id(&self) -> QuestionId;

    /// Returns the session that asks.
    fn session(&self) -> &SessionId;

    /// Returns what is asked on one line: `bash wants to run: cargo test`.
    fn brief(&self) -> String;

    /// `bash wants to run`
    fn title(&self) -> Revealed;

    /// Returns all of it, from where it stands.
    fn lines(&self) -> Vec<Revealed>;

    /// Returns what can be answered: all of it but what it is about.
    fn options(&self) -> Vec<Revealed>;

    /// Returns what stands before the person's answer.
    fn prompt(&self) -> Revealed;

    /// Reads a line without blanks around it.
    fn read_line(&mut self, line: &str) -> LineMeaning;

    /// Leaves it without an answer, where that is possible.
    fn dismiss(&self) -> Option<Op> {
        None
    }
}

pub(super) fn pending(question: &Question) -> Box<dyn PendingQuestion> {
    match &question.about {
        QuestionKind::Permission(inquiry) => Box::new(PermissionQuestion::new(question.with(inquiry))),
        QuestionKind::Form(form) => Box::new(FormProgress::new(question.with(form))),
    }
}

/// Reads numbers from 1 to `count` with blanks or commas between them, at least one; sorted, each once.
fn numbers(line: &str, count: usize) -> Option<Vec<usize>> {
    let words = line.split([' ', ',']).filter(|word| !word.is_empty());
    let mut numbers: Vec<usize> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
    numbers.sort_unstable();
    numbers.dedup();
    let is_one_of_them = |number: &usize| (1..=count).contains(number);
    (!numbers.is_empty() && numbers.iter().all(is_one_of_them)).then_some(numbers)
}

fn unclear() -> Revealed {
    "That is not one of the numbers. /again repeats the question, /say TEXT sends a message.".into()
}
