//! What the files at the places hold, and those that configuration files name as `{file:NAME}`.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};

use super::places::{PLACES, PlaceKind};
use crate::project_root::directories;
use crate::regular_file::{MAX_BYTES, ReadError, RegularFile};

/// Entries of one of the directories, with all below it.
const MAX_ENTRIES: usize = 2000;
/// Directories are looked into so far down, which is as far as commands are found.
const MAX_DEPTH: usize = 8;
/// The beginning of the digest of a directory in which not all files were looked at.
const TOO_MANY: &str = "too many ";
/// Files that a configuration file names, beyond which none is looked at.
const MAX_NAMED: usize = 100;
/// A file that changed within this time may change again without another time.
const SETTLED: Duration = Duration::from_millis(100);

/// Digests of the files: the SHA-256 of the content, or why there is none.
pub(super) type Contents = BTreeMap<PathBuf, String>;

/// Known digests of files, so that one that has not changed is not read again.
#[derive(Debug, Default)]
pub struct Digests {
    known: HashMap<PathBuf, (Stamp, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    file: (u64, u64),
    size: u64,
    changed: (i64, i64),
}

impl Digests {
    /// Returns what is at the places of a session in `directory`. Links are followed, as whoever reads the files does.
    pub(super) fn at_places(&mut self, root: &Path, directory: &Path) -> Contents {
        let mut contents = Contents::new();
        for dir in directories(root, directory) {
            for place in PLACES {
                let path = dir.join(place.name);
                if place.kind.is_directory() {
                    self.add_below(path, &mut contents);
                    continue;
                }
                if place.kind == PlaceKind::Settings {
                    for named in named_files(&path, dir) {
                        // One that is not there yet counts as well: a command may make it.
                        let digest = self.of(&named);
                        contents.insert(named, digest);
                    }
                }
                self.add(path, &mut contents);
            }
        }
        contents
    }

    fn add_below(&mut self, place: PathBuf, contents: &mut Contents) {
        let mut below = Vec::new();
        let is_whole = collect(&place, MAX_DEPTH, &mut below);
        for path in below {
            self.add(path, contents);
        }
        if !is_whole {
            // Equal to nothing, so that it counts as changed after every command.
            contents.insert(place, format!("{TOO_MANY}{}", uuid::Uuid::now_v7()));
        }
    }

    fn add(&mut self, path: PathBuf, contents: &mut Contents) {
        if path.symlink_metadata().is_err() {
            return;
        }
        let digest = self.of(&path);
        contents.insert(path, digest);
    }

    fn of(&mut self, path: &Path) -> String {
        let Ok(data) = fs::metadata(path) else {
            return digest(path);
        };
        let stamp = Stamp::of(&data);
        if let Some((known, digest)) = self.known.get(path)
            && *known == stamp
        {
            return digest.clone();
        }
        let digest = digest(path);
        if stamp.is_settled() {
            self.known.insert(path.to_owned(), (stamp, digest.clone()));
        }
        digest
    }
}

impl Stamp {
    fn of(data: &Metadata) -> Self {
        Self {
            file: (data.dev(), data.ino()),
            size: data.size(),
            changed: (data.ctime(), data.ctime_nsec()),
        }
    }

    fn is_settled(self) -> bool {
        let (seconds, nanoseconds) = self.changed;
        let changed = Duration::new(
            seconds.try_into().unwrap_or_default(),
            nanoseconds.try_into().unwrap_or_default(),
        );
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        now.checked_sub(changed).is_some_and(|age| age > SETTLED)
    }
}

/// Adds the files below a directory; returns false if there are too many.
fn collect(directory: &Path, depth: usize, files: &mut Vec<PathBuf>) -> bool {
    let mut left = MAX_ENTRIES;
    collect_some(directory, depth, &mut left, files)
}

fn collect_some(directory: &Path, depth: usize, left: &mut usize, files: &mut Vec<PathBuf>) -> bool {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        let path = entry.path();
        if !fs::metadata(&path).is_ok_and(|data| data.is_dir()) {
            files.push(path);
        } else if depth > 0 && !collect_some(&path, depth - 1, left, files) {
            return false;
        }
    }
    true
}

/// Returns the paths that a session in `directory` reads configuration from: the places, and the files in them that are links. One need not
/// be there.
pub fn read_paths(root: &Path, directory: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for dir in directories(root, directory) {
        for place in PLACES {
            let path = dir.join(place.name);
            if place.kind.is_directory() {
                let mut below = Vec::new();
                collect(&path, MAX_DEPTH, &mut below);
                paths.extend(below.into_iter().filter(|file| file.is_symlink()));
            }
            paths.push(path);
        }
    }
    paths
}

/// Returns true for the digest of a directory in which not all files were looked at.
pub(super) fn is_too_many(digest: &str) -> bool {
    digest.starts_with(TOO_MANY)
}

/// Returns the files that the strings of a configuration file name, which count from `dir`. Those outside of the project are
/// not read, and those that are written with escapes are found only when they are read.
fn named_files(settings: &Path, dir: &Path) -> Vec<PathBuf> {
    const BEGIN: &str = "{file:";
    let Some(text) = text(settings).0 else {
        return Vec::new();
    };
    let names = text.split(BEGIN).skip(1).filter_map(|rest| rest.split_once('}'));
    let names = names
        .map(|(name, _)| name.trim())
        .filter(|name| !name.starts_with("~/"));
    names.take(MAX_NAMED).map(|name| dir.join(name)).collect()
}

/// Returns what a file holds.
pub(super) fn digest(path: &Path) -> String {
    match read(path) {
        Ok(bytes) => digest_of(&bytes),
        Err(ReadError::Missing) => "missing".to_owned(),
        Err(_) => "unreadable".to_owned(),
    }
}

pub(super) fn digest_of(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

/// Returns the text of a file, with its digest.
pub(super) fn text(path: &Path) -> (Option<String>, String) {
    match read(path) {
        Ok(bytes) => {
            let digest = digest_of(&bytes);
            (String::from_utf8(bytes).ok(), digest)
        }
        Err(_) => (None, digest(path)),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, ReadError> {
    RegularFile::open(path)?.read(MAX_BYTES)
}
