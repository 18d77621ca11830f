//! Shell commands: started in a session of their own, read as they print, and stopped as a group.
//!
//! A command gets no terminal and nothing to read; its outputs are one stream in order of arrival. It ends by itself,
//! at its timeout or when its token is cancelled, and then nothing of its group is left running. What is printed is
//! handed on as bytes and kept nowhere, so memory does not grow with it. A [`PipedCommand`] is for programs that are asked
//! something: it has an input, two outputs, and keeps the beginning of each.
//!
//! The program starts commands through the [`keeper`], which outlives it for as long as it takes to end all of them.
//!
//! A program that needs a terminal runs in a [`pty`] with a [`screen`] in memory.
//!
//! Decoding, cutting and showing the output, and asking whether a command may run, are for others.

pub mod blocked_file;
#[cfg(target_os = "linux")]
mod descendants;
pub mod environment;
pub mod git;
#[cfg(target_os = "linux")]
pub mod keeper;
pub mod kill;
pub mod occupants;
pub mod own_binary;
pub mod piped;
pub mod program;
pub mod pty;
pub mod sandbox;
pub mod scratch;
pub mod screen;
pub mod shell;
pub mod spawn;
mod start;
mod start_request;
mod terminal_command;

pub use blocked_file::{BlockedFile, blocked_file};
pub use environment::{
    EnvironmentRules, shell_environment, terminal_environment, withheld, withhold, without_history,
};
pub use kill::Group;
pub use occupants::{Occupant, occupants};
pub use own_binary::OwnBinary;
pub use piped::{BoundedOutput, PipedCommand, PipedOutcome};
pub use program::find_program;
pub use sandbox::{Confinement, Metadata, Support};
pub use scratch::Scratch;
pub use shell::{Shell, ShellError};
pub use spawn::{CommandOutcome, RunningCommand, ShellCommand, SpawnError};
