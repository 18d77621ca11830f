//! The file that written paths are appended to, one JSON line each, below a first line that names its generation.
//!
//! Whoever appends or rewrites holds the lock. A rewrite leaves out what is gone or confirmed, and puts a file of another
//! generation in place: a writer that noted a path just before sees that afterwards, and notes it again. A line that was
//! not written to its end is none; its writer was killed before it changed anything.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::written::{WrittenPath, WrittenPaths};
use crate::private_file;

/// Size in bytes at which the file is rewritten.
const FULL: u64 = 4 << 20;

/// The log of all projects of a data directory. Opens nothing by itself.
#[derive(Debug, Clone)]
pub(super) struct WriteLog {
    directory: PathBuf,
}

/// The generation of the file that paths were noted in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Generation {
    generation: String,
}

/// Row of the file that versions before this one kept.
#[derive(Deserialize)]
struct EarlierRow {
    path: PathBuf,
    before: Option<String>,
}

impl WriteLog {
    pub(super) fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    pub(super) fn path(&self) -> PathBuf {
        self.directory.join("written.jsonl")
    }

    fn earlier(&self) -> PathBuf {
        self.directory.join("files.json")
    }

    fn lock(&self) -> io::Result<File> {
        private_file::create_dir(&self.directory)?;
        let lock = private_file::open(&self.directory.join("lock"))?;
        lock.lock()?;
        Ok(lock)
    }

    /// Appends paths, and returns the generation of the file that they stand in.
    pub(super) fn append(&self, rows: &[WrittenPath]) -> io::Result<Generation> {
        let _lock = self.lock()?;
        if fs::metadata(self.path()).is_ok_and(|data| data.len() > FULL) {
            // Before: what is noted now need not be there yet.
            self.rewrite(WrittenPaths::shrink)?;
        }
        let mut file = private_file::open(&self.path())?;
        let generation = match generation_of(&file)? {
            Some(generation) => generation,
            None => Self::start(&mut file)?,
        };
        let end = end_of_lines(&mut file)?;
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        file.write_all(&encode(rows.iter())?)?;
        Ok(generation)
    }

    /// Begins an empty file.
    fn start(file: &mut File) -> io::Result<Generation> {
        let generation = Generation::new();
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&line(&generation)?)?;
        Ok(generation)
    }

    /// Returns true if the file still is the one that paths were appended to.
    pub(super) fn is_still(&self, generation: &Generation) -> bool {
        let now = File::open(self.path()).and_then(|file| generation_of(&file));
        now.is_ok_and(|now| now.as_ref() == Some(generation))
    }

    pub(super) fn read(&self) -> io::Result<WrittenPaths> {
        let mut written = WrittenPaths::default();
        for row in self.read_earlier()? {
            written.take(WrittenPath::new(&row.path, row.before));
        }
        let text = match fs::read(self.path()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(written),
            text => text?,
        };
        let whole = text
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |end| end + 1);
        let mut lines = text[..whole]
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty());
        if let Some(first) = lines.next() {
            serde_json::from_slice::<Generation>(first)?;
        }
        for line in lines {
            written.take(serde_json::from_slice(line)?);
        }
        Ok(written)
    }

    fn read_earlier(&self) -> io::Result<Vec<EarlierRow>> {
        match fs::read(self.earlier()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            text => Ok(serde_json::from_slice(&text?)?),
        }
    }

    /// Changes the paths while no other lathe does.
    pub(super) fn change(&self, change: impl FnOnce(&mut WrittenPaths)) -> io::Result<()> {
        let _lock = self.lock()?;
        self.rewrite(change).map(drop)
    }

    /// The caller holds the lock.
    fn rewrite(&self, change: impl FnOnce(&mut WrittenPaths)) -> io::Result<Generation> {
        let mut written = self.read()?;
        change(&mut written);
        let unfinished = self.directory.join("written.jsonl.new");
        let mut file = private_file::open(&unfinished)?;
        let generation = Self::start(&mut file)?;
        file.write_all(&encode(written.lines())?)?;
        fs::rename(&unfinished, self.path())?;
        match fs::remove_file(self.earlier()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(generation),
        }
    }
}

impl Generation {
    fn new() -> Self {
        Self {
            generation: uuid::Uuid::now_v7().simple().to_string(),
        }
    }
}

/// Returns what the first line says; `None` where there is none yet.
fn generation_of(file: &File) -> io::Result<Option<Generation>> {
    let mut first = Vec::new();
    BufReader::with_capacity(128, file).read_until(b'\n', &mut first)?;
    match first.last() {
        Some(b'\n') => Ok(Some(serde_json::from_slice(&first)?)),
        _ => Ok(None),
    }
}

/// Returns the length of a file without a line that was not written to its end.
fn end_of_lines(file: &mut File) -> io::Result<u64> {
    let length = file.metadata()?.len();
    if length == 0 {
        return Ok(0);
    }
    let mut last = [0];
    file.seek(SeekFrom::Start(length - 1))?;
    file.read_exact(&mut last)?;
    if last == *b"\n" {
        return Ok(length);
    }
    let mut text = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut text)?;
    let end = text
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |end| end + 1);
    Ok(u64::try_from(end).unwrap_or(length))
}

fn encode<'a>(rows: impl Iterator<Item = &'a WrittenPath>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for row in rows {
        bytes.extend(line(row)?);
    }
    Ok(bytes)
}

fn line(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(value)?;
    bytes.push(b'\n');
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn log() -> (tempfile::TempDir, WriteLog) {
        let held = tempfile::tempdir().unwrap();
        let log = WriteLog::new(held.path().join("unconfirmed"));
        (held, log)
    }

    fn row(path: &str) -> WrittenPath {
        WrittenPath::new(Path::new(path), Some("1".to_owned()))
    }

    #[test]
    fn appended_paths_are_read_again_and_a_rewrite_is_seen() {
        let (_held, log) = log();
        assert!(log.read().unwrap().is_empty());
        let generation = log.append(&[row("/p/a")]).unwrap();
        assert_eq!(log.append(&[row("/p/b")]).unwrap(), generation);
        assert!(log.is_still(&generation));
        assert!(log.read().unwrap().holds(Path::new("/p/b"), "2"));
        log.change(|written| written.forget(Path::new("/p/a"))).unwrap();
        assert!(!log.is_still(&generation));
        let left = log.read().unwrap();
        assert!(!left.holds(Path::new("/p/a"), "2") && left.holds(Path::new("/p/b"), "2"));
    }

    #[test]
    fn a_line_that_was_cut_is_none_and_a_broken_one_is_an_error() {
        let (_held, log) = log();
        log.append(&[row("/p/a")]).unwrap();
        let text = fs::read_to_string(log.path()).unwrap();
        fs::write(log.path(), format!("{text}{{\"path\":\"/p")).unwrap();
        assert_eq!(log.read().unwrap().rows().count(), 1);
        log.append(&[row("/p/b")]).unwrap();
        assert_eq!(log.read().unwrap().rows().count(), 2);
        fs::write(log.path(), format!("{text}half\n")).unwrap();
        assert!(log.read().is_err());
    }

    #[test]
    fn what_an_earlier_version_kept_counts() {
        let (held, log) = log();
        let earlier = held.path().join("unconfirmed/files.json");
        fs::create_dir(earlier.parent().unwrap()).unwrap();
        fs::write(&earlier, r#"[{"path": "/p/lathe.jsonc", "before": null}]"#).unwrap();
        log.append(&[row("/p/b")]).unwrap();
        assert!(log.read().unwrap().holds(Path::new("/p/lathe.jsonc"), "2"));
        log.change(|_| ()).unwrap();
        assert!(!earlier.exists());
        assert!(log.read().unwrap().holds(Path::new("/p/lathe.jsonc"), "2"));
    }

    #[test]
    fn a_full_file_is_rewritten() {
        let (_held, log) = log();
        let mut generation = log.append(&[]).unwrap();
        let first = generation.clone();
        let path = format!("/p/{}", "x".repeat(1 << 20));
        for _ in 0..6 {
            generation = log.append(&[row(&path)]).unwrap();
        }
        assert_ne!(generation, first);
        assert!(fs::metadata(log.path()).unwrap().len() < FULL);
    }
}
