//! The state of a tree: what in it is not applied, and whether somebody works in it.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::changes::{Counts, counts, file_changes};
use super::git::{RecordGit, shown};
use super::lock::{Alone, MOMENT};
use super::own_commits::OwnCommits;
use super::record::TreeRecord;
use super::snapshot::{Files, Snapshot, snapshot};
use super::storage::RecordDir;
use super::{TreeError, Worktrees};
use crate::conversation::{SessionId, TaskId};
use crate::process::{Occupant, occupants};

/// How a tree stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum TreeState {
    /// A task or a process works in it.
    Live,
    /// It holds changes that were not applied.
    Unapplied,
    /// All its changes were applied.
    Applied,
    /// Nothing is changed in it.
    Empty,
}

impl TreeState {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// One tree as lists show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeSummary {
    pub task: TaskId,
    pub session: SessionId,
    /// Absolute.
    pub path: PathBuf,
    /// The commit that it began with; empty where that is not known any more.
    pub base: String,
    pub additions: u64,
    pub deletions: u64,
    /// Changed files, against the base.
    pub files: u64,
    pub state: TreeState,
    /// A few words of the task.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The project that its changes are applied to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<PathBuf>,
    /// Why the state is not the whole truth, or what besides files is not applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Changes of a tree in numbers, and the files that are changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Measured {
    pub additions: u64,
    pub deletions: u64,
    pub files: Vec<String>,
}

/// The state of a tree that nobody works in, as it was found last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KnownState {
    pub(super) state: TreeState,
}

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
                super::error::a_few(&self.now.nested)
            ));
        }
        if !self.own.references.is_empty() {
            notes.push(format!(
                "has commits that its files do not show: {}",
                super::error::a_few(&self.own.references)
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
    /// Lists all trees, those of the oldest tasks first.
    pub fn list(&self) -> Result<Vec<TreeSummary>, TreeError> {
        self.recover();
        let tasks = self
            .storage
            .recorded()
            .map_err(TreeError::io(self.storage.records()))?;
        let lived_in = occupants(self.storage.trees());
        let mut found = Vec::new();
        for task in tasks {
            match self.record(&task) {
                Ok(record) => found.push(self.summary(&record, &lived_in)),
                Err(TreeError::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        let unrecorded = self.storage.unrecorded().into_iter();
        found.extend(unrecorded.map(|(task, path)| TreeSummary {
            session: task.session(),
            note: Some("its record is gone, so what was applied is not known".to_owned()),
            ..blank(task, path)
        }));
        Ok(found)
    }

    /// Returns one tree.
    pub fn find(&self, task: &TaskId) -> Result<TreeSummary, TreeError> {
        self.recover();
        let record = self.record(task)?;
        Ok(self.summary(&record, &occupants(&record.tree)))
    }

    /// Returns what is changed in a task's tree, against its base.
    pub fn measure(&self, task: &TaskId) -> Result<Measured, TreeError> {
        let record = self.record(task)?;
        let look = self.look(&record, &record.tree, Thoroughness::Quick)?;
        let git = RecordGit::new(&self.storage.record(task), &self.environment)?;
        let mut measured = Measured::default();
        for change in file_changes(&git, &record.base_tree, &look.now.tree)? {
            measured.additions += change.additions;
            measured.deletions += change.deletions;
            measured.files.push(shown(&change.path));
        }
        Ok(measured)
    }

    /// Notes how a tree stands when its task has ended, and returns it.
    pub fn settle(&self, task: &TaskId) -> Result<TreeSummary, TreeError> {
        let summary = self.find(task)?;
        self.note_state(task, summary.state)?;
        Ok(summary)
    }

    /// Notes that a task begins to work in its tree: what was known of it counts no more.
    pub fn begin(&self, task: &TaskId) -> Result<(), TreeError> {
        let directory = self.storage.record(task);
        let mut record = self.record(task)?;
        if record.known.take().is_some() {
            directory
                .store(&record)
                .map_err(TreeError::io(directory.path()))?;
        }
        Ok(())
    }

    /// The trees of a project whose tasks have ended and that hold changes which were not applied. A tree is only looked
    /// into where nobody noted how it stands.
    pub fn unapplied(&self, project: &Path) -> Vec<TaskId> {
        self.recover();
        let tasks = self.storage.recorded().unwrap_or_default().into_iter();
        let records = tasks.filter_map(|task| self.record(&task).ok());
        let of_project = records.filter(|record| record.project == project);
        let is_unapplied = |record: &TreeRecord| match record.known {
            Some(known) => known.state == TreeState::Unapplied,
            None if self.is_leased(&record.task) => false,
            None => self
                .settle(&record.task)
                .is_ok_and(|tree| tree.state == TreeState::Unapplied),
        };
        let unapplied = of_project.filter(is_unapplied);
        unapplied.map(|record| record.task).collect()
    }

    fn note_state(&self, task: &TaskId, state: TreeState) -> Result<(), TreeError> {
        let directory = self.storage.record(task);
        let mut record = self.record(task)?;
        let known = (state != TreeState::Live).then_some(KnownState { state });
        if record.known != known {
            record.known = known;
            directory
                .store(&record)
                .map_err(TreeError::io(directory.path()))?;
        }
        Ok(())
    }

    pub(super) fn record(&self, task: &TaskId) -> Result<TreeRecord, TreeError> {
        let directory = self.storage.record(task);
        let stored = directory.load().map_err(TreeError::io(directory.path()))?;
        stored.ok_or_else(|| TreeError::NotFound(task.clone()))
    }

    fn summary(&self, record: &TreeRecord, lived_in: &[Occupant]) -> TreeSummary {
        let blank = TreeSummary {
            base: record.base.clone(),
            title: record.title.clone(),
            project: Some(record.project.clone()),
            ..blank(record.task.clone(), record.tree.clone())
        };
        if record.tree.symlink_metadata().is_err() {
            return TreeSummary {
                state: TreeState::Empty,
                note: Some("its directory is gone".to_owned()),
                ..blank
            };
        }
        let is_live = self.is_leased(&record.task)
            || lived_in
                .iter()
                .any(|occupant| occupant.path.starts_with(&record.tree));
        let state = |state| if is_live { TreeState::Live } else { state };
        let looked = self.look(record, &record.tree, Thoroughness::Quick);
        let counted = looked.and_then(|look| Ok((self.counts(record, &look.now.tree)?, look)));
        match counted {
            Ok((counts, look)) => TreeSummary {
                additions: counts.additions,
                deletions: counts.deletions,
                files: counts.files,
                state: state(look.state(record)),
                note: look.note(record),
                ..blank
            },
            Err(error) => TreeSummary {
                state: state(TreeState::Unapplied),
                note: Some(format!("it could not be compared with its base: {error}")),
                ..blank
            },
        }
    }

    fn counts(&self, record: &TreeRecord, now: &str) -> Result<Counts, TreeError> {
        let directory = self.storage.record(&record.task);
        let git = RecordGit::new(&directory, &self.environment)?;
        counts(&git, &record.base_tree, now)
    }

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

    /// Returns true if somebody has the right to work in a tree.
    pub(super) fn is_leased(&self, task: &TaskId) -> bool {
        let record = self.storage.record(task);
        matches!(Alone::take(&record, MOMENT), Ok(None))
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
        environment: &crate::process::git::Variables,
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

fn blank(task: TaskId, path: PathBuf) -> TreeSummary {
    TreeSummary {
        session: task.session(),
        task,
        path,
        base: String::new(),
        additions: 0,
        deletions: 0,
        files: 0,
        state: TreeState::Unapplied,
        title: String::new(),
        project: None,
        note: None,
    }
}
