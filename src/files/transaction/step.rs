//! One file of a transaction, whatever happens to it.

use std::path::Path;

use super::super::FileError;
use super::change_log::LoggedChange;
use super::link::LinkChange;
use super::place::{Directories, WriteTarget};
use super::removal::Removal;
use super::replacement::{Attributes, Replacement, StagedFile};
use super::undone::Undone;
use super::{CommittedFile, Content, FileChange};

pub(super) enum Step {
    Replace(Replacement),
    Remove(Removal),
    Link(LinkChange),
}

impl Step {
    /// Looks at the file and changes nothing. `None` when there is nothing to do.
    pub(super) fn inspect(
        change: FileChange,
        directories: &mut Directories,
    ) -> Result<Option<Self>, FileError> {
        let FileChange {
            path,
            content,
            expected,
        } = change;
        let place = directories.place(&path)?;
        Ok(match content {
            Content::Bytes { bytes, like, mode } => {
                let like = like.and_then(|like| attributes(&directories.place(&like).ok()?));
                let replacement = Replacement::inspect(place, bytes, like, &expected)?;
                Some(Self::Replace(replacement.with_mode(mode)?))
            }
            Content::Link { new, before } => Some(Self::Link(LinkChange::inspect(place, new, before)?)),
            Content::Removed { parents } => Removal::inspect(place, parents, &expected)?.map(Self::Remove),
        })
    }

    pub(super) fn path(&self) -> &Path {
        self.place_of().path()
    }

    fn place_of(&self) -> &WriteTarget {
        match self {
            Self::Replace(replacement) => &replacement.place,
            Self::Remove(removal) => &removal.place,
            Self::Link(link) => &link.place,
        }
    }

    pub(super) fn is_in_place(&self) -> bool {
        match self {
            Self::Replace(replacement) => replacement.is_in_place(),
            Self::Remove(_) | Self::Link(_) => false,
        }
    }

    pub(super) fn stage(&mut self) -> Result<Option<StagedFile>, FileError> {
        match self {
            Self::Replace(replacement) => replacement.stage(),
            Self::Remove(_) => Ok(None),
            Self::Link(link) => link.stage().map(|()| None),
        }
    }

    pub(super) fn place(&self, staged: Option<StagedFile>) -> Result<(), FileError> {
        match self {
            Self::Replace(replacement) => replacement.place(staged),
            Self::Remove(removal) => removal.place(),
            Self::Link(link) => link.place(),
        }
    }

    pub(super) fn undo(&self) -> Result<Undone, FileError> {
        match self {
            Self::Replace(replacement) => replacement.undo(),
            Self::Remove(removal) => removal.undo(),
            Self::Link(link) => link.undo(),
        }
    }

    pub(super) fn remove_parents(&self) {
        self.place_of().remove_parents();
    }

    /// Tells whether the file is what it was to become.
    pub(super) fn is_done(&self) -> Result<bool, FileError> {
        match self {
            Self::Replace(replacement) => replacement.is_done(),
            Self::Remove(removal) => removal.is_done(),
            Self::Link(link) => link.is_done(),
        }
    }

    /// Clears away what undoing would have needed.
    pub(super) fn finish(&self) -> Result<(), FileError> {
        match self {
            Self::Replace(_) | Self::Link(_) => Ok(()),
            Self::Remove(removal) => removal.finish(),
        }
    }

    /// The change as the log has it.
    pub(super) fn logged(&self) -> LoggedChange<'_> {
        match self {
            Self::Replace(replacement) => replacement.logged(),
            Self::Remove(removal) => removal.logged(),
            Self::Link(link) => link.logged(),
        }
    }

    pub(super) fn into_written(self) -> CommittedFile {
        match self {
            Self::Replace(replacement) => replacement.into_written(),
            Self::Remove(removal) => removal.into_written(),
            Self::Link(link) => link.into_written(),
        }
    }
}

/// Owner and mode bits of a file, if there is one.
fn attributes(place: &WriteTarget) -> Option<Attributes> {
    let stat = place.stat(place.name()).ok()??;
    Some(Attributes::of(&stat))
}
