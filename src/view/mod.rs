//! The drawing vocabulary: data, a width and a theme in, lines out.
//!
//! Nothing here reads a file, a clock or the terminal. Callers say how to draw with a [`Look`], and get lines that are
//! never wider than they asked and never hold a control character, whatever the data was.
//!
//! Import circle: approval, card, diff, tree: the parts of a card are laid out by them, and their types are the card's.

pub mod approval;
mod ascii;
pub mod card;
pub mod diff;
pub mod highlight;
pub mod link;
mod look;
pub mod markdown;
#[cfg(test)]
mod snapshots;
pub mod spinner;
mod status;
pub(crate) mod styled_text;
mod table;
#[cfg(test)]
pub(crate) mod test_look;
pub mod theme;
mod tree;

pub use ascii::in_ascii;
pub use look::{Look, LookKey, Symbols, status_meaning};
