//! Puts right what a process left half done that was killed while it made or removed a tree.

use std::io;
use std::time::Duration;

use super::lock::Alone;
use super::record::TreeRecord;
use super::storage::{RecordDir, Storage};
use super::{TreeError, Worktrees};
use crate::conversation::TaskId;
use crate::files;

/// Time for which one that is applied or removed at the moment is waited for.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long a lock that nobody works under may stay taken.
const MOMENT: Duration = Duration::from_millis(500);

impl Worktrees {
    /// Holds the lock of a task's tree alone, with what was cut off put right, and reads its record.
    pub(super) fn take_alone(&self, task: &TaskId) -> Result<(Alone, TreeRecord), TreeError> {
        self.recover();
        let directory = self.storage.record(task);
        self.record(task)?;
        let taken = Alone::take(&directory, PATIENCE).map_err(TreeError::io(directory.path()))?;
        let lock = taken.ok_or_else(|| TreeError::Live(task.clone()))?;
        // What was cut off is put right under this lock, so that a tree on its way out is never taken for one that is gone.
        self.storage
            .recover(&directory)
            .map_err(TreeError::io(directory.path()))?;
        // Read under the lock: somebody may have applied or removed it meanwhile.
        Ok((lock, self.record(task)?))
    }

    /// Puts right what nobody is at work on. What cannot be put right now is at the next look.
    pub(super) fn recover(&self) {
        // What was being applied is undone, or whole, before anything is compared with the project.
        for problem in files::recover(&self.transactions).problems {
            tracing::warn!(
                problem,
                "a change of the project that was cut off could not be put right"
            );
        }
        for task in self.storage.recorded().unwrap_or_default() {
            let record = self.storage.record(&task);
            if !record.is_unfinished() {
                continue;
            }
            // A program that starts at this moment may hold a copy of the lock until it runs.
            let lock = Alone::take(&record, MOMENT);
            let Ok(Some(_lock)) = lock else { continue };
            if let Err(error) = self.storage.recover(&record) {
                tracing::warn!(%error, %task, "what is left of a work tree could not be put right");
            }
        }
    }
}

impl Storage {
    /// Puts one record right; its lock is held alone.
    ///
    /// - A tree on its way out comes back, unless it was found that nothing in it is needed: then it goes.
    /// - A tree that was not handed out goes with its record: nobody has worked in it.
    pub(super) fn recover(&self, record: &RecordDir) -> io::Result<()> {
        let is_there = |path: &std::path::Path| path.symlink_metadata().is_ok();
        let stored = self.load(record)?;
        let has_tree = stored.as_ref().is_some_and(|stored| is_there(&stored.tree));
        if record.is_settled() {
            if has_tree {
                // It was put back after all.
                return record.forget_settled();
            }
            record.remove()?;
            if let Some(stored) = &stored {
                Self::tidy(&stored.tree);
            }
            return Ok(());
        }
        if is_there(&record.removing()) {
            return match &stored {
                Some(stored) if !has_tree => Self::restore(record, &stored.tree),
                // Where it belongs is not known, or taken: it stays where it is, and in the lists.
                _ => Ok(()),
            };
        }
        let was_handed_out = stored.is_some() && !is_there(&record.new_tree());
        if was_handed_out || has_tree {
            return Ok(());
        }
        if stored.is_none() && self.has_tree(record) {
            return Ok(());
        }
        record.remove()
    }
}
