//! Algorithms over text: measuring, wrapping, cleaning, cutting, comparing and replacing.
//!
//! Everything here is a pure function or a small state machine: text in, text or byte ranges out. Nothing touches a
//! file, a clock, a terminal or another module of the crate, nothing is async, and no cost grows faster than the
//! input does, except where a bound is written down beside it.
//!
//! Byte ranges always lie on character boundaries of the text they were asked about.

pub mod align;
pub mod count;
pub mod diff;
pub mod encoding;
pub mod fuzzy;
pub mod hashline;
pub mod json;
mod lines;
pub mod markdown;
pub mod partial_json;
pub mod patch;
pub mod path;
pub mod replace;
pub mod sanitize;
mod sequence;
pub mod sgr;
pub mod size;
pub mod surrogates;
pub mod truncate;
pub mod utf8;
pub mod width;
pub mod wrap;
