//! The form of a tool, one question after the other, with numbers or in words.

use std::sync::Arc;

use super::{LineMeaning, PendingQuestion, numbers, unclear};
use crate::conversation::SessionId;
use crate::question::{Form, FormAnswer, FormQuestion, FormReply, Question, QuestionId, Reply};
use crate::screen_reader::approval;
use crate::session::Op;
use crate::text::sanitize::{Revealed, reveal_line};

/// A form, one question after the other.
pub(super) struct FormProgress {
    form: Question<Arc<Form>>,
    answers: Vec<FormAnswer>,
}

impl FormProgress {
    pub(super) fn new(form: Question<Arc<Form>>) -> Self {
        Self {
            form,
            answers: Vec::new(),
        }
    }

    /// The one that is asked now.
    fn question(&self) -> &FormQuestion {
        let questions = &self.form.about.questions;
        // A form has at least one question, and is sent when the last is answered.
        &questions[self.answers.len().min(questions.len() - 1)]
    }
}

impl PendingQuestion for FormProgress {
    fn id(&self) -> QuestionId {
        self.form.id
    }

    fn session(&self) -> &SessionId {
        &self.form.session
    }

    fn brief(&self) -> String {
        self.title().to_string()
    }

    fn title(&self) -> Revealed {
        reveal_line(&self.form.about.title)
    }

    fn lines(&self) -> Vec<Revealed> {
        let mut lines = Vec::new();
        if self.answers.is_empty()
            && let Some(card) = &self.form.about.card
        {
            lines.extend(approval::body(card));
        }
        lines.extend(self.options());
        lines
    }

    fn options(&self) -> Vec<Revealed> {
        let mut lines = Vec::new();
        let total = self.form.about.questions.len();
        let question = self.question();
        if total > 1 {
            let number = Revealed::own("Question ").and(self.answers.len() + 1).and(" of ");
            lines.push(number.and(total).and(": ").and(reveal_line(&question.question)));
        } else {
            lines.push(Revealed::own("It asks: ").and(reveal_line(&question.question)));
        }
        for (number, option) in (1..).zip(&question.options) {
            let default = if question.default == Some(number - 1) {
                " (default)"
            } else {
                ""
            };
            let label = Revealed::from(number)
                .and(" ")
                .and(reveal_line(&option.label))
                .and(default);
            lines.push(match &option.description {
                Some(about) => label.and(": ").and(reveal_line(about)),
                None => label,
            });
        }
        if !question.options.is_empty() {
            lines.push("0 no answer".into());
        }
        lines
    }

    fn prompt(&self) -> Revealed {
        let title = Revealed::own("Answer for \"").and(self.title()).and("\" ");
        let question = self.question();
        let numbers = match (question.options.is_empty(), question.multiple) {
            (true, _) => None,
            (false, true) => Some("with numbers separated by spaces"),
            (false, false) => Some("with a number"),
        };
        match (numbers, &question.own_words) {
            (Some(numbers), Some(words)) => {
                let title = title.and(numbers).and(", or in your own words (");
                title.and(reveal_line(words)).and("): ")
            }
            (Some(numbers), None) => title.and(numbers).and(": "),
            (None, _) => title.and("in your own words: "),
        }
    }

    fn read_line(&mut self, line: &str) -> LineMeaning {
        let question = self.question();
        let Some(answer) = answer(question, line) else {
            return LineMeaning::Unclear(unclear());
        };
        self.answers.push(answer);
        if self.answers.len() < self.form.about.questions.len() {
            return LineMeaning::Next(self.lines());
        }
        let reply = Reply::Form(FormReply::Answers(std::mem::take(&mut self.answers)));
        let id = self.form.id;
        LineMeaning::Answer(Op::Answer { id, reply }, "Answered.".into())
    }

    fn dismiss(&self) -> Option<Op> {
        let reply = Reply::Form(FormReply::Dismissed);
        Some(Op::Answer { id: self.id(), reply })
    }
}

/// Reads an answer: numbers of options, or else words where words are wanted.
fn answer(question: &FormQuestion, line: &str) -> Option<FormAnswer> {
    let count = question.options.len();
    if line == "0" && count > 0 {
        return Some(FormAnswer::default());
    }
    let picked = numbers(line, count).filter(|numbers| question.multiple || numbers.len() == 1);
    match picked {
        Some(picked) => {
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
    use crate::question::FormOption;

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
    fn text_is_an_answer_where_own_words_are_allowed() {
        let words = |text: &str| Some((vec![], Some(text.to_owned())));
        assert_eq!(read(&question(2, false, Some("…")), "not 1"), words("not 1"));
        assert_eq!(read(&question(2, false, Some("…")), "7"), words("7"));
        assert_eq!(read(&question(0, false, None), "0"), words("0"));
        assert_eq!(read(&question(0, false, None), ""), None);
    }
}
