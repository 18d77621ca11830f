//! Files whose contents the journal has, as they were when it last looked.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Journal;
use super::image::Looked;
use super::stamp::Stamp;
use super::walked::Walked;
use crate::store::{FileImage, StoreError};

#[derive(Debug, Default)]
pub(super) struct KnownFiles {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    files: HashMap<PathBuf, Known>,
    /// True once the stored changes of the tree have been taken in.
    is_read: bool,
    /// The project as it was after the last command.
    walked: Option<Arc<Walked>>,
}

#[derive(Debug)]
struct Known {
    image: FileImage,
    /// `None` where nothing was there, or where it was not looked at since the tree was opened.
    stamp: Option<Stamp>,
}

/// A file that is not as it was known.
pub(super) struct ChangedKnown {
    pub(super) path: PathBuf,
    pub(super) before: FileImage,
    pub(super) after: FileImage,
}

impl KnownFiles {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what a file is now.
    pub(super) fn note(&self, path: PathBuf, image: FileImage) {
        let stamp = Stamp::at(&path);
        self.state().files.insert(path, Known { image, stamp });
    }

    pub(super) fn has(&self, path: &Path) -> bool {
        self.state().files.contains_key(path)
    }

    /// Returns the last walk of the project, or makes the first.
    pub(super) fn walked(&self, walk: impl FnOnce() -> Walked) -> Arc<Walked> {
        let mut state = self.state();
        Arc::clone(state.walked.get_or_insert_with(|| Arc::new(walk())))
    }

    pub(super) fn set_walked(&self, walked: Walked) {
        self.state().walked = Some(Arc::new(walked));
    }

    /// Forgets what it knows: something else wrote the files.
    pub(super) fn forget(&self) {
        *self.state() = State::default();
    }
}

impl Journal {
    /// Looks at the known files that may have changed, and returns those that have. Each is known as it is now afterwards.
    pub(super) fn refresh_known(&self) -> Result<Vec<ChangedKnown>, StoreError> {
        let mut state = self.known.state();
        if !state.is_read {
            let rows = self.store.journal_since(&self.tree, 0)?.into_iter();
            let stored: HashMap<PathBuf, FileImage> =
                rows.map(|row| (row.file.path, row.file.after)).collect();
            for (path, image) in stored {
                state.files.entry(path).or_insert(Known { image, stamp: None });
            }
            state.is_read = true;
        }
        let mut changed = Vec::new();
        for (path, known) in &mut state.files {
            let stamp = Stamp::at(path);
            let is_same = stamp == known.stamp && (stamp.is_some() || known.image == FileImage::Absent);
            if is_same {
                continue;
            }
            let after = match Looked::at(path) {
                Ok(looked) => {
                    self.keep_looked(&looked)?;
                    looked.image
                }
                Err(_) => FileImage::Unknown,
            };
            known.stamp = stamp;
            let before = std::mem::replace(&mut known.image, after.clone());
            if before != after {
                changed.push(ChangedKnown {
                    path: path.clone(),
                    before,
                    after,
                });
            }
        }
        Ok(changed)
    }
}
