//! A question with numbered answers: a permission, or the form of a tool.
//!
//! The numbers of a permission never change, so that they can be learned: what is not offered leaves its number out.

use std::sync::Arc;

use super::words;
use crate::permission::{Question, QuestionId, Reply, Scope};
use crate::session::Op;
use crate::tool::{Form, FormAnswer, FormId, FormQuestion, FormReply};

/// One that waits.
pub(super) enum Asked {
    Permission(Permission),
    Form(Filling),
}

/// What a line was to a question.
#[derive(Debug)]
pub(super) enum Heard {
    /// The answer, and what is said of it.
    Answer(Op, String),
    /// It leads on; this is said next.
    Next(Vec<String>),
    /// It is no answer; this is why.
    Unclear(String),
}

impl Asked {
    pub(super) fn permission(question: &Arc<Question>) -> Self {
        Self::Permission(Permission {
            question: Arc::clone(question),
            stage: Stage::Choice,
        })
    }

    pub(super) fn form(form: &Arc<Form>) -> Self {
        Self::Form(Filling {
            form: Arc::clone(form),
            answers: Vec::new(),
        })
    }

    pub(super) fn is_question(&self, id: QuestionId) -> bool {
        matches!(self, Self::Permission(permission) if permission.question.id == id)
    }

    pub(super) fn is_form(&self, id: FormId) -> bool {
        matches!(self, Self::Form(filling) if filling.form.id == id)
    }

    /// `bash wants to run`
    pub(super) fn title(&self) -> &str {
        match self {
            Self::Permission(permission) => &permission.question.inquiry.title,
            Self::Form(filling) => &filling.form.sheet.title,
        }
    }

    /// Returns all of it, from where it stands.
    pub(super) fn lines(&self) -> Vec<String> {
        match self {
            Self::Permission(permission) => permission.lines(),
            Self::Form(filling) => filling.lines(),
        }
    }

    /// Returns what can be answered: all of it but what it is about.
    pub(super) fn options(&self) -> Vec<String> {
        match self {
            Self::Permission(permission) => permission.options(),
            Self::Form(filling) => filling.options(),
        }
    }

    /// Returns what stands before the person's answer.
    pub(super) fn prompt(&self) -> String {
        match self {
            Self::Permission(permission) => permission.prompt(),
            Self::Form(filling) => filling.prompt(),
        }
    }

    pub(super) fn hear(&mut self, line: &str) -> Heard {
        match self {
            Self::Permission(permission) => permission.hear(line.trim()),
            Self::Form(filling) => filling.hear(line.trim()),
        }
    }

    /// Leaves it without an answer, where that is possible.
    pub(super) fn dismiss(&self) -> Option<Op> {
        match self {
            Self::Permission(_) => None,
            Self::Form(filling) => Some(Op::Fill {
                id: filling.form.id,
                reply: FormReply::Dismissed,
            }),
        }
    }
}

pub(super) struct Permission {
    question: Arc<Question>,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Choice,
    /// How far "always" reaches.
    Scope,
    /// The reason for a no.
    Reason,
}

const SCOPES: [Scope; 3] = [Scope::Session, Scope::Project, Scope::Everywhere];

impl Permission {
    fn lines(&self) -> Vec<String> {
        let about = match self.stage {
            Stage::Choice => self.about(),
            Stage::Scope | Stage::Reason => Vec::new(),
        };
        [about, self.options()].concat()
    }

    fn options(&self) -> Vec<String> {
        match self.stage {
            Stage::Choice => self.choices(),
            Stage::Scope => scope_lines(),
            Stage::Reason => Vec::new(),
        }
    }

    fn about(&self) -> Vec<String> {
        let inquiry = &self.question.inquiry;
        let sandbox = match inquiry.sandbox {
            Some("off") => ", no sandbox".to_owned(),
            Some(mode) => format!(", sandbox {mode}"),
            None => String::new(),
        };
        let agent = match inquiry.agent.as_str() {
            "build" => String::new(),
            other => format!(", for agent {other}"),
        };
        let place = format!("In {}{sandbox}{agent}.", inquiry.directory.display());
        let mut lines = vec![place];
        lines.extend(words::body(&inquiry.card, usize::MAX));
        for row in &inquiry.rows {
            let harm = row.harm().map(|harm| format!(", {harm}")).unwrap_or_default();
            let why = row.why().replace('→', "means");
            lines.push(format!("{} {}: {why}{harm}", row.key(), row.pattern()));
        }
        lines
    }

    fn choices(&self) -> Vec<String> {
        let mut lines = vec!["1 allow once".to_owned()];
        let always = self.always();
        if !always.is_empty() {
            lines.push(format!("2 allow always: {}", in_words(&always)));
        }
        lines.push("3 deny, which ends the turn".to_owned());
        lines.push("4 deny and say why".to_owned());
        lines
    }

    fn prompt(&self) -> String {
        let title = &self.question.inquiry.title;
        match self.stage {
            Stage::Choice => format!("Answer for \"{title}\" with a number: "),
            Stage::Scope => format!("Say for how far \"{title}\" is allowed always, with a number: "),
            Stage::Reason => format!("Say why \"{title}\" is denied: "),
        }
    }

    /// What "always" would store, each once. What destroys something is not among it.
    fn always(&self) -> Vec<(String, String)> {
        let mut patterns = Vec::new();
        for row in self.question.inquiry.rows.iter().filter(|row| row.preticked) {
            for pattern in &row.ask.always {
                let wanted = (row.key().to_owned(), pattern.clone());
                if !patterns.contains(&wanted) {
                    patterns.push(wanted);
                }
            }
        }
        patterns
    }

    fn hear(&mut self, line: &str) -> Heard {
        match (self.stage, line) {
            (Stage::Choice, "1") => self.reply(Reply::Once, "Allowed once."),
            (Stage::Choice, "2") if self.always().is_empty() => {
                Heard::Unclear("2 is not offered for this.".to_owned())
            }
            (Stage::Choice, "2") => self.go(Stage::Scope),
            (Stage::Choice, "3") => self.reply(Reply::Reject(None), "Denied."),
            (Stage::Choice, "4") => self.go(Stage::Reason),
            (Stage::Scope, "1" | "2" | "3") => {
                let scope = SCOPES[usize::from(line.as_bytes()[0] - b'1')];
                let patterns = self.always();
                let told = format!("Allowed always, {scope}: {}.", in_words(&patterns));
                self.reply(Reply::Always { patterns, scope }, &told)
            }
            (Stage::Scope, "4") => self.go(Stage::Choice),
            (Stage::Reason, "") => Heard::Unclear("That was empty.".to_owned()),
            (Stage::Reason, reason) => {
                self.reply(Reply::Reject(Some(reason.to_owned())), "Denied, with your words.")
            }
            (Stage::Choice | Stage::Scope, _) => Heard::Unclear(unclear()),
        }
    }

    fn go(&mut self, stage: Stage) -> Heard {
        self.stage = stage;
        Heard::Next(self.lines())
    }

    fn reply(&self, reply: Reply, told: &str) -> Heard {
        let id = self.question.id;
        Heard::Answer(Op::Answer { id, reply }, told.to_owned())
    }
}

fn scope_lines() -> Vec<String> {
    let scopes = SCOPES.iter().zip(1..);
    let mut lines: Vec<String> = scopes
        .map(|(scope, number)| format!("{number} {scope}"))
        .collect();
    lines.push("4 back".to_owned());
    lines
}

/// `bash seq * and edit *`
fn in_words(patterns: &[(String, String)]) -> String {
    let patterns: Vec<String> = patterns
        .iter()
        .map(|(key, pattern)| format!("{key} {pattern}"))
        .collect();
    patterns.join(" and ")
}

fn unclear() -> String {
    "That is none of the numbers. /again says the question once more, /say TEXT sends a message.".to_owned()
}

/// A form, one question after the other.
pub(super) struct Filling {
    form: Arc<Form>,
    answers: Vec<FormAnswer>,
}

impl Filling {
    fn question(&self) -> &FormQuestion {
        let questions = &self.form.sheet.questions;
        // A form has at least one question, and is sent when the last is answered.
        &questions[self.answers.len().min(questions.len() - 1)]
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.answers.is_empty()
            && let Some(card) = &self.form.sheet.card
        {
            lines.extend(words::body(card, usize::MAX));
        }
        lines.extend(self.options());
        lines
    }

    fn options(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let total = self.form.sheet.questions.len();
        let question = self.question();
        if total > 1 {
            lines.push(format!(
                "Question {} of {total}: {}",
                self.answers.len() + 1,
                question.question
            ));
        } else {
            lines.push(format!("It asks: {}", question.question));
        }
        for (number, option) in (1..).zip(&question.options) {
            let about = option
                .description
                .as_ref()
                .map(|about| format!(": {about}"))
                .unwrap_or_default();
            let default = if question.default == Some(number - 1) {
                " (default)"
            } else {
                ""
            };
            lines.push(format!("{number} {}{default}{about}", option.label));
        }
        if !question.options.is_empty() {
            lines.push("0 no answer".to_owned());
        }
        lines
    }

    fn prompt(&self) -> String {
        let title = &self.form.sheet.title;
        let question = self.question();
        let numbers = match (question.options.is_empty(), question.multiple) {
            (true, _) => None,
            (false, true) => Some("with numbers and blanks between them"),
            (false, false) => Some("with a number"),
        };
        match (numbers, &question.own_words) {
            (Some(numbers), Some(words)) => {
                format!("Answer for \"{title}\" {numbers}, or in your own words ({words}): ")
            }
            (Some(numbers), None) => format!("Answer for \"{title}\" {numbers}: "),
            (None, _) => format!("Answer for \"{title}\" in your own words: "),
        }
    }

    fn hear(&mut self, line: &str) -> Heard {
        let question = self.question();
        let Some(answer) = answer(question, line) else {
            return Heard::Unclear(unclear());
        };
        self.answers.push(answer);
        if self.answers.len() < self.form.sheet.questions.len() {
            return Heard::Next(self.lines());
        }
        let reply = FormReply::Answers(std::mem::take(&mut self.answers));
        let id = self.form.id;
        Heard::Answer(Op::Fill { id, reply }, "Answered.".to_owned())
    }
}

/// Reads an answer: numbers of options, or else words where words are wanted.
fn answer(question: &FormQuestion, line: &str) -> Option<FormAnswer> {
    let count = question.options.len();
    if line == "0" && count > 0 {
        return Some(FormAnswer::default());
    }
    let numbers = line.split([' ', ',']).filter(|word| !word.is_empty());
    let numbers: Option<Vec<usize>> = numbers.map(|word| word.parse().ok()).collect();
    let picked = numbers.filter(|numbers| {
        let is_one_or_many = question.multiple || numbers.len() == 1;
        is_one_or_many && !numbers.is_empty() && numbers.iter().all(|number| (1..=count).contains(number))
    });
    match picked {
        Some(mut picked) => {
            picked.sort_unstable();
            picked.dedup();
            let picked = picked.into_iter().map(|number| number - 1).collect();
            Some(FormAnswer { picked, words: None })
        }
        None if line.is_empty() => None,
        None if question.own_words.is_some() || count == 0 => Some(FormAnswer {
            picked: Vec::new(),
            words: Some(line.to_owned()),
        }),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::FormOption;

    fn question(options: usize, multiple: bool, own_words: Option<&str>) -> FormQuestion {
        FormQuestion {
            options: vec![FormOption::default(); options],
            multiple,
            own_words: own_words.map(str::to_owned),
            ..FormQuestion::default()
        }
    }

    fn read(question: &FormQuestion, line: &str) -> Option<(Vec<usize>, Option<String>)> {
        answer(question, line).map(|answer| (answer.picked, answer.words))
    }

    #[test]
    fn one_number_picks_one_option() {
        let question = question(3, false, None);
        assert_eq!(read(&question, "2"), Some((vec![1], None)));
        for line in ["4", "1 2", "", "two", "-1"] {
            assert_eq!(read(&question, line), None, "{line}");
        }
        assert_eq!(read(&question, "0"), Some((vec![], None)));
    }

    #[test]
    fn several_numbers_pick_several_options_where_they_may() {
        let question = question(3, true, None);
        assert_eq!(read(&question, "3, 1 3"), Some((vec![0, 2], None)));
    }

    #[test]
    fn words_are_words_where_they_are_wanted() {
        let words = |text: &str| Some((vec![], Some(text.to_owned())));
        assert_eq!(read(&question(2, false, Some("…")), "not 1"), words("not 1"));
        assert_eq!(read(&question(2, false, Some("…")), "7"), words("7"));
        assert_eq!(read(&question(0, false, None), "0"), words("0"));
        assert_eq!(read(&question(0, false, None), ""), None);
    }
}
