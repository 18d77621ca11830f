//! What a project is and what it says to agents.
//!
//! [`find_root`] tells where the project begins. [`instructions`] gathers the texts that stand in front of every
//! conversation, and [`nearby`] those that belong to a directory deeper down. [`agents`] finds who can work here, in
//! Markdown files with [`frontmatter`], and [`commands`] what can be asked for by `/name`. All of it is text: nothing that
//! a project brings is run here. The functions read files and block; call them off the async threads.

pub mod agents;
mod branch;
pub mod commands;
pub mod frontmatter;
mod instructions;
mod markdown_file;
mod root;

pub use branch::branch;
pub use instructions::{Gathered, Instruction, InstructionGlob, InstructionPlaces, instructions, nearby};
pub use root::find_root;
