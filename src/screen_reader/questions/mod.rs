//! A question with numbered answers: a permission, or the form of a tool.

mod form;
mod permission;

use form::FormProgress;
use permission::PermissionQuestion;

use crate::conversation::SessionId;
use crate::question::{FormReply, Question, QuestionId, QuestionKind, Reply};
use crate::session::Op;
use crate::text::sanitize::Revealed;

/// One that waits.
pub(super) enum PendingQuestion {
    Permission(PermissionQuestion),
    Form(FormProgress),
}

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

impl PendingQuestion {
    pub(super) fn new(question: &Question) -> Self {
        match &question.about {
            QuestionKind::Permission(inquiry) => {
                Self::Permission(PermissionQuestion::new(question.with(inquiry)))
            }
            QuestionKind::Form(form) => Self::Form(FormProgress::new(question.with(form))),
        }
    }

    pub(super) fn id(&self) -> QuestionId {
        match self {
            Self::Permission(permission) => permission.id(),
            Self::Form(filling) => filling.id(),
        }
    }

    /// Returns the session that asks.
    pub(super) fn session(&self) -> &SessionId {
        match self {
            Self::Permission(permission) => permission.session(),
            Self::Form(filling) => filling.session(),
        }
    }

    /// Returns what is asked on one line: `bash wants to run: cargo test`.
    pub(super) fn brief(&self) -> String {
        match self {
            Self::Permission(permission) => permission.brief(),
            Self::Form(filling) => filling.title().to_string(),
        }
    }

    /// `bash wants to run`
    pub(super) fn title(&self) -> Revealed {
        match self {
            Self::Permission(permission) => permission.title(),
            Self::Form(filling) => filling.title(),
        }
    }

    /// Returns all of it, from where it stands.
    pub(super) fn lines(&self) -> Vec<Revealed> {
        match self {
            Self::Permission(permission) => permission.lines(),
            Self::Form(filling) => filling.lines(),
        }
    }

    /// Returns what can be answered: all of it but what it is about.
    pub(super) fn options(&self) -> Vec<Revealed> {
        match self {
            Self::Permission(permission) => permission.options(),
            Self::Form(filling) => filling.options(),
        }
    }

    /// Returns what stands before the person's answer.
    pub(super) fn prompt(&self) -> Revealed {
        match self {
            Self::Permission(permission) => permission.prompt(),
            Self::Form(filling) => filling.prompt(),
        }
    }

    pub(super) fn read_line(&mut self, line: &str) -> LineMeaning {
        match self {
            Self::Permission(permission) => permission.read_line(line.trim()),
            Self::Form(filling) => filling.read_line(line.trim()),
        }
    }

    /// Leaves it without an answer, where that is possible.
    pub(super) fn dismiss(&self) -> Option<Op> {
        match self {
            Self::Permission(_) => None,
            Self::Form(filling) => Some(Op::Answer {
                id: filling.id(),
                reply: Reply::Form(FormReply::Dismissed),
            }),
        }
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
