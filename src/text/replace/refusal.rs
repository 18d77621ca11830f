//! Refuses what a loose strategy found when it is far larger than what was asked for.

use super::error::{Refusal, ReplaceError};
use super::search::Search;
use super::white_space::trim;
use super::{Span, Strategy};
use crate::text::lines::Lines;

pub(super) fn check(search: &Search<'_>, strategy: Strategy, spans: &[Span]) -> Result<(), ReplaceError> {
    let old_lines = search.old_lines().len();
    let old_length = trim(search.old).chars().count();
    for span in spans {
        let matched = &search.text[span.range.clone()];
        let lines = Lines::new(matched).count();
        let too_many_lines = lines >= (old_lines + 3).max(2 * old_lines);
        let too_long =
            old_lines > 1 && trim(matched).chars().count() > (old_length + 500).max(4 * old_length);
        if too_many_lines || too_long {
            let first = search.lines().line_of(span.range.start) + 1;
            return Err(ReplaceError::Refused(Refusal::TooMuch {
                strategy,
                line_start: first,
                line_end: first + lines.saturating_sub(1),
                old_lines,
            }));
        }
    }
    Ok(())
}
