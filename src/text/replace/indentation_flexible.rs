//! Windows of lines that equal the old text after the common indentation of both is removed.
//!
//! Everything that is found here is found by `line_trimmed` as well; it stays because the order of strategies is a
//! contract.

use super::Span;
use super::search::Search;
use super::white_space::is_white_space;
use crate::text::sequence::starts_of;

pub(super) fn positions(search: &Search<'_>) -> Vec<Span> {
    let lines = search.lines();
    let trimmed = search.trimmed();
    let size = trimmed.old.len();
    let old = without_indentation(search.old_lines());
    // Equal without indentation implies equal after trimming, which is quick to look for.
    starts_of(&trimmed.text, &trimmed.old)
        .filter(|first| {
            let window: Vec<&str> = (*first..first + size).map(|line| lines.get(line)).collect();
            without_indentation(&window) == old
        })
        .take(search.enough())
        .map(|first| search.span(first..first + size))
        .collect()
}

/// Removes as much white space from every line as all lines that are not blank begin with.
fn without_indentation<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let is_blank = |line: &str| line.chars().all(is_white_space);
    let indentation = |line: &str| line.chars().take_while(|c| is_white_space(*c)).count();
    let common = lines
        .iter()
        .filter(|line| !is_blank(line))
        .map(|line| indentation(line))
        .min()
        .unwrap_or(0);
    let cut = |line: &'a str| match line.char_indices().nth(common) {
        Some((at, _)) if !is_blank(line) => &line[at..],
        _ => line,
    };
    lines.iter().map(|line| cut(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::replace::Occurrences;
    use crate::text::replace::Tolerance;

    fn positions(text: &str, old: &str) -> Vec<(usize, usize)> {
        let spans = super::positions(&Search::new(text, old, Occurrences::One, Tolerance::Safe));
        spans
            .into_iter()
            .map(|span| (span.range.start, span.range.end))
            .collect()
    }

    #[test]
    fn only_the_common_indentation_may_differ() {
        assert_eq!(positions("    if a:\n      b\n", "if a:\n  b"), [(0, 17)]);
        assert_eq!(positions("    if a:\n      b\n", "  if a:\n    b\n"), [(0, 18)]);
        assert!(positions("    if a:\n      b\n", "if a:\nb").is_empty());
        assert!(positions("a \n", "a").is_empty());
    }

    #[test]
    fn blank_lines_have_no_say() {
        assert_eq!(positions("  a\n\n  b\n", "a\n\nb"), [(0, 8)]);
    }
}
