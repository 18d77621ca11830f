//! The drawing vocabulary: data, a width and a theme in, lines out.
//!
//! Nothing here reads a file, a clock or the terminal. Callers say how to draw with a [`Look`], and get lines that are
//! never wider than they asked and never hold a control character, whatever the data was.

mod ascii;
pub mod card;
pub mod diff;
pub(crate) mod flow;
pub mod highlight;
pub mod judged;
pub mod link;
mod look;
pub mod markdown;
#[cfg(test)]
pub(crate) mod picture;
#[cfg(test)]
mod snapshots;
pub mod spinner;
mod table;
pub mod theme;
mod tree;

pub use ascii::in_ascii;
pub use look::{Look, LookKey, Symbols, status_meaning};
