//! The whole program from outside: the binary, its screen, the model it talks to, and the shape of the source.
//!
//! One binary for all of it, one file an area: each binary would link the program again.

// Clippy allows these in tests, but does not see that helpers of tests are tests.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod agents;
mod architecture;
mod attacks;
mod batch;
mod cli;
mod edit_modes;
mod errors;
mod gallery;
mod hooks;
mod hostile;
mod judged_text;
mod managed;
mod patch;
mod picture;
mod plan;
mod protocols;
mod question;
mod readme;
mod renderers;
mod run;
mod sandbox;
mod screen;
mod screen_attached;
mod screen_commands;
mod screen_composer;
mod screen_input;
mod screen_keys;
mod screen_look;
mod screen_pages;
mod screen_panel;
mod screen_permission;
mod screen_pickers;
mod screen_pictures;
mod screen_question;
mod screen_reader;
mod screen_sessions;
mod screen_several;
mod screen_storm;
mod screen_terminal;
mod screen_transcript;
mod screen_trust;
mod screen_typing;
mod search;
mod session;
mod sessions;
mod support;
mod survival;
mod todo_edits;
mod tools;
mod trust;
