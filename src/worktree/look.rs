//! A look at a tree: the state of its files, and what its repository holds that they do not show.

use std::io;
use std::path::{Path, PathBuf};

use super::error::a_few;
use super::git::RecordGit;
use super::own_commits::OwnCommits;
use super::record::{TreeRecord, TreeState};
use super::snapshot::{Files, Snapshot, snapshot};
use super::storage::RecordDir;
use super::{TreeError, Worktrees};
use crate::process::git::Variables;

/// How a look at a tree goes about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thoroughness {
    /// Files with the times that they were made with are taken as unchanged, as git does.
    Quick,
    /// Every file is read.
    Full,
}

/// What a look at a tree found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) now: Snapshot,
    pub(super) own: OwnCommits,
}

impl Look {
    /// What in it is neither applied nor in the base.
    pub(super) fn is_settled(&self, record: &TreeRecord) -> bool {
        self.now.tree == record.applied
            && self.now.nested.is_empty()
            && self.own.references.is_empty()
            && self.own.problem.is_none()
            && !self.hides_commits(record)
    }

    /// Returns true if nothing has changed since another look. Why the repository cannot be read names its place, which
    /// may be another by now.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let without_place = |look: &Self| {
            let has_problem = look.own.problem.is_some();
            let own = OwnCommits {
                problem: None,
                ..look.own.clone()
            };
            (look.now.clone(), own, has_problem)
        };
        without_place(self) == without_place(other)
    }

    /// Returns true if the files are as in the base, and the commit that is checked out is not.
    pub(super) fn hides_commits(&self, record: &TreeRecord) -> bool {
        let head = self.own.head_tree.as_ref();
        self.now.tree == record.base_tree && head.is_some_and(|head| *head != record.base_tree)
    }

    pub(super) fn state(&self, record: &TreeRecord) -> TreeState {
        if !self.is_settled(record) {
            TreeState::Unapplied
        } else if self.now.tree == record.base_tree {
            TreeState::Empty
        } else {
            TreeState::Applied
        }
    }

    /// What of it no diff shows, in words.
    pub(super) fn note(&self, record: &TreeRecord) -> Option<String> {
        let mut notes = Vec::new();
        if !self.now.nested.is_empty() {
            notes.push(format!(
                "holds repositories of its own: {}",
                a_few(&self.now.nested)
            ));
        }
        if !self.own.references.is_empty() {
            notes.push(format!(
                "has commits that its files do not show: {}",
                a_few(&self.own.references)
            ));
        }
        if self.hides_commits(record) {
            notes.push("its last commit has changes that its files do not show".to_owned());
        }
        if let Some(problem) = &self.own.problem {
            notes.push(format!("its own repository cannot be read: {problem}"));
        }
        (!notes.is_empty()).then(|| notes.join("; "))
    }
}

impl Worktrees {
    /// Looks at the files of a tree, wherever they lie now.
    pub(super) fn look(
        &self,
        record: &TreeRecord,
        files: &Path,
        how: Thoroughness,
    ) -> Result<Look, TreeError> {
        if !files.is_dir() {
            return Err(TreeError::NotFound(record.task.clone()));
        }
        let directory = self.storage.record(&record.task);
        let own = OwnCommits::find(record, &directory, files, &self.environment);
        let index = ScratchIndex::new(&directory, record, how, &self.environment)?;
        let git = RecordGit::new(&directory, &self.environment)?.over(files, &index.path);
        let now = snapshot(
            &git,
            Files {
                root: files,
                submodules: &record.submodules,
                forced: &own.forced,
            },
        )?;
        Ok(Look { now, own })
    }
}

/// An index for one look.
pub(super) struct ScratchIndex {
    pub(super) path: PathBuf,
    directory: RecordDir,
}

impl ScratchIndex {
    pub(super) fn new(
        directory: &RecordDir,
        record: &TreeRecord,
        how: Thoroughness,
        environment: &Variables,
    ) -> Result<Self, TreeError> {
        let index = Self {
            path: directory.scratch("look"),
            directory: directory.clone(),
        };
        let copied = match how {
            Thoroughness::Quick => directory.copy_index(&directory.index(), &index.path).is_ok(),
            Thoroughness::Full => false,
        };
        if !copied {
            // Without times in it every file differs until it is read.
            RecordGit::new(directory, environment)?
                .with_index(&index.path)
                .ask(
                    "the base of the tree cannot be read",
                    &["read-tree", &record.base_tree],
                )?;
        }
        Ok(index)
    }
}

impl Drop for ScratchIndex {
    fn drop(&mut self) {
        // One that stays is in nobody's way, and goes with the record.
        let _: io::Result<()> = self.directory.discard(&self.path);
    }
}
