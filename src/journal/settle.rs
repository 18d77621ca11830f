//! After a crash: what was pending is confirmed or forgotten, as the files say.
//!
//! The transactions of files are put right before (`files::recover`): of each, all files have their new content, or none.

use super::Journal;
use super::image::{Looked, mode_of, same_content};
use crate::store::{FileImage, StoreError, StoredUndo, UndoDirection};

impl Journal {
    /// Settles the tree. Only the holder of its lock may call this, after `files::recover`.
    pub fn settle(&self) -> Result<(), StoreError> {
        let pending = self.store.pending_changes(&self.tree)?;
        for change in pending.chunk_by(|one, next| one.change == next.change) {
            let is_done = change
                .iter()
                .any(|row| is_now(&row.file.path, &row.file.before, &row.file.after));
            self.store.settle_change(change[0].change, is_done)?;
        }
        for undo in self.store.undos(&self.tree)? {
            let is_done = match undo.begun {
                None => continue,
                Some(UndoDirection::Undo) => is_carried_out(&undo, false),
                Some(UndoDirection::Redo) => is_carried_out(&undo, true),
            };
            if is_done {
                self.store.finish_undo(&self.tree, &undo)?;
            } else {
                self.store.drop_begun_undo(&undo)?;
            }
        }
        Ok(())
    }
}

fn is_carried_out(undo: &StoredUndo, is_redo: bool) -> bool {
    undo.record.files.iter().any(|file| {
        let path = file.path.to_path();
        if is_redo {
            is_now(&path, &file.to, &file.from)
        } else {
            is_now(&path, &file.from, &file.to)
        }
    })
}

/// Returns true if a file that was to change from `before` to `after` is `after`.
fn is_now(path: &std::path::Path, before: &FileImage, after: &FileImage) -> bool {
    let Ok(now) = Looked::at(path) else { return false };
    if same_content(before, after) {
        // Only the mode bits were to change.
        return same_content(&now.image, after) && mode_of(&now.image) == mode_of(after);
    }
    same_content(&now.image, after)
}
