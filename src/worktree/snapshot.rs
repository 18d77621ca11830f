//! The state of files as a git tree: everything that git does not ignore.
//!
//! What differs from the index is found by git, and taken in with its bytes. Deletions come first, so that what took the
//! place of a file is seen as new.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::TreeError;
use super::git::{Name, RecordGit, list, names, shown};
use super::source::{add, has_git_part};

/// Files as they were at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Snapshot {
    /// The git tree.
    pub(super) tree: String,
    /// Directories with files that git does not take in: repositories inside, and what lies where a submodule would be.
    pub(super) nested: Vec<String>,
}

/// The files to look at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Files<'a> {
    pub(super) root: &'a Path,
    /// Paths of submodules.
    pub(super) submodules: &'a [String],
    /// Ignored files that count all the same.
    pub(super) forced: &'a [Name],
}

/// Takes the files into the index of `git`, and writes the tree.
pub(super) fn snapshot(git: &RecordGit, files: Files<'_>) -> Result<Snapshot, TreeError> {
    let what = "the files cannot be compared";
    let differing = git.ask(what, &["diff-files", "-z", "--name-status", "--no-renames"])?;
    let (mut gone, mut taken) = (Vec::new(), Vec::new());
    let mut fields = names(&differing);
    while let (Some(status), Some(name)) = (fields.next(), fields.next()) {
        let list = if status == b"D" { &mut gone } else { &mut taken };
        list.push(name.to_vec());
    }
    if !gone.is_empty() {
        let words = ["update-index", "--force-remove", "-z", "--stdin"];
        git.tell("the files cannot be taken in", &words, list(&gone))?;
    }
    let untracked = git.ask(what, &["ls-files", "-z", "-o", "--exclude-standard"])?;
    let mut nested = Vec::new();
    for name in names(&untracked) {
        match name.strip_suffix(b"/") {
            Some(directory) => nested.push(shown(directory)),
            None if has_git_part(name) => nested.push(shown(name)),
            None => taken.push(name.to_vec()),
        }
    }
    let is_there = |name: &&Name| {
        let path = files.root.join(OsStr::from_bytes(name));
        path.symlink_metadata()
            .is_ok_and(|data| data.is_file() || data.is_symlink())
    };
    taken.extend(files.forced.iter().filter(is_there).cloned());
    add(git, &taken)?;
    nested.extend(filled(files));
    nested.sort();
    nested.dedup();
    let tree = git.line("the files cannot be taken in", &["write-tree"])?;
    Ok(Snapshot { tree, nested })
}

/// Counts the files that are ignored, and in no index that a snapshot was taken with.
pub(super) fn ignored(git: &RecordGit) -> Result<usize, TreeError> {
    let words = ["ls-files", "-z", "-o", "-i", "--exclude-standard"];
    let ignored = git.ask("the ignored files cannot be listed", &words)?;
    Ok(names(&ignored).count())
}

/// The directories of submodules that hold anything.
fn filled(files: Files<'_>) -> impl Iterator<Item = String> + '_ {
    let is_filled = |path: &&String| {
        let entries = fs::read_dir(files.root.join(path.as_str()));
        entries.is_ok_and(|mut entries| entries.next().is_some())
    };
    files.submodules.iter().filter(is_filled).cloned()
}
