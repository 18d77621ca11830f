//! Commands that name a path, which another command of the same call may make lead elsewhere.

use super::directories::{Directory, PossibleDirectories};
use super::files::{files_read, paths};
use super::outputs::named_in_script;
use super::read_only::changes_directory;
use super::search::search;
use super::word::Word;
use super::written::written;
use super::{Simple, arity, base_name};
use crate::permission::wrappers::{is_shell, is_wrapper};

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
/// Subcommands of git that follow no link which is in the work tree: what lies behind one is no file of the repository.
const WITHOUT_LINKS: &[&str] = &[
    "add",
    "branch",
    "checkout",
    "cherry-pick",
    "commit",
    "log",
    "merge",
    "rebase",
    "reset",
    "restore",
    "revert",
    "rm",
    "stash",
    "status",
    "switch",
    "tag",
];
/// Options of these with which that stays so.
const WITHOUT_FILES: &[&str] = &[
    "-",
    "--",
    "-1",
    "-A",
    "-B",
    "-D",
    "-a",
    "-am",
    "-b",
    "-c",
    "-d",
    "-f",
    "-m",
    "-n",
    "-p",
    "-q",
    "-r",
    "-u",
    "--abort",
    "--all",
    "--amend",
    "--cached",
    "--continue",
    "--force",
    "--hard",
    "--message",
    "--no-edit",
    "--no-ff",
    "--no-verify",
    "--oneline",
    "--quiet",
    "--skip",
    "--soft",
    "--staged",
    "--stat",
    "--update",
];
/// Wrappers that name no path beside the command in their words, which is judged by itself.
const BARE_WRAPPERS: &[&str] = &["sudo", "doas", "exec", "env", "eval", "ssh-agent"];

/// Returns how a command uses paths; `None` if it names none.
pub fn path_use(command: &Simple) -> Option<PathUse> {
    let program = base_name(command.program());
    let words = &command.words[1..];
    let written = written(command);
    let expands = words.iter().any(|word| word.glob_at.is_some());
    let is_known = !written.targets.is_empty() || !written.copied.is_empty();
    if is_known || written.by_wildcard && expands || !named_in_script(command).is_empty() {
        return Some(PathUse::Writes);
    }
    let runs_text = is_shell(program)
        && words
            .iter()
            .any(|word| word.text.starts_with('-') && word.text.contains('c'));
    if runs_text || BARE_WRAPPERS.contains(&program) {
        return runs_elsewhere(&command.place).then_some(PathUse::Reads);
    }
    if is_git_of_the_work_tree(command) && !runs_elsewhere(&command.place) {
        return None;
    }
    let reads = expands
        || changes_directory(command)
        || runs_elsewhere(&command.place)
        || is_wrapper(program)
        || search(command).is_some()
        || !files_read(command).is_empty()
        || !paths(command).is_empty()
        || has_operands(program, &command.words);
    reads.then_some(PathUse::Reads)
}

fn is_git_of_the_work_tree(command: &Simple) -> bool {
    let [_, subcommand, rest @ ..] = &command.words[..] else {
        return false;
    };
    let is_plain = |word: &Word| {
        let is_option = word.text.starts_with('-');
        !word.is_dynamic() && (!is_option || WITHOUT_FILES.contains(&word.text.as_str()))
    };
    command.program() == "git"
        && !command.more_operands
        && WITHOUT_LINKS.contains(&subcommand.text.as_str())
        && rest.iter().all(is_plain)
}

fn runs_elsewhere(place: &PossibleDirectories) -> bool {
    match place {
        PossibleDirectories::Unknown => true,
        PossibleDirectories::Known(directories) => !directories.iter().all(Directory::is_empty),
    }
}

/// Returns true if a program that is in no table may be given a path: any word does that does not say what it does.
fn has_operands(program: &str, words: &[Word]) -> bool {
    if WITHOUT_PATHS.contains(&program) || super::files::is_listed(program) {
        return false;
    }
    let is_option = |word: &&Word| word.text.starts_with('-');
    let has_value = |word: &Word| {
        // `-Cx`, but not `-j4`.
        let is_attached = word.text.get(2..).is_some_and(|rest| {
            !word.text.starts_with("--") && rest.bytes().any(|byte| !byte.is_ascii_digit())
        });
        is_attached || word.text.contains(['=', '/'])
    };
    words.iter().filter(is_option).any(has_value)
        || words
            .iter()
            .skip(arity::arity(words))
            .any(|word| !is_option(&word))
}
