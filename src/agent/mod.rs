//! Turns a conversation into work: the turn as a state machine, and the driver that performs its effects.

pub mod access;
pub mod background;
pub mod compaction;
pub mod driver;
pub mod estimate;
pub mod history;
pub mod prompt;
pub mod reminder;
pub mod turn;

#[cfg(test)]
mod tests;
