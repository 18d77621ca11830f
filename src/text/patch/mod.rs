//! The patch format of `apply_patch`: reading it, finding its places in a text, and showing it while it streams.
//!
//! A patch names files and, for a file to update, chunks: lines that are there, lines to take away, lines to add. It has
//! no line numbers; a chunk's place is where its old lines are found. [`mod@parse`] reads the text, [`mod@place`] finds the chunks
//! of one file in its text, [`mod@sketch`] shows what has come of a patch that is still being written.
//!
//! Nothing here knows files: the paths are text as the patch has it, and what an operation does to a tree is the tool's
//! business. Texts to be changed are LF-normalised and without a byte order mark.
//!
//! ```
//! use lathe::text::patch::{Operation, parse, place};
//!
//! let patch = "*** Begin Patch\n*** Update File: a\n@@\n one\n-two\n+2\n*** End Patch";
//! let sections = parse(patch).unwrap();
//! let Operation::Update { chunks, .. } = &sections[0].operation else { panic!() };
//! assert_eq!(place("one\ntwo\n", chunks).unwrap().splices, [(4..8, "2\n".to_owned())]);
//! ```

mod error;
mod indentation;
mod level;
mod lines;
mod parse;
mod place;
mod sketch;

pub use error::{ParseError, ParseProblem, PlaceError, PlaceProblem};
pub use indentation::IndentationMismatch;
pub use level::Level;
pub use parse::parse;
pub use place::{PlacedPatch, place};
pub use sketch::{Sketch, SketchKind, sketch};

/// The part of a patch about one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section<'a> {
    pub path: &'a str,
    pub operation: Operation<'a>,
    /// Line of the patch at which the section begins, 1-based.
    pub line: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation<'a> {
    /// Creates a file of these lines, or replaces all of one.
    Add {
        lines: Vec<&'a str>,
    },
    Delete,
    Update {
        /// New path of a moved file.
        move_to: Option<&'a str>,
        /// At least one.
        chunks: Vec<Chunk<'a>>,
    },
}

/// A place in a file and what changes there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// A line of the file that stands somewhere before the chunk.
    pub header: Option<&'a str>,
    pub lines: Vec<ChunkLine<'a>>,
    /// True if the old lines are the last ones of the file.
    pub at_end: bool,
    /// Line of the patch at which the chunk begins, 1-based.
    pub line: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkLine<'a> {
    Context(&'a str),
    Removed(&'a str),
    Added(&'a str),
}

impl<'a> ChunkLine<'a> {
    /// Returns the line when the file has it before the patch.
    pub fn old(self) -> Option<&'a str> {
        match self {
            Self::Context(text) | Self::Removed(text) => Some(text),
            Self::Added(_) => None,
        }
    }

    /// Returns true for a line that is added and not blank.
    fn adds_text(&self) -> bool {
        matches!(self, Self::Added(text) if !text.trim().is_empty())
    }
}
