//! Changed lines, as they are shown to the model with their new tags.

use std::fmt::Write;
use std::ops::Range;

use super::Position;
use crate::text::diff::{Sign, parse_unified};
use crate::text::hashline::tagged_lines;
use crate::tool::plural;

/// Lines shown before and behind what changed.
const AROUND: usize = 1;
/// Lines shown in all.
const MOST: usize = 40;

/// Returns the stretches of the new text that a diff changed, from 1; where lines went, the one that follows.
pub(super) fn changed(diff: &str) -> Vec<Position> {
    let mut positions: Vec<Position> = Vec::new();
    for hunk in parse_unified(diff) {
        // Where the hunk has no new lines, its number is that of the line before.
        let mut next = hunk.new_start + usize::from(hunk.new_len == 0);
        for line in hunk.lines {
            if line.sign == Sign::Context {
                next += 1;
                continue;
            }
            match positions.last_mut() {
                Some(last) if last.line_end + 1 >= next => last.line_end = next,
                _ => positions.push(Position {
                    line_start: next,
                    line_end: next,
                }),
            }
            next += usize::from(line.sign == Sign::Added);
        }
    }
    positions
}

/// Shows the changed lines of a text, each on a line of its own with its tag.
pub(super) fn excerpt(text: &str, positions: &[Position]) -> String {
    let count = text.split_terminator('\n').count();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let (mut shown, mut left_out) = (0, 0);
    for position in positions {
        let start = position.line_start.saturating_sub(1 + AROUND);
        let end = (position.line_end + AROUND).min(count);
        let start = ranges.last().map_or(start, |last| start.max(last.end));
        let length = end.saturating_sub(start);
        let room = length.min(MOST - shown);
        left_out += length - room;
        shown += room;
        match ranges.last_mut() {
            Some(last) if last.end == start => last.end = start + room,
            _ if room > 0 => ranges.push(start..start + room),
            _ => {}
        }
    }
    let mut excerpt = String::new();
    for line in tagged_lines(text, &ranges) {
        excerpt.push('\n');
        excerpt.push_str(&line);
    }
    if left_out > 0 {
        let lines = plural(left_out, "line");
        let _ = write!(excerpt, "\n({lines} more; read the file for their tags)");
    }
    excerpt
}
