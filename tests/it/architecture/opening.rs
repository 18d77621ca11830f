//! Files of a project are opened in one place, `regular_file`: everything else that opens a file stands in a list here,
//! with what it opens. The list holds what is there and nothing more, so a file that stops opening leaves it.

use std::collections::BTreeMap;
use std::fs;

use super::scan::Source;
use super::{manifest_directory, rust_files};

/// Files that open something by themselves, and why that cannot be put in the way by a project.
const OPENERS: &[(&str, &str)] = &[
    (
        "src/cli/new_key.rs",
        "the user's configuration and key, which are written where there is none",
    ),
    (
        "src/cli/themes.rs",
        "a theme that the person names, and its parent beside it",
    ),
    (
        "src/files/directory.rs",
        "directories and files below an approved root, without waiting, to write them",
    ),
    (
        "src/files/transaction/record.rs",
        "lathe's own records of what it is about to write",
    ),
    (
        "src/files/transaction/commit_lock.rs",
        "lathe's own copies of what a turn wrote",
    ),
    ("src/hook/transcript.rs", "lathe's own transcript for hooks"),
    ("src/process/descendants.rs", "`/proc`"),
    ("src/process/kill.rs", "`/proc`"),
    (
        "src/process/pty/device.rs",
        "the program's end of a terminal that lathe made",
    ),
    ("src/process/pty/ending.rs", "`/proc`"),
    ("src/process/pty/foreground.rs", "`/proc`"),
    ("src/process/pty/waiting.rs", "`/proc`"),
    ("src/process/sandbox/namespace.rs", "`/proc`"),
    ("src/process/sandbox/support.rs", "`/proc`"),
    (
        "src/process/scratch.rs",
        "a directory of lathe's own for commands",
    ),
    ("src/process/spawn.rs", "`/dev/null`"),
    ("src/process/blocked_file.rs", "`/proc`"),
    ("src/project/instructions.rs", "a walk that reads no ignore files"),
    (
        "src/provider/cassette/recorder.rs",
        "a recording that the person asks for",
    ),
    ("src/regular_file.rs", "the one opener"),
    (
        "src/regular_file/without_links.rs",
        "what it opens by a real path",
    ),
    ("src/session/query/status.rs", "`/proc`"),
    ("src/session/wire/models.rs", "a recording that the person names"),
    ("src/store/blob.rs", "lathe's own copies of what files were"),
    ("src/store/locks.rs", "lathe's own locks"),
    ("src/private_file.rs", "opens for the others in this list"),
    ("src/store/outputs.rs", "lathe's own files of outputs"),
    ("src/store/prompts.rs", "lathe's own list of prompts"),
    ("src/store/schema.rs", "lathe's own state"),
    (
        "src/store/told_notices.rs",
        "lathe's own list of notices that were told",
    ),
    (
        "src/tui/completion/frecency.rs",
        "lathe's own list of what was picked",
    ),
    (
        "src/tui/editor.rs",
        "a temporary file of lathe's own, after the editor",
    ),
    ("src/tui/trace.rs", "lathe's own trace"),
    ("src/unconfirmed/log.rs", "lathe's own list of written paths"),
    (
        "src/unconfirmed/records.rs",
        "lathe's own list of files before a command",
    ),
    ("src/worktree/lock.rs", "lathe's own locks of work trees"),
    (
        "src/worktree/storage.rs",
        "lathe's own records of work trees, and objects that it cannot link",
    ),
];

/// Functions of `std::fs` that open a file.
const OPENING: &[&str] = &["read", "read_to_string", "copy", "open", "openat", "openat2"];
/// Names after which anything opens: of types, and of the walker that reads ignore files.
const TYPES: &[&str] = &["OpenOptions", "WalkBuilder", "IncrementalIgnore"];

/// The lines that open files outside of tests.
fn opened(text: &str) -> Vec<usize> {
    let tokens = Source::new(text).outside_of_tests();
    let word = |index: usize| tokens.get(index).map_or("", |(word, _)| word.as_str());
    let mut group = None;
    let mut lines = Vec::new();
    for (index, (token, line)) in tokens.iter().enumerate() {
        let follows = |name: &str| index >= 2 && word(index - 1) == "::" && word(index - 2) == name;
        if token == "{" && follows("fs") {
            group = Some(0_usize);
        }
        match (token.as_str(), group.as_mut()) {
            ("{", Some(depth)) => *depth += 1,
            ("}", Some(depth)) => {
                *depth -= 1;
                if *depth == 0 {
                    group = None;
                }
            }
            _ => {}
        }
        let is_function = OPENING.contains(&token.as_str()) && (follows("fs") || group.is_some());
        let is_of_file =
            follows("File") && matches!(token.as_str(), "open" | "options" | "create" | "create_new");
        let is_private = follows("private_file") && matches!(token.as_str(), "open" | "options");
        let is_of_ignore = follows("Gitignore") && matches!(token.as_str(), "new" | "global")
            || matches!(token.as_str(), "build_global" | "build_matchers");
        let is_type = TYPES.contains(&token.as_str()) && word(index + 1) == "::";
        let is_async = token == "fs" && follows("tokio");
        if is_function || is_of_file || is_private || is_of_ignore || is_type || is_async {
            lines.push(*line);
        }
    }
    lines
}

pub(super) fn is_test(path: &str) -> bool {
    let in_a_folder = path.contains("/tests/");
    in_a_folder
        || ["/tests.rs", "_tests.rs", "/harness.rs", "/fixture.rs"]
            .iter()
            .any(|end| path.ends_with(end))
}

#[test]
fn project_files_are_opened_by_regular_file_alone() {
    let mut found = BTreeMap::new();
    for path in rust_files(&manifest_directory().join("src")) {
        let name = path
            .strip_prefix(manifest_directory())
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        let lines = opened(&fs::read_to_string(&path).unwrap());
        if !lines.is_empty() && !is_test(&name) {
            found.insert(name, lines);
        }
    }
    let is_listed = |name: &str| OPENERS.iter().any(|(opener, _)| *opener == name);
    let unlisted: Vec<_> = found.iter().filter(|(name, _)| !is_listed(name)).collect();
    assert!(
        unlisted.is_empty(),
        "these open files by themselves; use `regular_file`: {unlisted:?}"
    );
    let idle: Vec<_> = OPENERS
        .iter()
        .filter(|(opener, _)| !found.contains_key(*opener))
        .collect();
    assert!(idle.is_empty(), "these open nothing any more: {idle:?}");
}

#[test]
fn what_opens_a_file_is_seen_and_tests_are_not() {
    for (text, expected) in [
        ("fn f() { std::fs::read(x) }", vec![1]),
        ("use std::fs::{self, read_to_string};", vec![1]),
        ("fn f() { private_file::open(x) }", vec![1]),
        ("use std::fs::{self, File};\nfn f() { File::open(x) }", vec![2]),
        ("fn f() { OpenOptions::new() }", vec![1]),
        ("fn f() { ignore::WalkBuilder::new(x) }", vec![1]),
        (
            "fn f() { Gitignore::new(x); RegularFile::open(x); fs::read_dir(x); fs::metadata(x); }",
            vec![1],
        ),
        ("use tokio::fs;", vec![1]),
        (
            "#[cfg(test)]\nmod tests { fn f() { fs::read(x); } }\nfn g() {}",
            vec![],
        ),
        ("#[cfg(test)]\nmod tests;\nfn g() { fs::read(x) }", vec![3]),
    ] {
        assert_eq!(opened(text), expected, "{text}");
    }
}
