//! The rows of the page: first the files as a list, then each with its hunks.

use crate::session::query::ChangedFile;
use crate::text::diff::parse_unified;
use crate::view::diff;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tui::page) enum DiffRow {
    /// A file in the list.
    Listed(usize),
    /// A note about all of them.
    Remark,
    Blank,
    /// The head of a file.
    File(usize),
    /// Why there is no diff of it, or not the whole truth.
    Note(usize),
    /// Between two hunks, before this one.
    Gap {
        file: usize,
        hunk: usize,
    },
    Line {
        file: usize,
        hunk: usize,
        line: usize,
    },
}

impl DiffRow {
    pub(in crate::tui::page) fn file(&self) -> Option<usize> {
        match *self {
            Self::Listed(file) | Self::File(file) | Self::Note(file) => Some(file),
            Self::Gap { file, .. } | Self::Line { file, .. } => Some(file),
            Self::Blank | Self::Remark => None,
        }
    }

    /// The hunk that it is a line of.
    pub(in crate::tui::page) fn hunk(&self) -> Option<(usize, usize)> {
        match *self {
            Self::Line { file, hunk, .. } => Some((file, hunk)),
            _ => None,
        }
    }
}

/// Place of the list of files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum ListPlace {
    /// The diffs are unified below it.
    #[default]
    Above,
    /// The diffs are on two sides beside it.
    Left,
}

pub(super) fn rows(files: &[ChangedFile], note: Option<&str>, place: ListPlace) -> Vec<DiffRow> {
    let mut rows: Vec<DiffRow> = (0..files.len()).map(DiffRow::Listed).collect();
    if note.is_some() && !files.is_empty() {
        rows.push(DiffRow::Remark);
    }
    for (file, changed) in files.iter().enumerate() {
        rows.push(DiffRow::Blank);
        rows.push(DiffRow::File(file));
        if changed.note.is_some() {
            rows.push(DiffRow::Note(file));
        }
        let hunks = parse_unified(&changed.diff);
        let is_split = place == ListPlace::Left && diff::has_two_sides(&hunks);
        for (hunk, parsed) in hunks.iter().enumerate() {
            if hunk > 0 {
                rows.push(DiffRow::Gap { file, hunk });
            }
            let line = |line| DiffRow::Line { file, hunk, line };
            if is_split {
                rows.extend(diff::paired_lines(parsed).map(line));
            } else {
                rows.extend((0..parsed.lines.len()).map(line));
            }
        }
    }
    rows
}

/// Returns one hunk of a diff, written as it was.
pub(in crate::tui::page) fn hunk_text(diff: &str, hunk: usize) -> String {
    let hunks = parse_unified(diff);
    let Some(hunk) = hunks.get(hunk) else {
        return String::new();
    };
    let mut text = format!(
        "@@ -{},{} +{},{} @@\n",
        hunk.old_start, hunk.old_len, hunk.new_start, hunk.new_len
    );
    for line in &hunk.lines {
        text.push(line.sign.as_char());
        text.push_str(line.text);
        text.push('\n');
        if line.no_newline {
            text.push_str("\\ No newline at end of file\n");
        }
    }
    text
}
