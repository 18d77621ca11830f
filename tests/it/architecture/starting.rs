//! Processes are started in one place, `process`, and git through one door, `process::git`. Every other file that starts
//! something stands in a list here, with who decides what it starts. The lists hold what is there and nothing more.

use std::collections::BTreeMap;
use std::fs;

use super::scan::Source;
use super::{manifest_directory, rust_files};

/// Files that start a process by themselves, and why it is none that a project or a model could name.
const STARTERS: &[(&str, &str)] = &[
    (
        "src/process/keeper/client.rs",
        "lathe itself, as the keeper of commands",
    ),
    (
        "src/process/keeper/server.rs",
        "commands, in the confinement that they come with",
    ),
    (
        "src/process/pty/control.rs",
        "becomes the program of a terminal, in the confinement that it was started with",
    ),
    (
        "src/process/sandbox/enter.rs",
        "becomes the command that is confined",
    ),
    (
        "src/process/sandbox/mod.rs",
        "lathe itself, to try what the kernel can",
    ),
    (
        "src/process/start.rs",
        "commands, in the confinement that they come with",
    ),
    (
        "src/tui/clipboard/mod.rs",
        "programs of the system's for the clipboard, when the person copies or pastes",
    ),
    (
        "src/tui/editor.rs",
        "the editor that the person has set, when they ask for it",
    ),
];

/// Files that have a shell command run through `process`, and who decides about it.
const COMMANDS: &[(&str, &str)] = &[
    (
        "src/hook/runner.rs",
        "hooks of a configuration that the person trusts",
    ),
    (
        "src/tool/builtin/bash/git_environment.rs",
        "takes programs out of the environment of a judged command",
    ),
    (
        "src/tool/builtin/bash/run.rs",
        "waits for a judged command that runs",
    ),
    (
        "src/tool/builtin/bash/mod.rs",
        "commands of a model, judged; unasked only what is confined to reading",
    ),
    (
        "src/tool/builtin/interactive_bash/run.rs",
        "programs of a model in terminals, judged as its commands",
    ),
    (
        "src/tool/terminals/mod.rs",
        "keeps the terminals of judged commands",
    ),
    (
        "src/tool/terminals/start.rs",
        "the user's shell in a terminal, when the person asks for it",
    ),
    (
        "src/tool/builtin/bash/person_command.rs",
        "commands that the person types",
    ),
];

/// Crates and modules with a `Command` or the like that starts a process.
const STARTING_MODULES: &[&str] = &["process", "process_wrap", "portable_pty", "pty_process"];
/// Types that start a process, from these modules.
const STARTING_TYPES: &[&str] = &["Command", "CommandWrap", "CommandBuilder", "CommandExt"];
/// Functions that do so by their name alone.
const STARTING_FUNCTIONS: &[&str] = &[
    "posix_spawn",
    "posix_spawnp",
    "execv",
    "execve",
    "execvp",
    "execveat",
    "fexecve",
];
/// Types of `process` that have a shell command run.
const COMMAND_TYPES: &[&str] = &["ShellCommand", "RunningCommand", "OwnCommand"];

type Tokens = Vec<(String, usize)>;

fn outside_of_tests(text: &str) -> Tokens {
    Source::new(text).outside_of_tests()
}

/// The lines that name a type or a function by which a process is started.
fn starts(tokens: &Tokens) -> Vec<usize> {
    let word = |index: usize| tokens.get(index).map_or("", |(word, _)| word.as_str());
    let mut lines = Vec::new();
    // Within the braces of `use std::process::{…}`.
    let mut group: Option<usize> = None;
    for (index, (token, line)) in tokens.iter().enumerate() {
        let follows_module = index >= 2
            && word(index - 1) == "::"
            && STARTING_MODULES.iter().any(|module| word(index - 2) == *module);
        // `process_wrap::tokio::CommandWrap` has one more part.
        let is_deep = index >= 4
            && word(index - 1) == "::"
            && word(index - 3) == "::"
            && STARTING_MODULES.iter().any(|module| word(index - 4) == *module);
        match (token.as_str(), group.as_mut()) {
            ("{", None) if follows_module || is_deep => group = Some(1),
            ("{", Some(depth)) => *depth += 1,
            ("}", Some(1)) => group = None,
            ("}", Some(depth)) => *depth -= 1,
            _ => {}
        }
        let is_all = token == "*" && follows_module;
        let is_type =
            STARTING_TYPES.contains(&token.as_str()) && (follows_module || is_deep || group.is_some());
        if is_all || is_type || STARTING_FUNCTIONS.contains(&token.as_str()) {
            lines.push(*line);
        }
    }
    lines
}

fn runs_commands(tokens: &Tokens) -> Vec<usize> {
    let named = tokens
        .iter()
        .filter(|(word, _)| COMMAND_TYPES.contains(&word.as_str()));
    named.map(|(_, line)| *line).collect()
}

/// The lines with a text that could be git as a program, or a shell command that runs it.
fn names_git(tokens: &Tokens) -> Vec<usize> {
    let is_git = |text: &str| {
        let Some(inner) = text.strip_prefix('"') else {
            return false;
        };
        let mut words = inner
            .trim_end_matches('"')
            .split(|c: char| c.is_whitespace() || "/;&|(".contains(c));
        words.any(|word| word == "git")
    };
    tokens
        .iter()
        .filter(|(word, _)| is_git(word))
        .map(|(_, line)| *line)
        .collect()
}

fn is_test(path: &str) -> bool {
    let in_a_folder = path.contains("/tests/");
    in_a_folder
        || ["/tests.rs", "_tests.rs", "/harness.rs", "/fixture.rs"]
            .iter()
            .any(|end| path.ends_with(end))
}

/// The files of the crate in which something is found, with the lines.
fn found(look: fn(&Tokens) -> Vec<usize>) -> BTreeMap<String, Vec<usize>> {
    let mut found = BTreeMap::new();
    for path in rust_files(&manifest_directory().join("src")) {
        let name = path.strip_prefix(manifest_directory()).unwrap().to_str().unwrap();
        let lines = look(&outside_of_tests(&fs::read_to_string(&path).unwrap()));
        if !lines.is_empty() && !is_test(name) {
            found.insert(name.to_owned(), lines);
        }
    }
    found
}

#[track_caller]
fn assert_listed(found: &BTreeMap<String, Vec<usize>>, list: &[(&str, &str)], instead: &str) {
    let is_listed = |name: &str| list.iter().any(|(listed, _)| *listed == name);
    let unlisted: Vec<_> = found.iter().filter(|(name, _)| !is_listed(name)).collect();
    assert!(unlisted.is_empty(), "{instead}: {unlisted:?}");
    let idle: Vec<_> = list
        .iter()
        .filter(|(listed, _)| !found.contains_key(*listed))
        .collect();
    assert!(idle.is_empty(), "these start nothing any more: {idle:?}");
}

#[test]
fn processes_are_started_by_process_alone() {
    assert_listed(
        &found(starts),
        STARTERS,
        "these start processes by themselves; use `process`, which confines them",
    );
}

#[test]
fn shell_commands_are_judged_or_a_person_s_own() {
    let mut found = found(runs_commands);
    let of_process = |name: &String| name.starts_with("src/process/");
    let reexported = ["src/tool/builtin/mod.rs", "src/tool/pipeline/person_calls.rs"];
    found.retain(|name, _| !of_process(name) && !reexported.contains(&name.as_str()));
    assert_listed(
        &found,
        COMMANDS,
        "these run shell commands that nobody has judged",
    );
}

#[test]
fn git_is_started_by_one_module_only() {
    let may_start: Vec<&str> = STARTERS.iter().chain(COMMANDS).map(|(name, _)| *name).collect();
    let mut named = found(names_git);
    named.retain(|name, _| may_start.contains(&name.as_str()));
    assert!(named.is_empty(), "ask git through `process::git::Git`: {named:?}");
    let finds = found(|tokens| {
        let named = tokens.iter().filter(|(word, _)| word == "find_program");
        named.map(|(_, line)| *line).collect()
    });
    // Whoever finds a program could start it.
    let finders: Vec<&String> = finds.keys().collect();
    assert_eq!(
        finders,
        [
            "src/process/git/query.rs",
            "src/process/mod.rs",
            "src/process/program.rs",
            "src/tool/command_permissions/programs.rs",
            // Compares it with the file of a process.
            "src/tool/terminals/recipient.rs"
        ]
    );
}

#[test]
fn what_starts_a_process_is_seen_and_tests_are_not() {
    for (text, expected) in [
        ("fn f() { std::process::Command::new(\"git\") }", vec![1]),
        ("use tokio::process::Command;", vec![1]),
        (
            "use std::process::{self, ExitCode,\nCommand as Program};",
            vec![2],
        ),
        ("use std::process::*;", vec![1]),
        ("use process_wrap::tokio::{ChildWrapper, CommandWrap};", vec![1]),
        ("use std::os::unix::process::CommandExt;", vec![1]),
        ("fn f() { nix::unistd::execve(a, b, c) }", vec![1]),
        (
            "use clap::Command; fn f() { Command::new(x) } use std::process::ExitCode;",
            vec![],
        ),
        ("#[cfg(test)]\nmod tests { use std::process::Command; }", vec![]),
    ] {
        let mut lines = starts(&outside_of_tests(text));
        lines.dedup();
        assert_eq!(lines, expected, "{text}");
    }
    for (text, is_git) in [
        ("Command::new(\"git\")", true),
        ("x(\"cd a && git status\")", true),
        ("x(r#\"/usr/bin/git log\"#)", true),
        ("x(b\"git\")", true),
        ("x(\".git/config\", \"digit\", \"github\") // git", false),
    ] {
        assert_eq!(!names_git(&outside_of_tests(text)).is_empty(), is_git, "{text}");
    }
    assert_eq!(runs_commands(&outside_of_tests("fn f(c: ShellCommand) {}")), [1]);
}
