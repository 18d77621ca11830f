//! The work tree against `HEAD`, by git.
//!
//! Git is asked through lathe's one door to it, which starts nothing that a repository or the user has set. What it prints
//! is read up to a bound.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::recorded::count;
use super::{ChangeScope, ChangedFile, Changes, FileState};
use crate::files::{TextFile, looks_binary};
use crate::process::BoundedOutput;
use crate::process::git::{Git, GitAnswer, GitError, Limits, RepositoryCache, unbounded_file};
use crate::text::diff::{FileDiff, split_files, unified_renamed};

/// Git's answers are long, and large repositories take their time.
const LIMITS: Limits = Limits {
    time: Duration::from_secs(10),
    bytes: 8 * 1024 * 1024,
};
/// Untracked files that are listed.
const UNTRACKED: usize = 500;
/// An untracked file that is larger is listed without its lines.
const LARGEST: u64 = 256 * 1024;

/// The tree without a file: what a repository without a commit is compared with.
const EMPTY: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

pub(super) async fn changes(
    root: PathBuf,
    environment: Vec<(OsString, OsString)>,
) -> Result<Changes, String> {
    let blocking = root.clone();
    let found = tokio::task::spawn_blocking(move || open(&blocking, environment)).await;
    let (git, filters) = found.map_err(|error| error.to_string())??;
    let head = ask(&git, &["rev-parse", "--verify", "--quiet", "HEAD"]).await?;
    let base = if head.is_success { "HEAD" } else { EMPTY };
    let words = [
        "diff",
        base,
        "--relative",
        "--no-color",
        "--no-renames",
        "--src-prefix=a/",
        "--dst-prefix=b/",
    ];
    let diff = ask(&git, &words).await?;
    if !diff.is_success {
        return Err(format!(
            "Git could not compare the work tree: {}.",
            last_line(&diff.stderr.bytes)
        ));
    }
    let words = ["ls-files", "--others", "--exclude-standard", "-z"];
    let untracked = ask(&git, &words).await?;
    let work = tokio::task::spawn_blocking(move || gather(&root, &diff.stdout, &untracked.stdout));
    let mut changes = work.await.map_err(|error| error.to_string())?;
    if let Some(filters) = filters {
        changes.note = Some(
            [changes.note, Some(filters)]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(" "),
        );
    }
    Ok(changes)
}

/// Git in this directory with its drivers left out, and what that means for what it shows.
fn open(root: &Path, environment: Vec<(OsString, OsString)>) -> Result<(Git, Option<String>), String> {
    if let Some(why) = unbounded_file(root) {
        return Err(format!("Git was not run, because of {why}."));
    }
    let git = Git::find(root.to_owned(), environment, root).map_err(|error| explain(&error))?;
    let facts = RepositoryCache::default().facts(&git);
    let facts = facts.ok_or("Git's settings cannot be read, so the work tree was not compared.")?;
    let has_work_tree = facts.repository.as_ref().is_some_and(|found| found.top.is_some());
    if !has_work_tree {
        return Err(
            "This is not a git repository, so only the session and the turn can be compared.".to_owned(),
        );
    }
    let filters: Vec<String> = facts.drivers.filters_used_in(root).into_iter().collect();
    let note = (!filters.is_empty()).then(|| {
        format!(
            "Git's filters were left out: files with the filter {} may show as modified.",
            filters.join(", ")
        )
    });
    Ok((git.without(&facts.drivers), note))
}

async fn ask(git: &Git, words: &[&str]) -> Result<GitAnswer, String> {
    git.ask(words, LIMITS).await.map_err(|error| explain(&error))
}

fn explain(error: &GitError) -> String {
    match error {
        GitError::Missing => {
            "Git is not installed, so only the session and the turn can be compared.".to_owned()
        }
        GitError::TooLate(limit) => format!(
            "Git took longer than {} seconds to compare the work tree and was stopped.",
            limit.as_secs()
        ),
        GitError::Unbounded(why) => format!("Git was not run, because of {why}."),
        GitError::System(error) => format!("Git cannot be run: {error}."),
    }
}

fn gather(root: &Path, diff: &BoundedOutput, untracked: &BoundedOutput) -> Changes {
    let text = String::from_utf8_lossy(&diff.bytes);
    let names = untracked.bytes.split(|byte| *byte == 0);
    let names: Vec<_> = names.filter(|name| !name.is_empty()).collect();
    let split = split_files(&text);
    let binaries = binaries(&text).into_iter().map(|name| binary(root, name));
    let tracked = split.iter().filter_map(|file| tracked(root, file));
    let shown = names.iter().take(UNTRACKED);
    let untracked = shown.map(|name| added(root, &String::from_utf8_lossy(name)));
    let all = binaries.chain(tracked).chain(untracked);
    let files: BTreeMap<String, ChangedFile> = all.map(|file| (file.path.clone(), file)).collect();
    let mut notes = Vec::new();
    if diff.is_cut {
        notes.push(format!(
            "The diff is longer than {} MB; what follows is not shown.",
            LIMITS.bytes >> 20
        ));
    }
    if names.len() > UNTRACKED {
        notes.push(format!(
            "{} more untracked files are not shown.",
            names.len() - UNTRACKED
        ));
    }
    Changes {
        scope: ChangeScope::WorkTree,
        files: files.into_values().collect(),
        note: (!notes.is_empty()).then(|| notes.join(" ")),
    }
}

fn tracked(root: &Path, file: &FileDiff<'_>) -> Option<ChangedFile> {
    let state = match (file.old, file.new) {
        (None, _) => FileState::Added,
        (_, None) => FileState::Removed,
        _ => FileState::Changed,
    };
    let path = unquoted(file.new.or(file.old)?);
    let (additions, deletions) = count(file.text);
    Some(ChangedFile {
        real: root.join(&path),
        path,
        state,
        additions,
        deletions,
        diff: file.text.to_owned(),
        note: None,
        reverts: true,
    })
}

/// Names in `Binary files a/x and b/x differ`.
fn binaries(diff: &str) -> Vec<&str> {
    let lines = diff.lines().filter_map(|line| {
        let names = line.strip_prefix("Binary files ")?.strip_suffix(" differ")?;
        let (old, new) = names.split_once(" and ")?;
        new.strip_prefix("b/").or_else(|| old.strip_prefix("a/"))
    });
    lines.collect()
}

fn binary(root: &Path, name: &str) -> ChangedFile {
    ChangedFile {
        path: name.to_owned(),
        real: root.join(name),
        state: FileState::Changed,
        additions: 0,
        deletions: 0,
        diff: String::new(),
        note: Some("not text".to_owned()),
        reverts: false,
    }
}

fn added(root: &Path, name: &str) -> ChangedFile {
    let real = root.join(name);
    let size = fs::symlink_metadata(&real).map_or(0, |metadata| metadata.len());
    let is_link = real.is_symlink();
    let text = if is_link || size > LARGEST {
        None
    } else {
        TextFile::open_real(&real)
            .ok()
            .filter(|file| !looks_binary(file.bytes()))
    };
    let diff = text
        .as_ref()
        .map(|file| unified_renamed(None, Some(name), "", file.text()));
    let note = match &diff {
        Some(_) => None,
        None if is_link => Some("a link"),
        None if size > LARGEST => Some("too long to be shown"),
        None => Some("not text"),
    };
    let diff = diff.unwrap_or_default();
    ChangedFile {
        path: name.to_owned(),
        real,
        state: FileState::Added,
        additions: diff.additions,
        deletions: 0,
        reverts: note.is_none(),
        diff: diff.text,
        note: note.map(str::to_owned),
    }
}

/// Reads a name that git put in quotes, because it has a character that would break the line.
fn unquoted(name: &str) -> String {
    let Some(inner) = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return name.to_owned();
    };
    // Its prefix stands within the quotes.
    let inner = inner
        .strip_prefix("a/")
        .or_else(|| inner.strip_prefix("b/"))
        .unwrap_or(inner);
    let mut bytes = Vec::new();
    let mut rest = inner.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(digit @ b'0'..=b'3') => {
                let next = |rest: &mut std::str::Bytes<'_>| rest.next().unwrap_or(b'0').wrapping_sub(b'0');
                let (middle, last) = (next(&mut rest), next(&mut rest));
                bytes.push(((digit - b'0') << 6) | (middle << 3) | last);
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn last_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().rev().find(|line| !line.trim().is_empty());
    line.unwrap_or("it gave no reason").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_git_quotes_are_read() {
        assert_eq!(unquoted("plain name"), "plain name");
        assert_eq!(unquoted(r#""b/tab\there\" \303\244""#), "tab\there\" ä");
    }

    #[tokio::test]
    async fn without_a_repository_a_sentence_says_what_is_there() {
        let directory = tempfile::tempdir().unwrap();
        let environment = std::env::vars_os().collect();
        let error = changes(directory.path().to_owned(), environment)
            .await
            .unwrap_err();
        assert!(error.contains("not a git repository"), "{error}");
    }

    #[tokio::test]
    async fn git_is_not_asked_in_a_repository_that_would_fill_the_memory_or_hold_it_up() {
        for name in ["HEAD", "config", "index", "info/exclude"] {
            for kind in ["device", "fifo", "sparse"] {
                let directory = tempfile::tempdir().unwrap();
                let path = directory.path().join(".git").join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                match kind {
                    "device" => std::os::unix::fs::symlink("/dev/zero", &path).unwrap(),
                    "fifo" => {
                        let made = std::process::Command::new("mkfifo").arg(&path).status();
                        assert!(made.unwrap().success());
                    }
                    _ => fs::File::create(&path).unwrap().set_len(20 << 30).unwrap(),
                }
                let environment = std::env::vars_os().collect();
                let error = changes(directory.path().to_owned(), environment)
                    .await
                    .unwrap_err();
                let named = format!("Git was not run, because of `.git/{name}`: it ");
                assert!(error.starts_with(&named), "{kind} {error}");
            }
        }
    }

    #[tokio::test]
    async fn changed_new_and_removed_files_are_found() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        let git = |arguments: &str| {
            let status = std::process::Command::new("git")
                .args(["-c", "user.name=t", "-c", "user.email=t@t"])
                .args(arguments.split(' '))
                .current_dir(root)
                .output()
                .unwrap();
            assert!(status.status.success(), "{arguments}");
        };
        git("init -q");
        fs::write(root.join("gone.txt"), "old\n").unwrap();
        fs::write(root.join("kept.txt"), "same\nold\n").unwrap();
        git("add .");
        let environment: Vec<_> = std::env::vars_os().collect();
        let first = changes(root.to_owned(), environment.clone()).await.unwrap();
        assert_eq!(first.files.len(), 2, "before the first commit: {first:?}");
        git("commit -q -m one");
        fs::remove_file(root.join("gone.txt")).unwrap();
        fs::write(root.join("kept.txt"), "same\nnew\n").unwrap();
        fs::write(root.join("ä new.txt"), "1\n2\n").unwrap();
        fs::write(root.join("picture.bin"), [0, 159, 146, 150]).unwrap();
        let changes = changes(root.to_owned(), environment).await.unwrap();
        let files: Vec<_> = changes
            .files
            .iter()
            .map(|file| {
                (
                    file.path.as_str(),
                    &file.state,
                    file.additions,
                    file.deletions,
                    file.reverts,
                )
            })
            .collect();
        assert_eq!(
            files,
            [
                ("gone.txt", &FileState::Removed, 0, 1, true),
                ("kept.txt", &FileState::Changed, 1, 1, true),
                ("picture.bin", &FileState::Added, 0, 0, false),
                ("ä new.txt", &FileState::Added, 2, 0, true),
            ]
        );
    }
}
