//! The regions of a text that resemble an old text which is nowhere in it, to quote to the model.
//!
//! A hint, not a strategy: windows of as many lines are scored by the pieces they share with the old text, words first
//! and, when no words are shared, pairs of letters. Reads the text a fixed number of times.

use std::collections::HashSet;

use super::error::Region;
use super::search::{Search, UNKNOWN};
use super::white_space::trim;

const MAX_REGIONS: usize = 3;
/// Longer regions are cut, and so are longer lines.
const MAX_LINES: usize = 40;
const MAX_LINE_CHARS: usize = 400;
/// Minimum resemblance; regions that resemble less are no help.
const MIN_SCORE: f64 = 0.3;

/// Returns at most three regions, the nearest first.
pub(super) fn regions(search: &Search<'_>) -> Vec<Region> {
    let windows = by_words(search);
    let windows = if windows.is_empty() {
        by_letters(search)
    } else {
        windows
    };
    windows.into_iter().map(|first| region(search, first)).collect()
}

fn region(search: &Search<'_>, first: usize) -> Region {
    let lines = search.lines();
    let end = (first + search.old_lines().len().min(MAX_LINES)).min(lines.count());
    let text: Vec<&str> = (first..end).map(|line| cut(lines.get(line))).collect();
    Region {
        line_start: first + 1,
        line_end: end,
        text: text.join("\n"),
    }
}

fn cut(line: &str) -> &str {
    line.char_indices()
        .nth(MAX_LINE_CHARS)
        .map_or(line, |(at, _)| &line[..at])
}

/// Pieces of one line: those that occur in the old text, and all.
#[derive(Debug, Clone, Copy, Default)]
struct Pieces {
    shared: usize,
    all: usize,
}

fn by_words(search: &Search<'_>) -> Vec<usize> {
    let known: HashSet<&str> = identifiers(search.old).collect();
    let count = |line: &str| {
        let mut pieces = Pieces::default();
        for word in identifiers(line) {
            pieces.all += 1;
            pieces.shared += usize::from(known.contains(word));
        }
        pieces
    };
    best_windows(search, count)
}

fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
}

fn by_letters(search: &Search<'_>) -> Vec<usize> {
    let mut known = vec![false; 1 << 16];
    for line in search.old_lines() {
        for pair in trim(line).as_bytes().windows(2) {
            known[usize::from(u16::from_be_bytes([pair[0], pair[1]]))] = true;
        }
    }
    let count = |line: &str| {
        let line = trim(line).as_bytes();
        let is_known = |pair: &&[u8]| known[usize::from(u16::from_be_bytes([pair[0], pair[1]]))];
        Pieces {
            shared: line.windows(2).filter(is_known).count(),
            all: line.len().saturating_sub(1),
        }
    };
    best_windows(search, count)
}

/// Returns the first lines of the best windows that do not overlap.
fn best_windows(search: &Search<'_>, count: impl Fn(&str) -> Pieces) -> Vec<usize> {
    let lines = search.lines();
    let size = search.old_lines().len().min(lines.count()).max(1);
    let wanted: usize = search.old_lines().iter().map(|line| count(line).all).sum();
    if wanted == 0 || lines.count() == 0 {
        return Vec::new();
    }
    let per_line: Vec<Pieces> = lines.iter().map(&count).collect();
    // A line that is wholly the same says more than its words do.
    let same = |line: usize| usize::from(search.trimmed().text[line] != UNKNOWN) * per_line[line].shared;
    let (mut shared, mut all) = (0, 0);
    let mut scored: Vec<(f64, usize)> = Vec::new();
    for line in 0..lines.count() {
        shared += per_line[line].shared + same(line);
        all += per_line[line].all;
        if line >= size {
            shared -= per_line[line - size].shared + same(line - size);
            all -= per_line[line - size].all;
        }
        if line + 1 >= size {
            let score = shared as f64 / all.max(wanted) as f64;
            if score >= MIN_SCORE {
                scored.push((score, line + 1 - size));
            }
        }
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut best: Vec<usize> = Vec::new();
    for (_, first) in scored {
        if best.iter().all(|other| other.abs_diff(first) >= size) {
            best.push(first);
        }
        if best.len() == MAX_REGIONS {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::replace::Occurrences;
    use crate::text::replace::Tolerance;

    fn nearest(text: &str, old: &str) -> Vec<(usize, usize, String)> {
        let regions = regions(&Search::new(text, old, Occurrences::One, Tolerance::Safe));
        regions
            .into_iter()
            .map(|region| (region.line_start, region.line_end, region.text))
            .collect()
    }

    #[test]
    fn the_line_that_shares_most_words_is_nearest() {
        let text = "fn a() {}\nfn compute(value: u32) -> u32 {\n    value\n}\n";
        assert_eq!(nearest(text, "fn compute(value: i64) -> i64 {")[0].0, 2);
    }

    #[test]
    fn regions_are_as_long_as_the_old_text_and_do_not_overlap() {
        let text = "alpha beta\ngamma\n".repeat(5);
        let regions = nearest(&text, "alpha betta\ngamma");
        assert_eq!(regions.len(), 3);
        assert_eq!(regions[0], (1, 2, "alpha beta\ngamma".to_owned()));
    }

    #[test]
    fn letters_decide_when_no_word_is_shared() {
        assert_eq!(nearest("one\nhello world\nthree\n", "helo wrld")[0].0, 2);
    }

    #[test]
    fn nothing_is_nearest_in_a_text_of_another_kind() {
        assert!(nearest("1234\n5678\n", "abc").is_empty());
        assert!(nearest("", "abc").is_empty());
    }
}
