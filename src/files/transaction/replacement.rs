//! A file that is written: what it was, how it is written, how that is undone.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use super::super::text_file::read_regular;
use super::super::{ContentHash, FileError, FileProblem};
use super::step::Undone;
use super::{Expected, Written};

pub(super) struct Replacement {
    /// Real and absolute.
    pub(super) path: PathBuf,
    /// Where the new content waits for its rename.
    pub(super) temp: PathBuf,
    pub(super) method: Method,
    pub(super) before: Before,
    pub(super) new_hash: ContentHash,
    /// Empty in a step that was read from the record of a rename: the temp file has it.
    pub(super) new: Vec<u8>,
    /// Directories that have to be made, the outermost first.
    pub(super) parents: Vec<PathBuf>,
    /// The file whose owner and mode bits a new file gets: the one that it is moved from.
    pub(super) like: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Rename,
    InPlace,
}

pub(super) enum Before {
    Absent,
    Bytes(Vec<u8>),
    /// The record of a single rename does not keep it: a rename happened or did not.
    NotKept,
}

impl Replacement {
    /// Looks at the target, checks what is expected of it and decides how to write it. Changes nothing.
    pub(super) fn inspect(
        path: &Path,
        new: Vec<u8>,
        like: Option<PathBuf>,
        expected: &Expected,
    ) -> Result<Self, FileError> {
        let path = through_links(path)?;
        let before = read_if_there(&path)?;
        expected.check(&path, before.as_deref())?;
        let is_new = before.is_none();
        let (method, parents) = if is_new {
            (Method::Rename, missing_parents(&path))
        } else {
            let metadata = fs::metadata(&path).map_err(|error| FileError::io(&path, error))?;
            platform::check_writable(&path)?;
            (platform::method(&path, &metadata), Vec::new())
        };
        Ok(Self {
            temp: temp_beside(&path),
            method,
            before: before.map_or(Before::Absent, Before::Bytes),
            new_hash: ContentHash::of(&new),
            new,
            parents,
            // What a replaced file had is what undoing has to bring back.
            like: like.filter(|_| is_new),
            path,
        })
    }

    pub(super) fn is_in_place(&self) -> bool {
        self.method == Method::InPlace
    }

    /// Writes the new content beside the target, where it will be renamed.
    pub(super) fn stage(&self) -> Result<Option<TempPath>, FileError> {
        if self.is_in_place() {
            return Ok(None);
        }
        self.stage_bytes(&self.new)
            .map(Some)
            .map_err(|error| FileError::io(&self.path, error))
    }

    /// Puts the staged content in place, unless the target changed meanwhile.
    pub(super) fn place(&self, staged: Option<TempPath>) -> Result<(), FileError> {
        if let Before::Bytes(before) = &self.before
            && read_if_there(&self.path)?.as_ref() != Some(before)
        {
            return Err(FileError::new(&self.path, FileProblem::Stale));
        }
        let placed = match (staged, &self.before) {
            (None, _) => overwrite(&self.path, &self.new),
            (Some(temp), Before::Absent) => temp.persist_noclobber(&self.path).map_err(|error| error.error),
            (Some(temp), _) => temp.persist(&self.path).map_err(|error| error.error),
        };
        placed.map_err(|error| FileError::io(&self.path, error))
    }

    /// Brings the target back to what it was, whatever the step had already done.
    pub(super) fn undo(&self) -> Result<Undone, FileError> {
        let failed = |error| FileError::io(&self.path, error);
        remove_if_there(&self.temp).map_err(failed)?;
        let now = read_if_there(&self.path)?;
        match (&self.before, now) {
            (Before::NotKept, _) | (Before::Absent, None) => Ok(Undone::Nothing),
            (Before::Absent, Some(now)) if self.is_new(&now) => {
                remove_if_there(&self.path).map_err(failed)?;
                Ok(Undone::Restored)
            }
            (Before::Bytes(before), Some(now)) if now == *before => Ok(Undone::Nothing),
            (Before::Bytes(before), Some(now)) if self.is_new(&now) || self.is_torn(before, &now) => {
                self.put_back(before).map_err(failed)?;
                Ok(Undone::Restored)
            }
            (Before::Absent | Before::Bytes(_), _) => Ok(Undone::Foreign),
        }
    }

    /// Removes the directories that were made for the file and are empty.
    pub(super) fn remove_parents(&self) {
        for parent in self.parents.iter().rev() {
            if fs::remove_dir(parent).is_err() {
                break;
            }
        }
    }

    /// Tells whether the target has its new content.
    pub(super) fn is_done(&self) -> Result<bool, FileError> {
        Ok(read_if_there(&self.path)?.is_some_and(|now| self.is_new(&now)))
    }

    pub(super) fn into_written(self) -> Written {
        let before = match self.before {
            Before::Bytes(bytes) => Some(bytes),
            Before::Absent | Before::NotKept => None,
        };
        Written {
            path: self.path,
            hash: Some(self.new_hash),
            before,
        }
    }

    fn is_new(&self, now: &[u8]) -> bool {
        ContentHash::of(now) == self.new_hash
    }

    fn is_torn(&self, before: &[u8], now: &[u8]) -> bool {
        self.is_in_place()
            && (is_half_written(before, &self.new, now) || is_half_written(&self.new, before, now))
    }

    fn put_back(&self, before: &[u8]) -> io::Result<()> {
        match self.method {
            Method::InPlace => overwrite(&self.path, before),
            Method::Rename => Ok(self.stage_bytes(before)?.persist(&self.path)?),
        }
    }

    fn stage_bytes(&self, bytes: &[u8]) -> io::Result<TempPath> {
        if let Some(parent) = self.path.parent() {
            fs::create_dir_all(parent)?;
        }
        let like = self.like.as_ref().unwrap_or(&self.path);
        let existing = fs::metadata(like).ok();
        let mut file = platform::create(&self.temp, existing.as_ref())?;
        let temp = TempPath::try_from_path(&self.temp)?;
        file.write_all(bytes)?;
        if let Some(metadata) = &existing {
            keep_attributes(&file, metadata)?;
        }
        Ok(temp)
    }
}

fn keep_attributes(file: &File, metadata: &Metadata) -> io::Result<()> {
    platform::keep_owner(file, metadata);
    let permissions: Permissions = metadata.permissions();
    file.set_permissions(permissions)
}

/// Tells whether `now` is `old` with a beginning of `new` written over it.
fn is_half_written(old: &[u8], new: &[u8], now: &[u8]) -> bool {
    let written = now.iter().zip(new).take_while(|(one, two)| one == two).count();
    now[written..] == *old.get(written..).unwrap_or_default()
}

/// Overwrites a file without another name for it. Shortens it last, so that a crash leaves a mixture that
/// `is_half_written` knows.
fn overwrite(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)
}

pub(super) fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, FileError> {
    match read_regular(path, u64::MAX) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if matches!(error.problem(), FileProblem::NotFound) => Ok(None),
        Err(error) => Err(error),
    }
}

pub(super) fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn through_links(path: &Path) -> Result<PathBuf, FileError> {
    if !fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        return Ok(path.to_path_buf());
    }
    fs::canonicalize(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => FileError::new(path, FileProblem::DanglingLink),
        _ => FileError::io(path, error),
    })
}

fn missing_parents(path: &Path) -> Vec<PathBuf> {
    let missing = path
        .ancestors()
        .skip(1)
        .take_while(|parent| !parent.as_os_str().is_empty() && !parent.exists());
    let mut missing: Vec<_> = missing.map(Path::to_path_buf).collect();
    missing.reverse();
    missing
}

/// A hidden name in the same directory, so that the rename stays on one file system. The target's own name is left out:
/// with it the name could become too long.
pub(super) fn temp_beside(path: &Path) -> PathBuf {
    path.with_file_name(format!(".lathe-{}.tmp", uuid::Uuid::now_v7().simple()))
}

#[cfg(unix)]
pub(super) mod platform {
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};

    use rustix::fs::{Access, access};
    use rustix::io::Errno;
    use rustix::process::geteuid;

    use super::{File, FileError, FileProblem, Metadata, Method, OpenOptions, Path, io};

    pub(in super::super) fn check_writable(path: &Path) -> Result<(), FileError> {
        let problem = match access(path, Access::WRITE_OK) {
            Err(Errno::ROFS) => FileProblem::ReadOnlyFileSystem,
            Err(Errno::ACCESS | Errno::PERM) => FileProblem::WriteProtected,
            // Whatever else is the matter shows when it is written.
            Ok(()) | Err(_) => return Ok(()),
        };
        Err(FileError::new(path, problem))
    }

    pub(super) fn method(path: &Path, metadata: &Metadata) -> Method {
        let may_rename = path
            .parent()
            .is_some_and(|parent| access(parent, Access::WRITE_OK | Access::EXEC_OK).is_ok());
        let may_keep_owner = geteuid().is_root() || geteuid().as_raw() == metadata.uid();
        if metadata.nlink() > 1 || !may_rename || !may_keep_owner {
            Method::InPlace
        } else {
            Method::Rename
        }
    }

    /// Nobody else reads the new content of a file before it has the old file's permissions.
    pub(super) fn create(temp: &Path, existing: Option<&Metadata>) -> io::Result<File> {
        let mode = if existing.is_some() { 0o600 } else { 0o666 };
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(temp)
    }

    /// Keeps owner and group where we may: a group that we are not in cannot be given.
    pub(super) fn keep_owner(file: &File, metadata: &Metadata) {
        let Ok(own) = file.metadata() else { return };
        let uid = (own.uid() != metadata.uid()).then_some(metadata.uid());
        let gid = (own.gid() != metadata.gid()).then_some(metadata.gid());
        if (uid.is_some() || gid.is_some()) && fchown(file, uid, gid).is_err() {
            tracing::debug!("the owner or group of a replaced file could not be kept");
        }
    }
}

#[cfg(not(unix))]
pub(super) mod platform {
    use super::{File, FileError, FileProblem, Metadata, Method, OpenOptions, Path, io};

    pub(in super::super) fn check_writable(path: &Path) -> Result<(), FileError> {
        let is_protected = std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().readonly());
        if is_protected {
            Err(FileError::new(path, FileProblem::WriteProtected))
        } else {
            Ok(())
        }
    }

    pub(super) fn method(_path: &Path, _metadata: &Metadata) -> Method {
        Method::Rename
    }

    pub(super) fn create(temp: &Path, _existing: Option<&Metadata>) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).open(temp)
    }

    pub(super) fn keep_owner(_file: &File, _metadata: &Metadata) {}
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_half_written_state_is_known(old in "[ab]{0,12}", new in "[ab]{0,12}", cut in 0usize..13) {
            let cut = cut.min(new.len());
            let mut now = new.as_bytes()[..cut].to_vec();
            now.extend_from_slice(old.as_bytes().get(cut..).unwrap_or_default());
            prop_assert!(is_half_written(old.as_bytes(), new.as_bytes(), &now));
        }
    }
}
