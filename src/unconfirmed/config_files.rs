//! The places that a project brings configuration, agents and commands at, and what the files there hold.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};

use crate::project_root::directories;
use crate::regular_file::{MAX_BYTES, ReadError, RegularFile};

const FILES: &[&str] = &[
    "lathe.jsonc",
    ".lathe/lathe.jsonc",
    ".claude/settings.json",
    ".claude/settings.local.json",
];
const DIRECTORIES: &[&str] = &[
    ".lathe/agents",
    ".lathe/commands",
    ".claude/agents",
    ".claude/commands",
    ".opencode/agent",
    ".opencode/agents",
    ".opencode/command",
    ".opencode/commands",
];
/// Entries of one of the directories, with all below it.
const MAX_ENTRIES: usize = 2000;
/// Directories are looked into so far down, which is as far as commands are found.
const MAX_DEPTH: usize = 8;
/// A file that changed within this time may change again without another time.
const SETTLED: Duration = Duration::from_millis(100);

/// Digests of the files: the SHA-256 of the content, or why there is none.
pub(super) type Contents = BTreeMap<PathBuf, String>;

/// Returns true if a path, relative to the project, is or leads to one of the places in some directory of the project.
pub fn is_read(relative: &Path) -> bool {
    let parts: Vec<String> = relative
        .iter()
        .map(|part| part.to_string_lossy().to_lowercase())
        .collect();
    let places = FILES.iter().chain(DIRECTORIES);
    let places: Vec<Vec<&str>> = places.map(|place| place.split('/').collect()).collect();
    (0..parts.len()).any(|start| {
        places.iter().any(|place| {
            let mut pairs = place.iter().zip(&parts[start..]);
            pairs.all(|(one, other)| *one == other.as_str())
        })
    })
}

/// The places that count for a session in `directory`: all files there are at or below one of them.
pub(super) fn of(root: &Path, directory: &Path) -> Vec<PathBuf> {
    let names = || FILES.iter().chain(DIRECTORIES);
    directories(root, directory)
        .into_iter()
        .flat_map(|dir| names().map(|name| dir.join(name)))
        .collect()
}

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
            for name in FILES {
                self.add(dir.join(name), &mut contents);
            }
            for name in DIRECTORIES {
                let place = dir.join(name);
                let mut below = Vec::new();
                let is_whole = collect(&place, MAX_DEPTH, &mut below);
                for path in below {
                    self.add(path, &mut contents);
                }
                if !is_whole {
                    // Equal to nothing, so that it counts as changed after every command.
                    contents.insert(place, format!("too many {}", uuid::Uuid::now_v7()));
                }
            }
        }
        contents
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
