//! Forms: what a tool asks the person beside permission.
//!
//! A form asks for knowledge or a decision, and its answer is the call's result.

use serde::{Deserialize, Serialize};

use crate::view::card::Card;

/// A form, as its tool makes it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Form {
    /// `build has 2 questions`.
    pub title: String,
    /// Shows the subject, where the questions do not say it themselves.
    pub card: Option<Card>,
    /// At least one.
    pub questions: Vec<FormQuestion>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormQuestion {
    pub question: String,
    /// A word or two for where there is little room; may be empty.
    pub header: String,
    pub options: Vec<FormOption>,
    /// Any number of options may be chosen.
    pub multiple: bool,
    /// Invites an answer in the person's own words; `None` where only options count.
    pub own_words: Option<String>,
    /// The option to begin at.
    pub default: Option<usize>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormOption {
    pub label: String,
    pub description: Option<String>,
}

/// The answer to one question; an empty one is no answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormAnswer {
    /// Places of options, in their order.
    pub picked: Vec<usize>,
    pub words: Option<String>,
}

impl FormAnswer {
    pub fn is_empty(&self) -> bool {
        self.picked.is_empty() && self.words.is_none()
    }
}

/// The end of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FormReply {
    /// One for each question.
    Answers(Vec<FormAnswer>),
    /// The person will not answer.
    Dismissed,
    /// Nobody is there to answer.
    Nobody,
    /// The call was cancelled.
    Withdrawn,
}
