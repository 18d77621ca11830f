//! Places that one git may write to, where every other only reads.
//!
//! The kernel holds it to them where it can. It is disarmed like every other git of lathe's, and starts nothing but itself.

use std::ffi::OsStr;
use std::path::PathBuf;

use crate::process::sandbox::{Confinement, Metadata};

/// Directories that git may write to, and below. They exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WritableDirs(Vec<PathBuf>);

impl WritableDirs {
    pub fn to(places: Vec<PathBuf>) -> Self {
        Self(places)
    }

    pub(super) fn confinement(&self, programs: &[PathBuf], path: Option<&OsStr>) -> Confinement {
        Confinement {
            writable: self.0.clone(),
            // New objects get their rights, and whether the file system keeps any is tried out.
            metadata: Metadata::Free,
            ..Confinement::reading(programs, path, None)
        }
    }
}
