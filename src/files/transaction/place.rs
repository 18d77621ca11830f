//! The place of one file of a transaction: its directory, held open, and its name there.
//!
//! Everything that is done to the file and to what waits beside it is done through the open directory, from the first
//! look to the last rename, and after a crash again. A directory that is swapped for a link meanwhile leads nowhere else.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::Stat;
use rustix::io::Errno;

use super::super::directory::Directory;
use super::super::{FileError, FileProblem};

pub(super) struct WriteTarget {
    /// Real and absolute.
    path: PathBuf,
    name: OsString,
    /// `None` where there is no such directory (yet).
    directory: Result<Option<Directory>, Errno>,
    /// The nearest directory above that there is, when `directory` has to be made.
    nearest: Option<Directory>,
    /// Directories that have to be made, the outermost first.
    pub(super) parents: Vec<PathBuf>,
}

/// The directories of one transaction, each opened once.
pub(super) struct Directories {
    root: PathBuf,
    opened: HashMap<PathBuf, Directory>,
}

impl Directories {
    /// Directories below `root`, each opened beneath it; `root` itself is never made.
    pub(super) fn new(root: &Path) -> Self {
        Self {
            root: root.to_path_buf(),
            opened: HashMap::new(),
        }
    }

    /// Opens the directory of a file, or the nearest one above it that there is. Changes nothing.
    pub(super) fn place(&mut self, path: &Path) -> Result<WriteTarget, FileError> {
        let failed = |error| FileError::io(path, io::Error::from(error));
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(FileError::new(path, FileProblem::IsDirectory));
        };
        let (base, above) = self.base(path)?;
        let mut parents = Vec::new();
        let mut nearest = parent;
        let directory = loop {
            match self.open(nearest, &base, &above) {
                Ok(directory) => break directory,
                Err(Errno::NOENT) if nearest != above => {
                    parents.push(nearest.to_path_buf());
                    nearest = nearest.parent().unwrap_or(&above);
                }
                Err(error) => return Err(failed(error)),
            }
        };
        parents.reverse();
        let is_there = parents.is_empty();
        Ok(WriteTarget {
            path: path.to_path_buf(),
            name: name.to_os_string(),
            directory: Ok(is_there.then(|| directory.clone())),
            nearest: (!is_there).then_some(directory),
            parents,
        })
    }

    /// The directory beneath which the file has to be, and its path: the root, or `/` for a file elsewhere.
    fn base(&mut self, path: &Path) -> Result<(Directory, PathBuf), FileError> {
        let is_below = path.starts_with(&self.root) && path != self.root;
        let base = if is_below {
            self.root.clone()
        } else {
            PathBuf::from("/")
        };
        if let Some(directory) = self.opened.get(&base) {
            return Ok((directory.clone(), base));
        }
        match Directory::open(&base) {
            Ok(directory) => {
                self.opened.insert(base.clone(), directory.clone());
                Ok((directory, base))
            }
            Err(Errno::NOENT) => Err(FileError::new(base, FileProblem::RootGone)),
            Err(error) => Err(FileError::io(base, error.into())),
        }
    }

    fn open(&mut self, path: &Path, base: &Directory, above: &Path) -> Result<Directory, Errno> {
        if let Some(directory) = self.opened.get(path) {
            return Ok(directory.clone());
        }
        let relative = path.strip_prefix(above).map_err(|_| Errno::INVAL)?;
        let directory = base.beneath(relative)?;
        self.opened.insert(path.to_path_buf(), directory.clone());
        Ok(directory)
    }
}

impl WriteTarget {
    /// Finds the place of a file that a record names.
    pub(super) fn recorded(path: PathBuf, parents: Vec<PathBuf>) -> Option<Self> {
        let name = path.file_name()?.to_os_string();
        let directory = match Directory::open(path.parent()?) {
            Ok(directory) => Ok(Some(directory)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error),
        };
        Some(Self {
            path,
            name,
            directory,
            nearest: None,
            parents,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn into_path(self) -> PathBuf {
        self.path
    }

    pub(super) fn name(&self) -> &OsStr {
        &self.name
    }

    /// The path of a file beside it.
    pub(super) fn beside(&self, name: &OsStr) -> PathBuf {
        self.path.with_file_name(name)
    }

    /// The open directory; `None` where there is none.
    pub(super) fn directory(&self) -> Result<Option<&Directory>, FileError> {
        match &self.directory {
            Ok(directory) => Ok(directory.as_ref()),
            Err(error) => Err(self.failed(*error)),
        }
    }

    /// The open directory, where there has to be one.
    pub(super) fn existing(&self) -> Result<&Directory, FileError> {
        self.directory()?.ok_or_else(|| self.failed(Errno::NOENT))
    }

    /// Makes the directories that are missing, if any, and returns the file's own.
    pub(super) fn make(&mut self) -> Result<&Directory, FileError> {
        if let Some(nearest) = self.nearest.take() {
            let made = self.make_below(nearest).map_err(|error| self.failed(error))?;
            self.directory = Ok(Some(made));
        }
        self.existing()
    }

    fn make_below(&self, nearest: Directory) -> Result<Directory, Errno> {
        let names = self.parents.iter().filter_map(|parent| parent.file_name());
        names.into_iter().try_fold(nearest, |directory, name| {
            directory.make(name)?;
            directory.beneath(Path::new(name))
        })
    }

    /// Removes the directories that were made for the file and are empty.
    pub(super) fn remove_parents(&self) {
        remove_empty(&self.parents);
    }

    /// Reads the file; `None` when there is none.
    pub(super) fn read(&self) -> Result<Option<Vec<u8>>, FileError> {
        match self.directory()? {
            Some(directory) => directory
                .read(&self.name, u64::MAX)
                .map_err(|problem| FileError::new(&self.path, problem)),
            None => Ok(None),
        }
    }

    /// Looks at what has the name `name` in the file's directory.
    pub(super) fn stat(&self, name: &OsStr) -> Result<Option<Stat>, FileError> {
        match self.directory()? {
            Some(directory) => directory.stat(name).map_err(|error| self.failed(error)),
            None => Ok(None),
        }
    }

    /// Removes a file beside this one, or this one.
    pub(super) fn remove(&self, name: &OsStr) -> Result<(), FileError> {
        match self.directory()? {
            Some(directory) => directory.remove(name).map_err(|error| self.failed(error)),
            None => Ok(()),
        }
    }

    pub(super) fn failed(&self, error: Errno) -> FileError {
        FileError::io(&self.path, error.into())
    }
}

/// Removes directories, the outermost first in the list, up to the first that is not empty.
pub(super) fn remove_empty(directories: &[PathBuf]) {
    for directory in directories.iter().rev() {
        let (Some(above), Some(name)) = (directory.parent(), directory.file_name()) else {
            return;
        };
        let removed = Directory::open(above).and_then(|above| above.remove_directory(name));
        if removed.is_err() {
            return;
        }
    }
}
