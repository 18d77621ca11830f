//! The form of a tool, one question after the other, with numbers or in words.

use std::sync::Arc;

use super::{Heard, unclear};
use crate::linear::words;
use crate::session::Op;
use crate::tool::{Form, FormAnswer, FormId, FormQuestion, FormReply};

/// A form, one question after the other.
pub(in crate::linear) struct Filling {
    form: Arc<Form>,
    answers: Vec<FormAnswer>,
}

impl Filling {
    pub(super) fn new(form: &Arc<Form>) -> Self {
        Self {
            form: Arc::clone(form),
            answers: Vec::new(),
        }
    }

    pub(super) fn id(&self) -> FormId {
        self.form.id
    }

    pub(super) fn title(&self) -> &str {
        &self.form.sheet.title
    }

    /// The one that is asked now.
    fn question(&self) -> &FormQuestion {
        let questions = &self.form.sheet.questions;
        // A form has at least one question, and is sent when the last is answered.
        &questions[self.answers.len().min(questions.len() - 1)]
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.answers.is_empty()
            && let Some(card) = &self.form.sheet.card
        {
            lines.extend(words::body(card, usize::MAX));
        }
        lines.extend(self.options());
        lines
    }

    pub(super) fn options(&self) -> Vec<String> {
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

    pub(super) fn prompt(&self) -> String {
        let title = self.title();
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

    pub(super) fn hear(&mut self, line: &str) -> Heard {
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
