//! Configuration of a project that an agent or a command wrote: none of it is read before the person approves it.
//!
//! Lathe takes orders from the files at some places ([`places`]). Whoever can write there could give them, so lathe writes
//! down, in its own data directory, each path that one of its transactions or a command writes to, wherever it lies
//! ([`WriteLog`](log)): an ordinary file becomes configuration when a link leads to it. When configuration is read, each
//! file at a place is looked up by its name, by what the links on the way to it say and by its real path. What was written
//! there is left out, whatever trust there is in the project, until the person has seen its text and said yes, or until it
//! is gone or as it was before.
//!
//! What a command does is found by comparison. What the files at the places held before it is a file that is locked as long
//! as the command is followed ([`CommandWatch`]). One that nobody holds any more is left from a lathe that was killed; the
//! next reader of configuration makes the comparison in its place.
//!
//! Paths are compared without regard to case, because there are file systems where `LATHE.JSONC` is `lathe.jsonc`.

mod config_files;
mod configuration_names;
mod link_names;
mod log;
mod places;
mod records;
mod written;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::config_files::{Contents, digest_of};
use self::link_names::link_names;
use self::written::WrittenPaths;

pub use self::config_files::{Digests, read_paths};
pub use self::configuration_names::ConfigurationNames;
pub use self::places::{ConfigPlace, PLACES, PlaceFormat, PlaceKind, is_read, places_at, places_of};
pub use self::records::{CommandChanges, CommandWatch, NotedWrites, UnconfirmedRecords, WrittenFile};

/// The files of a project that are not to be read, as they were when configuration was read.
#[derive(Debug, Clone, Default)]
pub struct UnconfirmedFiles {
    /// Nothing at or below these is read. In lower case.
    held: Vec<String>,
    files: Arc<[UnconfirmedFile]>,
    /// `None` where nothing was ever written.
    judged: Option<Arc<JudgedFiles>>,
}

/// What the files were judged by.
#[derive(Debug)]
struct JudgedFiles {
    /// Contents of all files at the places.
    contents: Contents,
    written: WrittenPaths,
}

/// A file that would be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnconfirmedFile {
    pub path: PathBuf,
    /// `None` where it cannot be shown, and so not be confirmed: it is no text, or too large.
    pub text: Option<String>,
    digest: String,
}

impl UnconfirmedFiles {
    /// Returns true if a file must not be read.
    pub fn holds(&self, path: &Path) -> bool {
        if self.held.is_empty() {
            return false;
        }
        path.ancestors()
            .any(|above| self.held.iter().any(|held| *held == lower_case(above)))
    }

    /// Returns true if a text is what the file held when it was judged. A command that runs in another lathe may have
    /// changed it since.
    pub fn is_as_seen(&self, path: &Path, text: &str) -> bool {
        let Some(judged) = &self.judged else { return true };
        let seen = &judged.contents;
        match seen.get(path) {
            Some(digest) => *digest == digest_of(text.as_bytes()) || *digest == digest_of(&with_mark(text)),
            // Of a directory with too many files not all were looked at.
            None => path.ancestors().any(|above| seen.contains_key(above)),
        }
    }

    /// Returns true if a file that a configuration file names may be read: it was judged like the places, or nobody but the
    /// person wrote it.
    pub fn lets_read_named(&self, path: &Path, text: &str) -> bool {
        let Some(judged) = &self.judged else { return true };
        if judged.contents.contains_key(path) {
            return !self.holds(path) && self.is_as_seen(path, text);
        }
        let digests = [digest_of(text.as_bytes()), digest_of(&with_mark(text))];
        !digests
            .iter()
            .all(|digest| is_held(path, digest, &judged.written))
    }

    /// The files that would be read if it were not for this.
    pub fn files(&self) -> &[UnconfirmedFile] {
        &self.files
    }

    /// The same after a yes to everything that can be shown.
    #[must_use]
    pub fn confirmed(&self) -> Self {
        let left = self.files.iter().filter(|file| file.text.is_none());
        let left: Vec<UnconfirmedFile> = left.cloned().collect();
        Self {
            held: left.iter().map(|file| lower_case(&file.path)).collect(),
            files: left.into(),
            judged: self.judged.clone(),
        }
    }

    /// Returns true if the files still hold what is here. Reads them.
    pub fn is_current(&self) -> bool {
        self.files
            .iter()
            .all(|file| file.text.is_none() || config_files::digest(&file.path) == file.digest)
    }
}

/// Returns true if a file was written under one of its names and has no yes.
fn is_held(path: &Path, digest: &str, written: &WrittenPaths) -> bool {
    !written.is_empty() && link_names(path).iter().any(|name| written.holds(name, digest))
}

/// The bytes of a text whose byte order mark was taken off.
fn with_mark(text: &str) -> Vec<u8> {
    format!("\u{feff}{text}").into_bytes()
}

fn lower_case(path: &Path) -> String {
    path.to_string_lossy().to_lowercase()
}

#[cfg(test)]
mod tests;
