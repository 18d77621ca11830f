//! The whole program from outside: the binary, its screen, the model it talks to, and the shape of the source.
//!
//! One binary for all of it, one file an area: each binary would link the program again.

// Clippy allows these in tests, but does not see that helpers of tests are tests.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod agents;
mod architecture;
mod attacks;
mod attacks_reading;
mod batch;
mod claude_rules;
mod cli;
mod config_files;
mod disk;
mod edit_modes;
mod environment;
mod errors;
mod gallery;
mod git_files;
mod git_reading;
mod hooks;
mod hostile;
mod ignore_files;
mod judged_text;
mod lifetime;
mod managed;
mod named_pipes;
mod patch;
mod permission_modes;
mod permission_rules;
mod permission_scopes;
mod picture;
mod picture_memory;
mod plan;
mod project_writes;
mod protected_names;
mod protocols;
mod question;
mod readme;
mod renderers;
mod replies;
mod run;
mod sandbox;
mod screen;
mod screen_attached;
mod screen_commands;
mod screen_composer;
mod screen_input;
mod screen_keys;
mod screen_links;
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
mod shell_fuzz;
mod shell_texts;
mod stored_rules;
mod support;
mod survival;
mod todo_edits;
mod tools;
mod trust;
