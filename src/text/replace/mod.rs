//! Finds the text that an edit means, and says what takes its place.
//!
//! A model quotes the text to replace from memory: indentation drifts, escapes creep in, a line in the middle is
//! misremembered. Nine strategies, from exact to loose, look for it; the first that finds any position decides, and
//! one that finds several never hands on to a looser one. What is found are byte ranges of the text as it is; the new
//! text goes in literally.
//!
//! Adding a strategy: one file with a [`Replacer`], and its line in [`STRATEGIES`]. A strategy reports every position
//! by its own definition and decides nothing else; uniqueness, overlaps and refusals are judged here for all of them.
//!
//! Texts are LF-normalised and without a byte order mark. Work is bounded on large files: strategies that compare lines
//! letter by letter have a budget, and one that exceeds it finds nothing, because a guess would be worse.

mod block_anchor;
mod budget;
mod context_aware;
mod error;
mod escape_normalized;
mod indentation_flexible;
mod line_trimmed;
mod multi_occurrence;
mod nearest;
mod plan;
mod refusal;
mod search;
mod trimmed_boundary;
mod white_space;
mod whitespace_normalized;

use std::ops::Range;

pub use error::{Refusal, Region, ReplaceError};
pub use plan::{Plan, Replacement, plan};
pub use white_space::is_white_space;

use search::Search;

/// Returns the region of `text` that resembles the lines of `old` most, to quote where they are not found.
pub fn nearest_region(text: &str, old: &str) -> Option<Region> {
    nearest::regions(&Search::new(text, old, Occurrences::One, Tolerance::default()))
        .into_iter()
        .next()
}

/// How many occurrences an edit means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occurrences {
    /// Exactly one; more are ambiguous.
    One,
    /// Every one that does not overlap with one before it.
    All,
}

/// Maximum deviation of a match from the old text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tolerance {
    /// The old text itself and nothing else.
    Strict,
    /// All strategies, and no span that is much larger than the old text.
    #[default]
    Safe,
    /// All strategies; blocks are held together by their first and last line, and nothing is refused for its size.
    Classic,
}

/// How a position was found.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum Strategy {
    Simple,
    LineTrimmed,
    BlockAnchor,
    WhitespaceNormalized,
    IndentationFlexible,
    EscapeNormalized,
    TrimmedBoundary,
    ContextAware,
    MultiOccurrence,
}

impl Strategy {
    /// Returns the name that results carry.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Exact strategies find nothing but the old text itself; only they are used for an old text of white space, and
    /// what they find is never refused.
    fn is_exact(self) -> bool {
        matches!(self, Self::Simple | Self::MultiOccurrence)
    }
}

/// A position: the bytes that would be replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    pub range: Range<usize>,
    pub kind: SpanKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    /// Exactly the text that was found.
    Text,
    /// Whole lines, with the break behind the last one when the old text ends in one and the file has it.
    Lines,
}

/// The regions that an edit would replace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditRegions {
    pub strategy: Strategy,
    /// In order, not overlapping, none empty.
    pub spans: Vec<Span>,
}

/// One way of looking for the old text: returns the positions in order of their starts. With [`Occurrences::One`], more
/// than [`Search::enough`] need not be found.
type Replacer = fn(&Search<'_>) -> Vec<Span>;

/// In the order in which they are tried. `multi_occurrence` is first because it is reported in place of `simple`.
const STRATEGIES: [(Strategy, Replacer); 9] = [
    (Strategy::MultiOccurrence, multi_occurrence::positions),
    (Strategy::Simple, |search| search.occurrences_of(search.old)),
    (Strategy::LineTrimmed, line_trimmed::positions),
    (Strategy::BlockAnchor, block_anchor::positions),
    (Strategy::WhitespaceNormalized, whitespace_normalized::positions),
    (Strategy::IndentationFlexible, indentation_flexible::positions),
    (Strategy::EscapeNormalized, escape_normalized::positions),
    (Strategy::TrimmedBoundary, trimmed_boundary::positions),
    (Strategy::ContextAware, context_aware::positions),
];

/// Occurrences that are replaced at once.
pub(super) const MAX_OCCURRENCES: usize = 100_000;

/// Finds what `old` means in `text`.
pub fn find(
    text: &str,
    old: &str,
    occurrences: Occurrences,
    tolerance: Tolerance,
) -> Result<EditRegions, ReplaceError> {
    if old.is_empty() {
        return Err(ReplaceError::Refused(Refusal::EmptyOld));
    }
    let search = Search::new(text, old, occurrences, tolerance);
    let only_exact = tolerance == Tolerance::Strict || old.chars().all(is_white_space);
    let strategies = STRATEGIES.into_iter();
    for (strategy, positions) in strategies.filter(|(strategy, _)| strategy.is_exact() || !only_exact) {
        let mut spans = positions(&search);
        if spans.len() > MAX_OCCURRENCES {
            return Err(ReplaceError::Refused(Refusal::TooMany));
        }
        spans.retain(|span| !span.range.is_empty());
        spans.dedup_by(|later, earlier| later.range == earlier.range);
        if spans.is_empty() {
            continue;
        }
        // Several anchored blocks are a tie: they cannot be told apart, and only one can be meant.
        let is_tied = strategy == Strategy::BlockAnchor;
        if spans.len() > 1 && (is_tied || occurrences == Occurrences::One) {
            return Err(ReplaceError::ambiguous(&search, strategy, &spans));
        }
        let spans = not_overlapping(spans);
        if !strategy.is_exact() && tolerance != Tolerance::Classic {
            refusal::check(&search, strategy, &spans)?;
        }
        return Ok(EditRegions { strategy, spans });
    }
    Err(ReplaceError::NoMatch {
        nearest: nearest::regions(&search),
    })
}

/// Keeps every span that starts behind the end of the one kept before it.
fn not_overlapping(spans: Vec<Span>) -> Vec<Span> {
    let mut end = 0;
    let mut kept = spans;
    kept.retain(|span| {
        let keep = span.range.start >= end;
        if keep {
            end = span.range.end;
        }
        keep
    });
    kept
}

#[cfg(test)]
mod tests;
