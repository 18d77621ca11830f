//! Commands that name a path, which another command of the same call may make lead elsewhere.

use super::files::{files_read, paths};
use super::flow::{Directory, Place};
use super::read_only::changes_directory;
use super::search::search;
use super::word::Word;
use super::wrapper::{is_shell, is_wrapper};
use super::written::written;
use super::{Simple, arity, base_name};

/// How a command uses the paths that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathUse {
    Reads,
    Writes,
}

/// Their words are text, numbers or the shell's own names.
const WITHOUT_PATHS: &[&str] = &[
    "echo", "printf", "basename", "dirname", "expr", "seq", "test", "[", "exit", "return", "break",
    "continue", "shift", "sleep", "wait", "true", "false", ":", "set", "unset", "export", "local", "declare",
    "typeset", "readonly", "read", "kill",
];
/// Wrappers that name no path beside the command in their words, which is judged by itself.
const BARE_WRAPPERS: &[&str] = &["sudo", "doas", "exec", "env", "eval", "ssh-agent"];

/// Returns how a command uses paths; `None` if it names none.
pub fn path_use(command: &Simple) -> Option<PathUse> {
    let program = base_name(command.program());
    let words = &command.words[1..];
    let written = written(command);
    let expands = words.iter().any(|word| word.glob_at.is_some());
    if !written.targets.is_empty() || !written.copied.is_empty() || written.by_wildcard && expands {
        return Some(PathUse::Writes);
    }
    let runs_text = is_shell(program)
        && words
            .iter()
            .any(|word| word.text.starts_with('-') && word.text.contains('c'));
    if runs_text || BARE_WRAPPERS.contains(&program) {
        return runs_elsewhere(&command.place).then_some(PathUse::Reads);
    }
    let reads = changes_directory(command)
        || runs_elsewhere(&command.place)
        || is_wrapper(program)
        || search(command).is_some()
        || !files_read(command).is_empty()
        || !paths(command).is_empty()
        || has_operands(program, &command.words);
    reads.then_some(PathUse::Reads)
}

fn runs_elsewhere(place: &Place) -> bool {
    match place {
        Place::Unknown => true,
        Place::Known(directories) => !directories.iter().all(Directory::is_empty),
    }
}

/// Returns true if a program that is in no table may be given a path: any word does that does not say what it does.
fn has_operands(program: &str, words: &[Word]) -> bool {
    if WITHOUT_PATHS.contains(&program) || super::files::is_listed(program) {
        return false;
    }
    let is_option = |word: &&Word| word.text.starts_with('-');
    let has_value = |word: &Word| word.text.contains(['=', '/']);
    words.iter().filter(is_option).any(has_value)
        || words
            .iter()
            .skip(arity::arity(words))
            .any(|word| !is_option(&word))
}
