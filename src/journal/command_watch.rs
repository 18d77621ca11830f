//! Finding what a command changed: a look at the project after it, compared with the one after the command before.
//!
//! Files whose contents the journal has are looked at one by one, wherever they lie, before the command as well. Of the
//! others in the project, those that no rule of git ignores, a bounded walk compares size and times. What differs and has changed
//! since the command began, by the clock that the file system writes times with, is the command's; what it was before is not
//! known.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::image::Looked;
use super::record::SessionLog;
use super::walked::{Walked, walk};
use crate::files::FileMoment;
use crate::regular_file::FileGate;
use crate::store::{ChangeOrigin, FileImage, JournalFile, StoreError};

/// Files of one command that are entered.
const MAX_ENTERED: usize = 1000;
/// Bytes of the files of one command whose contents are kept from then on.
const MAX_KEPT: u64 = 16 << 20;

/// A command that runs.
pub struct CommandWatch {
    began: FileMoment,
    /// The project after the command before this one, or at the beginning.
    before: Arc<Walked>,
}

impl CommandWatch {
    /// Looks at the project before a command.
    pub fn begin(log: &SessionLog, project: &Path, gate: &(dyn FileGate + Sync)) -> Result<Self, StoreError> {
        // What changed until now was not this command.
        log.journal().refresh_known()?;
        let before = log.journal().known.walked(|| walk(project, gate));
        Ok(Self {
            began: FileMoment::now(),
            before,
        })
    }

    /// Looks again and enters what has changed; returns it.
    pub fn end(
        self,
        log: &SessionLog,
        project: &Path,
        gate: &(dyn FileGate + Sync),
    ) -> Result<Vec<JournalFile>, StoreError> {
        let known = log.journal().refresh_known()?;
        let mut files: Vec<JournalFile> = known
            .into_iter()
            .map(|changed| file(changed.path, changed.before, changed.after))
            .collect();
        let now = walk(project, gate);
        let mut others = self.before.compared_with(&now, self.began, project);
        others.retain(|(path, _)| !log.journal().known.has(path));
        others.sort();
        let mut kept = 0;
        for (path, was_there) in others.into_iter().take(MAX_ENTERED.saturating_sub(files.len())) {
            let before = if was_there {
                FileImage::Unknown
            } else {
                FileImage::Absent
            };
            let after = take_in(log, &path, &now, &mut kept)?;
            files.push(file(path, before, after));
        }
        log.journal().known.set_walked(now);
        if !files.is_empty() {
            log.enter(ChangeOrigin::Command, false, &files)?;
        }
        Ok(files)
    }
}

/// Keeps the content of a file that a command wrote, as long as there is not too much of it.
fn take_in(log: &SessionLog, path: &Path, now: &Walked, kept: &mut u64) -> Result<FileImage, StoreError> {
    let Some(stamp) = now.files.get(path) else {
        return Ok(FileImage::Absent);
    };
    *kept += stamp.size();
    if *kept > MAX_KEPT {
        return Ok(FileImage::Unknown);
    }
    let Ok(looked) = Looked::at(path) else {
        return Ok(FileImage::Unknown);
    };
    log.journal().keep_looked(&looked)?;
    log.journal().known.note(path.to_owned(), looked.image.clone());
    Ok(looked.image)
}

fn file(path: PathBuf, before: FileImage, after: FileImage) -> JournalFile {
    JournalFile {
        path,
        before,
        after,
        parents: Vec::new(),
    }
}
