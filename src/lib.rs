//! Lathe, a full-screen terminal coding agent: the map of the crate.
//!
//! Modules are layers. An import points down, never up and never sideways between peers; `tests/it/architecture.rs`
//! reads the table below and the `use` lines of every file and fails on one that does not.
//!
//! ```text layers
//! 0   text swap
//! 0a  conversation
//! 0b  view
//! 1   regular_file private_file
//! 1'  project_root tree_walk
//! 1"  unconfirmed
//! 1a  config auth process store files picture
//! 1b  project provider permission lsp mcp hook script journal worktree pdf
//! 1c  question
//! 2   tool
//! 3   agent
//! 4   session
//! 5   headless screen_reader acp tui
//! 6   cli
//! ```
//!
//! A name in the table without a folder is a place that is kept for it.
//!
//! Limits of the layers:
//! - `text`, `conversation`, `view` touch no file (but that values of a conversation may lie in `swap`'s), no clock, no network and no terminal, and are not async.
//! - Files of a project that lathe opens for itself are opened by `regular_file` and by nothing else.
//! - `config` is read by `session::wire` and `cli` alone; everybody else gets settings of their own.
//! - Project files are written by `files::transaction` and by nothing else (`tests/it/project_writes.rs` searches for it).
//! - `tool` never imports `agent`, `session` or a front end; what it needs from them it asks through traits of its own.
//! - `agent::turn` performs nothing: events in, effects out.
//! - Front ends speak to `session::host` and to the handles it gives out, and cannot reach around them.
//! - Bytes from outside reach the terminal through `text::sanitize` only.

pub mod agent;
pub mod cli;
pub mod config;
pub mod conversation;
pub mod files;
pub mod headless;
pub mod hook;
pub mod journal;
pub mod pdf;
pub mod permission;
pub mod picture;
pub mod private_file;
pub mod process;
pub mod project;
pub mod project_root;
pub mod provider;
pub mod question;
pub mod regular_file;
pub mod screen_reader;
pub mod session;
pub mod store;
pub mod swap;
pub mod text;
pub mod tool;
pub mod tree_walk;
pub mod tui;
pub mod unconfirmed;
pub mod view;
pub mod worktree;
