//! The files of a project at a moment, and what became of them since.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::stamp::Stamp;
use crate::files::FileMoment;
use crate::regular_file::FileGate;
use crate::tree_walk::{Entry, Flow, IgnoreFiles, Walk};

/// Files that a walk looks at.
const MAX_FILES: usize = 20_000;
/// Time for a walk. Unit tests have to see every change, however busy the machine is.
const MAX_TIME: Duration = Duration::from_millis(if cfg!(test) { 60_000 } else { 200 });
const THREADS: usize = 2;
const GIT: &str = ".git";

/// Files of a project by path.
#[derive(Debug)]
pub(super) struct Walked {
    pub(super) files: HashMap<PathBuf, Stamp>,
    /// False when there were too many of them, or it took too long.
    is_whole: bool,
}

impl Walked {
    /// Returns the files that have become others since a moment, each with whether it was there before.
    pub(super) fn compared_with(
        &self,
        now: &Self,
        since: FileMoment,
        project: &Path,
    ) -> Vec<(PathBuf, bool)> {
        let mut others = Vec::new();
        for (path, stamp) in &now.files {
            match self.files.get(path) {
                Some(before) if before == stamp || stamp.changed() < since => {}
                Some(_) => others.push((path.clone(), true)),
                None if self.is_whole && since.is_before_arrival_of(path, project) => {
                    others.push((path.clone(), false));
                }
                None => {}
            }
        }
        if now.is_whole {
            let gone = self.files.keys().filter(|path| !now.files.contains_key(*path));
            let gone = gone.filter(|path| was_emptied_since(path.parent(), since));
            others.extend(gone.map(|path| (path.clone(), true)));
        }
        others
    }
}

/// Walks the files of a project that no rule of git ignores, up to a number of them and a time.
pub(super) fn walk(project: &Path, gate: &(dyn FileGate + Sync)) -> Walked {
    let begun = Instant::now();
    let walked = Mutex::new(Walked {
        files: HashMap::new(),
        is_whole: true,
    });
    let enters = |entry: &Entry| !(entry.is_directory() && entry.name() == GIT);
    let walk = Walk {
        threads: THREADS,
        ..Walk::whole(project, IgnoreFiles::Everywhere, gate)
    };
    walk.run(&enters, || {
        |entry: io::Result<&Entry>| {
            let Ok(entry) = entry else { return Flow::Continue };
            let stamp = (!entry.is_directory()).then(|| entry.metadata().ok()).flatten();
            let mut walked = walked.lock().unwrap_or_else(PoisonError::into_inner);
            if walked.files.len() == MAX_FILES || begun.elapsed() > MAX_TIME {
                walked.is_whole = false;
                return Flow::Stop;
            }
            if let Some(metadata) = stamp {
                walked.files.insert(entry.path().to_owned(), Stamp::of(&metadata));
            }
            Flow::Continue
        }
    });
    walked.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Returns true if something left a directory since a moment: it has changed then, or is gone itself.
fn was_emptied_since(directory: Option<&Path>, since: FileMoment) -> bool {
    let stamp = directory.and_then(Stamp::at);
    stamp.is_none_or(|stamp| stamp.changed() >= since)
}
