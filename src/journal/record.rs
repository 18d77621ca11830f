//! Entering the transactions of a session.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use super::Journal;
use crate::conversation::SessionId;
use crate::files::{ChangeLog, LoggedChange};
use crate::store::{ChangeOrigin, FileImage, JournalFile, NewJournalChange, StoreError};

/// Enters what one session of the tree changes.
pub struct SessionLog {
    journal: Journal,
    session: SessionId,
    /// The states of files when the transactions that run now are done.
    running: Mutex<HashMap<i64, Vec<(PathBuf, FileImage)>>>,
}

impl SessionLog {
    pub fn new(journal: Journal, session: SessionId) -> Self {
        Self {
            journal,
            session,
            running: Mutex::default(),
        }
    }

    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    pub(super) fn enter(
        &self,
        origin: ChangeOrigin,
        is_pending: bool,
        files: &[JournalFile],
    ) -> Result<i64, StoreError> {
        self.journal.store.add_change(&NewJournalChange {
            tree: &self.journal.tree,
            session: &self.session,
            origin,
            is_pending,
            files,
        })
    }
}

impl ChangeLog for SessionLog {
    fn begin(&self, changes: &[LoggedChange<'_>]) -> io::Result<i64> {
        let mut files = Vec::with_capacity(changes.len());
        for change in changes {
            files.push(JournalFile {
                path: change.path.to_owned(),
                before: self.journal.image(change.before).map_err(error)?,
                after: self.journal.image(change.after).map_err(error)?,
                parents: change.parents.to_vec(),
            });
        }
        let entry = self.enter(ChangeOrigin::Lathe, true, &files).map_err(error)?;
        let after = files.into_iter().map(|file| (file.path, file.after)).collect();
        self.running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(entry, after);
        Ok(entry)
    }

    fn end(&self, entry: i64, is_done: bool) {
        // Where this cannot be written, the state of the files says what happened when the tree is opened again.
        if let Err(error) = self.journal.store.settle_change(entry, is_done) {
            tracing::warn!(%error, "a change was not confirmed in the journal");
        }
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let after = running.remove(&entry);
        for (path, image) in after.into_iter().flatten().filter(|_| is_done) {
            self.journal.known.note(path, image);
        }
    }
}

/// The kinds that a transaction tells apart are those of the system.
fn error(error: StoreError) -> io::Error {
    match error {
        StoreError::Full => io::ErrorKind::StorageFull.into(),
        StoreError::ReadOnly => io::ErrorKind::ReadOnlyFilesystem.into(),
        StoreError::Io { source, .. } => source,
        other => io::Error::other(other),
    }
}
