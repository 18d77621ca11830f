//! Applies changes of a tree to its project: all, some files, or some hunks of a file.
//!
//! Every file is merged before one is written, and one conflict keeps all of them from being written. What was applied is
//! recorded after it is there: a process that dies in between leaves changes that are offered once more, and then found to
//! be in the project.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::changes::{ChangedEntry, EntryKind, FileChange, Objects, applied_tree, file_changes, texts_of};
use super::git::{RecordGit, shown};
use super::look::{ScratchIndex, Thoroughness};
use super::merge::{MergeStep, Merger, Side};
use super::project_file::ProjectFile;
use super::record::{KnownState, TreeRecord};
use super::source::has_git_part;
use super::storage::RecordDir;
use super::{TreeError, Worktrees};
use crate::conversation::TaskId;
use crate::files::{ChangeLog, ContentHash, ExpectedContent, Transaction};
use crate::text::diff::{diff_hunks, with_hunks};
use crate::unconfirmed::ConfigurationNames;

/// Changes that are to be applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Selection {
    All,
    /// All but what configures lathe.
    Ordinary,
    Files(Vec<FileSelection>),
}

/// One file's change, or some of its hunks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSelection {
    pub path: String,
    /// As it was shown: [`TreeFile::version`](super::TreeFile::version).
    pub version: String,
    /// Numbers of hunks from 0; all of the change where it is `None`.
    pub hunks: Option<Vec<usize>>,
}

/// The outcome: either everything was applied, or nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApplyResult {
    /// Paths of the project that have the changes now.
    pub applied: Vec<String>,
    /// Files that have to be settled first.
    pub conflicts: Vec<Conflict>,
    /// Files that configure lathe and were not selected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// A file whose change does not fit what the project has by now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    pub path: String,
    pub why: String,
}

/// A change that was picked, with what it leads to.
struct PickedChange<'a> {
    change: &'a FileChange,
    /// The file with as much of the change as was picked; `None` for one that goes.
    to: Option<Picture<'a>>,
    /// True if all of it was picked.
    is_whole: bool,
}

/// Kind and content of a file.
#[derive(Clone)]
struct Picture<'a> {
    kind: EntryKind,
    bytes: std::borrow::Cow<'a, [u8]>,
}

/// Something to be written to the project.
struct ApplyStep {
    path: PathBuf,
    ours: ProjectFile,
    merged: MergeStep,
    /// A new file gets its rights from here.
    like: PathBuf,
}

impl Worktrees {
    /// Applies changes of a task's tree to its project, and enters them in a log of changes, if one is given.
    pub fn apply_logged(
        &self,
        task: &TaskId,
        selection: &Selection,
        log: Option<Arc<dyn ChangeLog>>,
    ) -> Result<ApplyResult, TreeError> {
        let (_lock, record) = self.take_alone(task)?;
        let directory = self.storage.record(task);
        if !record.project.is_dir() {
            return Err(TreeError::ProjectGone {
                task: task.clone(),
                project: record.project,
            });
        }
        let look = self.look(&record, &record.tree, Thoroughness::Quick)?;
        let git = RecordGit::new(&directory, &self.environment)?;
        let from = applied_tree(&record, &git).to_owned();
        let changes = file_changes(&git, &from, &look.now.tree)?;
        let configuration = ConfigurationNames::of(&record.project);
        let chosen = chosen(&changes, selection, &configuration)?;
        let left_out = match selection {
            Selection::Ordinary => configuring(&changes, &configuration),
            Selection::All | Selection::Files(_) => Vec::new(),
        };
        let wanted: Vec<&FileChange> = chosen.iter().map(|(change, _)| *change).collect();
        let objects = Objects::of_changes(&git, &wanted)?;
        let picked = chosen
            .into_iter()
            .map(|(change, hunks)| pick(change, hunks, &objects))
            .collect::<Result<Vec<_>, _>>()?;
        let project = Project {
            record: &record,
            directory: &directory,
            git: &git,
            objects: &objects,
        };
        let (steps, conflicts) = project.merge(&picked)?;
        if !conflicts.is_empty() {
            return Ok(ApplyResult {
                applied: Vec::new(),
                conflicts,
                left_out,
            });
        }
        self.write(&record, steps, log)?;
        let applied = project.applied_tree(&from, &picked, &self.environment)?;
        let mut stored = self.record(task)?;
        stored.applied = applied;
        stored.known = Some(KnownState {
            state: look.state(&stored),
        });
        directory
            .store(&stored)
            .map_err(TreeError::io(directory.path()))?;
        Ok(ApplyResult {
            applied: picked.iter().map(|picked| shown(&picked.change.path)).collect(),
            conflicts,
            left_out,
        })
    }

    fn write(
        &self,
        record: &TreeRecord,
        steps: Vec<ApplyStep>,
        log: Option<Arc<dyn ChangeLog>>,
    ) -> Result<(), TreeError> {
        let mut transaction = Transaction::new(&self.transactions, &record.project).logged(log);
        for step in steps {
            let expected = match &step.ours {
                ProjectFile::File { bytes, .. } => ExpectedContent::Hash(ContentHash::of(bytes)),
                _ => ExpectedContent::Absent,
            };
            match step.merged {
                MergeStep::Nothing | MergeStep::Conflict(_) => {}
                MergeStep::Write { bytes, .. } if expected == ExpectedContent::Absent => {
                    transaction.replace_like(&step.path, bytes, expected, &step.like);
                }
                MergeStep::Write { bytes, executable } => {
                    transaction.replace_with_mode(&step.path, bytes, expected, executable);
                }
                MergeStep::Link { target } => {
                    transaction.link(&step.path, Some(target), link_of(&step.ours));
                }
                MergeStep::Remove => match link_of(&step.ours) {
                    None => transaction.remove(&step.path, expected),
                    before => transaction.link(&step.path, None, before),
                },
            }
        }
        transaction.commit()?;
        Ok(())
    }
}

fn link_of(ours: &ProjectFile) -> Option<Vec<u8>> {
    match ours {
        ProjectFile::Link { target } => Some(target.clone()),
        _ => None,
    }
}

/// A change, and the hunks of it that are chosen; `None` is all of it.
type ChosenChange<'a, 's> = (&'a FileChange, Option<&'s [usize]>);

/// The changes that a selection names.
fn chosen<'a, 's>(
    changes: &'a [FileChange],
    selection: &'s Selection,
    configuration: &ConfigurationNames,
) -> Result<Vec<ChosenChange<'a, 's>>, TreeError> {
    let files = match selection {
        Selection::Ordinary => {
            let ordinary = changes.iter().filter(|change| !change.configures(configuration));
            return Ok(ordinary.map(|change| (change, None)).collect());
        }
        Selection::All => return Ok(changes.iter().map(|change| (change, None)).collect()),
        Selection::Files(files) => files,
    };
    let find = |file: &'s FileSelection| {
        let is_it =
            |change: &&FileChange| shown(&change.path) == file.path && change.version() == file.version;
        let change = changes.iter().find(is_it);
        let change = change.ok_or_else(|| TreeError::Stale(file.path.clone()))?;
        Ok((change, file.hunks.as_deref()))
    };
    files.iter().map(find).collect()
}

/// The paths of changes that configure lathe.
fn configuring(changes: &[FileChange], configuration: &ConfigurationNames) -> Vec<String> {
    let configuring = changes.iter().filter(|change| change.configures(configuration));
    configuring.map(|change| shown(&change.path)).collect()
}

/// Makes what a change leads to with some of its hunks.
fn pick<'a>(
    change: &'a FileChange,
    hunks: Option<&[usize]>,
    objects: &'a Objects,
) -> Result<PickedChange<'a>, TreeError> {
    let stale = || TreeError::Stale(shown(&change.path));
    let picture = |entry: &ChangedEntry| {
        Some(Picture {
            kind: entry.kind,
            bytes: objects.get(entry)?.into(),
        })
    };
    let whole = || -> Result<Option<Picture<'a>>, TreeError> {
        match &change.new {
            None => Ok(None),
            Some(entry) => picture(entry).map(Some).ok_or_else(stale),
        }
    };
    let Some(numbers) = hunks else {
        return Ok(PickedChange {
            change,
            to: whole()?,
            is_whole: true,
        });
    };
    let (old, new) = texts_of(change, objects).ok_or_else(stale)?;
    let all = diff_hunks(old, new);
    let is_picked = |number: &usize| numbers.contains(number);
    if (0..all.len()).all(|number| is_picked(&number)) && numbers.iter().all(|number| *number < all.len()) {
        return Ok(PickedChange {
            change,
            to: whole()?,
            is_whole: true,
        });
    }
    let mut picked = Vec::new();
    for number in numbers {
        picked.push(all.get(*number).ok_or_else(stale)?);
    }
    picked.sort_by_key(|hunk| hunk.old.start);
    picked.dedup();
    // A file comes, goes or moves as a whole.
    let kept = change.old.as_ref().filter(|_| change.from.is_none());
    let kept = kept.filter(|_| change.new.is_some()).ok_or_else(stale)?;
    Ok(PickedChange {
        change,
        to: Some(Picture {
            kind: kept.kind,
            bytes: with_hunks(old, new, &picked).into_bytes().into(),
        }),
        is_whole: false,
    })
}

/// The project that changes are put upon.
struct Project<'a> {
    record: &'a TreeRecord,
    directory: &'a RecordDir,
    git: &'a RecordGit,
    objects: &'a Objects,
}

impl Project<'_> {
    fn merge(&self, picked: &[PickedChange<'_>]) -> Result<(Vec<ApplyStep>, Vec<Conflict>), TreeError> {
        let (mut steps, mut conflicts) = (Vec::new(), Vec::new());
        for picked in picked {
            for step in self.steps(picked)? {
                if let MergeStep::Conflict(why) = step.merged {
                    let path = step.path.strip_prefix(&self.record.project);
                    conflicts.push(Conflict {
                        path: path.unwrap_or(&step.path).to_string_lossy().into_owned(),
                        why,
                    });
                } else {
                    steps.push(step);
                }
            }
        }
        Ok((steps, conflicts))
    }

    /// Works out the steps for one change; two for a file that was moved.
    fn steps(&self, picked: &PickedChange<'_>) -> Result<Vec<ApplyStep>, TreeError> {
        let change = picked.change;
        let (path, ours) = self.ours(&change.path);
        if has_git_part(&change.path) {
            let merged = MergeStep::Conflict("lathe writes nothing to a repository".to_owned());
            return Ok(vec![self.step(path, ours, merged)]);
        }
        let base = self.side(change.old.as_ref());
        let theirs = match &picked.to {
            None => Some(Side::Absent),
            Some(picture) => side_of(picture.kind, &picture.bytes),
        };
        let (Some(base), Some(theirs)) = (base, theirs) else {
            let merged =
                MergeStep::Conflict("a submodule is not applied; change it in the project".to_owned());
            return Ok(vec![self.step(path, ours, merged)]);
        };
        let three_way = Merger {
            git: self.git,
            record: self.directory,
        };
        let Some(from) = &change.from else {
            let merged = three_way.merge(&base, &theirs, &ours)?;
            return Ok(vec![self.step(path, ours, merged)]);
        };
        // What the project made of the file under its old name goes with it to the new one.
        let (old_path, old) = self.ours(from);
        if theirs.has_content_of(&ours) {
            let gone = three_way.merge(&base, &Side::Absent, &old)?;
            return Ok(vec![self.step(old_path, old, gone)]);
        }
        let merged = match (three_way.merge(&base, &theirs, &old)?, &old) {
            (MergeStep::Nothing, ProjectFile::File { bytes, executable }) => MergeStep::Write {
                bytes: bytes.clone(),
                executable: *executable,
            },
            (MergeStep::Nothing, ProjectFile::Link { target }) => MergeStep::Link {
                target: target.clone(),
            },
            (merged, _) => merged,
        };
        let merged = match merged {
            MergeStep::Conflict(why) => {
                MergeStep::Conflict(format!("moved in the tree from `{}`: {why}", shown(from)))
            }
            _ if ours != ProjectFile::Absent => MergeStep::Conflict(
                "moved to here in the tree, and there is another one in the project".to_owned(),
            ),
            merged => merged,
        };
        Ok(vec![
            self.step(path, ours, merged),
            self.step(old_path, old, MergeStep::Remove),
        ])
    }

    fn step(&self, path: PathBuf, ours: ProjectFile, merged: MergeStep) -> ApplyStep {
        let below = path.strip_prefix(&self.record.project).unwrap_or(Path::new(""));
        ApplyStep {
            like: self.record.tree.join(below),
            path,
            ours,
            merged,
        }
    }

    fn ours(&self, name: &[u8]) -> (PathBuf, ProjectFile) {
        let path = self.record.project.join(OsStr::from_bytes(name));
        let ours = ProjectFile::read(&self.record.project, &path);
        (path, ours)
    }

    /// `None` for what is neither a file nor a link.
    fn side(&self, entry: Option<&ChangedEntry>) -> Option<Side<'_>> {
        match entry {
            None => Some(Side::Absent),
            Some(entry) => side_of(entry.kind, self.objects.get(entry)?),
        }
    }

    /// Returns the git tree with everything that is applied by now.
    fn applied_tree(
        &self,
        from: &str,
        picked: &[PickedChange<'_>],
        environment: &crate::process::git::Variables,
    ) -> Result<String, TreeError> {
        let what = "the changes are in the project, but that they were applied cannot be recorded";
        let base = TreeRecord {
            base_tree: from.to_owned(),
            ..self.record.clone()
        };
        let index = ScratchIndex::new(self.directory, &base, Thoroughness::Full, environment)?;
        let git = self.git.with_index(&index.path);
        let mut input = Vec::new();
        for picked in picked {
            let change = picked.change;
            for gone in change.from.iter().chain([&change.path]) {
                let zeros = "0".repeat(from.len());
                input.extend_from_slice(format!("0 {zeros}\t").as_bytes());
                input.extend_from_slice(gone);
                input.push(0);
            }
            let Some(picture) = &picked.to else { continue };
            let object = match &change.new {
                Some(entry) if picked.is_whole => entry.object.clone(),
                _ => {
                    let words = ["hash-object", "-w", "--no-filters", "--stdin"];
                    super::git::line(&git.tell(what, &words, picture.bytes.to_vec())?)
                }
            };
            input.extend_from_slice(format!("{} {object}\t", picture.kind.mode()).as_bytes());
            input.extend_from_slice(&change.path);
            input.push(0);
        }
        git.tell(what, &["update-index", "-z", "--index-info"], input)?;
        git.line(what, &["write-tree"])
    }
}

fn side_of(kind: EntryKind, bytes: &[u8]) -> Option<Side<'_>> {
    match kind {
        EntryKind::File { executable } => Some(Side::File {
            bytes: bytes.into(),
            executable,
        }),
        EntryKind::Link => Some(Side::Link(bytes)),
        EntryKind::Submodule => None,
    }
}
