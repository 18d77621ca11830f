//! Resolves a path to its real location: the operating system's answer, continued by hand where nothing exists.

use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::PathKind;
use crate::text::path::without_dots;

/// As many links as Linux follows in one path.
const MAX_LINKS: usize = 40;

/// Target of a path once its links are followed.
pub(super) struct LinkEnd {
    pub(super) real: PathBuf,
    /// `None` when nothing is there.
    metadata: Option<Metadata>,
    /// The first link on the way that leads to nothing, as it is written.
    pub(super) dangling_link: Option<PathBuf>,
}

impl LinkEnd {
    pub(super) fn kind(&self) -> PathKind {
        if self.dangling_link.is_some() {
            return PathKind::DanglingLink;
        }
        self.metadata.as_ref().map_or(PathKind::Missing, PathKind::of)
    }
}

/// Follows the links of the deepest existing ancestor of an absolute path without `..`, also those that dangle.
pub(super) fn follow(path: &Path) -> io::Result<LinkEnd> {
    follow_from(path, 0, None)
}

fn follow_from(path: &Path, links: usize, dangling_link: Option<PathBuf>) -> io::Result<LinkEnd> {
    let mut existing = path;
    let mut missing: Vec<&OsStr> = Vec::new();
    loop {
        match fs::canonicalize(existing) {
            Ok(real) => {
                let metadata = if missing.is_empty() {
                    Some(fs::metadata(&real)?)
                } else {
                    None
                };
                let real = missing.iter().rev().fold(real, |path, name| path.join(name));
                return Ok(LinkEnd {
                    real,
                    metadata,
                    dangling_link,
                });
            }
            Err(error) if !is_missing(&error) => return Err(error),
            Err(error) => {
                let (Some(parent), Some(name)) = (existing.parent(), existing.file_name()) else {
                    return Err(error);
                };
                if let Ok(target) = fs::read_link(existing) {
                    if links == MAX_LINKS {
                        return Err(io::Error::other("too many symbolic links"));
                    }
                    let target = without_dots(&fs::canonicalize(parent)?.join(target));
                    let beyond = missing.iter().rev().fold(target, |path, name| path.join(name));
                    let first = dangling_link.unwrap_or_else(|| existing.to_owned());
                    return follow_from(&beyond, links + 1, Some(first));
                }
                missing.push(name);
                existing = parent;
            }
        }
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

impl PathKind {
    fn of(metadata: &Metadata) -> Self {
        match metadata.file_type() {
            kind if kind.is_dir() => Self::Directory,
            kind if kind.is_file() => Self::File,
            _ => Self::Special,
        }
    }
}
