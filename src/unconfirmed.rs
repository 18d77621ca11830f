//! Files that lathe would read and that a command created or changed: none of them is read before the person says yes.
//!
//! A command can write anything that the person can, also what lathe takes orders from. So lathe writes down, in its own
//! data directory, what the files at the [`places`] hold before a command begins, and afterwards which of them are
//! others. These are left out whenever configuration is read, whatever trust there is in the project, until the person
//! has seen their texts and said yes, or until they are gone or as they were before.
//!
//! What was there before is a file that is locked as long as the command is followed ([`Watch`]). One that nobody holds any
//! more is left from a lathe that was killed; the next reader of configuration makes the comparison in its place.
//!
//! Paths are compared without regard to case, because there are file systems where `LATHE.JSONC` is `lathe.jsonc`.

mod places;
mod records;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use self::places::{Digests, is_read};
pub use self::records::{Ended, Records, Watch};

/// The files of a project that are not to be read, as they were when configuration was read.
#[derive(Debug, Clone, Default)]
pub struct Unconfirmed {
    /// Nothing at or below these is read. In lower case.
    held: Vec<String>,
    files: Arc<[UnconfirmedFile]>,
}

/// A file that would be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnconfirmedFile {
    pub path: PathBuf,
    /// `None` where it cannot be shown, and so not be confirmed: it is no text, or too large.
    pub text: Option<String>,
    digest: String,
}

impl Unconfirmed {
    /// Returns true if a file must not be read.
    pub fn holds(&self, path: &Path) -> bool {
        if self.held.is_empty() {
            return false;
        }
        path.ancestors()
            .any(|above| self.held.iter().any(|held| *held == lower_case(above)))
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
        }
    }

    /// Returns true if the files still hold what is here. Reads them.
    pub fn is_current(&self) -> bool {
        self.files
            .iter()
            .all(|file| file.text.is_none() || places::digest(&file.path) == file.digest)
    }
}

fn lower_case(path: &Path) -> String {
    path.to_string_lossy().to_lowercase()
}

#[cfg(test)]
mod tests;
