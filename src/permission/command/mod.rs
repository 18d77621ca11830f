//! Shell commands as questions.
//!
//! [`analyse`] tells two things apart: one plain simple command, whose words are known exactly, and everything else,
//! which is [`Opaque`]: asked with its whole text, never stored as "always", never below ask. Whatever is not certainly
//! plain is opaque: operators, redirections, expansions, assignments, wrappers that run their arguments, control
//! characters. Deny rules are tried on an opaque text too, on every piece that could be a command (`pieces`); that errs on
//! the side of denying.
//!
//! Nothing here runs or reads anything. Whether a command only reads (`read_only`) depends on facts that the caller looks
//! up.

mod arity;
mod files;
mod git_config;
mod pieces;
mod read_only;
mod words;

pub use files::{PathOperand, files_read, paths};
pub use git_config::dangerous_key;
pub use read_only::{GitConfig, ReadOnly, ReadOnlyFacts, read_only};
pub use words::Word;

use super::check::{Ask, Floor};
use super::verdict::Subject;

/// A command as far as it is understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    Simple(Simple),
    Opaque(Opaque),
}

/// A program and its words, all of them literal but for globs and a leading `~`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simple {
    /// At least one.
    pub words: Vec<Word>,
    /// The words, quotes and escapes resolved, joined by one space.
    pub canonical: String,
}

/// A command that is not taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opaque {
    pub text: String,
    /// Why: `it uses a variable`.
    pub reason: &'static str,
    /// What deny rules are tried on besides the whole text.
    pub pieces: Vec<String>,
}

/// Takes a command apart, or says why not.
pub fn analyse(command: &str) -> Command {
    let opaque = |reason| {
        Command::Opaque(Opaque {
            text: command.to_owned(),
            reason,
            pieces: pieces::pieces(command),
        })
    };
    let words = match words::split(command) {
        Ok(words) => words,
        Err(reason) => return opaque(reason),
    };
    if let Some(reason) = pieces::runs_its_arguments(&words) {
        return opaque(reason);
    }
    let canonical = words
        .iter()
        .map(|word| word.text.as_str())
        .collect::<Vec<_>>()
        .join(" ");
    Command::Simple(Simple { words, canonical })
}

impl Command {
    /// The ask under key `bash`. Pass `ReadOnly::Yes` only for what [`read_only`] found to be so.
    pub fn ask(&self, read_only: &ReadOnly) -> Ask {
        match self {
            Self::Simple(simple) => simple.ask(*read_only == ReadOnly::Yes),
            Self::Opaque(opaque) => {
                let subject = Subject {
                    deny_also: opaque.pieces.clone(),
                    ..Subject::new(&opaque.text)
                };
                Ask {
                    floor: Floor::Ask,
                    destructive: true,
                    ..Ask::new("bash", subject)
                }
            }
        }
    }
}

impl Simple {
    /// The program's name as written.
    pub fn program(&self) -> &str {
        &self.words[0].text
    }

    fn ask(&self, read_only: bool) -> Ask {
        let mut subject = Subject {
            read_only,
            ..Subject::new(&self.canonical)
        };
        let program = self.program();
        let base = base_name(program);
        if base != program {
            subject
                .deny_also
                .push(format!("{base}{}", &self.canonical[program.len()..]));
        }
        Ask {
            always: arity::proposal(self).into_iter().collect(),
            destructive: arity::is_destructive(self),
            ..Ask::new("bash", subject)
        }
    }
}

fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

#[cfg(test)]
mod tests;
