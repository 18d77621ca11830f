//! The class `@read-only`: simple commands that only read.
//!
//! The list is closed, and so are the options of each program on it: one that is not in its table makes the command ask,
//! and so does a wildcard that the shell could turn into such an option. There are two lists. The first holds wherever a
//! command stands; the second only in a call that runs confined to reading as a whole, because no table tells all that its
//! programs do.
//!
//! A new program is an entry in `programs`, or a function in `scripts` where its words are a language of their own.

mod git;
mod git_format;
mod git_options;
mod programs;
mod ps;
mod scripts;
mod sed;
mod table;

pub use git::{GitForm, GitShows};
pub(super) use scripts::values_of_find;

use super::Simple;
use super::directories::PossibleDirectories;
use super::hazards::exports_harmless;
use super::word::Word;
use programs::{PROGRAMS, Program, SHORT_VERSIONS, VERSIONS};
use scripts::FindActions;
use table::Table;

/// Facts that only the caller can look up.
pub struct ReadOnlyFacts<'a> {
    /// True if a program's name leads, on the PATH that commands get, to a file outside the project.
    pub is_system_program: &'a dyn Fn(&str) -> bool,
    /// True if it leads to the program itself and not to one that looks for another of that name.
    pub is_no_shim: &'a dyn Fn(&str) -> bool,
    /// True if a path is inside the project, for `git -C`.
    pub is_in_project: &'a dyn Fn(&str) -> bool,
}

/// The list on which a command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum List {
    First,
    /// Counts only in a call that runs confined to reading.
    Second,
}

/// The form of a command that only reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    pub list: List,
    /// The programs it starts; none for what the shell does by itself.
    pub programs: Vec<String>,
    pub git: Option<GitForm>,
}

impl Form {
    fn of_shell() -> Self {
        Self {
            list: List::First,
            programs: Vec::new(),
            git: None,
        }
    }
}

/// Shell keywords that parse as commands: they end a construct, test something or do nothing.
const GRAMMAR: &[&str] = &[
    ":", "exit", "return", "break", "continue", "shift", "test", "[", "set", "read", "local", "wait", "type",
];

/// Builtins of the shell that are called like programs.
const BUILTINS: &[&str] = &["pwd", "echo", "true", "false", "printf"];

const WITH_RULES: &[&str] = &[
    "find", "date", "git", "echo", "printf", "expr", "sleep", "ps", "xxd", "sed", "awk", "jq", "xargs",
];

pub(super) fn is_listed(program: &str) -> bool {
    let is_program = PROGRAMS.iter().any(|known| known.name == program);
    is_program
        || VERSIONS.contains(&program)
        || SHORT_VERSIONS.iter().any(|(known, _)| *known == program)
        || [GRAMMAR, WITH_RULES].iter().any(|list| list.contains(&program))
}

/// Returns true if a command of the shell only changes the directory: where to is a question about a path.
pub fn changes_directory(command: &Simple) -> bool {
    let is_in_shell = |text: &String| matches!(text.split(' ').next(), Some("command" | "builtin" | "time"));
    matches!(command.program(), "cd" | "chdir" | "pushd" | "popd" | "dirs")
        && !command.has_assignments
        && !command.more_operands
        && command.around.iter().all(is_in_shell)
}

/// Looks a command up.
pub fn read_only(command: &Simple, facts: &ReadOnlyFacts<'_>) -> Option<Form> {
    if command.has_assignments {
        return None;
    }
    let looks_up = command.program() == "command" && command.words.len() > 1;
    let stays_in_shell = changes_directory(command) || exports_harmless(&command.words);
    if command.program() == "set" && command.words.len() == 1 {
        // It shows every variable that programs are given.
        return None;
    }
    let around = programs_around(command)?;
    if GRAMMAR.contains(&command.program()) || looks_up || stays_in_shell {
        return around.is_empty().then(Form::of_shell);
    }
    if command.place == PossibleDirectories::Unknown
        || !around.iter().all(|program| (facts.is_system_program)(program))
    {
        return None;
    }
    let (program, arguments) = command
        .words
        .split_first()
        .expect("a simple command has a program");
    let program = program.text.as_str();
    let found = found(program, arguments, command, facts)?;
    let is_in_shell = BUILTINS.contains(&program) && around.is_empty();
    if !is_in_shell && !(facts.is_system_program)(program) {
        return None;
    }
    let (list, git) = found;
    let mut programs: Vec<String> = around.into_iter().map(str::to_owned).collect();
    if !is_in_shell {
        programs.push(program.to_owned());
    }
    Some(Form { list, programs, git })
}

/// The programs that run a command, without the words of the shell; `None` for one that changes more than how it runs.
fn programs_around(command: &Simple) -> Option<Vec<&str>> {
    let mut programs = Vec::new();
    for (at, wrapper) in command.around.iter().enumerate() {
        let mut words = wrapper.split(' ');
        match words.next()? {
            "command" | "builtin" => {}
            // Behind another wrapper it is a program.
            "time" if at == 0 => {}
            // Its options take away the variables that disarm git.
            "env" if words.any(|word| word.starts_with('-')) => return None,
            program => programs.push(program),
        }
    }
    Some(programs)
}

fn found(
    program: &str,
    arguments: &[Word],
    command: &Simple,
    facts: &ReadOnlyFacts<'_>,
) -> Option<(List, Option<GitForm>)> {
    let table = PROGRAMS.iter().find(|known| known.name == program);
    let is_certain = arguments.iter().all(|word| !word.is_dynamic());
    if command.more_operands {
        // What `find` and `xargs` give it are names.
        let table = table.filter(|_| is_certain && scripts::OF_NAMES.contains(&program))?;
        return fits(table, arguments).then_some((List::Second, None));
    }
    let list = |is_listed: bool, list| is_listed.then_some((list, None));
    match program {
        "echo" => return list(!begins_like_an_option(arguments), List::First),
        "printf" => return list(scripts::printf(arguments), List::Second),
        "expr" => return list(!begins_like_an_option(arguments), List::Second),
        _ => {}
    }
    if !is_certain && !table.is_some_and(|table| table.words_are_text) {
        return None;
    }
    if let [version] = arguments
        && version.is_literal()
        && shows_version(program, &version.text)
        && (facts.is_no_shim)(program)
    {
        return Some((List::Second, None));
    }
    match program {
        "find" => match scripts::find(arguments) {
            FindActions::Prints => Some((List::First, None)),
            FindActions::RunsOfNames => Some((List::Second, None)),
            FindActions::More => None,
        },
        "date" => list(scripts::date(arguments), List::First),
        "sleep" => list(scripts::sleep(arguments), List::Second),
        "ps" => list(ps::ps(arguments), List::Second),
        "xxd" => list(scripts::xxd(arguments), List::Second),
        "sed" => list(
            has_plain_wildcards(arguments) && sed::sed(arguments),
            List::Second,
        ),
        "awk" => list(scripts::awk(arguments), List::Second),
        "jq" => list(scripts::jq(arguments), List::Second),
        "xargs" => list(scripts::xargs(arguments), List::Second),
        "git" => git::git(arguments, facts).map(|(list, form)| (list, Some(form))),
        _ => table
            .filter(|table| fits(table, arguments))
            .map(|table| (table.list, None)),
    }
}

/// Returns true if a program answers this word with its version alone.
fn shows_version(program: &str, option: &str) -> bool {
    let is_long = option == "--version" && VERSIONS.contains(&program);
    is_long || SHORT_VERSIONS.contains(&(program, option))
}

/// The options of a listed program by letter or long name, each with its value. Flags that search more than the program's
/// table lets it search are `flags` and `long`. `None` when a word is not in the tables or not certain.
pub(super) fn options_of(
    program: &str,
    arguments: &[Word],
    flags: &'static str,
    long: &'static str,
) -> Option<Vec<(String, Option<String>)>> {
    let known = PROGRAMS.iter().find(|known| known.name == program)?;
    let further = Table {
        flags,
        long,
        ..Table::NONE
    };
    let is_certain = arguments
        .iter()
        .all(|word| !word.is_dynamic() && word.glob_at != Some(0));
    let parsed = is_certain.then(|| table::parse(arguments, &[&known.table, &further]))?;
    Some(parsed?.options)
}

fn fits(program: &Program, arguments: &[Word]) -> bool {
    if program.words_are_text {
        // A file called `-x` cannot become an option that does anything; but `-*` is no text.
        return !begins_like_an_option(arguments);
    }
    let follows = |word: &&Word| word.text.starts_with('+') && word.text.contains(['f', 'F']);
    let has_wildcards = program.any_wildcard || has_plain_wildcards(arguments);
    let follows = program.name == "tail" && arguments.iter().any(|word| follows(&word));
    has_wildcards && !follows && table::parse(arguments, &[&program.table]).is_some()
}

/// Returns true if a wildcard stands where only an option could be meant.
fn begins_like_an_option(arguments: &[Word]) -> bool {
    arguments
        .iter()
        .any(|word| word.glob_at.is_some() && word.text.starts_with('-'))
}

/// Wildcards after a literal beginning stay operands.
fn has_plain_wildcards(arguments: &[Word]) -> bool {
    arguments.iter().all(|word| {
        word.glob_at
            .is_none_or(|at| at > 0 && !word.text.starts_with('-'))
    })
}

/// The name of a long option, without its value.
fn long_name(text: &str) -> Option<&str> {
    let name = text.strip_prefix("--").filter(|name| !name.is_empty())?;
    Some(name.split('=').next().unwrap_or(name))
}

/// Returns true if a long option is one of these, or short for one.
pub(super) fn is_short_for(text: &str, refused: &[&str]) -> bool {
    long_name(text).is_some_and(|name| refused.iter().any(|option| option.starts_with(name)))
}
