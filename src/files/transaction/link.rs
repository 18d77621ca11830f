//! A symbolic link that is made, led elsewhere or removed. Nothing is read or written where it leads.

use std::ffi::OsString;
use std::io;

use super::super::{FileError, FileProblem};
use super::CommittedFile;
use super::change_log::{FileVersion, LoggedChange};
use super::place::WriteTarget;
use super::replacement::temp_name;
use super::undone::Undone;

pub(super) struct LinkChange {
    pub(super) place: WriteTarget,
    /// Name beside it, under which a new link waits for its rename.
    pub(super) temp: OsString,
    /// Its target until then; `None` where there was nothing.
    pub(super) before: Option<Vec<u8>>,
    /// Its target afterwards; `None` for one that goes.
    pub(super) new: Option<Vec<u8>>,
}

impl LinkChange {
    /// Looks at what has the name and checks that it is what is expected. Changes nothing.
    pub(super) fn inspect(
        place: WriteTarget,
        new: Option<Vec<u8>>,
        before: Option<Vec<u8>>,
    ) -> Result<Self, FileError> {
        let change = Self {
            place,
            temp: temp_name(),
            before,
            new,
        };
        change.check()?;
        Ok(change)
    }

    /// Makes the directories that it needs.
    pub(super) fn stage(&mut self) -> Result<(), FileError> {
        if self.new.is_some() {
            self.place.make()?;
        }
        Ok(())
    }

    pub(super) fn place(&self) -> Result<(), FileError> {
        self.check()?;
        self.put(self.new.as_deref())
    }

    /// Brings back what was there, if it was changed.
    pub(super) fn undo(&self) -> Result<Undone, FileError> {
        self.place.remove(&self.temp)?;
        match self.now() {
            Ok(now) if now == self.before => Ok(Undone::Nothing),
            Ok(now) if now == self.new => {
                self.put(self.before.as_deref())?;
                Ok(Undone::Restored)
            }
            _ => Ok(Undone::Foreign),
        }
    }

    /// Tells whether it is what it was to become.
    pub(super) fn is_done(&self) -> Result<bool, FileError> {
        Ok(self.now()? == self.new)
    }

    pub(super) fn logged<'a>(&'a self) -> LoggedChange<'a> {
        let version = |target: &'a Option<Vec<u8>>| match target {
            Some(target) => FileVersion::Link(target),
            None => FileVersion::Absent,
        };
        LoggedChange {
            path: self.place.path(),
            before: version(&self.before),
            after: version(&self.new),
            parents: &self.place.parents,
        }
    }

    pub(super) fn into_written(self) -> CommittedFile {
        CommittedFile {
            other_names: 0,
            path: self.place.into_path(),
            hash: None,
            before: None,
        }
    }

    fn check(&self) -> Result<(), FileError> {
        let now = self.now().map_err(|_| match self.before {
            None => self.error(FileProblem::Exists),
            Some(_) => self.error(FileProblem::Stale),
        })?;
        match (&self.before, now) {
            (before, now) if *before == now => Ok(()),
            (None, _) => Err(self.error(FileProblem::Exists)),
            (Some(_), _) => Err(self.error(FileProblem::Stale)),
        }
    }

    /// Returns where the link leads now; an error for what is no link.
    fn now(&self) -> Result<Option<Vec<u8>>, FileError> {
        match self.place.directory()? {
            Some(directory) => directory
                .read_link(self.place.name())
                .map_err(|error| self.place.failed(error)),
            None => Ok(None),
        }
    }

    fn put(&self, target: Option<&[u8]>) -> Result<(), FileError> {
        let directory = self.place.existing()?;
        let name = self.place.name();
        let Some(target) = target else {
            return directory.remove(name).map_err(|error| self.place.failed(error));
        };
        let is_there = self.now()?.is_some();
        let made = directory.make_link(target, &self.temp).and_then(|()| {
            if is_there {
                directory.rename(&self.temp, name)
            } else {
                directory.rename_to_new(&self.temp, name)
            }
        });
        made.map_err(|error| {
            // What waits under the other name is of no use to anybody.
            let _: Result<(), _> = directory.remove(&self.temp);
            FileError::io(self.place.path(), io::Error::from(error))
        })
    }

    fn error(&self, problem: FileProblem) -> FileError {
        FileError::new(self.place.path(), problem)
    }
}
