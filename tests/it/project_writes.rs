//! Project files are written by `files::transaction` alone: a search of the source for every other way to change a file.
//!
//! Writes elsewhere (lathe's data directory, temporary files, the kernel's files) stand in [`ALLOWED`], each file of
//! the source with the place that it writes to. A file that is not listed has no such call outside its tests.

use std::fs;
use std::path::{Path, PathBuf};

/// Calls and types by which files are made, changed and removed.
const WAYS: [&str; 26] = [
    "fs::write",
    "fs::rename",
    "fs::copy",
    "fs::hard_link",
    "fs::soft_link",
    "remove_file",
    "remove_dir(",
    "remove_dir_all",
    "create_dir",
    "fs::symlink(",
    "symlinkat",
    "linkat(",
    "renameat",
    "unlinkat",
    "mkdirat",
    "mknodat",
    "File::create",
    "File::options",
    "OpenOptions",
    "DirBuilder",
    "NamedTempFile",
    "tempfile::Builder",
    "set_permissions",
    "set_len(",
    "set_times",
    "private_file::",
];

const ALLOWED: [(&str, &str); 32] = [
    (
        "files/directory.rs",
        "the open directories of `files::transaction`",
    ),
    ("files/transaction/record.rs", "records in the data directory"),
    (
        "files/transaction/recovery.rs",
        "unfinished records in the data directory",
    ),
    (
        "files/transaction/replacement.rs",
        "files that were opened through `files::directory`",
    ),
    (
        "files/transaction/commit_lock.rs",
        "the lock file in the data directory",
    ),
    (
        "cli/man.rs",
        "manual pages, in the directory that the person named",
    ),
    ("regular_file.rs", "opens for reading alone"),
    (
        "private_file.rs",
        "the ways in which the others below make theirs",
    ),
    ("cli/demo.rs", "the demo's own temporary directory"),
    (
        "cli/new_key.rs",
        "a key in the data directory, and the user's configuration where there is none yet",
    ),
    ("process/scratch.rs", "the scratch directories of commands"),
    ("cli/logs.rs", "logs in the data directory"),
    (
        "hook/transcript.rs",
        "transcripts for hooks in the data directory",
    ),
    (
        "process/sandbox/namespace.rs",
        "`/proc/self`, for a user namespace",
    ),
    (
        "provider/cassette/recorder.rs",
        "a recording that the environment names",
    ),
    ("store/blob.rs", "kept contents of files in the data directory"),
    ("store/locks.rs", "lock files in the data directory"),
    ("store/outputs.rs", "outputs in the data directory"),
    ("store/private.rs", "directories and files in the data directory"),
    ("store/prompts.rs", "prompt history in the data directory"),
    ("store/schema.rs", "the backup of the database"),
    (
        "store/told_notices.rs",
        "the notices that were told, in the state directory",
    ),
    ("tool/builtin/bash/capture.rs", "outputs in the data directory"),
    ("tool/harness.rs", "the temporary project of tests"),
    (
        "tui/clipboard/picture.rs",
        "pasted pictures in the data directory",
    ),
    ("tui/completion/frecency.rs", "a list in the data directory"),
    (
        "tui/editor.rs",
        "the draft for an editor, in the temporary directory",
    ),
    ("tui/trace.rs", "a trace that the environment names"),
    (
        "unconfirmed/log.rs",
        "the list of written paths in the data directory",
    ),
    (
        "unconfirmed/records.rs",
        "what there was before a command, in the data directory",
    ),
    ("worktree/lock.rs", "locks of work trees in the data directory"),
    (
        "worktree/storage.rs",
        "work trees and their records in the data directory",
    ),
];

/// The code of a file without its tests and comments, as numbered lines.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    text[..end]
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line))
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
}

fn ways(text: &str) -> Vec<usize> {
    code(text)
        .filter(|(_, line)| WAYS.iter().any(|way| line.contains(way)))
        .map(|(number, _)| number)
        .collect()
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        if path.is_dir() && name != "tests" {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && name != "tests.rs" {
            found.push(path);
        }
    }
}

#[test]
fn project_files_are_written_by_transactions_alone() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&source, &mut files);
    let (mut report, mut unused) = (Vec::new(), ALLOWED.map(|(file, _)| file).to_vec());
    for path in files {
        let name = path.strip_prefix(&source).unwrap().to_str().unwrap();
        let lines = ways(&fs::read_to_string(&path).unwrap());
        match unused.iter().position(|file| *file == name) {
            Some(place) if !lines.is_empty() => {
                unused.remove(place);
            }
            Some(_) => {}
            None => report.extend(lines.iter().map(|line| format!("src/{name}:{line}"))),
        }
    }
    assert!(
        report.is_empty(),
        "these change files past `files::transaction`; project files go through it, anything else is listed here with \
         its place: {report:#?}"
    );
    assert!(unused.is_empty(), "listed here and no longer needed: {unused:?}");
}

#[test]
fn calls_are_found_outside_of_tests_and_comments() {
    let text = "// fs::write in words\nfn f() {\n    std::fs::write(a, b);\n}\n#[cfg(test)]\nmod tests {\n    fs::write(a, b);\n}\n";
    assert_eq!(ways(text), [3]);
}
