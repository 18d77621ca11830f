//! The rows of the page: each file, then each of its hunks with its lines.

use crate::session::host::{TreeFile, TreeHunk};
use crate::text::diff::parse_unified;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChangeRow {
    Blank,
    File(usize),
    /// A change that no hunk shows.
    Note(usize),
    /// The row above the lines of a hunk.
    Hunk {
        file: usize,
        hunk: usize,
    },
    Line {
        file: usize,
        hunk: usize,
        line: usize,
    },
}

impl ChangeRow {
    pub(super) fn file(self) -> Option<usize> {
        match self {
            Self::Blank => None,
            Self::File(file) | Self::Note(file) => Some(file),
            Self::Hunk { file, .. } | Self::Line { file, .. } => Some(file),
        }
    }
}

/// Facts of a hunk that its row tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HunkShape {
    /// First line of it in the new text; in the old one where it only removes.
    pub(super) start: usize,
    /// The function that it is in, if known.
    pub(super) heading: String,
    pub(super) lines: usize,
    /// The last line of either text that it reaches.
    pub(super) end: usize,
}

impl HunkShape {
    fn of(hunk: &TreeHunk) -> Self {
        let parsed = parse_unified(&hunk.text);
        let Some(hunk) = parsed.first() else {
            return Self {
                start: 1,
                heading: String::new(),
                lines: 0,
                end: 1,
            };
        };
        let changed = hunk
            .lines
            .iter()
            .find(|line| line.old_line.is_none() || line.new_line.is_none());
        let start = changed.and_then(|line| line.new_line.or(line.old_line));
        let end = (hunk.old_start + hunk.old_len).max(hunk.new_start + hunk.new_len);
        Self {
            start: start.unwrap_or(hunk.new_start.max(1)),
            heading: hunk.heading.to_owned(),
            lines: hunk.lines.len(),
            end: end.saturating_sub(1).max(1),
        }
    }
}

/// Returns the shapes of all hunks, file by file.
pub(super) fn shapes(files: &[TreeFile]) -> Vec<Vec<HunkShape>> {
    let of_file = |file: &TreeFile| file.hunks.iter().map(HunkShape::of).collect();
    files.iter().map(of_file).collect()
}

pub(super) fn rows(files: &[TreeFile], shapes: &[Vec<HunkShape>]) -> Vec<ChangeRow> {
    let mut rows = Vec::new();
    for (file, (changed, shapes)) in files.iter().zip(shapes).enumerate() {
        if file > 0 {
            rows.push(ChangeRow::Blank);
        }
        rows.push(ChangeRow::File(file));
        if changed.note.is_some() {
            rows.push(ChangeRow::Note(file));
        }
        for (hunk, shape) in shapes.iter().enumerate() {
            rows.push(ChangeRow::Hunk { file, hunk });
            rows.extend((0..shape.lines).map(|line| ChangeRow::Line { file, hunk, line }));
        }
    }
    rows
}
