//! Blocks of as many lines whose first and last line and at least half of the others equal the old text's.

use super::Span;
use super::budget::{Budget, BudgetExhausted};
use super::search::Search;
use super::white_space::trim;

/// Lines compared with lines.
const STEPS: u64 = 300_000_000;

pub(super) fn positions(search: &Search<'_>) -> Vec<Span> {
    blocks(search).unwrap_or_else(|BudgetExhausted| Vec::new())
}

fn blocks(search: &Search<'_>) -> Result<Vec<Span>, BudgetExhausted> {
    let trimmed = search.trimmed();
    let size = trimmed.old.len();
    if size < 3 {
        return Ok(Vec::new());
    }
    let blank: Vec<bool> = search
        .old_lines()
        .iter()
        .map(|line| trim(line).is_empty())
        .collect();
    let mut budget = Budget::new(STEPS);
    let mut spans = Vec::new();
    for (first, block) in trimmed.text.windows(size).enumerate() {
        if block[0] != trimmed.old[0] || block[size - 1] != trimmed.old[size - 1] {
            continue;
        }
        budget.spend(size)?;
        let (mut equal, mut counted) = (0, 0);
        for line in 1..size - 1 {
            let is_equal = block[line] == trimmed.old[line];
            if is_equal && blank[line] {
                continue;
            }
            counted += 1;
            equal += usize::from(is_equal);
        }
        if 2 * equal >= counted {
            spans.push(search.span(first..first + size));
        }
        if spans.len() >= search.enough() {
            break;
        }
    }
    Ok(spans)
}

#[cfg(test)]
mod tests {
    use crate::text::replace::tests::{ambiguous, found, no_match};

    #[test]
    fn half_of_the_inner_lines_suffice() {
        let text = "begin\nsame\nentirely other\nend\n";
        assert_eq!(
            found(text, "begin\nsame\nxxxx\nend"),
            ("context_aware", vec![text.trim_end()])
        );
        no_match(
            "begin\nsame\nentirely other\nmore\nend\n",
            "begin\nsame\nxxxx\nqqqqqqqqq\nend",
        );
    }

    #[test]
    fn lines_that_are_blank_on_both_sides_do_not_count() {
        let text = "begin\n\n\nentirely other\nend\n";
        no_match(text, "begin\n\n\nxxxx\nend");
        assert_eq!(
            found("begin\n\nsame\nentirely other\nend\n", "begin\n\nsame\nxxxx\nend").0,
            "context_aware"
        );
    }

    #[test]
    fn the_line_count_must_be_the_same() {
        no_match(
            "begin\nsame\nsame\nentirely other\nend\n",
            "begin\nxxxx\nsame\nend",
        );
    }

    #[test]
    fn several_blocks_are_ambiguous() {
        let text = "begin\nsame\nentirely other\nend\n";
        assert_eq!(ambiguous(&text.repeat(2), "begin\nsame\nxxxx\nend"), [1, 5]);
    }
}
