//! The whole program from outside: the binary, its screen, the model it talks to, and the shape of the source.
//!
//! One binary for all of it, one file an area: each binary would link the program again.

// Clippy allows these in tests, but does not see that helpers of tests are tests.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod architecture;
mod cli;
mod errors;
mod gallery;
mod hostile;
mod protocols;
mod readme;
mod run;
mod screen;
mod screen_permission;
mod screen_sessions;
mod screen_terminal;
mod search;
mod session;
mod support;
mod survival;
