//! One file of a transaction, whatever happens to it.

use std::path::Path;

use tempfile::TempPath;

use super::super::FileError;
use super::removal::Removal;
use super::replacement::Replacement;
use super::{Change, Content, Written};

pub(super) enum Step {
    Replace(Replacement),
    Remove(Removal),
}

/// What undoing found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Undone {
    /// The file was as before.
    Nothing,
    Restored,
    /// Somebody else has changed it since; it was left alone.
    Foreign,
}

impl Step {
    /// Looks at the file and changes nothing. `None` when there is nothing to do.
    pub(super) fn inspect(change: Change) -> Result<Option<Self>, FileError> {
        let Change {
            path,
            content,
            expected,
        } = change;
        Ok(match content {
            Content::Bytes { bytes, like } => Some(Self::Replace(Replacement::inspect(
                &path, bytes, like, &expected,
            )?)),
            Content::Removed => Removal::inspect(&path, &expected)?.map(Self::Remove),
        })
    }

    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Replace(replacement) => &replacement.path,
            Self::Remove(removal) => &removal.path,
        }
    }

    pub(super) fn is_in_place(&self) -> bool {
        match self {
            Self::Replace(replacement) => replacement.is_in_place(),
            Self::Remove(_) => false,
        }
    }

    pub(super) fn stage(&self) -> Result<Option<TempPath>, FileError> {
        match self {
            Self::Replace(replacement) => replacement.stage(),
            Self::Remove(_) => Ok(None),
        }
    }

    pub(super) fn place(&self, staged: Option<TempPath>) -> Result<(), FileError> {
        match self {
            Self::Replace(replacement) => replacement.place(staged),
            Self::Remove(removal) => removal.place(),
        }
    }

    pub(super) fn undo(&self) -> Result<Undone, FileError> {
        match self {
            Self::Replace(replacement) => replacement.undo(),
            Self::Remove(removal) => removal.undo(),
        }
    }

    pub(super) fn remove_parents(&self) {
        match self {
            Self::Replace(replacement) => replacement.remove_parents(),
            Self::Remove(_) => {}
        }
    }

    /// Tells whether the file is what it was to become.
    pub(super) fn is_done(&self) -> Result<bool, FileError> {
        match self {
            Self::Replace(replacement) => replacement.is_done(),
            Self::Remove(removal) => Ok(removal.is_done()),
        }
    }

    /// Clears away what undoing would have needed.
    pub(super) fn finish(&self) -> Result<(), FileError> {
        match self {
            Self::Replace(_) => Ok(()),
            Self::Remove(removal) => removal.finish(),
        }
    }

    pub(super) fn into_written(self) -> Written {
        match self {
            Self::Replace(replacement) => replacement.into_written(),
            Self::Remove(removal) => removal.into_written(),
        }
    }
}
