//! Files that lathe would read and that a command created or changed: none of them is read before the person says yes.
//!
//! A command can write anything that the person can, also what lathe takes orders from. So lathe writes down, in its own
//! data directory, what the files named in [`config_files`] hold before a command begins, and afterwards which of them are
//! others. These are left out whenever configuration is read, whatever trust there is in the project, until the person
//! has seen their texts and said yes, or until they are gone or as they were before.
//!
//! What was there before is a file that is locked as long as the command is followed ([`CommandWatch`]). One that nobody holds any
//! more is left from a lathe that was killed; the next reader of configuration makes the comparison in its place.
//!
//! Paths are compared without regard to case, because there are file systems where `LATHE.JSONC` is `lathe.jsonc`.

mod config_files;
mod records;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::config_files::{Contents, digest_of};

pub use self::config_files::{Digests, is_read};
pub use self::records::{CommandChanges, CommandWatch, UnconfirmedRecords};

/// The files of a project that are not to be read, as they were when configuration was read.
#[derive(Debug, Clone, Default)]
pub struct UnconfirmedFiles {
    /// Nothing at or below these is read. In lower case.
    held: Vec<String>,
    files: Arc<[UnconfirmedFile]>,
    /// Contents of all files when the withheld ones were determined. `None` where no command was ever run.
    seen: Option<Arc<Contents>>,
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
        let Some(seen) = &self.seen else { return true };
        match seen.get(path) {
            Some(digest) => *digest == digest_of(text.as_bytes()) || *digest == digest_of(&with_mark(text)),
            // Of a directory with too many files not all were looked at.
            None => path.ancestors().any(|above| seen.contains_key(above)),
        }
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
            seen: self.seen.clone(),
        }
    }

    /// Returns true if the files still hold what is here. Reads them.
    pub fn is_current(&self) -> bool {
        self.files
            .iter()
            .all(|file| file.text.is_none() || config_files::digest(&file.path) == file.digest)
    }
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
