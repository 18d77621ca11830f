//! The keeper: a process below which commands run, and which ends all of them when lathe has ended.
//!
//! A command that moves to another session is out of its group's reach, and once its parent has ended it belongs to
//! nobody that lathe knows. So commands are started by a small process of lathe's own binary ([`WORD`]) that is the
//! reaper of everything below it: what loses its parent becomes the keeper's child, whatever it does to its group, its
//! session or its environment. The keeper holds a socket to lathe. However lathe ends, the system closes the other end;
//! then the keeper asks everything below it to end, kills what has not half a second later, and ends itself.
//!
//! When the keeper itself is killed, everything below it becomes lathe's, as lathe is a reaper too; then lathe ends it, and
//! the next command has a new keeper. Only who kills both at once leaves something behind.
//!
//! It is started with the first command and costs nothing before. Starting through it is quicker than without: a plain
//! fork copies the page tables of its parent, and the keeper has few.
//!
//! Only Linux has reapers, and only a front end turns the keeper on ([`enable`]): where it is off or cannot be started,
//! commands are children of lathe and end with their groups.

mod client;
mod ending;
mod message;
mod server;

pub use client::enable;
pub(super) use client::{KeeperProcess, KeeperStart, start};
pub use server::run;

/// The first word of lathe's command line that makes it the keeper.
pub const WORD: &str = "__keep";
