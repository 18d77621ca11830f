//! A directory that is held open, and the files in it by their names alone.
//!
//! Project files are written through these: once a directory is open, nobody can put a link in its place or on the way to
//! it and so lead a write elsewhere. Opening one follows no link in any part of the path, because the paths that get here
//! are real paths already: a link that is found there was put there after the path was judged.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{Access, AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::FileProblem;
use crate::regular_file::without_links;

/// Flags that every open file has.
const ALWAYS: OFlags = OFlags::CLOEXEC.union(OFlags::NOFOLLOW);

/// An open directory. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Directory {
    fd: Arc<OwnedFd>,
}

impl Directory {
    /// Opens a directory by its absolute real path. A link in any part of it is refused with `ELOOP`.
    pub(crate) fn open(path: &Path) -> Result<Self, Errno> {
        without_links::open(path, without_links::DIRECTORY).map(Self::from)
    }

    /// Opens a directory that lies below this one, or this one again for an empty path.
    pub(crate) fn beneath(&self, relative: &Path) -> Result<Self, Errno> {
        if relative.as_os_str().is_empty() {
            return Ok(self.clone());
        }
        without_links::open_beneath(&self.fd, relative, without_links::DIRECTORY).map(Self::from)
    }

    /// Makes a directory; one that is there already is fine.
    pub(crate) fn make(&self, name: &OsStr) -> Result<(), Errno> {
        match rustix::fs::mkdirat(&self.fd, name, Mode::RWXU | Mode::RWXG | Mode::RWXO) {
            Err(Errno::EXIST) => Ok(()),
            made => made,
        }
    }

    /// Removes an empty directory.
    pub(crate) fn remove_directory(&self, name: &OsStr) -> Result<(), Errno> {
        rustix::fs::unlinkat(&self.fd, name, AtFlags::REMOVEDIR)
    }

    /// Looks at what has the name, a link itself and not its target; `None` when nothing has it.
    pub(crate) fn stat(&self, name: &OsStr) -> Result<Option<Stat>, Errno> {
        match rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => Ok(None),
            stat => stat.map(Some),
        }
    }

    /// Reads a whole regular file; `None` when there is none. Links, devices, pipes and sockets are not opened.
    pub(crate) fn read(&self, name: &OsStr, limit: u64) -> Result<Option<Vec<u8>>, FileProblem> {
        let Some(stat) = self.stat(name).map_err(problem)? else {
            return Ok(None);
        };
        check_regular(&stat)?;
        let file = match self.open_file(name, OFlags::RDONLY) {
            Err(FileProblem::NotFound) => return Ok(None),
            file => file?,
        };
        read_to_limit(&file, limit).map(Some)
    }

    /// Opens a regular file to read it and to write over it.
    pub(crate) fn open_to_overwrite(&self, name: &OsStr) -> Result<File, FileProblem> {
        self.open_file(name, OFlags::RDWR)
    }

    fn open_file(&self, name: &OsStr, access: OFlags) -> Result<File, FileProblem> {
        // A pipe that took the place of the file since it was looked at does not hold the call up.
        let flags = ALWAYS | OFlags::NONBLOCK | OFlags::NOCTTY | access;
        let file = rustix::fs::openat(&self.fd, name, flags, Mode::empty()).map_err(problem)?;
        check_regular(&rustix::fs::fstat(&file).map_err(problem)?)?;
        Ok(File::from(file))
    }

    /// Makes a file to write; one that is there already is an error.
    pub(crate) fn create(&self, name: &OsStr, mode: u32) -> Result<File, Errno> {
        let flags = ALWAYS | OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        rustix::fs::openat(&self.fd, name, flags, Mode::from_raw_mode(mode)).map(File::from)
    }

    /// Gives a file another name in this directory, in place of what has it.
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> Result<(), Errno> {
        rustix::fs::renameat(&self.fd, from, &self.fd, to)
    }

    /// Gives a file another name in this directory, unless something has it.
    pub(crate) fn rename_to_new(&self, from: &OsStr, to: &OsStr) -> Result<(), Errno> {
        #[cfg(target_os = "linux")]
        match rustix::fs::renameat_with(&self.fd, from, &self.fd, to, rustix::fs::RenameFlags::NOREPLACE) {
            // The file system, or the kernel, does not know the flag.
            Err(Errno::INVAL | Errno::NOSYS) => {}
            renamed => return renamed,
        }
        rustix::fs::linkat(&self.fd, from, &self.fd, to, AtFlags::empty())?;
        self.remove(from)
    }

    /// Reads where a link leads; `None` when nothing has the name, `EINVAL` for what is no link.
    pub(crate) fn read_link(&self, name: &OsStr) -> Result<Option<Vec<u8>>, Errno> {
        match rustix::fs::readlinkat(&self.fd, name, Vec::new()) {
            Err(Errno::NOENT) => Ok(None),
            target => target.map(|target| Some(target.into_bytes())),
        }
    }

    /// Makes a link; something that is there already is an error.
    pub(crate) fn make_link(&self, target: &[u8], name: &OsStr) -> Result<(), Errno> {
        rustix::fs::symlinkat(target, &self.fd, name)
    }

    /// Removes a file; one that is not there is no error.
    pub(crate) fn remove(&self, name: &OsStr) -> Result<(), Errno> {
        match rustix::fs::unlinkat(&self.fd, name, AtFlags::empty()) {
            Err(Errno::NOENT) => Ok(()),
            removed => removed,
        }
    }

    /// Asks the system whether this process may write the file.
    pub(crate) fn check_writable(&self, name: &OsStr) -> Result<(), FileProblem> {
        match rustix::fs::accessat(&self.fd, name, Access::WRITE_OK, AtFlags::empty()) {
            Err(Errno::ROFS) => Err(FileProblem::ReadOnlyFileSystem),
            Err(Errno::ACCESS | Errno::PERM) => Err(FileProblem::WriteProtected),
            // Whatever else is the matter shows when it is written.
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Tells whether files can be made and renamed here.
    pub(crate) fn lets_rename(&self) -> bool {
        let access = Access::WRITE_OK | Access::EXEC_OK;
        rustix::fs::accessat(&self.fd, ".", access, AtFlags::empty()).is_ok()
    }
}

impl From<OwnedFd> for Directory {
    fn from(fd: OwnedFd) -> Self {
        Self { fd: Arc::new(fd) }
    }
}

/// Maps the system's answer to the problem with the file.
fn problem(error: Errno) -> FileProblem {
    FileProblem::from(io::Error::from(error))
}

fn check_regular(stat: &Stat) -> Result<(), FileProblem> {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Ok(()),
        FileType::Directory => Err(FileProblem::IsDirectory),
        FileType::Symlink => Err(FileProblem::Link),
        _ => Err(FileProblem::NotRegular),
    }
}

/// Reads an open file to its end. Files of the kernel say that they have no length, and others grow meanwhile.
pub(super) fn read_to_limit(file: &File, limit: u64) -> Result<Vec<u8>, FileProblem> {
    let size = file.metadata().map_err(FileProblem::from)?.len();
    if size > limit {
        return Err(FileProblem::TooLarge { size, limit });
    }
    let mut bytes = Vec::with_capacity(size as usize + 1);
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(FileProblem::from)?;
    let size = bytes.len() as u64;
    if size > limit {
        return Err(FileProblem::TooLarge { size, limit });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_rename_to_a_new_name_replaces_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        let base = scratch.path().canonicalize().unwrap();
        fs::write(base.join("one"), "1").unwrap();
        fs::write(base.join("two"), "2").unwrap();
        let directory = Directory::open(&base).unwrap();
        let (one, two) = (OsStr::new("one"), OsStr::new("two"));
        assert_eq!(directory.rename_to_new(one, two), Err(Errno::EXIST));
        assert_eq!(fs::read_to_string(base.join("two")).unwrap(), "2");
        directory.rename_to_new(one, OsStr::new("three")).unwrap();
        assert!(!base.join("one").exists() && base.join("three").exists());
    }
}
