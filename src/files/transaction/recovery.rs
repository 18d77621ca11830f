//! After a crash: finishes or undoes the transactions of processes that are gone.
//!
//! A transaction whose files all have their new content is finished; any other is undone, because nobody was told that it
//! happened. Files that somebody changed since are left alone and named.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::super::{FileError, FileProblem};
use super::commit_lock::CommitLock;
use super::record::{FoundRecord, Record};
use super::step::Step;
use super::undone::Undone;

/// The result of recovery at the start.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Transactions that had been completed.
    pub finished: usize,
    /// Files that were put back.
    pub rolled_back: Vec<PathBuf>,
    /// Sentences about what could not be put right.
    pub problems: Vec<String>,
}

/// Puts right what processes that died left half done. Transactions that are running now are not touched.
pub fn recover(records: &Path) -> Recovery {
    let mut recovery = Recovery::default();
    let mut turn = None;
    match Record::list(records) {
        Ok(listed) => {
            for path in listed.whole {
                recovery.take(&path, records, &mut turn);
            }
            clear(records, turn, &listed.unfinished);
        }
        Err(error) => recovery.problems.push(FileError::io(records, error).to_string()),
    }
    recovery
}

/// Removes records that nobody finished. Whoever has the turn is not writing one; while another has it, one may be his.
fn clear(records: &Path, turn: Option<CommitLock>, unfinished: &[PathBuf]) {
    if unfinished.is_empty() {
        return;
    }
    let Some(_turn) = turn.or_else(|| CommitLock::take_now(records)) else {
        return;
    };
    for path in unfinished {
        if let Err(error) = fs::remove_file(path)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(%error, "an unfinished record could not be removed");
        }
    }
}

impl Recovery {
    /// `turn` is taken with the first record that somebody left behind: most starts find none and wait for nobody.
    fn take(&mut self, path: &Path, records: &Path, turn: &mut Option<CommitLock>) {
        let (found, record) = match Record::open(path) {
            Ok(opened) => opened,
            Err(error) => return self.problems.push(FileError::io(path, error).to_string()),
        };
        if record.is_some() && turn.is_none() {
            match CommitLock::take(records) {
                Ok(taken) => *turn = Some(taken),
                Err(error) => return self.problems.push(error.to_string()),
            }
        }
        let is_settled = match found {
            FoundRecord::Busy | FoundRecord::Gone => false,
            FoundRecord::Steps(steps) => self.settle(&steps),
            FoundRecord::Unknown => {
                let name = path.display();
                self.problems.push(format!(
                    "`{name}` records a change by a newer lathe that was interrupted; start that one to finish it"
                ));
                false
            }
            FoundRecord::Damaged => {
                let name = path.display();
                self.problems.push(format!(
                    "`{name}`, the record of an interrupted change, was damaged and is removed"
                ));
                true
            }
        };
        match record {
            Some(record) if is_settled => record.remove(),
            Some(record) => record.keep(),
            None => {}
        }
    }

    /// Returns whether nothing is left to do.
    fn settle(&mut self, steps: &[Step]) -> bool {
        if steps.iter().all(|step| step.is_done().unwrap_or(false)) {
            self.finished += 1;
            return self.finish(steps);
        }
        let mut is_settled = true;
        for step in steps.iter().rev() {
            match step.undo() {
                Ok(Undone::Nothing) => {}
                Ok(Undone::Restored) => self.rolled_back.push(step.path().to_path_buf()),
                Ok(Undone::Foreign) => self.problems.push(format!(
                    "`{}` was part of a change that was interrupted, and has changed since; it was left as it is",
                    step.path().display()
                )),
                Err(error) => {
                    let problem = FileProblem::NotRestored(error.to_string());
                    self.problems.push(FileError::new(step.path(), problem).to_string());
                    is_settled = false;
                }
            }
            step.remove_parents();
        }
        is_settled
    }

    /// Clears away what a finished transaction left beside the files.
    fn finish(&mut self, steps: &[Step]) -> bool {
        let mut is_settled = true;
        for step in steps {
            if let Err(error) = step.finish() {
                self.problems.push(error.to_string());
                is_settled = false;
            }
        }
        is_settled
    }
}
