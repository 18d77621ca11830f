//! Prompts that people wrote in the composer: `<state>/prompts.jsonl`, one JSON object a line, oldest first.
//!
//! Several lathes write it at once: each line is appended under a lock that all of them take, and so is the shortening of
//! a file that has grown too long. Whoever reads takes no lock: the file is replaced as a whole, and a line that is cut
//! or damaged is skipped. What a prompt's text means, folds and all, is known to who wrote it.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{StoreError, now, private};
use crate::private_file;

/// A file with more bytes is shortened to its newest half.
const LIMIT: u64 = 4 * 1024 * 1024;
/// A line with more is not kept: it would push out hundreds of others.
const LINE_LIMIT: usize = 2 * 1024 * 1024;
/// The last line is looked for in so many bytes, to see whether it says the same.
const TAIL: u64 = 64 * 1024;
/// The lock is held for as long as a line takes. Who holds it longer was stopped.
const PATIENCE: Duration = Duration::from_secs(2);

/// One text that somebody wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    /// Milliseconds since the Unix epoch.
    #[serde(default)]
    pub at: i64,
    /// Project that it was written in.
    pub project: PathBuf,
    /// The draft, as the front end stores drafts.
    pub draft: String,
    /// True if it was cleared away instead of sent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsent: bool,
}

impl Prompt {
    pub fn new(project: &Path, draft: String, unsent: bool) -> Self {
        Self {
            at: now(),
            project: project.to_owned(),
            draft,
            unsent,
        }
    }

    fn has_same_text(&self, other: &Self) -> bool {
        self.project == other.project && self.draft == other.draft
    }
}

/// The file.
#[derive(Debug, Clone)]
pub struct Prompts {
    dir: PathBuf,
}

impl Prompts {
    pub fn new(state_dir: &Path) -> Self {
        Self {
            dir: state_dir.to_owned(),
        }
    }

    fn path(&self) -> PathBuf {
        self.dir.join("prompts.jsonl")
    }

    /// Adds a prompt, unless the last one says the same. Waits for other lathes, so it is for a thread of its own.
    pub fn add(&self, prompt: &Prompt) -> Result<(), StoreError> {
        private::create_dir(&self.dir)?;
        let path = self.path();
        let mut line = serde_json::to_string(prompt).map_err(|error| StoreError::io(&path, error.into()))?;
        line.push('\n');
        if line.len() > LINE_LIMIT {
            tracing::info!(
                bytes = line.len(),
                "a prompt was too long to be kept in the history"
            );
            return Ok(());
        }
        let _lock = self.lock()?;
        self.append(prompt, &line)
            .and_then(|bytes| if bytes > LIMIT { self.shorten() } else { Ok(()) })
            .map_err(|error| StoreError::io(&path, error))
    }

    /// Returns all that can be read, oldest first and nothing twice in a row.
    pub fn read(&self) -> Vec<Prompt> {
        let bytes = match fs::read(self.path()) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Vec::new(),
            Err(error) => {
                tracing::warn!(%error, "the history of prompts cannot be read");
                return Vec::new();
            }
        };
        let mut prompts: Vec<Prompt> = lines(&bytes).filter_map(parse).collect();
        prompts.dedup_by(|one, before| one.has_same_text(before));
        prompts
    }

    /// Returns how long the file is then.
    fn append(&self, prompt: &Prompt, line: &str) -> io::Result<u64> {
        let mut file = open(&self.path())?;
        let length = file.metadata()?.len();
        let tail = tail(&mut file, length)?;
        let last = lines(&tail).last().and_then(parse);
        if last.is_some_and(|last| last.has_same_text(prompt)) {
            return Ok(length);
        }
        // Behind a line that was cut off a new one begins.
        let is_cut = tail.last().is_some_and(|byte| *byte != b'\n');
        let line = if is_cut {
            format!("\n{line}")
        } else {
            line.to_owned()
        };
        file.write_all(line.as_bytes())?;
        Ok(length + line.len() as u64)
    }

    /// Keeps the newest half, in a file that takes the old one's place.
    fn shorten(&self) -> io::Result<()> {
        let bytes = fs::read(self.path())?;
        let from = bytes.len() - bytes.len().min(LIMIT as usize / 2);
        let begin = bytes[from..].iter().position(|byte| *byte == b'\n');
        let kept = &bytes[begin.map_or(bytes.len(), |newline| from + newline + 1)..];
        let mut file = tempfile::NamedTempFile::new_in(&self.dir)?;
        file.write_all(kept)?;
        file.as_file().sync_all()?;
        file.persist(self.path())?;
        Ok(())
    }

    /// A file of its own holds the lock: the other one is replaced.
    fn lock(&self) -> Result<File, StoreError> {
        let path = self.dir.join("prompts.lock");
        let file = private_file::open(&path).map_err(|error| StoreError::io(&path, error))?;
        let begin = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) if begin.elapsed() < PATIENCE => {
                    sleep(Duration::from_millis(5));
                }
                Err(error) => return Err(StoreError::io(&path, error.into())),
            }
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    private_file::options()
        .read(true)
        .append(true)
        .create(true)
        .open(path)
}

fn tail(file: &mut File, length: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    Ok(tail)
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

fn parse(line: &[u8]) -> Option<Prompt> {
    serde_json::from_slice(line).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(draft: &str) -> Prompt {
        Prompt::new(Path::new("/p"), draft.to_owned(), false)
    }

    fn drafts(prompts: &Prompts) -> Vec<String> {
        prompts.read().into_iter().map(|prompt| prompt.draft).collect()
    }

    #[test]
    fn what_was_added_is_read_oldest_first_and_never_twice_in_a_row() {
        let dir = tempfile::tempdir().unwrap();
        let prompts = Prompts::new(&dir.path().join("state"));
        assert_eq!(drafts(&prompts), [""; 0]);
        for draft in ["one", "two\nlines", "two\nlines", "one"] {
            prompts.add(&prompt(draft)).unwrap();
        }
        assert_eq!(drafts(&prompts), ["one", "two\nlines", "one"]);
        let text = fs::read_to_string(prompts.path()).unwrap();
        assert_eq!(text.lines().count(), 3, "{text}");
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let prompts = Prompts::new(dir.path());
        prompts.add(&prompt("secret")).unwrap();
        let mode = |name: &str| fs::metadata(dir.path().join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("prompts.jsonl"), mode("prompts.lock")), (0o600, 0o600));
    }

    #[test]
    fn a_broken_line_is_skipped_and_the_next_one_begins_anew() {
        let dir = tempfile::tempdir().unwrap();
        let prompts = Prompts::new(dir.path());
        prompts.add(&prompt("one")).unwrap();
        let mut file = open(&prompts.path()).unwrap();
        file.write_all(b"\xff\xfe\n{\"at\":1,\"proj").unwrap();
        prompts.add(&prompt("two")).unwrap();
        assert_eq!(drafts(&prompts), ["one", "two"]);
    }

    #[test]
    fn several_write_at_once_and_nothing_is_lost() {
        let dir = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let prompts = Prompts::new(dir.path());
                scope.spawn(move || {
                    for number in 0..50 {
                        prompts.add(&prompt(&format!("{writer}-{number}"))).unwrap();
                    }
                });
            }
        });
        let mut found = drafts(&Prompts::new(dir.path()));
        assert_eq!(found.len(), 200);
        found.sort();
        found.dedup();
        assert_eq!(found.len(), 200);
    }

    #[test]
    fn a_file_that_grows_too_long_keeps_its_newest() {
        let dir = tempfile::tempdir().unwrap();
        let prompts = Prompts::new(dir.path());
        let long = "x".repeat(700_000);
        for number in 0..8 {
            prompts.add(&prompt(&format!("{number} {long}"))).unwrap();
        }
        assert!(fs::metadata(prompts.path()).unwrap().len() <= LIMIT);
        let found = drafts(&prompts);
        assert!(found.last().unwrap().starts_with("7 "));
        assert!(found.len() >= 2 && found.len() < 8, "{}", found.len());
        prompts.add(&prompt(&"y".repeat(LINE_LIMIT))).unwrap();
        assert_eq!(
            drafts(&prompts).len(),
            found.len(),
            "one prompt does not push out the rest"
        );
    }
}
