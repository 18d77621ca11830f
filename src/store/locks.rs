//! Locks of session trees: the owner holds `<data>/locks/<root session>.lock`.
//!
//! The operating system frees the lock when the process ends, however it ends. The file tells others who holds it. It is
//! removed when the lock is given back; whoever opened it just before notices that it is no longer the file of that name
//! and opens the new one.

use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::{StoreError, now, private};
use crate::conversation::SessionId;
use crate::private_file;

/// Owns a session tree until it is dropped.
#[derive(Debug)]
pub struct SessionLock {
    path: PathBuf,
    /// Holds the lock.
    _file: File,
}

#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// `None` in the moment before the holder has written its number.
    #[error("session `{session}` is open in {}; close it there first, or start a new session", process(*pid))]
    Held { session: SessionId, pid: Option<u32> },
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn process(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

impl SessionLock {
    /// Takes the tree of a root session, or says what process holds it. Does not wait.
    pub fn take(data_dir: &Path, root: &SessionId) -> Result<Self, LockError> {
        let dir = data_dir.join("locks");
        private::create_dir(&dir)?;
        let path = super::outputs::file_in(&dir, root.as_str(), "lock")?;
        let failed = |error| LockError::Store(StoreError::io(&path, error));
        loop {
            let mut file = private_file::open(&path).map_err(failed)?;
            match file.try_lock() {
                Ok(()) if !is_file_at(&file, &path) => {}
                Ok(()) => {
                    sign(&mut file).map_err(failed)?;
                    return Ok(Self { path, _file: file });
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(LockError::Held {
                        session: root.clone(),
                        pid: holder(&mut file),
                    });
                }
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
    }
}

impl Drop for SessionLock {
    fn drop(&mut self) {
        // Still under the lock, so it is our own file. Where it cannot be removed it is used again.
        if cfg!(unix) {
            fs::remove_file(&self.path).ok();
        }
    }
}

/// Returns the session trees that some process owns, each with its number where that is known. Takes none of them.
pub fn held_locks(data_dir: &Path) -> HashMap<SessionId, Option<u32>> {
    let entries = fs::read_dir(data_dir.join("locks"));
    let paths = entries.into_iter().flatten().flatten().map(|entry| entry.path());
    let held = paths.filter_map(|path| {
        let session = path.file_stem()?.to_str()?.parse().ok()?;
        let mut file = File::open(&path).ok()?;
        let pid = holder(&mut file);
        is_held(&file, pid).then_some((session, pid))
    });
    held.collect()
}

fn is_held(file: &File, pid: Option<u32>) -> bool {
    // A file that a dead process left is told by its number: to try its lock could be in the way of whoever takes it.
    let is_left_behind = pid.is_some_and(|pid| !is_alive(pid));
    !is_left_behind && matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

fn is_alive(pid: u32) -> bool {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    // A process of somebody else's may not be asked, so it is there.
    pid.is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH))
}

/// Writes who holds the lock: the process and when it took it, in milliseconds since the Unix epoch.
fn sign(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(format!("{} {}\n", std::process::id(), now()).as_bytes())
}

fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    text.split_whitespace().next()?.parse().ok()
}

fn is_file_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(named)) => identity(open) == identity(named),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_has_one_owner_and_others_learn_who() {
        let dir = tempfile::tempdir().unwrap();
        let session = SessionId::new();
        let lock = SessionLock::take(dir.path(), &session).unwrap();
        let error = SessionLock::take(dir.path(), &session).unwrap_err();
        let own = std::process::id();
        assert!(
            matches!(error, LockError::Held { pid: Some(pid), .. } if pid == own),
            "{error}"
        );
        assert!(error.to_string().contains(&format!("is open in process {own}")));
        SessionLock::take(dir.path(), &SessionId::new()).unwrap();
        drop(lock);
        SessionLock::take(dir.path(), &session).unwrap();
    }

    #[test]
    fn the_lock_of_a_dead_process_is_free() {
        let dir = tempfile::tempdir().unwrap();
        let session = SessionId::new();
        fs::create_dir(dir.path().join("locks")).unwrap();
        fs::write(dir.path().join(format!("locks/{session}.lock")), "1 0\n").unwrap();
        SessionLock::take(dir.path(), &session).unwrap();
    }

    #[test]
    fn the_holder_of_a_lock_is_read_without_taking_it() {
        let dir = tempfile::tempdir().unwrap();
        assert!(held_locks(dir.path()).is_empty());
        let [free, dead, own] = [(); 3].map(|()| SessionId::new());
        let lock = SessionLock::take(dir.path(), &own).unwrap();
        fs::write(dir.path().join(format!("locks/{free}.lock")), "1 0\n").unwrap();
        fs::write(dir.path().join(format!("locks/{dead}.lock")), "2147483646 0\n").unwrap();
        let expected = HashMap::from([(own, Some(std::process::id()))]);
        assert_eq!(held_locks(dir.path()), expected);
        drop(lock);
        assert!(held_locks(dir.path()).is_empty());
    }

    #[test]
    fn many_that_want_it_never_have_it_together() {
        let dir = tempfile::tempdir().unwrap();
        let session = SessionId::new();
        let inside = std::sync::atomic::AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        if let Ok(_lock) = SessionLock::take(dir.path(), &session) {
                            assert_eq!(inside.fetch_add(1, std::sync::atomic::Ordering::SeqCst), 0);
                            inside.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                        }
                    }
                });
            }
        });
    }
}
