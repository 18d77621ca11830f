//! The state of a tree: what in it is not applied, and whether somebody works in it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::changes::{Counts, counts, file_changes};
use super::git::{RecordGit, shown};
use super::lock::{Alone, MOMENT};
use super::look::{Look, Thoroughness};
use super::record::{KnownState, TreeRecord, TreeState};
use super::{TreeError, Worktrees};
use crate::conversation::{SessionId, TaskId};
use crate::process::{Occupant, occupants};

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
pub struct TreeSize {
    pub additions: u64,
    pub deletions: u64,
    pub files: Vec<String>,
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
            note: Some("its record is gone, so it is unknown what was applied".to_owned()),
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
    pub fn measure(&self, task: &TaskId) -> Result<TreeSize, TreeError> {
        let record = self.record(task)?;
        let look = self.look(&record, &record.tree, Thoroughness::Quick)?;
        let git = RecordGit::new(&self.storage.record(task), &self.environment)?;
        let mut measured = TreeSize::default();
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

    /// Has trees of a project that was moved lead to where it is now: those of the tasks that are meant. One that is in use
    /// stays as it is.
    pub fn follow(
        &self,
        old: &Path,
        new: &Path,
        is_meant: impl Fn(&TaskId) -> bool,
    ) -> Result<(), TreeError> {
        let tasks = self
            .storage
            .recorded()
            .map_err(TreeError::io(self.storage.records()))?;
        let of_old = |task: &TaskId| self.record(task).ok().filter(|record| record.project == old);
        for task in tasks.into_iter().filter(is_meant) {
            if of_old(&task).is_none() {
                continue;
            }
            let directory = self.storage.record(&task);
            let Ok(Some(_lock)) = Alone::take(&directory, MOMENT) else {
                continue;
            };
            // As it is under the lock.
            let Some(mut record) = of_old(&task) else { continue };
            record.moved_from.get_or_insert_with(|| old.to_owned());
            new.clone_into(&mut record.project);
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

    /// Where somebody is about to change the record it is left to them.
    fn note_state(&self, task: &TaskId, state: TreeState) -> Result<(), TreeError> {
        let directory = self.storage.record(task);
        let lock = Alone::take(&directory, MOMENT).map_err(TreeError::io(directory.path()))?;
        let Some(_lock) = lock else { return Ok(()) };
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
        let stored = self
            .storage
            .load(&directory)
            .map_err(TreeError::io(directory.path()))?;
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
                note: self.note(record, &look),
                ..blank
            },
            Err(error) => TreeSummary {
                state: state(TreeState::Unapplied),
                note: Some(format!("it could not be compared with its base: {error}")),
                ..blank
            },
        }
    }

    fn note(&self, record: &TreeRecord, look: &Look) -> Option<String> {
        let removing = self.storage.record(&record.task).removing();
        let is_there = removing.symlink_metadata().is_ok();
        let older = is_there.then(|| format!("an earlier state of it is in `{}`", removing.display()));
        let notes: Vec<String> = look.note(record).into_iter().chain(older).collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }

    fn counts(&self, record: &TreeRecord, now: &str) -> Result<Counts, TreeError> {
        let directory = self.storage.record(&record.task);
        let git = RecordGit::new(&directory, &self.environment)?;
        counts(&git, &record.base_tree, now)
    }

    /// Returns true if somebody has the right to work in a tree.
    pub(super) fn is_leased(&self, task: &TaskId) -> bool {
        let record = self.storage.record(task);
        matches!(Alone::take(&record, MOMENT), Ok(None))
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
