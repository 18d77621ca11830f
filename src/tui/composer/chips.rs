//! What the caret never enters: clusters of several characters, and the chips of folded pastes.

use tui_textarea::AtomicRange;
use unicode_segmentation::UnicodeSegmentation;

use super::draft::Paste;

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
