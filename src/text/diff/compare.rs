//! Compares two lists of lines, in bounded time for lists of any length.
//!
//! Up to several hundred thousand lines the diff is the library's, whose search gives up on minimality before it gives up
//! on time. Longer lists are cut where a stretch of one is found again in the other, and the pieces are compared one
//! by one. Where no stretch is found they are compared in place, and where that cannot be, one replaces the other.

use std::collections::HashMap;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff, capture_diff_slices};

use crate::text::sequence::starts_of;

/// So many lines, old and new together, are compared at once.
const AT_ONCE: usize = 750_000;
/// Distance between cuts, and maximum distance of the stretch from its place.
const PIECE: usize = 100_000;
const MAX_SHIFT: usize = 2 * PIECE;
/// A stretch found so near to its place is taken at once.
const SMALL_SHIFT: usize = 500;
/// As many equal lines in a row are no accident.
const STRETCH: usize = 32;
/// Places that are tried for one cut. Their distances grow, so that changes at regular distances do not meet them all.
const TRIES: usize = 16;
const FIRST_STEP: usize = 61;

pub(super) fn compare(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let (old, new) = numbered(old, new);
    if old.len() + new.len() <= AT_ONCE {
        return capture_diff_slices(Algorithm::Myers, &old, &new);
    }
    compare_in_pieces(&old, &new)
}

/// Turns lines into numbers: each distinct line is hashed once and compared cheaply from then on.
fn numbered<'a>(old: &[&'a str], new: &[&'a str]) -> (Vec<u32>, Vec<u32>) {
    let mut numbers: HashMap<&'a str, u32> = HashMap::new();
    let mut number = |line: &'a str| {
        let next = numbers.len() as u32;
        *numbers.entry(line).or_insert(next)
    };
    let old = old.iter().map(|line| number(line)).collect();
    let new = new.iter().map(|line| number(line)).collect();
    (old, new)
}

fn compare_in_pieces(old: &[u32], new: &[u32]) -> Vec<DiffOp> {
    let prefix = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (&old[prefix..], &new[prefix..]);
    let suffix = old_rest
        .iter()
        .rev()
        .zip(new_rest.iter().rev())
        .take_while(|(old, new)| old == new)
        .count();
    let (old_end, new_end) = (old.len() - suffix, new.len() - suffix);

    let mut script = Script {
        old,
        new,
        ops: Vec::new(),
    };
    script.push(DiffOp::Equal {
        old_index: 0,
        new_index: 0,
        len: prefix,
    });
    let (mut old_at, mut new_at) = (prefix, prefix);
    while old_end - old_at + new_end - new_at > AT_ONCE {
        let Some((old_cut, new_cut)) = next_cut(&old[old_at..old_end], &new[new_at..new_end]) else {
            break;
        };
        script.compare(old_at..old_at + old_cut, new_at..new_at + new_cut);
        (old_at, new_at) = (old_at + old_cut, new_at + new_cut);
    }
    script.compare(old_at..old_end, new_at..new_end);
    script.push(DiffOp::Equal {
        old_index: old_end,
        new_index: new_end,
        len: suffix,
    });
    script.ops
}

/// Finds a place in both lists from which on they go the same way for a while, the less shifted the better.
fn next_cut(old: &[u32], new: &[u32]) -> Option<(usize, usize)> {
    let mut best: Option<(usize, usize)> = None;
    let shift = |cut: &(usize, usize)| cut.0.abs_diff(cut.1);
    for attempt in 0..TRIES {
        let found = new_cut(old, new, PIECE + attempt * attempt * FIRST_STEP);
        best = best.into_iter().chain(found).min_by_key(shift);
        if best.as_ref().is_some_and(|cut| shift(cut) <= SMALL_SHIFT) {
            break;
        }
    }
    best
}

/// Finds the stretch that begins at a place of the old list in the new one, as near to that place as it is.
fn new_cut(old: &[u32], new: &[u32], old_cut: usize) -> Option<(usize, usize)> {
    let stretch = old.get(old_cut..old_cut + STRETCH)?;
    let from = old_cut.saturating_sub(MAX_SHIFT);
    let within = new.get(from..new.len().min(old_cut + MAX_SHIFT))?;
    let starts = starts_of(within, stretch).map(|start| from + start);
    let new_cut = starts.min_by_key(|start| start.abs_diff(old_cut))?;
    Some((old_cut, new_cut))
}

/// The operations so far; neighbouring equal stretches are one.
struct Script<'a> {
    old: &'a [u32],
    new: &'a [u32],
    ops: Vec<DiffOp>,
}

impl Script<'_> {
    /// Compares a piece; one that is too long only line by line at the same places, or not at all.
    fn compare(&mut self, old: Range<usize>, new: Range<usize>) {
        if old.len() + new.len() > AT_ONCE {
            if old.len() == new.len() {
                self.compare_in_place(old, new.start);
            } else {
                self.replace(old, new);
            }
            return;
        }
        for op in capture_diff(Algorithm::Myers, self.old, old, self.new, new) {
            self.push(op);
        }
    }

    /// Compares lists of one length in which lines were changed and none came or went.
    fn compare_in_place(&mut self, old: Range<usize>, new_start: usize) {
        let mut at = 0;
        while at < old.len() {
            let (old_index, new_index) = (old.start + at, new_start + at);
            let pairs = || self.old[old_index..old.end].iter().zip(&self.new[new_index..]);
            let len = pairs().take_while(|(old, new)| old == new).count();
            if len > 0 {
                self.push(DiffOp::Equal {
                    old_index,
                    new_index,
                    len,
                });
                at += len;
                continue;
            }
            let len = pairs().take_while(|(old, new)| old != new).count();
            self.replace(old_index..old_index + len, new_index..new_index + len);
            at += len;
        }
    }

    fn replace(&mut self, old: Range<usize>, new: Range<usize>) {
        self.push(DiffOp::Replace {
            old_index: old.start,
            old_len: old.len(),
            new_index: new.start,
            new_len: new.len(),
        });
    }

    fn push(&mut self, op: DiffOp) {
        if op.old_range().is_empty() && op.new_range().is_empty() {
            return;
        }
        match (self.ops.last_mut(), op) {
            (Some(DiffOp::Equal { len, .. }), DiffOp::Equal { len: more, .. }) => *len += more,
            _ => self.ops.push(op),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use similar::DiffTag;

    fn compared(old: &[u32], new: &[u32]) -> usize {
        let ops = compare_in_pieces(old, new);
        let (mut old_at, mut new_at, mut changed) = (0, 0, 0);
        for op in ops {
            assert_eq!((op.old_range().start, op.new_range().start), (old_at, new_at));
            (old_at, new_at) = (op.old_range().end, op.new_range().end);
            if op.tag() == DiffTag::Equal {
                assert_eq!(old[op.old_range()], new[op.new_range()]);
            } else {
                changed += op.old_range().len() + op.new_range().len();
            }
        }
        assert_eq!((old_at, new_at), (old.len(), new.len()));
        changed
    }

    #[test]
    fn long_lists_with_few_changes_have_short_diffs() {
        let old: Vec<u32> = (0..500_000_u64)
            .map(|index| (index * 7919 % 1009) as u32)
            .collect();
        let mut new = old.clone();
        for at in [10, 150_000, 299_990] {
            new[at] = 5000;
        }
        new.drain(70_000..70_100);
        new.splice(200_000..200_000, 6000..6010);
        assert_eq!(compared(&old, &new), 3 * 2 + 100 + 10);
    }

    #[test]
    fn changes_at_regular_distances_do_not_prevent_a_cut() {
        let old: Vec<u32> = (0..500_000_u64)
            .map(|index| (index * 7919 % 100_003) as u32)
            .collect();
        let new: Vec<u32> = (0..)
            .zip(&old)
            .map(|(at, line)| if at % 1000 == 0 { 5000 } else { *line })
            .collect();
        assert_eq!(compared(&old, &new), 1000);
    }

    #[test]
    fn dense_changes_in_place_are_seen_as_such() {
        let old: Vec<u32> = (0..600_000_u64)
            .map(|index| (index * 7919 % 1009) as u32)
            .collect();
        let new: Vec<u32> = (0..)
            .zip(&old)
            .map(|(at, line)| if at % 5 == 0 { 5000 } else { *line })
            .collect();
        assert_eq!(compared(&old, &new), 2 * 120_000);
    }

    #[test]
    fn long_lists_without_anything_in_common_are_replaced() {
        let old: Vec<u32> = (0..500_000).collect();
        let new: Vec<u32> = (1_000_000..1_500_000).collect();
        assert_eq!(compared(&old, &new), 1_000_000);
        assert_eq!(compared(&old, &[]), 500_000);
        assert_eq!(compared(&[], &new), 500_000);
    }
}
