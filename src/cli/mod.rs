//! The command line: what was typed becomes a front end, an answer on stdout, or a sentence on stderr.
//!
//! One file a command; `args` says what can be typed and `failure` what a failure costs. Exit statuses are those of
//! INTERFACE section 1: 0 done, 1 failed, 2 bad usage or configuration (before a screen is touched), 130 interrupted.
//! Commands read the configuration, and hand it to `session::wire` untouched; besides `lathe config`, nothing of it is
//! interpreted here.

mod agents;
mod args;
mod attach;
mod budget;
mod commands;
mod completions;
mod config;
mod demo;
mod doctor;
mod failure;
mod first_run;
mod help;
mod keys;
mod logs;
mod man;
mod new_key;
mod option_order;
mod output;
mod permissions;
mod place;
mod prompt;
mod run;
mod runtime;
mod screen;
mod screen_reader;
mod sessions;
mod themes;
mod tool;
mod tools;
mod worktrees;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use crate::pdf;
#[cfg(target_os = "linux")]
use crate::process::keeper;
use crate::process::pty::control;
use crate::process::sandbox;
use args::{Cli, Command, ConfigCommand, PermissionsCommand, SessionsCommand, WorktreesCommand};
use failure::Failure;
use screen::Left;
use sessions::OutputStyle;

/// Does what the words of the command line ask; the first is the program's name.
pub fn main(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = words.into_iter().collect();
    if words.get(1).is_some_and(|word| word == sandbox::WORD) {
        return sandbox::run(words.into_iter().skip(2));
    }
    if words.get(1).is_some_and(|word| word == control::WORD) {
        return control::run(words.into_iter().skip(2));
    }
    if words.get(1).is_some_and(|word| word == pdf::WORD) {
        return pdf::run(words.into_iter().skip(2));
    }
    #[cfg(target_os = "linux")]
    {
        if words.get(1).is_some_and(|word| word == keeper::WORD) {
            return keeper::run();
        }
        keeper::enable();
    }
    let words = option_order::prompts_last(option_order::behind_command(words));
    let cli = match Cli::try_parse_from(&words) {
        Ok(cli) => cli,
        Err(error) => {
            if let Some(failure) = unknown_command(&words) {
                return failure.report();
            }
            // Help and version come this way too, with status 0. Whoever closed the output has read enough.
            let _ = error.print();
            return u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from);
        }
    };
    dispatch(cli).unwrap_or_else(|failure| failure.report())
}

/// Returns the failure for a first word that is no command and, as no such path exists, no directory either. The parser takes
/// it for a directory: it answers `lathe WORD --help` with the help of lathe itself.
fn unknown_command(words: &[OsString]) -> Option<Failure> {
    let word = words.get(1)?;
    let is_known = Cli::command().find_subcommand(word).is_some() || word == "help";
    let is_option = word.as_encoded_bytes().starts_with(b"-");
    let path = Path::new(word);
    (!is_known && !is_option && !path.exists()).then(|| place::not_there(path))
}

fn dispatch(cli: Cli) -> Result<ExitCode, Failure> {
    let Some(command) = cli.command else {
        return match screen::screen(cli.screen)? {
            Left::With(status) => Ok(status),
            Left::ForDemo => demo::demo(),
        };
    };
    match command {
        Command::Run(args) => run::run(args),
        Command::Demo => demo::demo(),
        Command::Tools(args) => done(tools::tools(&args)),
        Command::Tool(args) => tool::tool(args),
        Command::Agents => done(agents::agents()),
        Command::Commands => done(commands::commands()),
        Command::Themes => done(themes::themes()),
        Command::Doctor => doctor::doctor(),
        Command::Config { command } => done(config::config(command.unwrap_or(ConfigCommand::Show))),
        Command::Permissions { command } => done(permissions::permissions(
            command.unwrap_or(PermissionsCommand::List),
        )),
        Command::Sessions { command, json } => {
            sessions::sessions(command.unwrap_or(SessionsCommand::List), style(json))
        }
        Command::Worktrees { command, json } => {
            worktrees::worktrees(command.unwrap_or(WorktreesCommand::List), style(json))
        }
        Command::Completions { shell } => done(completions::completions(shell)),
        Command::Man { directory } => done(man::man(directory.as_deref())),
    }
}

fn style(json: bool) -> OutputStyle {
    if json {
        OutputStyle::Json
    } else {
        OutputStyle::People
    }
}

fn done(result: Result<(), Failure>) -> Result<ExitCode, Failure> {
    result.map(|()| ExitCode::SUCCESS)
}
