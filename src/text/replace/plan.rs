//! From an edit to the list of replacements.

use std::ops::Range;

use super::{EditRegions, Occurrences, ReplaceError, SpanKind, Strategy, Tolerance, find};

/// The replacements that an edit makes in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan<'a> {
    pub strategy: Strategy,
    /// In order and not overlapping.
    pub replacements: Vec<Replacement<'a>>,
}

/// The bytes of `range` become `text`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement<'a> {
    pub range: Range<usize>,
    pub text: &'a str,
}

/// Finds `old` in `text` and plans to put `new` in its place.
///
/// When `old` stands for whole lines with their break and the last of them, at the end of the file, has none, one
/// final line break of `new` is dropped: a missing final newline stays missing.
pub fn plan<'a>(
    text: &str,
    old: &str,
    new: &'a str,
    occurrences: Occurrences,
    tolerance: Tolerance,
) -> Result<Plan<'a>, ReplaceError> {
    if old == new {
        return Err(ReplaceError::Identical);
    }
    let EditRegions { strategy, spans } = find(text, old, occurrences, tolerance)?;
    let lacks_final_break = old.ends_with('\n') && !text.ends_with('\n');
    let replacements = spans.into_iter().map(|span| {
        let drops_break = lacks_final_break && span.kind == SpanKind::Lines && span.range.end == text.len();
        let text = if drops_break {
            new.strip_suffix('\n').unwrap_or(new)
        } else {
            new
        };
        Replacement {
            range: span.range,
            text,
        }
    });
    Ok(Plan {
        strategy,
        replacements: replacements.collect(),
    })
}

impl Plan<'_> {
    /// Returns the first and last line, 1-based, of every replaced range in the text as it was.
    pub fn line_ranges(&self, text: &str) -> Vec<(usize, usize)> {
        let mut line = 1;
        let mut counted = 0;
        let mut line_at = |offset: usize| {
            line += text[counted..offset].matches('\n').count();
            counted = offset;
            line
        };
        self.replacements
            .iter()
            .map(|Replacement { range, .. }| {
                let first = line_at(range.start);
                // A line break at the end belongs to the line it ends.
                let end = if text[range.clone()].ends_with('\n') {
                    range.end - 1
                } else {
                    range.end
                };
                (first, line_at(end.max(range.start)))
            })
            .collect()
    }
}
