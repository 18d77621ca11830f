//! Entering what a hook made of a file after a tool had written or removed it.

use std::path::Path;

use super::record::SessionLog;
use crate::files::{ContentHash, CurrentFile, FileVersion};
use crate::store::{ChangeOrigin, FileImage, JournalFile, StoreError};

impl SessionLog {
    /// Enters a change that a hook made to a file: a tool left it with the hash `written`, `None` for a file that it
    /// removed, and it is `now` another. An undo of the tool's change then begins at the state after the hook.
    ///
    /// Returns false, and enters nothing, if another change of lathe's was entered since the tool's: it is that one which
    /// is seen, and not the hook's.
    pub fn enter_hook_change(
        &self,
        path: &Path,
        written: Option<&ContentHash>,
        now: &CurrentFile,
    ) -> Result<bool, StoreError> {
        let journal = self.journal();
        let last = journal.store.changes_of_file(&journal.tree, path)?.pop();
        let Some(last) = last.filter(|row| is_written(&row.file.after, written)) else {
            return Ok(false);
        };
        let after = journal.image(version(now))?;
        let file = JournalFile {
            path: path.to_owned(),
            before: last.file.after,
            after: after.clone(),
            parents: Vec::new(),
        };
        self.enter(ChangeOrigin::Lathe, false, &[file])?;
        journal.known.note(path.to_owned(), after);
        Ok(true)
    }
}

fn is_written(image: &FileImage, written: Option<&ContentHash>) -> bool {
    match (image, written) {
        (FileImage::File { hash, .. }, Some(written)) => hash == written.as_str(),
        (FileImage::Absent, None) => true,
        _ => false,
    }
}

fn version(file: &CurrentFile) -> FileVersion<'_> {
    match file {
        CurrentFile::Absent => FileVersion::Absent,
        CurrentFile::File { bytes, mode } => FileVersion::File {
            bytes,
            mode: Some(*mode),
        },
        CurrentFile::Link(target) => FileVersion::Link(target),
    }
}
