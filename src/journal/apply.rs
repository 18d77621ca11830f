//! Undo and redo: one transaction over the files, whose last step is the commit in the database.

use std::path::Path;

use super::Journal;
use super::image::{Looked, mode_of};
use super::plan::{Plan, PlannedFile};
use crate::conversation::MessageId;
use crate::files::{ContentHash, ExpectedContent, FileError, FileProblem, Transaction};
use crate::store::{
    FileImage, StoreError, StoredPath, StoredUndo, Surroundings, UndoDirection, UndoRecord, UndoneFile,
};

/// Why nothing was undone.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Journal {
    /// Carries out a plan but for its refused files, and takes the message `cut` and all that follow out of the conversation.
    /// All of it is done, or nothing. `records` is where transactions write down what they are about to do.
    pub fn undo(
        &self,
        plan: &Plan,
        cut: Option<MessageId>,
        surroundings: (Surroundings, Surroundings),
        records: &Path,
        project: &Path,
    ) -> Result<(), UndoError> {
        let done = || plan.files.iter().filter(|file| !file.is_refused());
        let (before, after) = surroundings;
        let record = UndoRecord {
            cut,
            files: done().map(undone).collect(),
            rows: done()
                .flat_map(|file| &file.rows)
                .chain(&plan.settled)
                .copied()
                .collect(),
            before,
            after,
        };
        let number = self.store.begin_undo(&self.tree, &record)?;
        let begun = StoredUndo {
            id: number,
            begun: Some(UndoDirection::Undo),
            record,
        };
        self.carry_out(plan, &begun, records, project)
    }

    /// Takes an undo back, but for the refused files of its plan.
    pub fn redo(
        &self,
        plan: &Plan,
        undo: &StoredUndo,
        records: &Path,
        project: &Path,
    ) -> Result<(), UndoError> {
        self.store.begin_redo(undo.id)?;
        let begun = StoredUndo {
            begun: Some(UndoDirection::Redo),
            ..undo.clone()
        };
        self.carry_out(plan, &begun, records, project)
    }

    fn carry_out(
        &self,
        plan: &Plan,
        begun: &StoredUndo,
        records: &Path,
        project: &Path,
    ) -> Result<(), UndoError> {
        let mut transaction = Transaction::new(records, project);
        let filled = plan
            .files
            .iter()
            .filter(|file| !file.is_refused())
            .try_for_each(|file| self.fill(&mut transaction, file));
        let done = filled.and_then(|()| {
            transaction.commit_then(|| Ok::<_, UndoError>(self.store.finish_undo(&self.tree, begun)?))
        });
        match done {
            Ok(_) => {
                self.known.forget();
                Ok(())
            }
            Err(UndoError::File(error)) if matches!(error.problem(), FileProblem::NotRestored(_)) => {
                // The next start puts the files back and finds what was begun.
                Err(error.into())
            }
            Err(error) => {
                self.store.drop_begun_undo(begun)?;
                Err(error)
            }
        }
    }

    /// Adds the change of one file. What it is now is kept first, for the way back.
    fn fill(&self, transaction: &mut Transaction, file: &PlannedFile) -> Result<(), UndoError> {
        let path = &file.path;
        let stale = || FileError::new(path, FileProblem::Stale);
        let now = Looked::at(path)?;
        if now.image != file.from {
            return Err(stale().into());
        }
        self.keep_looked(&now)?;
        let expected = match &now.bytes {
            Some(bytes) => ExpectedContent::Hash(ContentHash::of(bytes)),
            None => ExpectedContent::Absent,
        };
        match (&file.from, &file.to) {
            (FileImage::Link { target }, FileImage::Absent) => {
                transaction.link(path, None, Some(target.clone()));
            }
            (FileImage::Absent, FileImage::Link { target }) => {
                transaction.link(path, Some(target.clone()), None);
            }
            (FileImage::Link { target: before }, FileImage::Link { target }) => {
                transaction.link(path, Some(target.clone()), Some(before.clone()));
            }
            (_, FileImage::Absent) => {
                transaction.remove_with_parents(path, expected, file.parents.clone());
            }
            (_, to @ FileImage::File { hash, .. }) => {
                let bytes = self.content(hash)?.ok_or_else(stale)?;
                match mode_of(to) {
                    Some(bits) => transaction.replace_with_bits(path, bytes, expected, bits),
                    None => transaction.replace(path, bytes, expected),
                }
            }
            (_, FileImage::Link { .. } | FileImage::Unknown) => return Err(stale().into()),
        }
        Ok(())
    }
}

fn undone(file: &PlannedFile) -> UndoneFile {
    UndoneFile {
        path: StoredPath::new(&file.path),
        from: file.from.clone(),
        to: file.to.clone(),
        parents: file.parents.iter().map(|path| StoredPath::new(path)).collect(),
    }
}
