//! Terminals for programs: a pseudo-terminal with its screen, and what the kernel says of the program in it.
//!
//! A [`Terminal`] does not start programs. [`Terminal::open`] gives the three streams that a program is started with, by
//! the same code as every other command, so that confinement, environment and the keeper hold for it too. The program is
//! run through [`control`], which makes the streams its controlling terminal.
//!
//! One thread a terminal moves bytes: output into the screen, answers and keys to the program. It holds no more than one
//! piece of output; a program that prints faster than we read is held up by the kernel. Nobody who writes waits.
//!
//! `portable-pty` is not used: it starts the program itself, as a child of this process.

pub mod control;
mod device;
mod ending;
mod fair;
mod foreground;
mod input;
mod input_line;
mod process_list;
mod pump;
mod settle;
mod shared;
mod terminal;
mod waiting;

pub use device::PtySize;
pub use ending::{TerminalProcesses, end_all};
pub use fair::{FairGuard, FairMutex};
pub use foreground::{Executable, Foreground, ForegroundProcess};
pub use input::WriteError;
pub use input_line::{InputLine, InputState};
pub use process_list::ProcessList;
pub use settle::{Settle, SettleEvents, SettleOutcome, SettleStep};
pub use shared::TerminalExit;
pub use terminal::{ChildStreams, Terminal};
pub use waiting::{InputFacts, InputReading, InputWait, assess};
