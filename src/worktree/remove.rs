//! Removes a tree, if nothing in it is needed.

use serde::{Deserialize, Serialize};

use super::changes::{FileChange, TreeChanges, TreeFile, applied_tree, file_changes};
use super::git::{RecordGit, shown};
use super::held::HeldWork;
use super::look::{Look, ScratchIndex, Thoroughness};
use super::record::TreeRecord;
use super::snapshot::{Files, ignored, snapshot};
use super::storage::{RecordDir, Storage};
use super::{TreeError, Worktrees};
use crate::conversation::TaskId;
use crate::process::occupants;

/// Trees that may be removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Removal {
    /// One without anything that is not applied.
    Settled,
    /// One that holds what somebody was shown and gave up, and nothing else by now.
    DiscardShown(ShownWork),
    /// Whatever it holds.
    Discard,
}

/// Work in a tree as it was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownWork {
    pub files: Vec<ShownFile>,
    /// [`TreeChanges::note`].
    pub note: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownFile {
    pub path: String,
    /// [`TreeFile::version`](super::TreeFile::version).
    pub version: String,
}

impl TreeChanges {
    /// Returns what of it a tree that is given up has to hold.
    pub fn work(&self) -> ShownWork {
        let file = |file: &TreeFile| ShownFile {
            path: file.path.clone(),
            version: file.version.clone(),
        };
        ShownWork {
            files: self.files.iter().map(file).collect(),
            note: self.note.clone(),
        }
    }
}

/// A tree that is gone, and what went with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemovedTree {
    pub task: TaskId,
    /// Work that was not applied.
    pub discarded: HeldWork,
    /// Ignored files.
    pub ignored: u64,
}

impl Worktrees {
    /// Removes a task's tree: `name` is told what goes that was not applied, before anything is touched.
    pub fn remove(
        &self,
        task: &TaskId,
        removal: &Removal,
        name: impl FnOnce(&HeldWork),
    ) -> Result<RemovedTree, TreeError> {
        let (_lock, record) = self.take_alone(task)?;
        let directory = self.storage.record(task);
        if record.tree.symlink_metadata().is_err() {
            // Somebody has removed it by hand; the record is all that is left.
            return Self::forget(&record, &directory, HeldWork::default(), 0);
        }
        Self::refuse_occupied(&record, &record.tree)?;
        let look = match self.look(&record, &record.tree, Thoroughness::Full) {
            Ok(look) => Some(look),
            Err(error) if *removal == Removal::Settled => return Err(error),
            Err(_) => None,
        };
        let work = match &look {
            Some(look) => self.work(&record, look)?,
            None => ShownWork {
                files: Vec::new(),
                note: Some("cannot be compared with its base, so everything in it is lost".to_owned()),
            },
        };
        if matches!(removal, Removal::DiscardShown(shown) if *shown != work) {
            return Err(TreeError::NotAsShown(task.clone()));
        }
        let held = HeldWork::from(work);
        if held != HeldWork::default() {
            if *removal == Removal::Settled {
                return Err(TreeError::Unapplied {
                    task: task.clone(),
                    held: Box::new(held),
                });
            }
            name(&held);
        }
        let ignored = self.count_ignored(&record, look.as_ref());
        Storage::take_back(&directory, &record.tree).map_err(TreeError::io(&record.tree))?;
        if let Err(error) = self.look_again(&record, &directory, look.as_ref()) {
            Storage::restore(&directory, &record.tree).map_err(TreeError::io(&record.tree))?;
            return Err(error);
        }
        Self::forget(&record, &directory, held, ignored)
    }

    /// Out of its place nobody finds the tree any more, so what it holds now is all that it will.
    fn look_again(
        &self,
        record: &TreeRecord,
        directory: &RecordDir,
        before: Option<&Look>,
    ) -> Result<(), TreeError> {
        let files = directory.removing();
        Self::refuse_occupied(record, &files)?;
        let Some(before) = before else { return Ok(()) };
        let after = self.look(record, &files, Thoroughness::Full)?;
        if after.is_same(before) {
            Ok(())
        } else {
            Err(TreeError::Changed(record.task.clone()))
        }
    }

    fn forget(
        record: &TreeRecord,
        directory: &RecordDir,
        discarded: HeldWork,
        ignored: u64,
    ) -> Result<RemovedTree, TreeError> {
        directory.remove().map_err(TreeError::io(directory.path()))?;
        Storage::tidy(&record.tree);
        Ok(RemovedTree {
            task: record.task.clone(),
            discarded,
            ignored,
        })
    }

    fn refuse_occupied(record: &TreeRecord, files: &std::path::Path) -> Result<(), TreeError> {
        match occupants(files).into_iter().next() {
            None => Ok(()),
            Some(occupant) => Err(TreeError::Occupied {
                task: record.task.clone(),
                pid: occupant.pid,
                name: occupant.name,
            }),
        }
    }

    /// Returns the work in a tree that was not applied.
    fn work(&self, record: &TreeRecord, look: &Look) -> Result<ShownWork, TreeError> {
        let git = RecordGit::new(&self.storage.record(&record.task), &self.environment)?;
        let changes = file_changes(&git, applied_tree(record, &git), &look.now.tree)?;
        let file = |change: &FileChange| ShownFile {
            path: shown(&change.path),
            version: change.version(),
        };
        Ok(ShownWork {
            files: changes.iter().map(file).collect(),
            note: look.note(record),
        })
    }

    fn count_ignored(&self, record: &TreeRecord, look: Option<&Look>) -> u64 {
        let directory = self.storage.record(&record.task);
        let forced = look.map(|look| look.own.forced.clone()).unwrap_or_default();
        let count = || -> Result<usize, TreeError> {
            let index = ScratchIndex::new(&directory, record, Thoroughness::Quick, &self.environment)?;
            let git = RecordGit::new(&directory, &self.environment)?.over(&record.tree, &index.path);
            snapshot(
                &git,
                Files {
                    root: &record.tree,
                    submodules: &[],
                    forced: &forced,
                },
            )?;
            ignored(&git)
        };
        // The number is told for the person to know; nothing is decided by it.
        count().map_or(0, |count| count as u64)
    }
}
