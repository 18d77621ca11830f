//! Failures of working with one file: the file, and its problem.
//!
//! The sentence names the path as it was given to us, absolute as a rule; a caller that shows it under another name says
//! so with [`FileError::named`].

use std::io;
use std::path::{Path, PathBuf};

use crate::conversation::ErrorKind;

#[derive(Debug, thiserror::Error)]
#[error("`{}` {problem}", path.display())]
pub struct FileError {
    path: PathBuf,
    #[source]
    problem: FileProblem,
}

/// The problem with a file, as the rest of a sentence that begins with the path.
#[derive(Debug, thiserror::Error)]
pub enum FileProblem {
    #[error("does not exist")]
    NotFound,
    #[error("exists already")]
    Exists,
    #[error("is a directory")]
    IsDirectory,
    #[error("cannot be reached, because a part of its path is a file and not a directory")]
    NotDirectory,
    #[error("is a device, a pipe or a socket, not a file; it was not opened")]
    NotRegular,
    #[error("is a symbolic link to a file that does not exist; nothing is created through it")]
    DanglingLink,
    #[error("cannot be created: `{0}` on the way is a symbolic link to something that does not exist")]
    BehindDanglingLink(String),
    #[error("is a symbolic link, not a regular file; it was left as it is")]
    Link,
    #[error("is a binary file: it contains NUL bytes")]
    Binary,
    #[error("has {size} bytes, more than the limit of {limit}")]
    TooLarge { size: u64, limit: u64 },
    #[error("changed since it was read; read it again")]
    Stale,
    /// A part of its path became a link since the path was judged.
    #[error("leads to another place than when the change was worked out, so nothing was written")]
    Redirected,
    /// Nothing is made in place of a project that is gone.
    #[error("is the project directory and does not exist any more")]
    RootGone,
    #[error("is write-protected and was left as it is; change its permissions first")]
    WriteProtected,
    #[error("was left as it is, because its file system is read-only")]
    ReadOnlyFileSystem,
    #[error("was left as it is, because the disk is full; free some space and try again")]
    DiskFull,
    /// It cannot be replaced by a rename, and a write in place would change it under all of its names.
    #[error(
        "was left as it is, because it has {others} other {} (hard links) and its owner or its directory does not let it be replaced",
        if *others == 1 { "name" } else { "names" }
    )]
    OtherNames { others: u64 },
    #[error("may not be accessed: permission denied")]
    Denied,
    #[error("is held by another lathe that is in the middle of a change; try again")]
    Busy,
    /// A transaction failed and this file could not be put back; the record stays for the next start.
    #[error("could not be put back after a failed change ({0}); it is tried again at the next start")]
    NotRestored(String),
    #[error("could not be used: {0}")]
    Io(#[source] io::Error),
}

impl FileError {
    pub fn new(path: impl Into<PathBuf>, problem: FileProblem) -> Self {
        Self {
            path: path.into(),
            problem,
        }
    }

    /// Says what an error of the operating system means for the file.
    pub fn io(path: impl Into<PathBuf>, error: io::Error) -> Self {
        Self::new(path, error.into())
    }

    /// Returns the same error under the name by which the user knows the file.
    pub fn named(self, name: impl Into<PathBuf>) -> Self {
        Self {
            path: name.into(),
            ..self
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn problem(&self) -> &FileProblem {
        &self.problem
    }

    /// Returns the kind under which a tool reports it.
    pub fn kind(&self) -> ErrorKind {
        match &self.problem {
            FileProblem::NotFound | FileProblem::RootGone => ErrorKind::NotFound,
            FileProblem::Exists => ErrorKind::Exists,
            FileProblem::IsDirectory => ErrorKind::IsDirectory,
            FileProblem::NotDirectory => ErrorKind::NotDirectory,
            FileProblem::Binary => ErrorKind::Binary,
            FileProblem::TooLarge { .. } => ErrorKind::TooLarge,
            FileProblem::Stale | FileProblem::Redirected => ErrorKind::Stale,
            FileProblem::NotRegular
            | FileProblem::DanglingLink
            | FileProblem::BehindDanglingLink(_)
            | FileProblem::Link
            | FileProblem::WriteProtected
            | FileProblem::ReadOnlyFileSystem
            | FileProblem::DiskFull
            | FileProblem::OtherNames { .. }
            | FileProblem::Denied
            | FileProblem::Busy
            | FileProblem::NotRestored(_)
            | FileProblem::Io(_) => ErrorKind::Io,
        }
    }
}

impl From<io::Error> for FileProblem {
    fn from(error: io::Error) -> Self {
        if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) {
            return Self::Redirected;
        }
        match error.kind() {
            io::ErrorKind::NotFound => Self::NotFound,
            io::ErrorKind::AlreadyExists => Self::Exists,
            io::ErrorKind::IsADirectory => Self::IsDirectory,
            io::ErrorKind::NotADirectory => Self::NotDirectory,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull,
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnlyFileSystem,
            io::ErrorKind::PermissionDenied => Self::Denied,
            _ => Self::Io(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_says_what_became_of_the_file_and_what_to_do() {
        let error = FileError::io("/x/a.rs", io::ErrorKind::StorageFull.into()).named("a.rs");
        assert_eq!(
            error.to_string(),
            "`a.rs` was left as it is, because the disk is full; free some space and try again"
        );
        assert_eq!(error.kind(), ErrorKind::Io);
    }
}
