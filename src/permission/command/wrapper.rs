//! Commands that run the command in their words.
//!
//! Each is known with the options that may stand before what it runs; with any other option nobody can say where that
//! begins, and the command is not taken apart.

mod options;
mod texts;

use std::ops::Range;

use self::options::{Options, after_options, values_before_command};
use self::texts::{eval, find, script, shell};
use super::base_name;
use super::hazards::is_harmless;
use super::operand::PathOperand;
use super::word::{Word, is_name, joined};
use crate::permission::wrappers::{OTHERS, TRANSPARENT, is_shell};

/// The commands that a command runs besides itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WrappedCommand {
    Nothing,
    /// Its words from there on; only they count.
    Instead(usize),
    /// Its words in these ranges, besides itself.
    Also(Vec<Range<usize>>),
    /// A text, read by this shell.
    TextHere(String),
    /// A text, read by a shell of its own.
    Text(String),
    Unknown,
}

/// Source of the words: a command in a list, or one that another program gives words to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordSource<'a> {
    AllWords,
    /// More operands are put behind its words, and maybe in the place of this text.
    More(Option<&'a str>),
}

/// Returns the commands that the words of a command run.
pub(super) fn runs(words: &[Word], given: WordSource<'_>) -> WrappedCommand {
    let Some((first, arguments)) = words.split_first() else {
        return WrappedCommand::Nothing;
    };
    let program = base_name(&first.text);
    if OTHERS.contains(&program) {
        return if arguments.is_empty() && given == WordSource::AllWords {
            WrappedCommand::Nothing
        } else {
            WrappedCommand::Unknown
        };
    }
    match program {
        "find" => find(words),
        "eval" => eval(arguments, given),
        "script" => script(arguments),
        _ if is_shell(program) => shell(arguments, given),
        "command"
            if arguments
                .first()
                .is_some_and(|word| matches!(word.text.as_str(), "-v" | "-V")) =>
        {
            WrappedCommand::Nothing
        }
        _ => match Options::of(program) {
            Some(options) => wrapped(program, words, options, given),
            None => WrappedCommand::Nothing,
        },
    }
}

fn wrapped(program: &str, words: &[Word], options: &Options, given: WordSource<'_>) -> WrappedCommand {
    let Some(mut start) = after_options(words, options) else {
        return WrappedCommand::Unknown;
    };
    for _ in 0..options.operands {
        match words.get(start) {
            Some(word) if word.is_literal() => start += 1,
            Some(_) => return WrappedCommand::Unknown,
            None => break,
        }
    }
    let takes_assignments = matches!(program, "env" | "sudo" | "doas");
    let mut has_assignments = false;
    while takes_assignments && words.get(start).is_some_and(is_assignment) {
        has_assignments |= !is_harmless(&words[start].text) || !words[start].is_literal();
        start += 1;
    }
    let Some(inner) = words.get(start) else {
        return match given {
            WordSource::AllWords => WrappedCommand::Nothing,
            WordSource::More(_) => WrappedCommand::Unknown,
        };
    };
    match program {
        // Only the program of that name runs what follows; the shell's own word has no other options.
        "time" if is_assignment(inner) => return WrappedCommand::Unknown,
        "flock" if matches!(inner.text.as_str(), "-c" | "--command") => {
            return match &words[start + 1..] {
                [text] if text.is_literal() => WrappedCommand::Text(text.text.clone()),
                _ => WrappedCommand::Unknown,
            };
        }
        "watch" => {
            let is_literal = words[start..].iter().all(Word::is_literal) && given == WordSource::AllWords;
            return if is_literal {
                WrappedCommand::Text(joined(&words[start..]))
            } else {
                WrappedCommand::Unknown
            };
        }
        _ => {}
    }
    // Quoted, it is no word of the shell but a program that takes other options.
    let is_program = program == "time" && words[0].quoted;
    let is_transparent = TRANSPARENT.contains(&program)
        && !is_program
        && !has_assignments
        && !words[0].text.contains('/')
        && starts_in(words).is_none();
    if is_transparent {
        WrappedCommand::Instead(start)
    } else {
        WrappedCommand::Also(std::iter::once(start..words.len()).collect())
    }
}

/// `A=b`, as `env` and `sudo` take it.
pub(super) fn is_assignment(word: &Word) -> bool {
    word.text.split_once('=').is_some_and(|(name, _)| is_name(name))
}

/// The directory in which a wrapper starts its command.
pub(super) fn starts_in(words: &[Word]) -> Option<PathOperand> {
    let letter = match base_name(&words[0].text) {
        "env" => 'C',
        "sudo" => 'D',
        _ => return None,
    };
    values_before_command(words, letter, "chdir").pop()
}

/// The text that `xargs` replaces by what it reads.
pub(super) fn replaced(words: &[Word]) -> Option<&str> {
    match base_name(&words[0].text) {
        "find" => Some("{}"),
        "xargs" => words.iter().enumerate().find_map(|(at, word)| {
            let text = word.text.as_str();
            if text == "-I" {
                return words.get(at + 1).map(|next| next.text.as_str());
            }
            text.strip_prefix("-I")
                .or_else(|| text.strip_prefix("--replace="))
        }),
        _ => None,
    }
}
