//! One commit at a time, over all lathe processes that share a data directory.
//!
//! Looking at a file and renaming over it are two steps. Without a turn two processes could both find a file as they
//! expect it, and one of them would undo over what the other one wrote. Whoever holds the lock on a file beside the records
//! has the turn; the operating system takes it back from a process that is killed. A process that is stopped in the middle
//! keeps it, so waiting has an end.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use super::super::{FileError, FileProblem};
use crate::private_file;

/// Beside the records; never removed, because a lock on a file without a name keeps nobody out.
pub(super) const NAME: &str = "lock";
/// A commit takes milliseconds; a thousand large files some seconds.
const PATIENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(5);

/// The turn, until it is dropped.
pub(super) struct CommitLock {
    _locked: File,
}

impl CommitLock {
    /// Waits for it. Blocks.
    pub(super) fn take(records: &Path) -> Result<Self, FileError> {
        Self::take_within(records, PATIENCE)
    }

    /// Takes it if nobody has it.
    pub(super) fn take_now(records: &Path) -> Option<Self> {
        Self::take_within(records, Duration::ZERO).ok()
    }

    fn take_within(records: &Path, patience: Duration) -> Result<Self, FileError> {
        let path = records.join(NAME);
        let failed = |error: io::Error| FileError::io(&path, error);
        private_file::create_dir(records).map_err(failed)?;
        let mut options = private_file::options();
        let file = options
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(failed)?;
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _locked: file }),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
                Err(TryLockError::WouldBlock) if begun.elapsed() >= patience => {
                    return Err(FileError::new(&path, FileProblem::Busy));
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_one_waits_and_does_not_wait_forever() {
        let dir = tempfile::tempdir().unwrap();
        let records = dir.path().join("deep/records");
        let first = CommitLock::take(&records).unwrap();
        let error = CommitLock::take_within(&records, Duration::ZERO).err().unwrap();
        assert!(matches!(error.problem(), FileProblem::Busy), "{error}");
        let waiting = std::thread::spawn(move || CommitLock::take(&records).is_ok());
        drop(first);
        assert!(waiting.join().unwrap());
    }
}
