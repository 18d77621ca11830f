//! The lock of a tree: shared by those who work in it, and held alone to apply or remove it.
//!
//! The system frees it when a process ends, however it ends. A process that is being started holds the open files of its
//! parent for a moment, so one try proves nothing.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use super::storage::RecordDir;
use super::{TreeError, Worktrees};
use crate::conversation::TaskId;
use crate::private_file;

/// Between two tries.
const AGAIN: Duration = Duration::from_millis(5);
/// How long a lock that nobody means to hold may look held.
pub(super) const MOMENT: Duration = Duration::from_millis(25);
/// How long a task waits until its tree has been applied.
const BEGIN: Duration = Duration::from_secs(30);

/// The right to work in a tree, until it is dropped: it is not removed meanwhile, and nothing of it applied.
#[derive(Debug)]
pub struct Lease {
    _file: File,
}

/// The lock, held alone until it is dropped.
#[derive(Debug)]
pub(super) struct Alone {
    _file: File,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hold {
    Shared,
    Alone,
}

impl Worktrees {
    /// Takes the right to work in a task's tree.
    pub fn lease(&self, task: &TaskId) -> Result<Lease, TreeError> {
        let record = self.storage.record(task);
        match take(&record, Hold::Shared, BEGIN) {
            Ok(Some(file)) => Ok(Lease { _file: file }),
            Ok(None) => Err(TreeError::Changed(task.clone())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(TreeError::NotFound(task.clone())),
            Err(error) => Err(TreeError::io(record.path())(error)),
        }
    }
}

impl Alone {
    /// Takes the lock of a record; `None` while somebody else has it.
    pub(super) fn take(record: &RecordDir, patience: Duration) -> io::Result<Option<Self>> {
        let taken = take(record, Hold::Alone, patience)?;
        Ok(taken.map(|file| Self { _file: file }))
    }
}

fn take(record: &RecordDir, hold: Hold, patience: Duration) -> io::Result<Option<File>> {
    let path = record.lock_file();
    if !record.path().is_dir() {
        return Err(io::ErrorKind::NotFound.into());
    }
    let deadline = Instant::now() + patience;
    loop {
        let file = private_file::open(&path)?;
        let tried = match hold {
            Hold::Shared => file.try_lock_shared(),
            Hold::Alone => file.try_lock(),
        };
        match tried {
            Ok(()) if is_file_at(&file, &path) => return Ok(Some(file)),
            // It was removed with its record just now.
            Ok(()) => {}
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return Ok(None),
            Err(TryLockError::WouldBlock) => std::thread::sleep(AGAIN),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

fn is_file_at(file: &File, path: &Path) -> bool {
    let identity = |data: std::fs::Metadata| (data.dev(), data.ino());
    match (file.metadata(), path.symlink_metadata()) {
        (Ok(open), Ok(named)) => identity(open) == identity(named),
        _ => false,
    }
}
