//! What is known of a file without its content.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::files::FileMoment;

/// What changes when a file does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    inode: u64,
    size: u64,
    mode: u32,
    changed: FileMoment,
    /// Seconds and nanoseconds.
    written: (i64, i64),
}

impl Stamp {
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self {
            inode: metadata.ino(),
            size: metadata.size(),
            mode: metadata.mode(),
            changed: FileMoment::of_change(metadata),
            written: (metadata.mtime(), metadata.mtime_nsec()),
        }
    }

    /// When the file or its attributes changed last.
    pub(super) fn changed(self) -> FileMoment {
        self.changed
    }

    /// In bytes.
    pub(super) fn size(self) -> u64 {
        self.size
    }

    /// `None` where nothing is there.
    pub(super) fn at(path: &Path) -> Option<Self> {
        fs::symlink_metadata(path).ok().as_ref().map(Self::of)
    }
}
