//! The tasks of a tree of sessions: their numbers, and which changes of them are worth a line.
//!
//! [`TaskList`] holds what the engine last told of each task, [`words`] says it. A number is a task's place in the order in
//! which they were started, so it stays what it is as long as the session is open. Times are milliseconds since the Unix
//! epoch and come from outside.

mod list;
pub(super) mod words;

pub(super) use list::{FinishedGroup, TaskChange, TaskList, TaskNumber};
