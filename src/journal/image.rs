//! States of files as the journal holds them, with their contents put away.

use std::path::Path;

use super::Journal;
use crate::files::{ContentHash, CurrentFile, FileError, FileVersion};
use crate::store::{FileImage, StoreError};

/// Largest file in bytes whose content is kept.
pub(super) const MAX_BYTES: u64 = 64 << 20;

/// A file as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Looked {
    pub(super) image: FileImage,
    /// The content of a file.
    pub(super) bytes: Option<Vec<u8>>,
}

impl Looked {
    pub(super) fn at(path: &Path) -> Result<Self, FileError> {
        Ok(match CurrentFile::look(path, MAX_BYTES)? {
            CurrentFile::Absent => Self {
                image: FileImage::Absent,
                bytes: None,
            },
            CurrentFile::Link(target) => Self {
                image: FileImage::Link { target },
                bytes: None,
            },
            CurrentFile::File { bytes, mode } => Self {
                image: FileImage::File {
                    hash: ContentHash::of(&bytes).as_str().to_owned(),
                    mode: Some(mode),
                },
                bytes: Some(bytes),
            },
        })
    }
}

/// Returns true if both say the same of the content, whatever the mode bits are.
pub(super) fn same_content(one: &FileImage, other: &FileImage) -> bool {
    match (one, other) {
        (FileImage::File { hash: one, .. }, FileImage::File { hash: other, .. }) => one == other,
        (FileImage::Unknown, _) | (_, FileImage::Unknown) => false,
        (one, other) => one == other,
    }
}

pub(super) fn mode_of(image: &FileImage) -> Option<u32> {
    match image {
        FileImage::File { mode, .. } => *mode,
        _ => None,
    }
}

impl Journal {
    /// Returns the state of a file of a transaction, with its content put away. A content that is too large is left out; then
    /// the way back to it is closed.
    pub(super) fn image(&self, version: FileVersion<'_>) -> Result<FileImage, StoreError> {
        Ok(match version {
            FileVersion::Absent => FileImage::Absent,
            FileVersion::Link(target) => FileImage::Link {
                target: target.to_vec(),
            },
            FileVersion::File { bytes, mode } => {
                let hash = ContentHash::of(bytes).as_str().to_owned();
                self.keep(&hash, bytes)?;
                FileImage::File { hash, mode }
            }
        })
    }

    /// Puts the content away of a file that was looked at.
    pub(super) fn keep_looked(&self, looked: &Looked) -> Result<(), StoreError> {
        match (&looked.image, &looked.bytes) {
            (FileImage::File { hash, .. }, Some(bytes)) => self.keep(hash, bytes),
            _ => Ok(()),
        }
    }

    fn keep(&self, hash: &str, bytes: &[u8]) -> Result<(), StoreError> {
        if bytes.len() as u64 <= MAX_BYTES {
            self.blobs.put(hash, bytes)?;
        }
        Ok(())
    }

    /// Returns a content that is kept and whole.
    pub(super) fn content(&self, hash: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let bytes = self.blobs.get(hash)?;
        Ok(bytes.filter(|bytes| ContentHash::of(bytes).as_str() == hash))
    }
}
