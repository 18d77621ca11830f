//! Parts of the text that the caret never enters: clusters of several characters, and chips.
//!
//! A chip is chosen when the caret was moved onto its beginning. Who has just written something before it has not chosen
//! it: `enter` sends that.

use tui_textarea::AtomicRange;
use unicode_segmentation::UnicodeSegmentation;

use super::Composer;
use super::chip::{AttachedFile, Chip, ChipContent};
use super::draft::{self, FOLD_WHOLE};
use crate::tui::media::MediaKind;

/// The result of opening the chosen chip.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ChipOpening {
    /// It is text now; undo folds it again.
    Here,
    /// Its text is too long to be edited here.
    TooLong(String),
    /// It is a file, and stays.
    File(AttachedFile),
}

impl Composer {
    pub(crate) fn is_on_chip(&self) -> bool {
        self.chosen_chip().is_some()
    }

    pub(crate) fn is_on_file(&self) -> bool {
        self.chosen_chip()
            .is_some_and(|(_, chip)| chip.pasted().is_none())
    }

    /// Puts the chip of a file at the caret, apart from the words around it.
    pub(crate) fn attach(&mut self, path: &str, kind: MediaKind, facts: &str) {
        let chip = Chip::file(path, kind, facts, &self.chips, self.area.lines());
        let before = self.before_caret().0.chars().next_back();
        let gap = if before.is_some_and(|c| !c.is_whitespace()) {
            " "
        } else {
            ""
        };
        if let Some(vim) = &mut self.vim {
            vim.forget_insert();
        }
        self.area.insert_str(format!("{gap}{} ", chip.label));
        self.chips.push(chip);
        self.changed();
    }

    /// Opens the chosen chip.
    pub(crate) fn open_chip(&mut self) -> Option<ChipOpening> {
        let (place, chip) = self.chosen_chip()?;
        let content = match &chip.content {
            ChipContent::Paste(content) => content.to_string(),
            ChipContent::File { .. } => return chip.attached_file().map(ChipOpening::File),
        };
        let beside: usize = self.area.lines().iter().map(String::len).sum();
        if beside + content.len() > FOLD_WHOLE {
            return Some(ChipOpening::TooLong(content));
        }
        self.replace_chip(&content);
        self.jump(place);
        self.is_placed = false;
        Some(ChipOpening::Here)
    }

    /// Takes over what an editor made of the chosen chip's text.
    pub(crate) fn set_chip(&mut self, text: &str) {
        let clean = draft::clean(text);
        let is_same = |content: &str| content.trim_end_matches('\n') == clean;
        let chosen = self.chosen_chip().and_then(|(_, chip)| chip.pasted());
        if chosen.is_none_or(|content| is_same(content)) {
            return;
        }
        if !draft::is_long(&clean) {
            return self.replace_chip(&clean);
        }
        let paste = Chip::paste(clean, &self.chips, self.area.lines());
        self.replace_chip(&paste.label.clone());
        self.chips.push(paste);
        self.changed();
    }

    fn replace_chip(&mut self, text: &str) {
        self.area.delete_next_char();
        self.area.insert_str(text);
        self.changed();
    }

    /// Returns the chip that the caret was moved to: where it begins, and what it is.
    pub(super) fn chosen_chip(&self) -> Option<((usize, usize), &Chip)> {
        if !self.is_placed || self.has_selection() {
            return None;
        }
        let (row, column) = self.area.cursor();
        let line = &self.area.lines()[row];
        let (start, _) = line.char_indices().nth(column)?;
        let at = &line[start..];
        let chip = self.chips.iter().find(|chip| at.starts_with(&chip.label))?;
        Some(((row, column), chip))
    }
}

/// Returns the ranges of all lines in order, in characters.
pub(super) fn ranges(lines: &[String], chips: &[Chip]) -> Vec<AtomicRange> {
    let mut ranges = Vec::new();
    for (row, line) in lines.iter().enumerate() {
        if line.is_ascii() && chips.is_empty() {
            continue;
        }
        line_ranges(row, line, chips, &mut ranges);
    }
    ranges
}

fn line_ranges(row: usize, line: &str, chips: &[Chip], ranges: &mut Vec<AtomicRange>) {
    let mut column = 0;
    let mut rest = line;
    while let Some(cluster) = rest.graphemes(true).next() {
        let label = chips
            .iter()
            .map(|chip| chip.label.as_str())
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
    chips: &'a [Chip],
) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> + 'a {
    lines.iter().enumerate().flat_map(move |(row, line)| {
        chips.iter().flat_map(move |chip| {
            let found = line.match_indices(chip.label.as_str());
            found.map(move |(start, label)| (row, start..start + label.len()))
        })
    })
}
