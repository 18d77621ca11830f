//! Regular files, opened without waiting and read up to a limit.
//!
//! Everything that lathe itself opens in a project (ignore files, `.git/*`, instructions, agents, commands,
//! configuration) goes through [`RegularFile::open`], and `tests/it/architecture.rs` forbids the ways around it. A
//! project can put a device, a FIFO, a link to one, or a sparse file of many gigabytes in place of any file; none of them
//! may hold a call up or fill the memory.
//!
//! [`FileGate`] decides which of these files may be read at all. It judges the path that the opened file really has, so
//! a link with a harmless name opens nothing that its target would not.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

pub(crate) mod without_links;

/// Largest size in bytes of a file that lathe opens for itself, unless its caller knows better.
pub const MAX_BYTES: u64 = 1 << 20;
/// Largest size in bytes of the two files of a repository that grow with it: `.git/index` and `packed-refs`.
pub const MAX_INDEX_BYTES: u64 = 64 << 20;

/// A file that could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("there is no such file")]
    Missing,
    #[error("it is not a regular file")]
    NotRegular,
    #[error("it has more than {} bytes", .limit)]
    TooLarge { limit: u64 },
    #[error("it is not valid UTF-8")]
    NotText,
    /// The permission rules ask before this file is read, or deny it.
    #[error("it is `{}`, which the permission rules do not let be read without asking", .real.display())]
    Withheld { real: PathBuf },
    /// It was opened by its real path, and a part of that is a link by now.
    #[error("it leads to another place than before")]
    Redirected,
    #[error(transparent)]
    Io(io::Error),
}

impl From<ReadError> for io::Error {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Io(error) => error,
            ReadError::Missing => Self::from(io::ErrorKind::NotFound),
            other => Self::other(other),
        }
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing,
            _ => Self::Io(error),
        }
    }
}

impl From<Errno> for ReadError {
    fn from(error: Errno) -> Self {
        match error {
            Errno::LOOP => Self::Redirected,
            error => io::Error::from(error).into(),
        }
    }
}

/// An open regular file and the path it really has.
#[derive(Debug)]
pub struct RegularFile {
    file: File,
    real: PathBuf,
    metadata: Metadata,
}

impl RegularFile {
    /// Opens a file for reading. Links are followed; anything but a regular file is refused, and nothing waits.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        // Opening some devices has effects of its own, so those that are there already are not opened at all.
        if !std::fs::metadata(path)?.is_file() {
            return Err(ReadError::NotRegular);
        }
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(flags.bits().cast_signed())
            .open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(ReadError::NotRegular);
        }
        let real = real_path(&file, &metadata, path)?;
        Ok(Self { file, real, metadata })
    }

    /// Opens a file for reading by its absolute real path, which was judged before: where a part of it is a link by now,
    /// nothing is opened. Otherwise like [`RegularFile::open`].
    pub fn open_real(path: &Path) -> Result<Self, ReadError> {
        let there = std::fs::symlink_metadata(path)?.file_type();
        if there.is_symlink() {
            return Err(ReadError::Redirected);
        }
        if !there.is_file() {
            return Err(ReadError::NotRegular);
        }
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = File::from(without_links::open(path, flags)?);
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(ReadError::NotRegular);
        }
        let real = path.to_owned();
        Ok(Self { file, real, metadata })
    }

    /// The absolute path of the opened file, without links.
    pub fn real_path(&self) -> &Path {
        &self.real
    }

    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Reads the whole file, or fails when it has more than `limit` bytes. At most `limit + 1` bytes are held.
    pub fn read(self, limit: u64) -> Result<Vec<u8>, ReadError> {
        if self.metadata.len() > limit {
            return Err(ReadError::TooLarge { limit });
        }
        let mut bytes = Vec::with_capacity(self.metadata.len() as usize);
        self.file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(ReadError::TooLarge { limit });
        }
        Ok(bytes)
    }

    /// Reads the beginning of the file, at most `most` bytes.
    pub fn read_beginning(self, most: u64) -> Result<Vec<u8>, ReadError> {
        let mut bytes = Vec::new();
        self.file.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The open file, for a reader that goes through it piece by piece and knows where to stop.
    pub fn into_file(self) -> File {
        self.file
    }

    /// Reads the whole file as UTF-8.
    pub fn read_text(self, limit: u64) -> Result<String, ReadError> {
        String::from_utf8(self.read(limit)?).map_err(|_| ReadError::NotText)
    }
}

/// An open directory, through which many of its files are opened: only its own path has to be found.
#[derive(Debug)]
pub struct OpenDirectory {
    directory: File,
    real: PathBuf,
}

impl OpenDirectory {
    /// Opens a directory. Links are followed.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let directory = OpenOptions::new()
            .read(true)
            .custom_flags(OFlags::DIRECTORY.bits().cast_signed())
            .open(path)?;
        let real = real_path(&directory, &directory.metadata()?, path)?;
        Ok(Self { directory, real })
    }

    /// Opens a directory by its absolute real path, which was judged before: where a part of it is a link by now, nothing
    /// is opened.
    pub fn open_real(path: &Path) -> Result<Self, ReadError> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY;
        let directory = File::from(without_links::open(path, flags)?);
        let real = path.to_owned();
        Ok(Self { directory, real })
    }

    /// Lists the names in it, each with whether it leads to a directory. What cannot be looked at is none.
    pub fn entries(&self) -> Result<Vec<(OsString, bool)>, ReadError> {
        let listed = Dir::read_from(&self.directory)?.flatten();
        let entries = listed.map(|entry| {
            let is_directory = match entry.file_type() {
                FileType::Symlink | FileType::Unknown => {
                    rustix::fs::statat(&self.directory, entry.file_name(), AtFlags::empty())
                        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory)
                }
                kind => kind == FileType::Directory,
            };
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            (name.to_owned(), is_directory)
        });
        Ok(entries.filter(|(name, _)| name != "." && name != "..").collect())
    }

    /// Opens one of its files for reading. A link is refused.
    pub fn file(&self, name: &OsStr) -> Result<RegularFile, ReadError> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = rustix::fs::openat(&self.directory, name, flags, Mode::empty())?;
        let file = File::from(file);
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(ReadError::NotRegular);
        }
        let real = self.real.join(name);
        Ok(RegularFile { file, real, metadata })
    }
}

/// Finds the path of an open file: the system's own answer, so that no rename or new link since the opening counts.
#[cfg(target_os = "linux")]
fn real_path(file: &File, metadata: &Metadata, path: &Path) -> Result<PathBuf, ReadError> {
    use std::os::fd::AsRawFd;
    match std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())) {
        Ok(real) => Ok(real),
        // There is no `/proc`.
        Err(_) => same_file_at(metadata, path),
    }
}

#[cfg(not(target_os = "linux"))]
fn real_path(_file: &File, metadata: &Metadata, path: &Path) -> Result<PathBuf, ReadError> {
    same_file_at(metadata, path)
}

/// Resolves the path, and refuses when it leads to another file by now.
fn same_file_at(metadata: &Metadata, path: &Path) -> Result<PathBuf, ReadError> {
    let real = path.canonicalize()?;
    let now = std::fs::symlink_metadata(&real)?;
    if (now.dev(), now.ino()) == (metadata.dev(), metadata.ino()) {
        Ok(real)
    } else {
        Err(ReadError::Io(io::Error::other(
            "it was replaced while it was opened",
        )))
    }
}

/// Decides which files lathe may read for itself, by the absolute path without links.
pub trait FileGate {
    fn lets_read(&self, real: &Path) -> bool;

    /// Opens a file as [`RegularFile::open`] does, unless the gate withholds it.
    fn open(&self, path: &Path) -> Result<RegularFile, ReadError> {
        let file = RegularFile::open(path)?;
        if self.lets_read(file.real_path()) {
            Ok(file)
        } else {
            Err(ReadError::Withheld { real: file.real })
        }
    }
}

impl<F: Fn(&Path) -> bool> FileGate for F {
    fn lets_read(&self, real: &Path) -> bool {
        self(real)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_regular_file_is_read_by_its_real_path_through_links() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::write(root.join("a"), "text").unwrap();
        symlink(root.join("a"), root.join("link")).unwrap();
        let file = RegularFile::open(&root.join("link")).unwrap();
        assert_eq!(file.real_path(), root.join("a"));
        assert_eq!(file.read_text(4).unwrap(), "text");
    }

    #[test]
    fn devices_fifos_and_directories_are_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let fifo = dir.path().join("fifo");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status().unwrap();
        assert!(made.success());
        symlink(&fifo, dir.path().join("to-fifo")).unwrap();
        symlink("/dev/zero", dir.path().join("to-zero")).unwrap();
        for name in ["fifo", "to-fifo", "to-zero", "."] {
            let error = RegularFile::open(&dir.path().join(name)).unwrap_err();
            assert!(matches!(error, ReadError::NotRegular), "{name}: {error}");
        }
        let error = RegularFile::open(&dir.path().join("none")).unwrap_err();
        assert!(matches!(error, ReadError::Missing));
        let error = RegularFile::open(&dir.path().join("to-zero/x")).unwrap_err();
        assert!(matches!(error, ReadError::Missing));
    }

    #[test]
    fn a_directory_opens_its_regular_files_by_its_real_path() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::create_dir(root.join("real")).unwrap();
        fs::write(root.join("real/a"), "text").unwrap();
        symlink("a", root.join("real/link")).unwrap();
        symlink("real", root.join("linked")).unwrap();
        let directory = OpenDirectory::open(&root.join("linked")).unwrap();
        let file = directory.file(OsStr::new("a")).unwrap();
        assert_eq!(file.real_path(), root.join("real/a"));
        assert_eq!(file.read_text(4).unwrap(), "text");
        for name in ["link", "..", "none"] {
            assert!(directory.file(OsStr::new(name)).is_err(), "{name}");
        }
        assert!(OpenDirectory::open(&root.join("real/a")).is_err());
    }

    #[test]
    fn a_directory_that_moves_still_opens_what_it_held() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for name in ["open", "secret"] {
            fs::create_dir(root.join(name)).unwrap();
            fs::write(root.join(name).join("a"), name).unwrap();
        }
        let directory = OpenDirectory::open(&root.join("open")).unwrap();
        fs::rename(root.join("open"), root.join("moved")).unwrap();
        symlink("secret", root.join("open")).unwrap();
        let file = directory.file(OsStr::new("a")).unwrap();
        assert_eq!(file.read_text(10).unwrap(), "open");
    }

    #[test]
    fn what_is_opened_by_its_real_path_has_no_link_in_any_part() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("real/below")).unwrap();
        fs::write(root.join("real/a"), "text").unwrap();
        symlink("a", root.join("real/link")).unwrap();
        symlink("below", root.join("real/linked")).unwrap();
        symlink("real", root.join("way")).unwrap();
        let file = RegularFile::open_real(&root.join("real/a")).unwrap();
        assert_eq!(file.real_path(), root.join("real/a"));
        assert_eq!(file.read_text(4).unwrap(), "text");
        for path in ["real/link", "way/a", "way/link"] {
            let error = RegularFile::open_real(&root.join(path)).unwrap_err();
            assert!(matches!(error, ReadError::Redirected), "{path}: {error}");
        }
        for path in ["real/linked", "way/below", "way"] {
            let error = OpenDirectory::open_real(&root.join(path)).unwrap_err();
            assert!(matches!(error, ReadError::Redirected), "{path}: {error}");
        }
        let directory = RegularFile::open_real(&root.join("real")).unwrap_err();
        assert!(matches!(directory, ReadError::NotRegular));
        for path in ["real/none", "none/a", "real/a/b"] {
            let error = RegularFile::open_real(&root.join(path)).unwrap_err();
            assert!(matches!(error, ReadError::Missing), "{path}: {error}");
        }
        let directory = OpenDirectory::open_real(&root.join("real")).unwrap();
        let mut entries = directory.entries().unwrap();
        entries.sort();
        let expected = [("a", false), ("below", true), ("link", false), ("linked", true)];
        assert_eq!(
            entries,
            expected.map(|(name, is_directory)| (name.into(), is_directory))
        );
    }

    #[test]
    fn a_sparse_file_beyond_the_limit_is_refused_unread() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sparse");
        File::create(&path).unwrap().set_len(20 << 30).unwrap();
        let error = RegularFile::open(&path).unwrap().read(MAX_BYTES).unwrap_err();
        assert!(matches!(error, ReadError::TooLarge { limit: MAX_BYTES }));
        let beginning = RegularFile::open(&path).unwrap().read_beginning(3).unwrap();
        assert_eq!(beginning, [0; 3]);
    }

    #[test]
    fn the_gate_judges_the_target_of_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::write(root.join(".env"), "S=1").unwrap();
        symlink(".env", root.join("AGENTS.md")).unwrap();
        let gate = |real: &Path| !real.ends_with(".env");
        let error = gate.open(&root.join("AGENTS.md")).unwrap_err();
        assert!(matches!(error, ReadError::Withheld { real } if real == root.join(".env")));
    }
}
