//! Unified diffs: writing them, reading them for drawing, and finding the words that changed.
//!
//! Texts are compared as LF-normalised lines; only `\n` ends a line. The comparison uses no clock: its search is bounded
//! by the shape of the input, so that the same texts always give the same diff, and texts of many megabytes that have
//! little in common give a longer diff than necessary instead of a long wait.

mod compare;
mod files;
mod parse;
mod unified;
mod words;

pub use files::{FileDiff, split_files, unapply, unapply_loosely};
pub use parse::{DiffLine, Hunk, Sign, parse_unified};
pub use unified::{DiffHunk, UnifiedDiff, diff_hunks, unified, unified_renamed, with_hunks};
pub use words::{emphasis, hunk_emphasis};
