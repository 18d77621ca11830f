//! The tasks of a tree of sessions, as the screen knows them.
//!
//! [`TaskList`] holds what the engine last told of each, in the order in which they were started, and what only the screen
//! knows: which of those that ended nobody has looked at yet. [`TaskMark`] is the sign of a task's state, [`words`] says
//! what it does. Nothing here draws, asks the session for anything or reads a clock: times are milliseconds since the Unix epoch and come from outside.

mod list;
mod mark;
pub(crate) mod words;

pub(crate) use list::{FinishedGroup, TaskEntry, TaskList, state_counts};
pub(crate) use mark::TaskMark;
