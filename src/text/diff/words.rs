//! Finds the words that make two versions of a line differ.
//!
//! Lines that have little in common get no emphasis: everything in them is new, and marking all of it says nothing.
//! Very long lines get none either, which keeps the cost of a line bounded.

use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};
use unicode_segmentation::UnicodeSegmentation;

use super::{DiffLine, Hunk, Sign};

/// Longer lines are not compared word by word.
const MAX_LINE_BYTES: usize = 2000;
/// At least this share of both lines must be equal.
const MIN_EQUAL_SHARE: f64 = 0.4;

/// Byte ranges within a line.
type Ranges = Vec<Range<usize>>;

/// Returns what was taken out of `removed` and what was put into `added`, as byte ranges in order.
pub fn emphasis(removed: &str, added: &str) -> (Ranges, Ranges) {
    if removed.len() > MAX_LINE_BYTES || added.len() > MAX_LINE_BYTES {
        return (Vec::new(), Vec::new());
    }
    let old: Vec<(usize, &str)> = removed.split_word_bound_indices().collect();
    let new: Vec<(usize, &str)> = added.split_word_bound_indices().collect();
    let words = |tokens: &[(usize, &str)]| {
        tokens
            .iter()
            .map(|(_, word)| (*word).to_owned())
            .collect::<Vec<_>>()
    };
    let (mut old_ranges, mut new_ranges) = (Vec::new(), Vec::new());
    let mut equal = 0;
    for op in capture_diff_slices(Algorithm::Myers, &words(&old), &words(&new)) {
        if op.tag() == DiffTag::Equal {
            equal += old[op.old_range()]
                .iter()
                .map(|(_, word)| word.trim().len())
                .sum::<usize>();
            continue;
        }
        push_range(&mut old_ranges, &old[op.old_range()], removed);
        push_range(&mut new_ranges, &new[op.new_range()], added);
    }
    let longer = without_blanks(removed).max(without_blanks(added));
    if (equal as f64) < MIN_EQUAL_SHARE * longer as f64 {
        return (Vec::new(), Vec::new());
    }
    (old_ranges, new_ranges)
}

/// Returns the emphasis of every line of a hunk: a run of removed lines is paired with the added lines behind it, the
/// first with the first and so on.
pub fn hunk_emphasis(hunk: &Hunk<'_>) -> Vec<Ranges> {
    let lines = &hunk.lines;
    let mut all = vec![Vec::new(); lines.len()];
    let mut at = 0;
    while at < lines.len() {
        let removed = run_length(&lines[at..], Sign::Removed);
        let added = run_length(&lines[at + removed..], Sign::Added);
        for pair in 0..removed.min(added) {
            let (old, new) = (at + pair, at + removed + pair);
            (all[old], all[new]) = emphasis(lines[old].text, lines[new].text);
        }
        at += (removed + added).max(1);
    }
    all
}

fn run_length(lines: &[DiffLine<'_>], sign: Sign) -> usize {
    lines.iter().take_while(|line| line.sign == sign).count()
}

fn without_blanks(line: &str) -> usize {
    line.split_whitespace().map(str::len).sum()
}

/// Adds the span of some words, joined to the last one when only blanks lie between.
fn push_range(ranges: &mut Ranges, words: &[(usize, &str)], line: &str) {
    let (Some((start, _)), Some((last, word))) = (words.first(), words.last()) else {
        return;
    };
    let (start, end) = (*start, last + word.len());
    match ranges.last_mut() {
        Some(before) if line[before.end..start].trim().is_empty() => before.end = end,
        _ => ranges.push(start..end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::diff::parse_unified;
    use proptest::prelude::*;

    #[test]
    fn changed_words_are_found() {
        let (old, new) = (
            "  tokio::time::sleep(delay).await;",
            "  tokio::time::sleep(pause).await;",
        );
        let (removed, added) = emphasis(old, new);
        assert_eq!(
            removed
                .iter()
                .map(|range| &old[range.clone()])
                .collect::<Vec<_>>(),
            ["delay"]
        );
        assert_eq!(
            added.iter().map(|range| &new[range.clone()]).collect::<Vec<_>>(),
            ["pause"]
        );
    }

    #[test]
    fn neighbouring_changes_are_one_range() {
        let (removed, _) = emphasis("let one two three = 1;", "let x y three = 1;");
        assert_eq!(removed, std::slice::from_ref(&(4..11)));
    }

    #[test]
    fn lines_with_little_in_common_get_none() {
        assert_eq!(
            emphasis("completely different", "nothing of that here, at all"),
            (vec![], vec![])
        );
    }

    #[test]
    fn removed_and_added_lines_are_paired_in_order() {
        let hunks =
            parse_unified("@@ -1,3 +1,3 @@\n-let a = 1;\n-let b = 2;\n+let a = 3;\n+let b = 4;\n c\n");
        let emphasis = hunk_emphasis(&hunks[0]);
        let starts: Vec<Vec<usize>> = emphasis
            .iter()
            .map(|ranges| ranges.iter().map(|range| range.start).collect())
            .collect();
        assert_eq!(starts, [vec![8], vec![8], vec![8], vec![8], vec![]]);
    }

    proptest! {
        #[test]
        fn ranges_are_in_order_and_on_boundaries(old in "[a世 .(]{0,30}", new in "[a世 .(]{0,30}") {
            let (removed, added) = emphasis(&old, &new);
            for (line, ranges) in [(&old, removed), (&new, added)] {
                let mut last = 0;
                for range in ranges {
                    prop_assert!(range.start >= last && range.start < range.end);
                    prop_assert!(line.get(range.clone()).is_some());
                    last = range.end;
                }
            }
        }
    }
}
