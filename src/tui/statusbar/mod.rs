//! The first and the last row: what this session is, and what can be done now.

mod hints;
mod title;

pub(crate) use hints::Hints;
pub(crate) use title::{OtherSessionCounts, SessionFacts, TitleRow, mode_meaning, mode_name};
