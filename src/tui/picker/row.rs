//! One line of a list. What it says is clean: whatever comes from outside goes through [`Row::new`] and its like.

use crate::text::sanitize::sanitize_line;
use crate::view::theme::Meaning;

/// The text at the right edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Hint {
    /// A key that does the same.
    Key(String),
    /// Something to know.
    Fact(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    title: String,
    detail: String,
    /// Columns of the detail's beginning that stay, however long the title is.
    kept: usize,
    /// Heads the rows that stand together.
    section: &'static str,
    /// Finds it and is not shown.
    also: String,
    hint: Hint,
    sign: Option<(&'static str, Meaning)>,
    is_current: bool,
}

impl Row {
    pub(crate) fn new(title: &str) -> Self {
        Self {
            title: sanitize_line(title).into_owned(),
            detail: String::new(),
            kept: 0,
            section: "",
            also: String::new(),
            hint: Hint::Fact(String::new()),
            sign: None,
            is_current: false,
        }
    }

    /// Adds a description, which is searched too.
    pub(crate) fn detail(mut self, detail: &str) -> Self {
        self.detail = sanitize_line(detail).into_owned();
        self
    }

    /// Keeps the beginning of the description, so many columns, where a long title has to be cut.
    pub(crate) fn keep(mut self, columns: usize) -> Self {
        self.kept = columns;
        self
    }

    /// Puts it under a heading, which stands before the first row of several.
    pub(crate) fn section(mut self, section: &'static str) -> Self {
        self.section = section;
        self
    }

    /// Words that find it too, such as a date.
    pub(crate) fn also(mut self, words: &str) -> Self {
        self.also = sanitize_line(words).into_owned();
        self
    }

    /// The key that does the same.
    pub(crate) fn key(mut self, key: &str) -> Self {
        self.hint = Hint::Key(sanitize_line(key).into_owned());
        self
    }

    /// Adds a fact, such as a price.
    pub(crate) fn fact(mut self, fact: &str) -> Self {
        self.hint = Hint::Fact(sanitize_line(fact).into_owned());
        self
    }

    /// Says how it stands, by a sign of one column before the title.
    pub(crate) fn sign(mut self, sign: &'static str, meaning: Meaning) -> Self {
        self.sign = Some((sign, meaning));
        self
    }

    /// Marks the one that holds now; the list opens on it.
    pub(crate) fn current_if(mut self, is_current: bool) -> Self {
        self.is_current = is_current;
        self
    }

    pub(crate) fn fields(&self) -> [&str; 2] {
        [&self.title, &self.detail]
    }

    pub(super) fn searched(&self) -> [&str; 3] {
        [&self.title, &self.detail, &self.also]
    }

    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    pub(super) fn own_section(&self) -> &'static str {
        self.section
    }

    pub(super) fn kept(&self) -> usize {
        self.kept
    }

    pub(super) fn hint(&self) -> &Hint {
        &self.hint
    }

    pub(super) fn own_sign(&self) -> Option<(&'static str, Meaning)> {
        self.sign
    }

    pub(crate) fn is_current(&self) -> bool {
        self.is_current
    }
}

impl Hint {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Key(text) | Self::Fact(text) => text,
        }
    }
}
