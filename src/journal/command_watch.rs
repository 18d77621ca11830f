//! Finding what a command changed: a look at the project before it and one after it.
//!
//! Files whose contents the journal has are looked at one by one, wherever they lie. Of the others in the project, those
//! that no rule of git ignores, two bounded walks compare size and times; that a command changed one of these is known, what it
//! was before is not.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::image::Looked;
use super::known_files::Stamp;
use super::record::SessionLog;
use crate::regular_file::FileGate;
use crate::store::{ChangeOrigin, FileImage, JournalFile, StoreError};
use crate::tree_walk::{Flow, IgnoreFiles, Walk};

/// Files that a walk looks at.
const MAX_FILES: usize = 20_000;
const MAX_TIME: Duration = Duration::from_millis(200);
/// Files of one command that are entered.
const MAX_ENTERED: usize = 1000;
/// Bytes of the files of one command whose contents are kept from then on.
const MAX_KEPT: u64 = 16 << 20;
const GIT: &str = ".git";

/// The project before a command.
pub struct CommandWatch {
    before: Walked,
}

/// Files of a project by path.
struct Walked {
    files: HashMap<PathBuf, Stamp>,
    /// False when there were too many of them, or it took too long.
    is_whole: bool,
}

impl CommandWatch {
    /// Looks at the project before a command.
    pub fn begin(log: &SessionLog, project: &Path, gate: &(dyn FileGate + Sync)) -> Result<Self, StoreError> {
        // What changed until now was not this command.
        log.journal().refresh_known()?;
        Ok(Self {
            before: walk(project, gate),
        })
    }

    /// Looks again and enters what has changed.
    pub fn end(
        self,
        log: &SessionLog,
        project: &Path,
        gate: &(dyn FileGate + Sync),
    ) -> Result<(), StoreError> {
        let known = log.journal().refresh_known()?;
        let mut files: Vec<JournalFile> = known
            .into_iter()
            .map(|changed| file(changed.path, changed.before, changed.after))
            .collect();
        let now = walk(project, gate);
        let mut others = self.before.compared_with(&now);
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
        if !files.is_empty() {
            log.enter(ChangeOrigin::Command, false, &files)?;
        }
        Ok(())
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

impl Walked {
    /// Returns the files that are others now, each with whether it was there before.
    fn compared_with(&self, now: &Self) -> Vec<(PathBuf, bool)> {
        let mut others = Vec::new();
        for (path, stamp) in &now.files {
            match self.files.get(path) {
                Some(before) if before == stamp => {}
                Some(_) => others.push((path.clone(), true)),
                None if self.is_whole => others.push((path.clone(), false)),
                None => {}
            }
        }
        if now.is_whole {
            let gone = self.files.keys().filter(|path| !now.files.contains_key(*path));
            others.extend(gone.map(|path| (path.clone(), true)));
        }
        others
    }
}

fn walk(project: &Path, gate: &(dyn FileGate + Sync)) -> Walked {
    let begun = Instant::now();
    let mut walked = Walked {
        files: HashMap::new(),
        is_whole: true,
    };
    let enters = |entry: &crate::tree_walk::Entry| !(entry.is_directory() && entry.name() == GIT);
    Walk::whole(project, IgnoreFiles::Everywhere, gate).each(&enters, |entry| {
        let Ok(entry) = entry else { return Flow::Continue };
        if walked.files.len() == MAX_FILES || begun.elapsed() > MAX_TIME {
            walked.is_whole = false;
            return Flow::Stop;
        }
        if entry.is_directory() {
            return Flow::Continue;
        }
        if let Ok(metadata) = entry.metadata() {
            walked.files.insert(entry.path().to_owned(), Stamp::of(&metadata));
        }
        Flow::Continue
    });
    walked
}
