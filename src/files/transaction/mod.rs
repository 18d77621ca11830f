//! Puts new content in place, in all files or in none.
//!
//! A commit looks at every target, writes a record of what it is about to do, writes all new content beside the targets,
//! checks each target once more and renames. When one step fails, the steps before it are undone; when the process dies,
//! [`recover`] does that at the next start, so a transaction that never returned never half happened. The record is
//! synced to disk only when more than one file, or a file that is written in place, depends on it: `kill -9` loses
//! nothing, a power cut may lose the last second.
//!
//! A file to remove is renamed to a hidden name beside it and goes when all else is in place, so that undoing brings back
//! the file itself and not a copy.
//!
//! A file of another owner or in a directory that cannot be written is overwritten in place, with its old and new content
//! in the record first. One with several hard links never is, because by another of its names it may be a file that nobody
//! was asked about (`.git/config`): a rename leaves that one as it was. Mode bits stay, missing parents are made. A
//! write-protected file is refused even where a rename would succeed. Extended attributes and ACLs are not copied.
//!
//! Paths are real ones (`Resolved::real`): the directory of each file is opened once, without following a link, beneath
//! the root where the file was judged to lie, and everything is done through it (`place`). So a directory or a file that
//! another process swaps for a link meanwhile makes the commit fail, and leads nowhere else. Missing parents are made below
//! the root; the root itself, the project directory, never is.
//!
//! Every path that a commit writes to is noted first ([`crate::unconfirmed`]): where configuration is read from it, now or
//! later, the person is asked before.
//!
//! One commit runs at a time over all lathe processes of a data directory. Locking from the moment a change is worked out
//! is the caller's (`files::locks`); so is refusing to create through a dangling link (`Resolved::for_writing`).

mod change_log;
mod commit_lock;
mod link;
mod place;
mod record;
mod recovery;
mod removal;
mod replacement;
mod step;
mod undone;
mod write_note;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::commit_lock::CommitLock;
use self::place::Directories;
use self::record::Record;
use self::replacement::StagedFile;
use self::step::Step;
use self::write_note::WriteNote;
use super::{ContentHash, FileError, FileProblem, TextFile};

pub use change_log::{ChangeLog, FileVersion, LoggedChange};
pub use recovery::{Recovery, recover};

/// The state that a file must have just before it is replaced or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpectedContent {
    /// Nothing is there.
    Absent,
    /// Its content is what it was when it was read.
    Hash(ContentHash),
    /// Whatever is there may go.
    Any,
}

/// Changes to be made together. Dropping it without `commit` changes nothing.
pub struct Transaction {
    log: Option<Arc<dyn ChangeLog>>,
    records: PathBuf,
    root: PathBuf,
    changes: Vec<FileChange>,
    /// Index of each path in `changes`.
    places: HashMap<PathBuf, usize>,
}

#[derive(Debug)]
struct FileChange {
    path: PathBuf,
    content: Content,
    expected: ExpectedContent,
}

/// The new state of a file.
#[derive(Debug)]
enum Content {
    Bytes {
        bytes: Vec<u8>,
        like: Option<PathBuf>,
        mode: NewMode,
    },
    Removed {
        /// Directories that go with it where nothing else is in them, the outermost first.
        parents: Vec<PathBuf>,
    },
    /// A link to `new`, or none, in the place of one to `before`, or of nothing.
    Link {
        new: Option<Vec<u8>>,
        before: Option<Vec<u8>>,
    },
}

/// Mode bits that a file gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NewMode {
    /// Its own, or those that new files get.
    Unchanged,
    /// Its own, but for whether it can be executed.
    Executable(bool),
    /// Exactly these permission bits.
    Bits(u32),
}

/// One file that was written or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedFile {
    /// Its real path.
    pub path: PathBuf,
    /// Of its content now; `None` when it was removed, and for a link.
    pub hash: Option<ContentHash>,
    /// Its bytes before; `None` when it was created, and for a link.
    pub before: Option<Vec<u8>>,
    /// Hard links to the file that was replaced; they keep what it was.
    pub other_names: u64,
}

impl Transaction {
    /// Makes an empty one that keeps its record in `records`, a directory of the data directory. `root` is a real
    /// directory that has to exist for what is written below it: the project's, as a rule.
    pub fn new(records: &Path, root: &Path) -> Self {
        Self {
            log: None,
            records: records.to_path_buf(),
            root: root.to_path_buf(),
            changes: Vec::new(),
            places: HashMap::new(),
        }
    }

    /// Has the transaction entered in a log.
    #[must_use]
    pub fn logged(mut self, log: Option<Arc<dyn ChangeLog>>) -> Self {
        self.log = log;
        self
    }

    /// Adds a file to create or replace. For a path that was added before, the later change counts and the earlier
    /// expectation.
    pub fn replace(&mut self, path: &Path, bytes: Vec<u8>, expected: ExpectedContent) {
        let content = Content::Bytes {
            bytes,
            like: None,
            mode: NewMode::Unchanged,
        };
        self.add(path, content, expected);
    }

    /// Adds a file to replace that can be executed afterwards, or cannot. One that belongs to somebody else is refused
    /// where that would be a change.
    pub fn replace_with_mode(
        &mut self,
        path: &Path,
        bytes: Vec<u8>,
        expected: ExpectedContent,
        executable: bool,
    ) {
        let content = Content::Bytes {
            bytes,
            like: None,
            mode: NewMode::Executable(executable),
        };
        self.add(path, content, expected);
    }

    /// Adds a file to create or replace that has exactly these permission bits afterwards.
    pub fn replace_with_bits(&mut self, path: &Path, bytes: Vec<u8>, expected: ExpectedContent, bits: u32) {
        let content = Content::Bytes {
            bytes,
            like: None,
            mode: NewMode::Bits(bits & 0o777),
        };
        self.add(path, content, expected);
    }

    /// Adds a file that gets owner and mode bits from another, the one that it is moved from, unless it replaces a file
    /// that has its own.
    pub fn replace_like(&mut self, path: &Path, bytes: Vec<u8>, expected: ExpectedContent, like: &Path) {
        let content = Content::Bytes {
            bytes,
            like: Some(like.to_path_buf()),
            mode: NewMode::Unchanged,
        };
        self.add(path, content, expected);
    }

    /// Adds a link to make, to lead elsewhere or, without `new`, to remove. `before` is where it leads until then; `None`
    /// where nothing is there.
    pub fn link(&mut self, path: &Path, new: Option<Vec<u8>>, before: Option<Vec<u8>>) {
        self.add(path, Content::Link { new, before }, ExpectedContent::Any);
    }

    /// Adds a file to remove: a plain one, not a link and not a directory. One that is not there is no error unless its
    /// content was expected.
    pub fn remove(&mut self, path: &Path, expected: ExpectedContent) {
        self.remove_with_parents(path, expected, Vec::new());
    }

    /// Adds a file to remove together with directories above it that are empty without it, the outermost first.
    pub fn remove_with_parents(&mut self, path: &Path, expected: ExpectedContent, parents: Vec<PathBuf>) {
        self.add(path, Content::Removed { parents }, expected);
    }

    fn add(&mut self, path: &Path, content: Content, expected: ExpectedContent) {
        if let Some(&place) = self.places.get(path) {
            self.changes[place].content = content;
            return;
        }
        self.places.insert(path.to_path_buf(), self.changes.len());
        self.changes.push(FileChange {
            path: path.to_path_buf(),
            content,
            expected,
        });
    }

    /// Writes all of them, in the order in which they were added, or leaves everything as it was.
    pub fn commit(self) -> Result<Vec<CommittedFile>, FileError> {
        self.commit_then(|| Ok::<(), FileError>(()))
    }

    /// The same with a last step, taken when all files are in place. Where that one fails, the files are as they were.
    pub fn commit_then<E: From<FileError>>(
        self,
        last: impl FnOnce() -> Result<(), E>,
    ) -> Result<Vec<CommittedFile>, E> {
        if self.changes.is_empty() {
            last()?;
            return Ok(Vec::new());
        }
        let mut commit = Commit::prepare(self)?;
        for index in 0..commit.steps.len() {
            if let Err(error) = commit.place(index) {
                return Err(commit.roll_back(index, error).into());
            }
        }
        match last() {
            Ok(()) => Ok(commit.finish()),
            Err(error) => Err(commit.take_back(error)),
        }
    }
}

impl ExpectedContent {
    /// Returns the state of a file as it was read; `None` is one that was not there.
    pub fn of(file: Option<&TextFile>) -> Self {
        file.map_or(Self::Absent, |file| Self::Hash(file.hash().clone()))
    }

    fn check(&self, path: &Path, before: Option<&[u8]>) -> Result<(), FileError> {
        let problem = match (self, before) {
            (Self::Absent, Some(_)) => FileProblem::Exists,
            (Self::Hash(hash), Some(bytes)) if *hash == ContentHash::of(bytes) => return Ok(()),
            (Self::Hash(_), _) => FileProblem::Stale,
            (Self::Absent, None) | (Self::Any, _) => return Ok(()),
        };
        Err(FileError::new(path, problem))
    }
}

/// A transaction whose record is written.
struct Commit {
    steps: Vec<Step>,
    /// The temp files that are still to be renamed; dropping one removes it.
    staged: Vec<Option<StagedFile>>,
    record: Record,
    log: Option<LogEntry>,
    noted: WriteNote,
    /// From the first look at a file to the end of the record.
    _turn: CommitLock,
}

/// The entry of a transaction in its log.
struct LogEntry {
    log: Arc<dyn ChangeLog>,
    number: i64,
}

impl LogEntry {
    fn begin(log: Arc<dyn ChangeLog>, steps: &[Step], records: &Path) -> Result<Self, FileError> {
        let changes: Vec<_> = steps.iter().map(Step::logged).collect();
        // An error of the log is one of the data directory, as one of the record is.
        let number = log
            .begin(&changes)
            .map_err(|error| FileError::io(records, error))?;
        Ok(Self { log, number })
    }

    fn end(self, is_done: bool) {
        self.log.end(self.number, is_done);
    }
}

impl Commit {
    fn prepare(transaction: Transaction) -> Result<Self, FileError> {
        let turn = CommitLock::take(&transaction.records)?;
        let mut directories = Directories::new(&transaction.root);
        let steps = transaction
            .changes
            .into_iter()
            .filter_map(|change| Step::inspect(change, &mut directories).transpose())
            .collect::<Result<Vec<_>, _>>()?;
        Self::begin(turn, steps, &transaction.records, transaction.log)
    }

    /// Writes the record and all new content.
    fn begin(
        turn: CommitLock,
        steps: Vec<Step>,
        records: &Path,
        log: Option<Arc<dyn ChangeLog>>,
    ) -> Result<Self, FileError> {
        let noted = WriteNote::begin(&steps, records)?;
        let log = log.map(|log| LogEntry::begin(log, &steps, records)).transpose()?;
        let record = match Record::begin(records, &steps) {
            Ok(record) => record,
            Err(error) => {
                if let Some(entry) = log {
                    entry.end(false);
                }
                return Err(error);
            }
        };
        let mut commit = Self {
            steps,
            staged: Vec::new(),
            record,
            log,
            noted,
            _turn: turn,
        };
        for index in 0..commit.steps.len() {
            match commit.steps[index].stage() {
                Ok(temp) => commit.staged.push(temp),
                Err(error) => return Err(commit.roll_back(0, error)),
            }
        }
        Ok(commit)
    }

    fn place(&mut self, index: usize) -> Result<(), FileError> {
        self.steps[index].place(self.staged[index].take())
    }

    /// Undoes all steps, because what was to follow them failed.
    fn take_back<E: From<FileError>>(self, error: E) -> E {
        let all = self.steps.len();
        match self.undo(all) {
            Ok(()) => error,
            Err(not_restored) => not_restored.into(),
        }
    }

    /// Undoes the steps up to the one that failed and returns the error to report.
    fn roll_back(self, failed: usize, error: FileError) -> FileError {
        self.undo(failed).err().unwrap_or(error)
    }

    /// Undoes the steps before `failed`, and what that one has begun.
    fn undo(mut self, failed: usize) -> Result<(), FileError> {
        self.staged.clear();
        let mut not_restored = None;
        for (index, step) in self.steps.iter().enumerate().rev() {
            let may_be_there = index < failed || (index == failed && step.is_in_place());
            let undone = if may_be_there {
                step.undo().map(|_| ())
            } else {
                Ok(())
            };
            step.remove_parents();
            if let Err(why) = undone {
                not_restored = Some(FileError::new(
                    step.path(),
                    FileProblem::NotRestored(why.to_string()),
                ));
            }
        }
        if let Some(error) = not_restored {
            self.record.keep();
            return Err(error);
        }
        self.record.remove();
        if let Some(entry) = self.log {
            entry.end(false);
        }
        Ok(())
    }

    fn finish(self) -> Vec<CommittedFile> {
        self.noted.end();
        let mut is_tidy = true;
        for step in &self.steps {
            is_tidy &= step.finish().is_ok();
        }
        if is_tidy {
            self.record.remove();
        } else {
            // The next start clears away what is left beside the files.
            self.record.keep();
        }
        // Last, so that whoever finds the entry pending looks for the record as well.
        if let Some(entry) = self.log {
            entry.end(true);
        }
        self.steps.into_iter().map(Step::into_written).collect()
    }

    /// Leaves everything as a process that is killed here would.
    #[cfg(test)]
    fn die(self) {
        for temp in self.staged.into_iter().flatten() {
            temp.keep();
        }
        let path = self.record.path().to_owned();
        self.record.keep();
        // A process that another test forks holds the lock, too, until it becomes its program.
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
        let is_held = || std::fs::File::open(&path).is_ok_and(|file| file.try_lock().is_err());
        while is_held() && std::time::Instant::now() < deadline {
            std::thread::yield_now();
        }
    }
}

#[cfg(test)]
mod tests;
