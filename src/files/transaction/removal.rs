//! A file that is removed: it waits under a hidden name beside its place until the whole transaction is done.
//!
//! So undoing is a rename, and brings back the file itself with its other names, its owner and all that belongs to it. The
//! record holds no bytes for it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::super::{ContentHash, FileError, FileProblem};
use super::replacement::{platform, read_if_there, remove_if_there, temp_beside};
use super::step::Undone;
use super::{Expected, Written};

pub(super) struct Removal {
    /// Real and absolute.
    pub(super) path: PathBuf,
    /// Where the file waits.
    pub(super) aside: PathBuf,
    /// Of the content that goes.
    pub(super) hash: ContentHash,
    /// The content; empty in a step that was read from a record.
    pub(super) before: Vec<u8>,
}

impl Removal {
    /// Looks at the file and checks what is expected of it. Changes nothing. `None` when nothing is there and nothing was
    /// expected.
    pub(super) fn inspect(path: &Path, expected: &Expected) -> Result<Option<Self>, FileError> {
        let is_link = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
        if is_link {
            return Err(FileError::new(path, FileProblem::Link));
        }
        let before = read_if_there(path)?;
        expected.check(path, before.as_deref())?;
        let Some(before) = before else {
            return Ok(None);
        };
        platform::check_writable(path)?;
        Ok(Some(Self {
            path: path.to_path_buf(),
            aside: temp_beside(path),
            hash: ContentHash::of(&before),
            before,
        }))
    }

    /// Takes the file out of its place, unless it changed meanwhile.
    pub(super) fn place(&self) -> Result<(), FileError> {
        if read_if_there(&self.path)?.as_ref() != Some(&self.before) {
            return Err(FileError::new(&self.path, FileProblem::Stale));
        }
        fs::rename(&self.path, &self.aside).map_err(|error| self.failed(error))
    }

    /// Brings the file back, if it was taken away.
    pub(super) fn undo(&self) -> Result<Undone, FileError> {
        if !self.is_aside() {
            let is_there = read_if_there(&self.path)?.is_some_and(|now| ContentHash::of(&now) == self.hash);
            return Ok(if is_there {
                Undone::Nothing
            } else {
                Undone::Foreign
            });
        }
        if fs::symlink_metadata(&self.path).is_ok() {
            let message = format!(
                "another file is in its place, and the old one is kept as `{}`",
                self.aside.display()
            );
            return Err(self.failed(io::Error::other(message)));
        }
        if let Some(parent) = self.path.parent() {
            fs::create_dir_all(parent).map_err(|error| self.failed(error))?;
        }
        fs::rename(&self.aside, &self.path).map_err(|error| self.failed(error))?;
        Ok(Undone::Restored)
    }

    /// Tells whether the file is out of its place.
    pub(super) fn is_done(&self) -> bool {
        fs::symlink_metadata(&self.path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    }

    /// Lets the file go.
    pub(super) fn finish(&self) -> Result<(), FileError> {
        remove_if_there(&self.aside).map_err(|error| FileError::io(&self.aside, error))
    }

    pub(super) fn into_written(self) -> Written {
        Written {
            path: self.path,
            hash: None,
            before: Some(self.before),
        }
    }

    fn is_aside(&self) -> bool {
        fs::symlink_metadata(&self.aside).is_ok()
    }

    fn failed(&self, error: io::Error) -> FileError {
        FileError::io(&self.path, error)
    }
}
