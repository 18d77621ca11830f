//! The title row, the status line of a turn and the hint row: what this session is, what goes on in it, and what can be
//! done now.

mod hints;
mod title;
mod turn;

pub(crate) use hints::Hints;
pub(crate) use title::{OtherSessionCounts, SessionFacts, TitleRow, mode_meaning};
pub(crate) use turn::TurnLine;
