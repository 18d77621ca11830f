//! Looks at what is at a path now, without following a link on the way.

use std::io;
use std::path::Path;

use rustix::fs::FileType;
use rustix::io::Errno;

use super::directory::Directory;
use super::{FileError, FileProblem};

/// A file, a link or nothing, as it is at a real path now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CurrentFile {
    Absent,
    File {
        bytes: Vec<u8>,
        /// Permission bits.
        mode: u32,
    },
    /// A symbolic link and its target.
    Link(Vec<u8>),
}

impl CurrentFile {
    /// Reads a file of at most `limit` bytes. A directory, a device, or a link on the way is an error.
    pub fn look(path: &Path, limit: u64) -> Result<Self, FileError> {
        let failed = |error: Errno| FileError::io(path, io::Error::from(error));
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(FileError::new(path, FileProblem::IsDirectory));
        };
        let directory = match Directory::open(parent) {
            Ok(directory) => directory,
            Err(Errno::NOENT) => return Ok(Self::Absent),
            Err(error) => return Err(failed(error)),
        };
        let Some(stat) = directory.stat(name).map_err(failed)? else {
            return Ok(Self::Absent);
        };
        if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink {
            let target = directory.read_link(name).map_err(failed)?;
            return Ok(target.map_or(Self::Absent, Self::Link));
        }
        let read = directory
            .read(name, limit)
            .map_err(|problem| FileError::new(path, problem))?;
        Ok(match read {
            None => Self::Absent,
            Some(bytes) => Self::File {
                bytes,
                mode: stat.st_mode & 0o777,
            },
        })
    }
}
