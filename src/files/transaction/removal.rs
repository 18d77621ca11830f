//! A file that is removed: it waits under a hidden name beside its place until the whole transaction is done.
//!
//! So undoing is a rename, and brings back the file itself with its other names, its owner and all that belongs to it. The
//! record holds no bytes for it.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use super::super::{ContentHash, FileError, FileProblem};
use super::change_log::{FileVersion, LoggedChange};
use super::place::{WriteTarget, remove_empty};
use super::replacement::{Attributes, temp_name};
use super::undone::Undone;
use super::{CommittedFile, ExpectedContent};

pub(super) struct Removal {
    pub(super) place: WriteTarget,
    /// Name beside it, under which the file waits.
    pub(super) aside: OsString,
    /// Of the content that goes.
    pub(super) hash: ContentHash,
    /// The content; empty in a step that was read from a record.
    pub(super) before: Vec<u8>,
    /// Permission bits; `None` in a step that was read from a record.
    mode: Option<u32>,
    /// Directories that go with it where nothing else is in them, the outermost first.
    parents: Vec<PathBuf>,
}

impl Removal {
    /// Looks at the file and checks what is expected of it. Changes nothing. `None` when nothing is there and nothing was
    /// expected.
    pub(super) fn inspect(
        place: WriteTarget,
        parents: Vec<PathBuf>,
        expected: &ExpectedContent,
    ) -> Result<Option<Self>, FileError> {
        let before = place.read()?;
        expected.check(place.path(), before.as_deref())?;
        let Some(before) = before else {
            return Ok(None);
        };
        let writable = place.existing()?.check_writable(place.name());
        writable.map_err(|problem| FileError::new(place.path(), problem))?;
        let mode = place
            .stat(place.name())?
            .map(|stat| Attributes::of(&stat).permissions());
        Ok(Some(Self {
            mode,
            parents,
            place,
            aside: temp_name(),
            hash: ContentHash::of(&before),
            before,
        }))
    }

    /// Makes the step of a record again.
    pub(super) fn recorded(place: WriteTarget, aside: OsString, hash: ContentHash) -> Self {
        Self {
            place,
            aside,
            hash,
            before: Vec::new(),
            mode: None,
            parents: Vec::new(),
        }
    }

    pub(super) fn logged(&self) -> LoggedChange<'_> {
        LoggedChange {
            path: self.place.path(),
            before: FileVersion::File {
                bytes: &self.before,
                mode: self.mode,
            },
            after: FileVersion::Absent,
            parents: &[],
        }
    }

    /// Takes the file out of its place, unless it changed meanwhile.
    pub(super) fn place(&self) -> Result<(), FileError> {
        if self.place.read()?.as_ref() != Some(&self.before) {
            return Err(FileError::new(self.place.path(), FileProblem::Stale));
        }
        let moved = self.place.existing()?.rename(self.place.name(), &self.aside);
        moved.map_err(|error| self.place.failed(error))
    }

    /// Brings the file back, if it was taken away.
    pub(super) fn undo(&self) -> Result<Undone, FileError> {
        if self.place.stat(&self.aside)?.is_none() {
            let now = self.place.read()?;
            let is_there = now.is_some_and(|now| ContentHash::of(&now) == self.hash);
            return Ok(if is_there {
                Undone::Nothing
            } else {
                Undone::Foreign
            });
        }
        if self.place.stat(self.place.name())?.is_some() {
            let message = format!(
                "another file is in its place, and the old one is kept as `{}`",
                self.place.beside(&self.aside).display()
            );
            return Err(FileError::io(self.place.path(), io::Error::other(message)));
        }
        let moved = self.place.existing()?.rename(&self.aside, self.place.name());
        moved.map_err(|error| self.place.failed(error))?;
        Ok(Undone::Restored)
    }

    /// Tells whether the file is out of its place.
    pub(super) fn is_done(&self) -> Result<bool, FileError> {
        Ok(self.place.stat(self.place.name())?.is_none())
    }

    /// Lets the file go, and the directories that were made for it.
    pub(super) fn finish(&self) -> Result<(), FileError> {
        self.place.remove(&self.aside)?;
        remove_empty(&self.parents);
        Ok(())
    }

    pub(super) fn into_written(self) -> CommittedFile {
        CommittedFile {
            other_names: 0,
            path: self.place.into_path(),
            hash: None,
            before: Some(self.before),
        }
    }
}
