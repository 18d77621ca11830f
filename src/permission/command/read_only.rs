//! Which simple commands only read: the class `@read-only`.
//!
//! The list is closed. A program on it may still have options that write or run something, and each such option takes the
//! command off the list; so does a wildcard that the shell could turn into such an option. Options that may be shortened
//! (GNU, git) are refused in every shortened form.

use super::Simple;
use super::flow::Place;
use super::word::Word;

/// What only the caller can look up.
pub struct ReadOnlyFacts<'a> {
    /// Whether a program's name leads, on the PATH that commands get, to a file outside the project.
    pub is_system_program: &'a dyn Fn(&str) -> bool,
    /// Whether a path is inside the project, for `git -C`.
    pub is_in_project: &'a dyn Fn(&str) -> bool,
    /// What configures the repository that git would use in a directory (`None`: the command's own).
    pub git_config: &'a dyn Fn(Option<&str>) -> GitConfig,
}

/// A repository's own configuration, found as git finds it: a work tree's `.git`, or a bare repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GitConfig {
    /// Git would find no repository.
    NoRepository,
    /// The text of its configuration file.
    Text(String),
    /// It cannot be vouched for; says why.
    Unknown(String),
}

/// Whether a command belongs to the class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadOnly {
    Yes,
    No,
    /// It would, but the repository's configuration makes git run something: says what.
    Configured(String),
}

const ANY_OPTIONS: &[&str] = &[
    "pwd", "ls", "cat", "head", "wc", "echo", "true", "false", "which", "whoami", "uname", "basename",
    "dirname", "cut", "diff", "stat", "du", "nl", "grep",
];

/// Their words are text whatever they are.
const ANY_WORDS: &[&str] = &["echo", "true", "false", "basename", "dirname"];

/// Parts of the shell's own grammar in the dress of commands: they end something, test something or do nothing.
const GRAMMAR: &[&str] = &[
    ":", "exit", "return", "break", "continue", "shift", "test", "[", "set", "read", "local", "wait", "type",
];

const WITH_RULES: &[&str] = &["rg", "find", "sort", "uniq", "date", "tail", "git"];

pub(super) fn is_listed(program: &str) -> bool {
    [ANY_OPTIONS, WITH_RULES, GRAMMAR]
        .iter()
        .any(|list| list.contains(&program))
}

/// Looks a command up.
pub fn read_only(command: &Simple, facts: &ReadOnlyFacts<'_>) -> ReadOnly {
    if command.has_assignments {
        return ReadOnly::No;
    }
    let looks_up = command.program() == "command" && command.words.len() > 1;
    if GRAMMAR.contains(&command.program()) || looks_up {
        return ReadOnly::Yes;
    }
    let is_certain = command.words[1..].iter().all(|word| !word.is_dynamic());
    if !is_certain && !ANY_WORDS.contains(&command.program()) {
        return ReadOnly::No;
    }
    let is_builtin = |program: &str| matches!(program, "time" | "command" | "builtin");
    let around = command.around.iter().filter_map(|text| text.split(' ').next());
    let is_trusted = |program: &str| is_builtin(program) || (facts.is_system_program)(program);
    if command.more_operands || command.place == Place::Unknown || !around.into_iter().all(is_trusted) {
        return ReadOnly::No;
    }
    let (program, arguments) = command
        .words
        .split_first()
        .expect("a simple command has a program");
    let program = program.text.as_str();
    let listed = match program {
        "rg" => has_plain_globs(arguments) && !arguments.iter().any(rg_runs),
        "find" => has_plain_globs(arguments) && !arguments.iter().any(|word| find_acts(&word.text)),
        "sort" => has_plain_globs(arguments) && !arguments.iter().any(|word| sort_writes(&word.text)),
        "uniq" => arguments.iter().all(|word| word.glob_at.is_none()) && operands(arguments).count() <= 1,
        "date" => date_prints(arguments),
        "tail" => has_plain_globs(arguments) && !arguments.iter().any(|word| tail_follows(&word.text)),
        "git" => return git(arguments, facts),
        other => ANY_OPTIONS.contains(&other),
    };
    // Which files those are stands in another file.
    let reads_a_list = arguments
        .iter()
        .any(|word| is_short_for(&word.text, &["files0-from"]));
    let listed = listed && !(reads_a_list && matches!(program, "du" | "sort" | "wc"));
    // A file called `-x` cannot become an option of these, whatever it is called; but `-*` is no path.
    let sane = arguments
        .iter()
        .all(|word| word.glob_at.is_none() || !word.text.starts_with('-'));
    if listed && sane && (facts.is_system_program)(program) {
        ReadOnly::Yes
    } else {
        ReadOnly::No
    }
}

/// Wildcards after a literal beginning stay operands.
fn has_plain_globs(arguments: &[Word]) -> bool {
    arguments.iter().all(|word| {
        word.glob_at
            .is_none_or(|at| at > 0 && !word.text.starts_with('-'))
    })
}

/// What is certainly or possibly an operand; an option's value counts too.
fn operands(arguments: &[Word]) -> impl Iterator<Item = &Word> {
    let end = arguments
        .iter()
        .position(|word| word.text == "--")
        .unwrap_or(arguments.len());
    let is_option = |word: &Word| word.text.len() > 1 && word.text.starts_with('-');
    arguments
        .iter()
        .enumerate()
        .filter(move |(at, word)| *at > end || (*at < end && !is_option(word)))
        .map(|(_, word)| word)
}

/// The name of a long option, without its value.
fn long_name(text: &str) -> Option<&str> {
    let name = text.strip_prefix("--").filter(|name| !name.is_empty())?;
    Some(name.split('=').next().unwrap_or(name))
}

/// Whether a long option is one of these, or short for one.
pub(super) fn is_short_for(text: &str, refused: &[&str]) -> bool {
    long_name(text).is_some_and(|name| refused.iter().any(|option| option.starts_with(name)))
}

/// `--` does not end the options of everything: it may be the value of the one before.
fn has_letter(text: &str, letters: &[char]) -> bool {
    text.starts_with('-') && !text.starts_with("--") && text.contains(letters)
}

fn rg_runs(word: &Word) -> bool {
    let long = long_name(&word.text);
    long.is_some_and(|name| {
        ["pre", "hostname-bin", "search-zip"]
            .iter()
            .any(|option| name.starts_with(option))
    }) || has_letter(&word.text, &['z'])
}

fn find_acts(text: &str) -> bool {
    ["-exec", "-ok", "-delete", "-fls", "-fprint", "-files0-from"]
        .iter()
        .any(|action| text.starts_with(action))
}

fn sort_writes(text: &str) -> bool {
    is_short_for(text, &["output", "compress-program"]) || has_letter(text, &['o'])
}

fn tail_follows(text: &str) -> bool {
    is_short_for(text, &["follow", "retry"])
        || has_letter(text, &['f', 'F'])
        || (text.starts_with('+') && text.contains(['f', 'F']))
}

/// `date +FORMAT`, perhaps of another time.
fn date_prints(arguments: &[Word]) -> bool {
    let mut has_format = false;
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        match word.text.as_str() {
            "-u" | "--utc" | "--universal" => {}
            "-d" => {
                rest.next();
            }
            text if text.starts_with("--date=") => {}
            text if text.starts_with('+') && !has_format => has_format = true,
            _ => return false,
        }
    }
    has_format && arguments.iter().all(|word| word.glob_at.is_none())
}

const GIT_COMMANDS: &[&str] = &[
    "status",
    "diff",
    "log",
    "show",
    "rev-parse",
    "ls-files",
    "branch",
    "blame",
];

const GIT_REFUSED: &[&str] = &[
    "output",
    "ext-diff",
    "textconv",
    "exec",
    "paginate",
    "no-index",
    // Git is run within a submodule, also in one that is no longer known.
    "submodule",
];

/// Options of `git branch` that list.
const BRANCH_LISTS: &[&str] = &[
    "-a",
    "--all",
    "-r",
    "--remotes",
    "-v",
    "-vv",
    "--verbose",
    "-l",
    "--list",
    "--show-current",
    "--no-color",
    "--color",
    "-q",
    "--quiet",
    "-i",
    "--ignore-case",
    "--no-column",
    "--no-abbrev",
];

fn git(arguments: &[Word], facts: &ReadOnlyFacts<'_>) -> ReadOnly {
    let mut rest = arguments;
    let mut directory: Option<String> = None;
    loop {
        match rest {
            [option, after @ ..] if option.text == "--no-pager" => rest = after,
            [option, dir, after @ ..] if option.text == "-C" && directory.is_none() => {
                if dir.glob_at.is_some() || dir.tilde || !(facts.is_in_project)(&dir.text) {
                    return ReadOnly::No;
                }
                directory = Some(dir.text.clone());
                rest = after;
            }
            _ => break,
        }
    }
    let [subcommand, arguments @ ..] = rest else {
        return ReadOnly::No;
    };
    let subcommand = subcommand.text.as_str();
    if !GIT_COMMANDS.contains(&subcommand) || !has_plain_globs(arguments) || arguments.iter().any(git_refuses)
    {
        return ReadOnly::No;
    }
    let lists = |word: &Word| BRANCH_LISTS.contains(&word.text.as_str()) || word.text.starts_with("--sort=");
    if subcommand == "branch" && !arguments.iter().all(lists) {
        return ReadOnly::No;
    }
    if !(facts.is_system_program)("git") {
        return ReadOnly::No;
    }
    match (facts.git_config)(directory.as_deref()) {
        // Then it compares any two directories.
        GitConfig::NoRepository if subcommand == "diff" => ReadOnly::No,
        GitConfig::NoRepository => ReadOnly::Yes,
        GitConfig::Text(config) => match super::dangerous_key(&config) {
            None => ReadOnly::Yes,
            Some(key) => ReadOnly::Configured(format!("the repository's own configuration sets {key}")),
        },
        GitConfig::Unknown(reason) => ReadOnly::Configured(reason),
    }
}

fn git_refuses(word: &Word) -> bool {
    // `--text` is an option of its own and no short form of `--textconv`.
    (is_short_for(&word.text, GIT_REFUSED) && word.text != "--text") || word.text.starts_with("-O")
}
