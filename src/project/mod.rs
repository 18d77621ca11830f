//! Projects, and the instructions, agents and commands that they bring.
//!
//! [`mod@instructions`] gathers the texts that stand in front of every conversation, and [`nearby`] names the files that
//! belong to a directory deeper down. [`agents`] finds who can work here, in Markdown files with [`frontmatter`], and
//! [`commands`] what can be asked for by `/name`. All of it is text: nothing that a project brings is run here. The
//! functions read files and block; call them off the async threads.
//!
//! Files that are found here reach a model, so each is opened through the [`FileGate`](crate::regular_file::FileGate)
//! that the caller gives. `tests/it/architecture.rs` forbids every other way to read a file in this module.

pub mod agents;
mod branch;
pub mod commands;
pub mod frontmatter;
mod instruction_imports;
mod instructions;
mod markdown_file;

pub use branch::branch;
pub use instructions::{Instruction, InstructionGlob, InstructionPlaces, instructions, nearby};
