//! Lines that are named by number and content: `5:89|const y = 2`.
//!
//! A tag is a line's number and a hash of its content without white space. Whoever quotes a tag has seen that line, so an
//! edit needs no text to find its place, and one that was made for other content is refused. [`struct@Hash`] makes tags,
//! [`Reference`] reads them back, [`mod@place`] turns edits into splices, [`without_echo`] takes tags out of text that should
//! not have them.
//!
//! All references are checked against the text as it is before anything moves, and nothing is ever looked for elsewhere:
//! a hash has 256 values, so a line that fits by chance is not rare. Texts are LF-normalised and without a byte order
//! mark. A final line break makes no further line, and a text without one stays without one.
//!
//! ```
//! use lathe::text::hashline::{Edit, NumberedEdit, Reference, place};
//!
//! let line: Reference = "2:89".parse().unwrap();
//! let edit = Edit::Change { first: line, last: line, lines: vec!["const y = 3".to_owned()] };
//! let edits = [NumberedEdit { number: 1, edit }];
//! let splices = place("const x = 1\nconst y = 2\n", &edits).unwrap();
//! assert_eq!(splices, [(12..23, "const y = 3".to_owned())]);
//! ```

mod echo;
mod error;
mod place;
mod reference;
mod tag;
#[cfg(test)]
mod tests;

pub use echo::without_echo;
pub use error::{Failure, Mismatch, PlaceError};
pub use place::place;
pub use reference::{Reference, ReferenceError};
pub use tag::{Hash, LineHasher, tagged_lines};

/// A change of lines that references name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// The lines from `first` to `last` become these; none takes them away.
    Change {
        first: Reference,
        last: Reference,
        lines: Vec<String>,
    },
    InsertAfter {
        line: Reference,
        lines: Vec<String>,
    },
    InsertBefore {
        line: Reference,
        lines: Vec<String>,
    },
    Append {
        lines: Vec<String>,
    },
    Prepend {
        lines: Vec<String>,
    },
}

impl Edit {
    /// Returns the references that have to hold.
    fn references(&self) -> impl Iterator<Item = Reference> {
        let (first, last) = match self {
            Self::Change { first, last, .. } => (Some(*first), Some(*last)),
            Self::InsertAfter { line, .. } | Self::InsertBefore { line, .. } => (Some(*line), None),
            Self::Append { .. } | Self::Prepend { .. } => (None, None),
        };
        first.into_iter().chain(last)
    }

    fn lines(&self) -> &[String] {
        match self {
            Self::Change { lines, .. }
            | Self::InsertAfter { lines, .. }
            | Self::InsertBefore { lines, .. }
            | Self::Append { lines }
            | Self::Prepend { lines } => lines,
        }
    }
}

/// An edit and its place among all edits of the call, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberedEdit {
    pub number: usize,
    pub edit: Edit,
}

/// Returns the lines that a text stands for: one final line break makes none, and the empty text is one empty line.
pub fn new_lines(text: &str) -> Vec<String> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.split('\n').map(str::to_owned).collect()
}
