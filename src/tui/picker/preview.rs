//! The preview beside a list: a heading, sentences, and facts in two columns.

use ratatui::text::{Line, Span};

use crate::text::sanitize::sanitize_line;
use crate::text::width::pad;
use crate::text::wrap::wrap;
use crate::view::Look;
use crate::view::theme::Meaning;

/// Columns of the names of facts, with the gap behind them.
const NAMES: usize = 11;

/// Lines for so many columns. What comes in is cleaned here.
pub(crate) struct Preview<'a> {
    columns: usize,
    look: Look<'a>,
    lines: Vec<Line<'static>>,
}

impl<'a> Preview<'a> {
    pub(crate) fn new(columns: u16, look: Look<'a>) -> Self {
        Self {
            columns: usize::from(columns).max(1),
            look,
            lines: Vec::new(),
        }
    }

    pub(crate) fn heading(self, text: &str) -> Self {
        self.words(text, Meaning::TextStrong)
    }

    /// A sentence over as many rows as it takes; none where there is nothing to say.
    pub(crate) fn words(mut self, text: &str, meaning: Meaning) -> Self {
        let style = self.look.style(meaning);
        let text = sanitize_line(text.trim());
        if !text.is_empty() {
            let pieces = wrap(&text, self.columns);
            let line = |piece: std::ops::Range<usize>| Line::styled(text[piece].to_owned(), style);
            self.lines.extend(pieces.into_iter().map(line));
        }
        self
    }

    /// A name and what is known under it; nothing where that is empty.
    pub(crate) fn fact(mut self, name: &str, value: &str) -> Self {
        let value = sanitize_line(value.trim());
        let pieces = wrap(&value, self.columns.saturating_sub(NAMES).max(8));
        for (place, piece) in pieces.into_iter().enumerate().filter(|_| !value.is_empty()) {
            let name = if place == 0 { name } else { "" };
            self.lines.push(Line::from(vec![
                Span::styled(pad(name, NAMES).into_owned(), self.look.style(Meaning::TextMuted)),
                Span::styled(value[piece].to_owned(), self.look.style(Meaning::Text)),
            ]));
        }
        self
    }

    /// The same fact several times; its name stands once.
    pub(crate) fn facts(self, name: &str, values: &[String]) -> Self {
        let named =
            |(place, value): (usize, &String)| (if place == 0 { name } else { "" }.to_owned(), value.clone());
        let all: Vec<_> = values.iter().enumerate().map(named).collect();
        all.iter()
            .fold(self, |preview, (name, value)| preview.fact(name, value))
    }

    /// An empty row, unless it would be the first.
    pub(crate) fn gap(mut self) -> Self {
        if !self.lines.is_empty() {
            self.lines.push(Line::default());
        }
        self
    }

    pub(crate) fn lines(self) -> Vec<Line<'static>> {
        self.lines
    }
}
