//! The lines of a text and where they lie.
//!
//! Lines end at `\n`; a final one begins no further line, so an empty text has none.

use std::ops::Range;

use super::{Span, SpanKind};

#[derive(Debug)]
pub(super) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0)
            .chain(breaks)
            .filter(|start| *start < text.len())
            .collect();
        Self { text, starts }
    }

    pub(super) fn count(&self) -> usize {
        self.starts.len()
    }

    /// Returns a line without its break.
    pub(super) fn get(&self, line: usize) -> &'a str {
        &self.text[self.starts[line]..self.end(line)]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &'a str> + '_ {
        (0..self.count()).map(|line| self.get(line))
    }

    pub(super) fn start(&self, line: usize) -> usize {
        self.starts[line]
    }

    /// Returns where a line's text ends, before its break.
    fn end(&self, line: usize) -> usize {
        match self.starts.get(line + 1) {
            Some(next) => next - 1,
            None => self.text.strip_suffix('\n').unwrap_or(self.text).len(),
        }
    }

    /// Returns the line that an offset lies in, 0-based.
    pub(super) fn line_of(&self, offset: usize) -> usize {
        self.starts
            .partition_point(|start| *start <= offset)
            .saturating_sub(1)
    }

    /// Returns the span of some lines, with or without the break behind the last one.
    pub(super) fn span(&self, lines: Range<usize>, with_break: bool) -> Span {
        let end = self.end(lines.end - 1);
        let end = if with_break && end < self.text.len() {
            end + 1
        } else {
            end
        };
        Span {
            range: self.starts[lines.start]..end,
            kind: SpanKind::Lines,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_final_newline_is_no_line() {
        for (text, expected) in [
            ("", &[][..]),
            ("\n", &[""]),
            ("a", &["a"]),
            ("a\n", &["a"]),
            ("a\n\n", &["a", ""]),
            ("\na", &["", "a"]),
        ] {
            assert_eq!(Lines::new(text).iter().collect::<Vec<_>>(), expected, "{text:?}");
        }
    }

    #[test]
    fn spans_take_the_break_only_when_asked_and_there() {
        let lines = Lines::new("ab\ncd");
        assert_eq!(lines.span(0..1, false).range, 0..2);
        assert_eq!(lines.span(0..1, true).range, 0..3);
        assert_eq!(lines.span(1..2, true).range, 3..5);
        assert_eq!(lines.line_of(2), 0);
        assert_eq!(lines.line_of(3), 1);
    }
}
