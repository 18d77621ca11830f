//! The directory for temporary files of one session tree: made when it is first needed, gone with the tree.
//!
//! It lies in one directory of the user's in `/tmp`, which nobody else may enter. While its tree is open it is locked; one
//! that is not locked was left behind by a process that could not clean up, and goes when the next one is made.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use rustix::process::geteuid;

/// Nobody else looks in.
const MODE: u32 = 0o700;

/// A directory for temporary files. It is removed when this is dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    /// Held while the directory is in use; `None` before it is made.
    lock: Mutex<Option<OwnedFd>>,
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}

impl Scratch {
    /// A directory of its own, which is not there yet.
    pub fn new() -> Self {
        Self::below(&Self::parent())
    }

    fn below(parent: &Path) -> Self {
        let (_, random) = uuid::Uuid::now_v7().as_u64_pair();
        Self {
            path: parent.join(format!("{:08x}", random as u32)),
            lock: Mutex::new(None),
        }
    }

    /// Directory that holds the scratch directories of this user.
    pub fn parent() -> PathBuf {
        let temporary = Path::new("/tmp");
        let temporary = temporary.canonicalize().unwrap_or_else(|_| temporary.to_owned());
        temporary.join(format!("lathe-{}", geteuid().as_raw()))
    }

    /// Absolute, links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the directory where it is not there, and removes those that were left behind. Blocks.
    pub fn ensure(&self) -> io::Result<()> {
        let mut lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if lock.is_some() && self.path.is_dir() {
            return Ok(());
        }
        let parent = self.path.parent().unwrap_or(Path::new("/"));
        make(parent)?;
        remove_left_behind(parent);
        make(&self.path)?;
        *lock = Some(locked(&self.path)?);
        Ok(())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let lock = self.lock.get_mut().unwrap_or_else(PoisonError::into_inner);
        if lock.is_some()
            && let Err(error) = fs::remove_dir_all(&self.path)
        {
            tracing::debug!(%error, "the scratch directory could not be removed");
        }
    }
}

/// Makes a directory, or takes one that is the user's own and no link.
fn make(directory: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(MODE).create(directory) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let data = directory.symlink_metadata()?;
    if !data.is_dir() || data.uid() != geteuid().as_raw() {
        let message = format!("`{}` belongs to somebody else", directory.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    if data.permissions().mode() & 0o777 != MODE {
        fs::set_permissions(directory, fs::Permissions::from_mode(MODE))?;
    }
    Ok(())
}

fn locked(directory: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = open(directory, flags, Mode::empty())?;
    flock(&opened, FlockOperation::NonBlockingLockExclusive)?;
    Ok(opened)
}

fn remove_left_behind(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        // The lock is held while it is removed, so that nobody takes it in between.
        if let Ok(_held) = locked(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_made_for_its_user_alone_and_goes_when_it_is_dropped() {
        let place = tempfile::tempdir().unwrap();
        let parent = place.path().join("lathe-1");
        let scratch = Scratch::below(&parent);
        let path = scratch.path().to_owned();
        assert!(!parent.exists());
        scratch.ensure().unwrap();
        scratch.ensure().unwrap();
        for directory in [&parent, &path] {
            assert_eq!(
                fs::metadata(directory).unwrap().permissions().mode() & 0o777,
                0o700
            );
        }
        fs::write(path.join("file"), "x").unwrap();
        drop(scratch);
        assert!(!path.exists());
    }

    #[test]
    fn what_was_left_behind_goes_and_what_is_in_use_stays() {
        let place = tempfile::tempdir().unwrap();
        let used = Scratch::below(place.path());
        used.ensure().unwrap();
        fs::create_dir_all(place.path().join("left/below")).unwrap();
        let next = Scratch::below(place.path());
        next.ensure().unwrap();
        assert!(used.path().is_dir() && next.path().is_dir());
        assert!(!place.path().join("left").exists());
    }

    #[test]
    fn a_link_in_its_place_is_not_followed() {
        let place = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let parent = place.path().join("lathe-1");
        std::os::unix::fs::symlink(elsewhere.path(), &parent).unwrap();
        assert!(Scratch::below(&parent).ensure().is_err());
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }
}
