//! What the caret never enters: clusters of several characters, and the chips of folded pastes.
//!
//! A chip is chosen when the caret was moved onto its beginning. Who has just written something before it has not chosen
//! it: `enter` sends that.

use tui_textarea::AtomicRange;
use unicode_segmentation::UnicodeSegmentation;

use super::Composer;
use super::draft::{self, FOLD_WHOLE, Paste};

/// What becomes of the chosen chip.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Opened {
    /// It is text now; undo folds it again.
    Here,
    /// Its text is too long to be edited here.
    TooLong(String),
}

impl Composer {
    pub(crate) fn is_on_chip(&self) -> bool {
        self.chosen_chip().is_some()
    }

    /// Opens the chosen chip.
    pub(crate) fn open_chip(&mut self) -> Option<Opened> {
        let (place, content) = self.chosen_chip()?;
        let content = content.to_string();
        if content.len() > FOLD_WHOLE {
            return Some(Opened::TooLong(content));
        }
        self.replace_chip(&content);
        self.jump(place);
        self.is_placed = false;
        Some(Opened::Here)
    }

    /// Takes over what an editor made of the chosen chip's text.
    pub(crate) fn set_chip(&mut self, text: &str) {
        let clean = draft::clean(text);
        let is_same = |content: &str| content.trim_end_matches('\n') == clean;
        if self.chosen_chip().is_none_or(|(_, content)| is_same(content)) {
            return;
        }
        if !draft::is_long(&clean) {
            return self.replace_chip(&clean);
        }
        let paste = Paste::new(clean, &self.pastes, self.area.lines());
        self.replace_chip(&paste.label.clone());
        self.pastes.push(paste);
        self.changed();
    }

    fn replace_chip(&mut self, text: &str) {
        self.area.delete_next_char();
        self.area.insert_str(text);
        self.changed();
    }

    /// Returns the chip that the caret was moved to: where it begins, and its text.
    pub(super) fn chosen_chip(&self) -> Option<((usize, usize), &str)> {
        if !self.is_placed || self.has_selection() {
            return None;
        }
        let (row, column) = self.area.cursor();
        let line = &self.area.lines()[row];
        let (start, _) = line.char_indices().nth(column)?;
        let at = &line[start..];
        let paste = self.pastes.iter().find(|paste| at.starts_with(&paste.label))?;
        Some(((row, column), &paste.content))
    }
}

/// Returns the ranges of all lines in order, in characters.
pub(super) fn atomic_ranges(lines: &[String], pastes: &[Paste]) -> Vec<AtomicRange> {
    let mut ranges = Vec::new();
    for (row, line) in lines.iter().enumerate() {
        if line.is_ascii() && pastes.is_empty() {
            continue;
        }
        line_ranges(row, line, pastes, &mut ranges);
    }
    ranges
}

fn line_ranges(row: usize, line: &str, pastes: &[Paste], ranges: &mut Vec<AtomicRange>) {
    let mut column = 0;
    let mut rest = line;
    while let Some(cluster) = rest.graphemes(true).next() {
        let label = pastes
            .iter()
            .map(|paste| paste.label.as_str())
            .find(|label| rest.starts_with(label));
        let unit = label.unwrap_or(cluster);
        let characters = unit.chars().count();
        if characters > 1 {
            ranges.push(AtomicRange {
                row,
                start_col: column,
                end_col: column + characters,
            });
        }
        column += characters;
        rest = &rest[unit.len()..];
    }
}

/// Returns where chips stand: row, and first and last byte.
pub(super) fn labels<'a>(
    lines: &'a [String],
    pastes: &'a [Paste],
) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> + 'a {
    lines.iter().enumerate().flat_map(move |(row, line)| {
        pastes.iter().flat_map(move |paste| {
            let found = line.match_indices(paste.label.as_str());
            found.map(move |(start, label)| (row, start..start + label.len()))
        })
    })
}
