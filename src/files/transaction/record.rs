//! The write-ahead record of a transaction: one line of JSON, then the bytes that undoing may need.
//!
//! It gets its final name when it is whole, and its owner holds it locked, so that another process which starts meanwhile
//! does not take a running transaction for a dead one. `version` and `op` leave room: a record that this build does not
//! understand is left for one that does.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::super::{ContentHash, FileError};
use super::link::LinkChange;
use super::place::WriteTarget;
use super::removal::Removal;
use super::replacement::{Method, ModeChange, OriginalContent, Replacement};
use super::step::Step;
use crate::private_file;

const VERSION: u32 = 1;
const EXTENSION: &str = "record";
const UNFINISHED: &str = "new";

pub(super) struct Record {
    path: PathBuf,
    /// Holds the lock.
    _file: File,
}

/// The records that there are.
#[derive(Default)]
pub(super) struct FoundRecords {
    pub(super) whole: Vec<PathBuf>,
    /// Still being written, or left by a process that died before it changed anything.
    pub(super) unfinished: Vec<PathBuf>,
}

/// A record that was found at the start.
pub(super) enum FoundRecord {
    Steps(Vec<Step>),
    /// Another process is at work on it.
    Busy,
    /// Its owner finished it just now.
    Gone,
    /// A newer lathe wrote it.
    Unknown,
    Damaged,
}

#[derive(Serialize, Deserialize)]
struct Header {
    version: u32,
    steps: Vec<RecordedStep>,
}

/// Lengths are those of the bytes that follow the header, in this order for each step: before, new.
#[derive(Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
enum RecordedStep {
    Replace {
        path: RecordedPath,
        temp: RecordedPath,
        in_place: bool,
        before: RecordedBefore,
        new_hash: ContentHash,
        new_length: usize,
        parents: Vec<RecordedPath>,
        /// Mode bits before and after, where they change.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<(u32, u32)>,
    },
    Remove {
        path: RecordedPath,
        aside: RecordedPath,
        hash: ContentHash,
    },
    Link {
        path: RecordedPath,
        temp: RecordedPath,
        before: Option<RecordedPath>,
        new: Option<RecordedPath>,
        parents: Vec<RecordedPath>,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RecordedBefore {
    Absent,
    Length(usize),
    NotKept,
}

/// A path that need not be UTF-8.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum RecordedPath {
    Text(String),
    Bytes(Vec<u8>),
}

impl Record {
    pub(super) fn begin(records: &Path, steps: &[Step]) -> Result<Self, FileError> {
        let name = uuid::Uuid::now_v7().simple().to_string();
        let path = records.join(&name).with_extension(EXTENSION);
        write(records, &path, steps).map_err(|error| FileError::io(&path, error))
    }

    /// Forgets the transaction: it is done or undone.
    pub(super) fn remove(self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(%error, "the record of a finished change could not be removed");
        }
    }

    #[cfg(test)]
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Leaves the record for the next start and lets go of its lock.
    pub(super) fn keep(self) {
        drop(self);
    }

    /// Returns the paths of all records.
    pub(super) fn list(records: &Path) -> io::Result<FoundRecords> {
        let mut listed = FoundRecords::default();
        let entries = match fs::read_dir(records) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(listed),
            entries => entries?,
        };
        for entry in entries {
            let path = entry?.path();
            match path.extension().and_then(|extension| extension.to_str()) {
                Some(EXTENSION) => listed.whole.push(path),
                Some(UNFINISHED) => listed.unfinished.push(path),
                _ => {}
            }
        }
        listed.whole.sort();
        Ok(listed)
    }

    /// Takes over the record of a process that is gone.
    pub(super) fn open(path: &Path) -> io::Result<(FoundRecord, Option<Self>)> {
        let mut file = match OpenOptions::new().read(true).write(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((FoundRecord::Gone, None)),
            file => file?,
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok((FoundRecord::Busy, None)),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        if !path.exists() {
            return Ok((FoundRecord::Gone, None));
        }
        let mut content = Vec::new();
        file.read_to_end(&mut content)?;
        Ok((
            parse(&content),
            Some(Self {
                path: path.to_path_buf(),
                _file: file,
            }),
        ))
    }
}

fn write(records: &Path, path: &Path, steps: &[Step]) -> io::Result<Record> {
    let unfinished = path.with_extension(UNFINISHED);
    let needs_undo = steps.len() > 1 || steps.iter().any(Step::is_in_place);
    let mut file = private_file::options()
        .write(true)
        .create_new(true)
        .open(&unfinished)?;
    let written = (|| {
        file.try_lock()?;
        file.write_all(&encode(steps, needs_undo))?;
        if needs_undo {
            file.sync_all()?;
        }
        fs::rename(&unfinished, path)?;
        if needs_undo {
            sync_dir(records)?;
        }
        Ok(())
    })();
    if let Err(error) = written {
        fs::remove_file(&unfinished).ok();
        fs::remove_file(path).ok();
        return Err(error);
    }
    Ok(Record {
        path: path.to_path_buf(),
        _file: file,
    })
}

fn encode(steps: &[Step], needs_undo: bool) -> Vec<u8> {
    let header = Header {
        version: VERSION,
        steps: steps
            .iter()
            .map(|step| RecordedStep::of(step, needs_undo))
            .collect(),
    };
    let mut bytes = serde_json::to_vec(&header).expect("strings, numbers and lists always serialise");
    bytes.push(b'\n');
    let replacements = steps.iter().filter_map(|step| match step {
        Step::Replace(replacement) => Some(replacement),
        Step::Remove(_) | Step::Link(_) => None,
    });
    for step in replacements {
        if let OriginalContent::Bytes(before) = &step.before
            && needs_undo
        {
            bytes.extend_from_slice(before);
        }
        if step.is_in_place() {
            bytes.extend_from_slice(&step.new);
        }
    }
    bytes
}

fn parse(content: &[u8]) -> FoundRecord {
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    let Some(end) = content.iter().position(|&byte| byte == b'\n') else {
        return FoundRecord::Damaged;
    };
    let (header, mut rest) = (&content[..end], &content[end + 1..]);
    let Ok(Version { version }) = serde_json::from_slice(header) else {
        return FoundRecord::Damaged;
    };
    let Ok(header) = serde_json::from_slice::<Header>(header) else {
        return FoundRecord::Unknown;
    };
    if version != VERSION {
        return FoundRecord::Unknown;
    }
    let steps: Option<Vec<_>> = header
        .steps
        .into_iter()
        .map(|step| step.restore(&mut rest))
        .collect();
    steps.map_or(FoundRecord::Damaged, FoundRecord::Steps)
}

impl RecordedStep {
    fn of(step: &Step, needs_undo: bool) -> Self {
        match step {
            Step::Replace(step) => Self::of_replacement(step, needs_undo),
            // The file itself is kept beside its place, so its bytes need not be here.
            Step::Remove(removal) => Self::Remove {
                path: RecordedPath::of(removal.place.path()),
                aside: RecordedPath::of(&removal.place.beside(&removal.aside)),
                hash: removal.hash.clone(),
            },
            Step::Link(link) => Self::Link {
                path: RecordedPath::of(link.place.path()),
                temp: RecordedPath::of(&link.place.beside(&link.temp)),
                before: link.before.clone().map(RecordedPath::of_bytes),
                new: link.new.clone().map(RecordedPath::of_bytes),
                parents: recorded_parents(&link.place),
            },
        }
    }

    fn of_replacement(step: &Replacement, needs_undo: bool) -> Self {
        Self::Replace {
            path: RecordedPath::of(step.place.path()),
            temp: RecordedPath::of(&step.place.beside(&step.temp)),
            in_place: step.is_in_place(),
            before: match &step.before {
                OriginalContent::Absent => RecordedBefore::Absent,
                OriginalContent::Bytes(bytes) if needs_undo => RecordedBefore::Length(bytes.len()),
                OriginalContent::Bytes(_) | OriginalContent::NotKept => RecordedBefore::NotKept,
            },
            new_hash: step.new_hash.clone(),
            new_length: if step.is_in_place() { step.new.len() } else { 0 },
            parents: recorded_parents(&step.place),
            mode: step.mode.map(|mode| (mode.before, mode.new)),
        }
    }

    /// Makes the step again; `None` when its bytes are not all there.
    fn restore(self, rest: &mut &[u8]) -> Option<Step> {
        let (path, temp, in_place, before, new_hash, new_length, parents, mode) = match self {
            Self::Replace {
                path,
                temp,
                in_place,
                before,
                new_hash,
                new_length,
                parents,
                mode,
            } => (path, temp, in_place, before, new_hash, new_length, parents, mode),
            Self::Link {
                path,
                temp,
                before,
                new,
                parents,
            } => {
                return Some(Step::Link(LinkChange {
                    place: WriteTarget::recorded(path.into_path()?, restored_parents(parents)?)?,
                    temp: temp.into_path()?.file_name()?.to_os_string(),
                    before: before.map(RecordedPath::into_bytes),
                    new: new.map(RecordedPath::into_bytes),
                }));
            }
            Self::Remove { path, aside, hash } => {
                let place = WriteTarget::recorded(path.into_path()?, Vec::new())?;
                let aside = aside.into_path()?.file_name()?.to_os_string();
                return Some(Step::Remove(Removal::recorded(place, aside, hash)));
            }
        };
        let before = match before {
            RecordedBefore::Absent => OriginalContent::Absent,
            RecordedBefore::NotKept => OriginalContent::NotKept,
            RecordedBefore::Length(length) => OriginalContent::Bytes(rest.split_off(..length)?.to_vec()),
        };
        Some(Step::Replace(Replacement {
            place: WriteTarget::recorded(path.into_path()?, restored_parents(parents)?)?,
            temp: temp.into_path()?.file_name()?.to_os_string(),
            method: if in_place { Method::InPlace } else { Method::Rename },
            before,
            other_names: 0,
            new_hash,
            new: rest.split_off(..new_length)?.to_vec(),
            attributes: None,
            mode_before: None,
            mode: mode.map(|(before, new)| ModeChange { before, new }),
        }))
    }
}

fn recorded_parents(place: &WriteTarget) -> Vec<RecordedPath> {
    place
        .parents
        .iter()
        .map(|parent| RecordedPath::of(parent))
        .collect()
}

fn restored_parents(parents: Vec<RecordedPath>) -> Option<Vec<PathBuf>> {
    parents.into_iter().map(RecordedPath::into_path).collect()
}

impl RecordedPath {
    fn of(path: &Path) -> Self {
        match path.to_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Bytes(path.as_os_str().as_encoded_bytes().to_vec()),
        }
    }

    fn of_bytes(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self::Text(text),
            Err(error) => Self::Bytes(error.into_bytes()),
        }
    }

    fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.into_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }

    fn into_path(self) -> Option<PathBuf> {
        match self {
            Self::Text(text) => Some(PathBuf::from(text)),
            Self::Bytes(bytes) => path_from_bytes(bytes),
        }
    }
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps)] // Elsewhere not every byte string is a path.
fn path_from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn path_from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

/// Makes the record's name as durable as its content.
fn sync_dir(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps)] // The other platform can fail.
fn sync_dir(_path: &Path) -> io::Result<()> {
    Ok(())
}
