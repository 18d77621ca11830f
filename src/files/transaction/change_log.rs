//! The log of changes: told of each transaction before anything is changed, and how it ended.

use std::io;
use std::path::{Path, PathBuf};

/// The state of a file before or after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileVersion<'a> {
    Absent,
    File {
        bytes: &'a [u8],
        /// Permission bits; `None` for those that a new file is made with.
        mode: Option<u32>,
    },
    /// A symbolic link and its target.
    Link(&'a [u8]),
}

/// One file of a transaction.
#[derive(Debug, Clone, Copy)]
pub struct LoggedChange<'a> {
    pub path: &'a Path,
    pub before: FileVersion<'a>,
    pub after: FileVersion<'a>,
    /// Directories that are made for it, the outermost first.
    pub parents: &'a [PathBuf],
}

/// A log that transactions are entered in.
pub trait ChangeLog: Send + Sync {
    /// Enters a transaction that is about to begin, and returns the number of the entry. After an error no file is changed.
    fn begin(&self, changes: &[LoggedChange<'_>]) -> io::Result<i64>;

    /// Notes that everything is done, or that everything is as it was. Neither is called when the process dies, or when a
    /// file could not be put back.
    fn end(&self, entry: i64, is_done: bool);
}
