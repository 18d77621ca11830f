//! Data that all strategies share: the text, the old text, and tables over both that are made once, on first need.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

use super::MAX_OCCURRENCES;
use super::white_space::trim;
use super::{Occurrences, Span, SpanKind, Tolerance};
use crate::text::lines::Lines;

pub(super) struct Search<'a> {
    pub(super) text: &'a str,
    pub(super) old: &'a str,
    pub(super) occurrences: Occurrences,
    pub(super) tolerance: Tolerance,
    lines: OnceCell<Lines<'a>>,
    old_lines: OnceCell<Vec<&'a str>>,
    trimmed: OnceCell<LineNumbers>,
}

/// Lines as numbers: equal lines have equal numbers, so that comparing is cheap.
pub(super) struct LineNumbers {
    /// [`UNKNOWN`] for lines that do not occur in the old text.
    pub(super) text: Vec<u32>,
    pub(super) old: Vec<u32>,
}

/// The number of everything that does not occur in the old text.
pub(super) const UNKNOWN: u32 = 0;

impl<'a> Search<'a> {
    pub(super) fn new(text: &'a str, old: &'a str, occurrences: Occurrences, tolerance: Tolerance) -> Self {
        Self {
            text,
            old,
            occurrences,
            tolerance,
            lines: OnceCell::new(),
            old_lines: OnceCell::new(),
            trimmed: OnceCell::new(),
        }
    }

    pub(super) fn lines(&self) -> &Lines<'a> {
        self.lines.get_or_init(|| Lines::new(self.text))
    }

    /// Returns the lines of the old text; a final line break is none.
    pub(super) fn old_lines(&self) -> &[&'a str] {
        self.old_lines
            .get_or_init(|| Lines::new(self.old).iter().collect())
    }

    /// Tells whether line-wise spans include the break behind their last line.
    pub(super) fn with_break(&self) -> bool {
        self.old.ends_with('\n')
    }

    /// Returns the span of some lines of the text, with the break behind the last one where the old text ends in one and
    /// the text has it.
    pub(super) fn span(&self, lines: Range<usize>) -> Span {
        let end = self.lines().end(lines.end - 1);
        let takes_break = self.with_break() && end < self.text.len();
        Span {
            range: self.lines().start(lines.start)..end + usize::from(takes_break),
            kind: SpanKind::Lines,
        }
    }

    /// Returns the lines of both texts, trimmed at both ends, as numbers.
    pub(super) fn trimmed(&self) -> &LineNumbers {
        self.trimmed.get_or_init(|| {
            let mut numbers = Numbers::default();
            let old = self
                .old_lines()
                .iter()
                .map(|line| numbers.of_old(trim(line)))
                .collect();
            let text = self
                .lines()
                .iter()
                .map(|line| numbers.of_text(trim(line)))
                .collect();
            LineNumbers { text, old }
        })
    }

    /// Returns how many positions suffice to know that there are too many, and to name where.
    pub(super) fn enough(&self) -> usize {
        match self.occurrences {
            Occurrences::One => 16,
            Occurrences::All => MAX_OCCURRENCES + 1,
        }
    }

    /// Returns the places where a text occurs: overlapping ones too when one is wanted, because they make it not
    /// unique; otherwise those that can be replaced together.
    pub(super) fn occurrences_of(&self, wanted: &str) -> Vec<Span> {
        let span = |start: usize| Span {
            range: start..start + wanted.len(),
            kind: SpanKind::Text,
        };
        self.starts_in(self.text, wanted).map(span).collect()
    }

    /// Returns enough places where a text occurs in another; those that overlap only if one occurrence is wanted.
    pub(super) fn starts_in<'t>(
        &self,
        text: &'t str,
        wanted: &'t str,
    ) -> impl Iterator<Item = usize> + use<'t> {
        let step = match self.occurrences {
            Occurrences::One => wanted.chars().next().map_or(1, char::len_utf8),
            Occurrences::All => wanted.len(),
        };
        let mut from = 0;
        let starts = std::iter::from_fn(move || {
            let start = from + text.get(from..)?.find(wanted)?;
            from = start + step;
            Some(start)
        });
        starts.take(self.enough())
    }
}

/// Gives numbers to the distinct pieces of the old text.
#[derive(Default)]
pub(super) struct Numbers<'a> {
    known: HashMap<&'a str, u32>,
}

impl<'a> Numbers<'a> {
    pub(super) fn of_old(&mut self, piece: &'a str) -> u32 {
        let next = self.known.len() as u32 + UNKNOWN + 1;
        *self.known.entry(piece).or_insert(next)
    }

    pub(super) fn of_text(&self, piece: &str) -> u32 {
        self.known.get(piece).copied().unwrap_or(UNKNOWN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_take_the_break_only_when_asked_and_there() {
        let span = |old: &str, lines: Range<usize>| {
            Search::new("ab\ncd", old, Occurrences::One, Tolerance::Safe)
                .span(lines)
                .range
        };
        assert_eq!(span("x", 0..1), 0..2);
        assert_eq!(span("x\n", 0..1), 0..3);
        assert_eq!(span("x\n", 1..2), 3..5);
    }
}
