//! Why a patch cannot be read or placed, in words for the model.

use crate::text::replace::Region;

/// A patch that is no patch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the patch: {problem}")]
pub struct ParseError {
    /// 1-based.
    pub line: usize,
    pub problem: ParseProblem,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseProblem {
    #[error("expected `*** Begin Patch`, found {0}")]
    NoBegin(QuotedLine),
    #[error("the patch ends without `*** End Patch`")]
    NoEnd,
    #[error("only blank lines may follow `*** End Patch`, found {0}")]
    AfterEnd(QuotedLine),
    #[error("a code fence is not part of a patch; leave it out")]
    CodeFence,
    #[error(
        "{0} is no header of the format; use `*** Add File: PATH`, `*** Delete File: PATH` or `*** Update File: PATH`"
    )]
    UnknownHeader(QuotedLine),
    #[error("`*** Move to: PATH` stands only right after `*** Update File: PATH`")]
    StrayMove,
    #[error("`*** End of File` stands only after the lines of a chunk")]
    StrayEndOfFile,
    #[error("expected `*** Add File: PATH`, `*** Delete File: PATH` or `*** Update File: PATH`, found {0}")]
    NoSection(QuotedLine),
    #[error("the patch changes nothing: give at least one section between its first and last line")]
    Empty,
    #[error("the header names no path")]
    EmptyPath,
    #[error(
        "the section for `{0}` has no chunk; give the lines to change, or one line of context to move the file"
    )]
    NoChunk(String),
    #[error("the chunk has no lines; each begins with a blank, `-` or `+`")]
    EmptyChunk,
    #[error("a chunk has one `@@` line; put the second one before lines of its own, or leave one out")]
    TwoHeaders,
    #[error("`@@` is followed by a blank and a line of the file, or by nothing, found {0}")]
    GluedHeader(QuotedLine),
    #[error("line numbers are not part of the format: write `@@` alone, or `@@ ` and a line of the file")]
    LineNumbers,
    #[error("the note about a missing final newline is not part of the format; leave it out")]
    NoNewlineNote,
    #[error("each line of a new file begins with `+`, found {0}")]
    UnprefixedAdd(QuotedLine),
    #[error("each line of a chunk begins with a blank, `-` or `+`, found {0}")]
    UnprefixedLine(QuotedLine),
    #[error("after `*** End of File` comes a chunk that begins with `@@`, or the next section, found {0}")]
    AfterEndOfFile(QuotedLine),
}

/// A line as an error quotes it: cut when it is long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuotedLine(String);

impl QuotedLine {
    const MOST: usize = 80;

    pub(super) fn new(line: &str) -> Self {
        let line = line.trim();
        match line.char_indices().nth(Self::MOST) {
            Some((at, _)) => Self(format!("{}…", &line[..at])),
            None => Self(line.to_owned()),
        }
    }
}

impl std::fmt::Display for QuotedLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() {
            f.write_str("a blank line")
        } else {
            write!(f, "`{}`", self.0)
        }
    }
}

/// A chunk that has no place in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceError {
    /// The chunk's line in the patch, 1-based.
    pub line: usize,
    pub problem: PlaceProblem,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlaceProblem {
    /// The line behind `@@` is not there, or only before an earlier chunk.
    Header { header: String, nearest: Option<Region> },
    /// The old lines are not there, or only before an earlier chunk.
    Lines {
        old: Vec<String>,
        nearest: Option<Region>,
        /// 1-based; where the search began.
        from: usize,
    },
    /// The old lines are not the last ones of the file.
    NotAtEnd {
        old: Vec<String>,
        nearest: Option<Region>,
    },
    /// The text repeats itself so much that looking for the chunk was given up.
    TooMuch,
}
