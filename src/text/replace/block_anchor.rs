//! Blocks whose first and last line are the old text's and whose inner lines resemble its inner lines.
//!
//! A block is accepted when its inner lines are 65 % alike on average; of several, the best one. Blocks that are best
//! together cannot be told apart and are reported as a tie, also when all occurrences are wanted: resembling is not
//! occurring. The classic tolerance takes a block of any size, the only one whatever is in it, and of several the first
//! of those that are most alike, from 30 % on.

use super::budget::{Budget, BudgetExhausted};
use super::search::Search;
use super::white_space::trim;
use super::{Span, Tolerance};
use crate::text::lines::Lines;

/// Minimum similarity of a block.
const MIN_SIMILARITY: f64 = 0.65;
/// Minimum similarity with the classic tolerance where there are several.
const MIN_CLASSIC: f64 = 0.3;
/// Letters compared with letters, about. Enough for thousands of ordinary blocks; see the module's note on budgets.
const STEPS: u64 = 150_000_000;
/// Sums of the same shares in another order differ by less.
const EPSILON: f64 = 1e-9;

pub(super) fn positions(search: &Search<'_>) -> Vec<Span> {
    best_blocks(search).unwrap_or_else(|BudgetExhausted| Vec::new())
}

fn best_blocks(search: &Search<'_>) -> Result<Vec<Span>, BudgetExhausted> {
    let old = search.old_lines();
    if old.len() < 3 {
        return Ok(Vec::new());
    }
    let inner = &old[1..old.len() - 1];
    let mut budget = Budget::new(STEPS);
    let candidates = candidates(search);
    let is_classic = search.tolerance == Tolerance::Classic;
    let mut best = match (is_classic, candidates.len()) {
        (false, _) => MIN_SIMILARITY,
        (true, 1) => 0.0,
        (true, _) => MIN_CLASSIC,
    };
    let mut blocks = Vec::new();
    for (first, last) in candidates {
        let Some(similarity) = similarity(inner, search.lines(), first..last, best, &mut budget)? else {
            continue;
        };
        if similarity > best + EPSILON {
            blocks.clear();
        } else if is_classic && !blocks.is_empty() {
            continue;
        }
        best = best.max(similarity);
        blocks.push(search.span(first..last + 1));
    }
    Ok(blocks)
}

/// Returns the first and last line of every block of about the right size.
fn candidates(search: &Search<'_>) -> Vec<(usize, usize)> {
    let trimmed = search.trimmed();
    let (first, last) = (trimmed.old[0], trimmed.old[trimmed.old.len() - 1]);
    let size = trimmed.old.len();
    let tolerance = match search.tolerance {
        Tolerance::Classic => usize::MAX,
        Tolerance::Strict | Tolerance::Safe => (size / 4).max(1),
    };
    let mut candidates = Vec::new();
    let mut end = 0;
    for start in (0..trimmed.text.len()).filter(|line| trimmed.text[*line] == first) {
        end = end.max(start + 2);
        while end < trimmed.text.len() && trimmed.text[end] != last {
            end += 1;
        }
        if end >= trimmed.text.len() {
            break;
        }
        if (end - start + 1).abs_diff(size) <= tolerance {
            candidates.push((start, end));
        }
    }
    candidates
}

/// Returns how alike the lines inside a block are to the old inner lines, none when it is less than `least`.
///
/// Lines are paired from the top, as many as both have; a pair of empty lines counts as different.
fn similarity(
    inner: &[&str],
    lines: &Lines<'_>,
    block: std::ops::Range<usize>,
    least: f64,
    budget: &mut Budget,
) -> Result<Option<f64>, BudgetExhausted> {
    let pairs = inner.len().min(block.len() - 1);
    let mut sum = 0.0;
    for (index, old) in inner.iter().take(pairs).enumerate() {
        sum += line_similarity(trim(old), trim(lines.get(block.start + 1 + index)), budget)?;
        let at_most = sum + (pairs - index - 1) as f64;
        if at_most / (pairs as f64) < least - EPSILON {
            return Ok(None);
        }
    }
    Ok(Some(sum / pairs as f64))
}

fn line_similarity(old: &str, line: &str, budget: &mut Budget) -> Result<f64, BudgetExhausted> {
    budget.spend(1 + (old.len() + line.len()) / 16)?;
    if old == line {
        return Ok(if old.is_empty() { 0.0 } else { 1.0 });
    }
    let (old, line): (Vec<char>, Vec<char>) = (old.chars().collect(), line.chars().collect());
    let longer = old.len().max(line.len());
    Ok(1.0 - levenshtein(&old, &line, budget)? as f64 / longer as f64)
}

/// Returns how many letters must be inserted, removed or changed to get from one to the other.
fn levenshtein(a: &[char], b: &[char], budget: &mut Budget) -> Result<usize, BudgetExhausted> {
    let prefix = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[prefix..], &b[prefix..]);
    let suffix = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (a, b) = (&a[..a.len() - suffix], &b[..b.len() - suffix]);
    if a.is_empty() || b.is_empty() {
        return Ok(a.len().max(b.len()));
    }
    budget.spend(a.len().saturating_mul(b.len()))?;
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (above, a) in a.iter().enumerate() {
        let mut diagonal = above;
        row[0] = above + 1;
        for (column, b) in b.iter().enumerate() {
            let changed = diagonal + usize::from(a != b);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    Ok(row[b.len()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::replace::tests::{ambiguous, found, no_match};
    use crate::text::replace::{Occurrences, find};
    use proptest::prelude::*;

    #[test]
    fn a_block_with_a_misremembered_line_is_found() {
        let text = "fn a() {\n    let value = compute(1);\n    done\n}\n";
        let old = "fn a() {\n    let value = compute(2);\n    done\n}";
        assert_eq!(found(text, old), ("block_anchor", vec![text.trim_end()]));
    }

    #[test]
    fn a_block_that_is_less_alike_is_not() {
        no_match("begin\nabcdefghij\nend\n", "begin\nabcdefxxxx\nend");
        assert_eq!(
            found("begin\nabcdefghij\nend\n", "begin\nabcdefgxxx\nend").0,
            "block_anchor"
        );
    }

    #[test]
    fn fewer_than_three_lines_have_no_inside() {
        no_match("begin\nend\n", "begin \n\nxx\n");
        no_match("begin x\nend\n", "begin y\nend\n");
    }

    #[test]
    fn the_block_may_be_a_quarter_larger_or_smaller() {
        let text = "begin\naaaa\nbbbb\ncccc\nend\n";
        assert_eq!(found(text, "begin\naaaa\nbbbb\nend").0, "block_anchor");
        no_match(text, "begin\naaaa\nend");
    }

    #[test]
    fn the_block_ends_at_the_first_line_that_can_end_it() {
        let text = "begin\naaaa\nend\nbbbb\nend\n";
        assert_eq!(found(text, "begin\naaab\nend").1, ["begin\naaaa\nend"]);
    }

    #[test]
    fn of_several_blocks_the_best_is_taken() {
        let text = "begin\nabcdefgx\nend\nbegin\nabcdefgh\nend\n";
        assert_eq!(found(text, "begin\nabcdefghi\nend").1, ["begin\nabcdefgh\nend"]);
    }

    #[test]
    fn a_tie_for_the_best_is_ambiguous() {
        let text = "begin\nabcdefgx\nend\nbegin\nabcdefgy\nend\n";
        assert_eq!(ambiguous(text, "begin\nabcdefgh\nend"), [1, 4]);
        assert!(find(text, "begin\nabcdefgh\nend", Occurrences::All, Tolerance::Safe).is_err());
    }

    #[test]
    fn a_pair_of_empty_lines_counts_as_different() {
        no_match("begin\nabcd\n\nend\n", "begin\nabcx\n\nend");
    }

    proptest! {
        #[test]
        fn distance_is_what_the_reference_says(a in "[abc]{0,12}", b in "[abc]{0,12}") {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            let distance = levenshtein(&chars(&a), &chars(&b), &mut Budget::new(u64::MAX)).ok();
            prop_assert_eq!(distance, Some(strsim::levenshtein(&a, &b)));
        }
    }
}
