//! The changes in a tree, file by file and hunk by hunk.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::git::{Name, RecordGit, shown};
use super::look::Thoroughness;
use super::record::TreeRecord;
use super::{TreeError, Worktrees};
use crate::conversation::TaskId;
use crate::text::diff::diff_hunks;
use crate::unconfirmed::ConfigurationNames;

/// Bytes of a text that is shown by its hunks.
const LARGEST: u64 = 4 << 20;
/// The name of an object that is none.
const NOTHING: char = '0';
/// Looked for in what may be no text.
const BEGINNING: usize = 8000;

/// The state that a tree is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Against {
    /// The state that it began with.
    Base,
    /// The base with all that was applied: the difference is what is left to apply.
    Applied,
}

/// All changes in one tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeChanges {
    pub task: TaskId,
    /// In the order of their paths, those that configure lathe last.
    pub files: Vec<TreeFile>,
    /// Work in the tree that is no change of a file, in words.
    pub note: Option<String>,
}

/// Kind of a file's change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    Added,
    Changed,
    Removed,
    /// From [`TreeFile::from`].
    Moved,
}

/// One changed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeFile {
    /// Relative to the project.
    pub path: String,
    /// The path before, of a file that was moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    pub kind: ChangeKind,
    /// Names this change of the file: another one has another name.
    pub version: String,
    pub additions: u64,
    pub deletions: u64,
    /// Empty for what is not shown by its lines.
    pub hunks: Vec<TreeHunk>,
    /// A change that no hunk shows: `not a text`, `executable now`, `a link to x`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// True if lathe would read it as configuration in the project.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub configures: bool,
}

impl TreeFile {
    /// Returns true if its hunks can be applied one by one: a file comes, goes or moves as a whole.
    pub fn applies_by_hunk(&self) -> bool {
        self.kind == ChangeKind::Changed && !self.hunks.is_empty()
    }
}

/// A part of a file's change that can be applied on its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeHunk {
    /// From its header to its last line.
    pub text: String,
    pub additions: u64,
    pub deletions: u64,
}

/// Sums over the files of a tree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) additions: u64,
    pub(super) deletions: u64,
    pub(super) files: u64,
}

/// One file's change as git tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileChange {
    pub(super) path: Name,
    /// The path before, of a file that was moved.
    pub(super) from: Option<Name>,
    pub(super) old: Option<ChangedEntry>,
    pub(super) new: Option<ChangedEntry>,
    pub(super) additions: u64,
    pub(super) deletions: u64,
}

/// A file of a git tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChangedEntry {
    pub(super) kind: EntryKind,
    pub(super) object: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    File { executable: bool },
    Link,
    Submodule,
}

impl EntryKind {
    fn of(mode: &str) -> Option<Self> {
        Some(match mode {
            "000000" => return None,
            "120000" => Self::Link,
            "160000" => Self::Submodule,
            mode => Self::File {
                executable: mode == "100755",
            },
        })
    }

    pub(super) fn mode(self) -> &'static str {
        match self {
            Self::File { executable: true } => "100755",
            Self::File { executable: false } => "100644",
            Self::Link => "120000",
            Self::Submodule => "160000",
        }
    }
}

impl FileChange {
    pub(super) fn version(&self) -> String {
        let side = |entry: &Option<ChangedEntry>| {
            entry.as_ref().map_or_else(String::new, |entry| {
                format!("{}:{}", entry.kind.mode(), entry.object)
            })
        };
        format!("{}..{}", side(&self.old), side(&self.new))
    }

    /// Returns true if lathe would read the file as configuration in the project, under its name or through a link.
    pub(super) fn configures(&self, configuration: &ConfigurationNames) -> bool {
        let mut names = std::iter::once(&self.path).chain(&self.from);
        names.any(|name| configuration.has(Path::new(OsStr::from_bytes(name))))
    }

    fn kind(&self) -> ChangeKind {
        match (&self.old, &self.new) {
            _ if self.from.is_some() => ChangeKind::Moved,
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Removed,
            _ => ChangeKind::Changed,
        }
    }
}

impl Worktrees {
    /// Returns the changes in a task's tree, with their hunks.
    pub fn changes(&self, task: &TaskId, against: Against) -> Result<TreeChanges, TreeError> {
        self.recover();
        let record = self.record(task)?;
        let look = self.look(&record, &record.tree, Thoroughness::Quick)?;
        let git = RecordGit::new(&self.storage.record(task), &self.environment)?;
        let from = match against {
            Against::Base => &record.base_tree,
            Against::Applied => applied_tree(&record, &git),
        };
        let changes = file_changes(&git, from, &look.now.tree)?;
        let texts = Objects::of_texts(&git, &changes)?;
        let configuration = ConfigurationNames::of(&record.project);
        let files = changes
            .iter()
            .map(|change| tree_file(change, &texts, &configuration));
        let mut files: Vec<TreeFile> = files.collect();
        // What configures lathe stands apart.
        files.sort_by_key(|file| file.configures);
        Ok(TreeChanges {
            task: task.clone(),
            files,
            note: look.note(&record),
        })
    }
}

/// The git tree that was applied last. Where a power cut has lost it, that is the base: what was applied is offered
/// again and found to be there.
pub(super) fn applied_tree<'a>(record: &'a TreeRecord, git: &RecordGit) -> &'a str {
    let there = git.ask("", &["cat-file", "-e", &record.applied]);
    if there.is_ok() {
        &record.applied
    } else {
        &record.base_tree
    }
}

pub(super) fn counts(git: &RecordGit, from: &str, to: &str) -> Result<Counts, TreeError> {
    let mut counts = Counts::default();
    for change in file_changes(git, from, to)? {
        counts.additions += change.additions;
        counts.deletions += change.deletions;
        counts.files += 1;
    }
    Ok(counts)
}

/// Compares two git trees.
pub(super) fn file_changes(git: &RecordGit, from: &str, to: &str) -> Result<Vec<FileChange>, TreeError> {
    if from == to {
        return Ok(Vec::new());
    }
    let what = "the changes of the tree cannot be listed";
    let ask = |how: &str| {
        let words = [
            "diff-tree",
            "-r",
            "-z",
            "-M",
            "--no-abbrev",
            "--no-ext-diff",
            how,
            from,
            to,
        ];
        git.ask(what, &words)
    };
    let (raw, numbers) = (ask("--raw")?, ask("--numstat")?);
    let mut numbers = numstat(&numbers);
    let mut fields = raw.split(|byte| *byte == 0);
    let mut found = Vec::new();
    while let Some(header) = fields.next().filter(|field| !field.is_empty()) {
        let header = shown(header);
        let mut words = header.trim_start_matches(':').split(' ');
        let mut word = || words.next().unwrap_or_default().to_owned();
        let (old_mode, new_mode, old_object, new_object, status) = (word(), word(), word(), word(), word());
        let first = fields.next().unwrap_or_default().to_vec();
        let is_moved = status.starts_with('R');
        let (from, path) = if is_moved {
            (Some(first), fields.next().unwrap_or_default().to_vec())
        } else {
            (None, first)
        };
        let entry = |mode: &str, object: String| {
            let kind = EntryKind::of(mode).filter(|_| object.chars().any(|c| c != NOTHING))?;
            Some(ChangedEntry { kind, object })
        };
        let (additions, deletions) = numbers.remove(&path).unwrap_or_default();
        found.push(FileChange {
            old: entry(&old_mode, old_object),
            new: entry(&new_mode, new_object),
            path,
            from,
            additions,
            deletions,
        });
    }
    Ok(found)
}

/// Lines that came and went, by path; of what is no text none.
fn numstat(answer: &[u8]) -> HashMap<Name, (u64, u64)> {
    let mut found = HashMap::new();
    let mut fields = answer.split(|byte| *byte == 0);
    while let Some(row) = fields.next().filter(|row| !row.is_empty()) {
        let mut parts = row.splitn(3, |byte| *byte == b'\t');
        let mut number = || shown(parts.next().unwrap_or_default()).parse().unwrap_or(0);
        let counted = (number(), number());
        let path = match parts.next() {
            // One that was moved is followed by both of its names.
            None | Some(b"") => fields.nth(1).unwrap_or_default().to_vec(),
            Some(path) => path.to_vec(),
        };
        found.insert(path, counted);
    }
    found
}

/// Contents of objects.
pub(super) struct Objects(HashMap<String, Vec<u8>>);

impl Objects {
    /// Reads what these changes come from and lead to.
    pub(super) fn of_changes(git: &RecordGit, changes: &[&FileChange]) -> Result<Self, TreeError> {
        let entries = changes.iter().flat_map(|change| [&change.old, &change.new]);
        Self::read(git, entries.flatten().map(|entry| entry.object.as_str()))
    }

    /// The same without what is too long to be shown.
    fn of_texts(git: &RecordGit, changes: &[FileChange]) -> Result<Self, TreeError> {
        let entries = changes.iter().flat_map(|change| [&change.old, &change.new]);
        let objects: Vec<&str> = entries.flatten().map(|entry| entry.object.as_str()).collect();
        let words = ["cat-file", "--batch-check=%(objectname) %(objectsize)"];
        let input = objects.join("\n").into_bytes();
        let sizes = git.tell("the sizes of the files cannot be read", &words, input)?;
        let sizes = shown(&sizes);
        let short = sizes.lines().filter_map(|line| {
            let (object, size) = line.split_once(' ')?;
            size.parse::<u64>()
                .is_ok_and(|size| size <= LARGEST)
                .then_some(object)
        });
        Self::read(git, short)
    }

    fn read<'a>(git: &RecordGit, objects: impl Iterator<Item = &'a str>) -> Result<Self, TreeError> {
        let mut input = String::new();
        for object in objects {
            input.push_str(object);
            input.push('\n');
        }
        let what = "the contents of the files cannot be read";
        let answer = git.tell(what, &["cat-file", "--batch"], input.into_bytes())?;
        let mut found = HashMap::new();
        let mut rest = answer.as_slice();
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let header = shown(&rest[..end]);
            rest = &rest[end + 1..];
            let mut words = header.split(' ');
            let (object, _kind, size) = (words.next(), words.next(), words.next());
            let size = size.and_then(|size| size.parse::<usize>().ok());
            let (Some(object), Some(size)) = (object, size) else {
                // It is missing, or a submodule's commit.
                continue;
            };
            let Some(content) = rest.get(..size) else { break };
            found.insert(object.to_owned(), content.to_vec());
            rest = rest.get(size + 1..).unwrap_or_default();
        }
        Ok(Self(found))
    }

    /// `None` for what was not read.
    pub(super) fn get(&self, entry: &ChangedEntry) -> Option<&[u8]> {
        self.0.get(&entry.object).map(Vec::as_slice)
    }
}

fn tree_file(change: &FileChange, texts: &Objects, configuration: &ConfigurationNames) -> TreeFile {
    let hunks = texts_of(change, texts).map_or_else(Vec::new, |(old, new)| {
        let hunks = diff_hunks(old, new).into_iter();
        let hunk = |hunk: crate::text::diff::DiffHunk| TreeHunk {
            text: hunk.text,
            additions: hunk.additions as u64,
            deletions: hunk.deletions as u64,
        };
        hunks.map(hunk).collect()
    });
    TreeFile {
        path: shown(&change.path),
        from: change.from.as_deref().map(shown),
        kind: change.kind(),
        version: change.version(),
        additions: change.additions,
        deletions: change.deletions,
        note: note(change, texts),
        configures: change.configures(configuration),
        hunks,
    }
}

/// Both texts of a change; one that is not there is empty. `None` for what has no lines.
pub(super) fn texts_of<'a>(change: &FileChange, texts: &'a Objects) -> Option<(&'a str, &'a str)> {
    let text = |entry: &Option<ChangedEntry>| match entry {
        None => Some(""),
        Some(entry) if matches!(entry.kind, EntryKind::File { .. }) => text(texts.get(entry)?),
        Some(_) => None,
    };
    Some((text(&change.old)?, text(&change.new)?))
}

pub(super) fn text(bytes: &[u8]) -> Option<&str> {
    let is_binary = bytes.iter().take(BEGINNING).any(|byte| *byte == 0);
    std::str::from_utf8(bytes).ok().filter(|_| !is_binary)
}

fn note(change: &FileChange, texts: &Objects) -> Option<String> {
    let executable = |entry: &Option<ChangedEntry>| match entry.as_ref()?.kind {
        EntryKind::File { executable } => Some(executable),
        EntryKind::Link | EntryKind::Submodule => None,
    };
    let mut notes = Vec::new();
    let last = change.new.as_ref().or(change.old.as_ref());
    if let Some(link) = last.filter(|entry| entry.kind == EntryKind::Link) {
        let target = texts.get(link).map(shown).unwrap_or_default();
        notes.push(format!("a link to {target}"));
    } else {
        match (executable(&change.old), executable(&change.new)) {
            (Some(false) | None, Some(true)) => notes.push("executable now".to_owned()),
            (Some(true), Some(false)) => notes.push("not executable any more".to_owned()),
            _ => {}
        }
        let is_same =
            change.old.as_ref().map(|entry| &entry.object) == change.new.as_ref().map(|entry| &entry.object);
        if texts_of(change, texts).is_none() && !is_same {
            let entries = [&change.old, &change.new];
            let mut files = entries.into_iter().flatten();
            let is_long = files.any(|entry| texts.get(entry).is_none());
            notes.push(
                if is_long {
                    "too long to be shown"
                } else {
                    "not text"
                }
                .to_owned(),
            );
        }
    }
    (!notes.is_empty()).then(|| notes.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_moved_files_stand_before_both_names() {
        let answer = b"1\t2\ta b\0-\t-\tpicture\x003\t0\t\0old\0new\0";
        let found = numstat(answer);
        assert_eq!(found[&b"a b"[..]], (1, 2));
        assert_eq!(found[&b"picture"[..]], (0, 0));
        assert_eq!(found[&b"new"[..]], (3, 0));
        assert_eq!(found.len(), 3);
    }
}
