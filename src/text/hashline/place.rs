//! From edits to splices: check, look for overlaps, put in order.

use std::ops::Range;

use super::{Edit, Mismatch, NumberedEdit, PlaceError};
use crate::text::lines::Lines;

/// Returns what to splice into the text, in order and not overlapping; nothing unless every reference holds.
///
/// The start of a range must not lie behind its end. Edits that are equal have to be given once.
pub fn place(text: &str, edits: &[NumberedEdit]) -> Result<Vec<(Range<usize>, String)>, PlaceError> {
    let lines = Lines::new(text);
    let references = edits.iter().flat_map(|numbered| numbered.edit.references());
    if let Some(mismatch) = Mismatch::of(&lines, references) {
        return Err(PlaceError::Mismatch(mismatch));
    }
    let mut changes: Vec<LineChange> = edits
        .iter()
        .map(|numbered| LineChange::of(numbered, lines.count()))
        .collect();
    // Stable, so that several insertions at one place keep their order. What is inserted before a line goes before what
    // becomes of it.
    changes.sort_by_key(|change| (change.range.start, !change.range.is_empty(), change.is_last));
    check_overlap(&changes)?;
    if lines.lacks_final_break() {
        join_tail(&mut changes, lines.count());
    }
    let splices = changes.iter().map(|change| change.splice(&lines)).collect();
    Ok(splices)
}

/// Lines that become other lines; an empty range is the gap before its line.
struct LineChange {
    number: usize,
    /// 0-based.
    range: Range<usize>,
    lines: Vec<String>,
    /// The end of a text without lines is where its start is, and comes after it all the same.
    is_last: bool,
}

impl LineChange {
    fn of(numbered: &NumberedEdit, count: usize) -> Self {
        let range = match &numbered.edit {
            Edit::Change { first, last, .. } => first.line - 1..last.line,
            Edit::InsertAfter { line, .. } => line.line..line.line,
            Edit::InsertBefore { line, .. } => line.line - 1..line.line - 1,
            Edit::Append { .. } => count..count,
            Edit::Prepend { .. } => 0..0,
        };
        Self {
            number: numbered.number,
            range,
            lines: numbered.edit.lines().to_vec(),
            is_last: count == 0 && matches!(numbered.edit, Edit::Append { .. }),
        }
    }

    /// A line that stays in number keeps its own break.
    fn splice(&self, lines: &Lines<'_>) -> (Range<usize>, String) {
        let Range { start, end } = self.range;
        let joined = self.lines.join("\n");
        if end == lines.count() && lines.lacks_final_break() {
            return self.splice_at_end(lines, joined);
        }
        let from = lines.start(start);
        if self.range.is_empty() {
            (from..from, format!("{joined}\n"))
        } else if self.lines.is_empty() {
            (from..lines.start(end), joined)
        } else {
            (from..lines.end(end - 1), joined)
        }
    }

    /// The last line has no break, and whichever line is the last afterwards has none either.
    fn splice_at_end(&self, lines: &Lines<'_>, joined: String) -> (Range<usize>, String) {
        let Range { start, end } = self.range;
        let to = lines.start(end);
        if self.range.is_empty() {
            (to..to, format!("\n{joined}"))
        } else if self.lines.is_empty() && start > 0 {
            (lines.end(start - 1)..to, joined)
        } else {
            (lines.start(start)..to, joined)
        }
    }
}

/// Changes come in order of where they begin, insertions first.
fn check_overlap(changes: &[LineChange]) -> Result<(), PlaceError> {
    let mut holder: Option<&LineChange> = None;
    for change in changes {
        if let Some(holder) = holder
            && change.range.start < holder.range.end
        {
            return Err(overlap(holder, change));
        }
        if !change.range.is_empty() {
            holder = Some(change);
        }
    }
    Ok(())
}

fn overlap(holder: &LineChange, other: &LineChange) -> PlaceError {
    let line = other.range.start + 1;
    let why = if other.range.is_empty() {
        let Range { start, end } = &holder.range;
        format!(
            "one inserts before line {line}, inside lines {}-{end} of the other",
            start + 1
        )
    } else {
        format!("both change line {line}")
    };
    let (first, second) = (holder.number.min(other.number), holder.number.max(other.number));
    PlaceError::Overlap(first, second, why)
}

/// Makes one change of those that touch one another up to the end of the text: only together they say which line is the
/// last.
fn join_tail(changes: &mut Vec<LineChange>, count: usize) {
    while let [.., before, last] = changes.as_mut_slice()
        && last.range.end == count
        && before.range.end == last.range.start
    {
        before.range.end = count;
        before.lines.append(&mut last.lines);
        changes.pop();
    }
}
