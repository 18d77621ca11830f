//! Links within the directory of a repository, and objects that lie elsewhere.
//!
//! Git prints lines of its own files where it does not understand them (`unexpected line in …`), and of some the whole: why
//! a work tree is locked, what a rebase has done. A link there makes it print a file of somebody else's. Objects that a link
//! or `objects/info/alternates` brings in are another repository's commits and files.

use std::fs;
use std::path::{Path, PathBuf};

use super::Repository;
use crate::regular_file::{MAX_BYTES, RegularFile};

/// Directories whose files are never printed as text, and may be many.
const PASSED_BY: &[&str] = &["hooks", "lfs", "logs", "modules", "refs", "rr-cache"];
/// Entries that are looked at. More are of a repository with hundreds of work trees.
const MAX_ENTRIES: usize = 4000;
/// Objects in files of their own that are looked at. Git packs them when they are about 6,700 (`gc.auto`).
const MAX_OBJECTS: usize = 20_000;
/// Files that name directories with objects of other repositories.
const ALTERNATES: &[&str] = &["info/alternates", "info/http-alternates"];

impl Repository {
    /// The first link among the files of the repository's directories that git reads as text. An error where they cannot
    /// be listed, or are too many.
    pub fn link_within(&self) -> Result<Option<PathBuf>, &'static str> {
        let mut left = MAX_ENTRIES;
        let mut directories = vec![self.git_dir.clone()];
        if self.common_dir != self.git_dir {
            directories.push(self.common_dir.clone());
        }
        while let Some(directory) = directories.pop() {
            if directory.is_symlink() && directory != self.git_dir && directory != self.common_dir {
                return Ok(Some(directory));
            }
            let entries = fs::read_dir(&directory).map_err(|_| "its directory cannot be listed")?;
            for entry in entries.flatten() {
                left = left
                    .checked_sub(1)
                    .ok_or("its directory has too many files to look at")?;
                let name = entry.file_name();
                let is_passed_by = PASSED_BY.iter().any(|known| name == *known);
                let Ok(kind) = entry.file_type() else { continue };
                if kind.is_symlink() && !is_passed_by {
                    return Ok(Some(entry.path()));
                }
                if kind.is_dir() && !is_passed_by {
                    directories.extend(text_files(entry.path(), &directory, self));
                }
            }
        }
        Ok(None)
    }
}

impl Repository {
    /// Returns the link, or the file with names of directories, that brings in objects of another repository. Looks at every
    /// object that is a file of its own. An error where they are too many. Objects in `lent` are the repository's own.
    pub fn foreign_objects(&self, lent: Option<&Path>) -> Result<Option<PathBuf>, &'static str> {
        let objects = self.common_dir.join("objects");
        let is_there = |path: &PathBuf| path.symlink_metadata().is_ok() && !names_only(path, lent);
        if let Some(file) = ALTERNATES.iter().map(|name| objects.join(name)).find(is_there) {
            return Ok(Some(file));
        }
        let mut allowance = MAX_OBJECTS;
        let mut directories = vec![objects];
        while let Some(directory) = directories.pop() {
            let entries = fs::read_dir(&directory).map_err(|_| "its objects cannot be listed")?;
            for entry in entries.flatten() {
                allowance = allowance
                    .checked_sub(1)
                    .ok_or("it has too many objects to look at")?;
                let Ok(kind) = entry.file_type() else { continue };
                if kind.is_symlink() {
                    return Ok(Some(entry.path()));
                }
                if kind.is_dir() {
                    directories.push(entry.path());
                }
            }
        }
        Ok(None)
    }
}

/// Returns true if a file names this directory and no other.
fn names_only(file: &Path, directory: Option<&Path>) -> bool {
    let Some(directory) = directory else { return false };
    let text = RegularFile::open_real(file).and_then(|file| file.read(MAX_BYTES));
    let named = text.unwrap_or_default();
    named.strip_suffix(b"\n") == Some(directory.as_os_str().as_encoded_bytes())
}

/// The part of a directory that has files of text: of the objects only `info`.
fn text_files(directory: PathBuf, parent: &Path, repository: &Repository) -> Option<PathBuf> {
    let is_objects = directory.ends_with("objects") && parent == repository.common_dir;
    if !is_objects {
        return Some(directory);
    }
    let info = directory.join("info");
    info.symlink_metadata().is_ok().then_some(info)
}
