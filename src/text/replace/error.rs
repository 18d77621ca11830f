//! Why an edit was not made, in words for the model.

use std::fmt;

use super::MAX_OCCURRENCES;
use super::search::Search;
use super::{Occurrences, Span, Strategy};

/// At most so many line numbers are listed.
const MAX_LINES: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplaceError {
    /// The new text is the old text.
    Identical,
    Ambiguous {
        strategy: Strategy,
        /// Lines on which positions start, 1-based, at most five.
        lines: Vec<usize>,
        /// True if there are further ones.
        more: bool,
        /// The occurrences that were asked for.
        asked: Occurrences,
    },
    NoMatch {
        /// Regions that resemble the old text, the nearest first.
        nearest: Vec<Region>,
    },
    Refused(Refusal),
}

/// Some lines of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// 1-based.
    pub line_start: usize,
    /// Inclusive.
    pub line_end: usize,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// An empty old text names no place.
    EmptyOld,
    /// A loose strategy found far more text than the old text is.
    TooMuch {
        strategy: Strategy,
        line_start: usize,
        line_end: usize,
        old_lines: usize,
    },
    /// All occurrences are wanted, and there are more than [`MAX_OCCURRENCES`].
    TooMany,
}

impl ReplaceError {
    pub(super) fn ambiguous(search: &Search<'_>, strategy: Strategy, spans: &[Span]) -> Self {
        let mut lines: Vec<usize> = Vec::new();
        // The strategies stop looking when they have enough.
        let mut more = spans.len() >= search.enough();
        for span in spans {
            let line = search.lines().line_of(span.range.start) + 1;
            if lines.contains(&line) {
                continue;
            }
            if lines.len() == MAX_LINES {
                more = true;
                break;
            }
            lines.push(line);
        }
        Self::Ambiguous {
            strategy,
            lines,
            more,
            asked: search.occurrences,
        }
    }
}

impl std::error::Error for ReplaceError {}

impl fmt::Display for ReplaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identical => {
                f.write_str("`old_string` and `new_string` are identical, so there is nothing to change")
            }
            Self::Ambiguous {
                strategy,
                lines,
                more,
                asked,
            } => {
                let noun = if lines.len() == 1 && !more {
                    "line"
                } else {
                    "lines"
                };
                let numbers: Vec<String> = lines.iter().map(usize::to_string).collect();
                let more = if *more { " and more" } else { "" };
                write!(
                    f,
                    "`old_string` has multiple matches ({strategy}), on {noun} {}{more}; ",
                    numbers.join(", ")
                )?;
                f.write_str(match asked {
                    Occurrences::One => {
                        "give more context around it so that it is unique, or set `replace_all` to change every one"
                    }
                    Occurrences::All => "they resemble it equally, so quote the one you mean exactly, with more context",
                })
            }
            Self::NoMatch { nearest } => {
                f.write_str(
                    "Could not find `old_string` in the file; it must match the text there, including white space",
                )?;
                if !nearest.is_empty() {
                    f.write_str("\nNearest regions:")?;
                }
                for region in nearest {
                    write!(
                        f,
                        "\nlines {}-{}\n{}",
                        region.line_start, region.line_end, region.text
                    )?;
                }
                Ok(())
            }
            Self::Refused(refusal) => refusal.fmt(f),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyOld => f.write_str(
                "Refusing to replace an empty `old_string` in a file that has text; use write to replace all of it",
            ),
            Self::TooMany => write!(
                f,
                "Refusing to replace more than {MAX_OCCURRENCES} occurrences of `old_string` at once"
            ),
            Self::TooMuch { strategy, line_start, line_end, old_lines } => {
                let lines = if *old_lines == 1 { "line" } else { "lines" };
                write!(
                    f,
                    "Refusing to replace lines {line_start}-{line_end}: {strategy} found far more text than \
                     the {old_lines} {lines} of `old_string`; quote all of the text to replace as it is in the file"
                )
            }
        }
    }
}
