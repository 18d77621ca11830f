//! Records of files that transactions and commands wrote, in lathe's data directory.
//!
//! ```text
//! unconfirmed/written.jsonl    {"path": "/p/lathe.jsonc", "before": "DIGEST"}, one a line
//! unconfirmed/lock             held while that is changed
//! unconfirmed/ID.before        what there was before a command, locked while it runs
//! ```

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::config_files::{self, Contents, Digests, is_too_many};
use super::log::{Generation, WriteLog};
use super::places::places_at;
use super::written::{WrittenPath, WrittenPaths};
use super::{JudgedFiles, UnconfirmedFile, UnconfirmedFiles, is_held, link_names, lower_case};
use crate::private_file;

/// The records of all projects. Opens nothing by itself.
#[derive(Debug, Clone)]
pub struct UnconfirmedRecords {
    directory: PathBuf,
    log: WriteLog,
}

/// A file that is about to be written, or that was.
#[derive(Debug, Clone)]
pub struct WrittenFile<'a> {
    /// Real and absolute; of a link its own.
    pub path: &'a Path,
    /// SHA-256 of what it held, in hexadecimal digits; `None` where it was none, or nobody knows.
    pub before: Option<String>,
}

/// Writes that were noted before they were made.
#[derive(Debug)]
pub struct NotedWrites {
    rows: Vec<WrittenPath>,
    generation: Generation,
}

/// Files at the time a command began.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct FilesBefore {
    root: PathBuf,
    directory: PathBuf,
    contents: Contents,
}

/// The watch over one command. When it is dropped without its end, the next reader of configuration makes the comparison.
#[derive(Debug)]
pub struct CommandWatch {
    records: UnconfirmedRecords,
    noted: FilesBefore,
    /// `None` where it could not be written.
    record: Option<(PathBuf, File)>,
}

/// Files at places that a command has left as others.
#[derive(Debug, Default)]
pub struct CommandChanges {
    pub created: Vec<PathBuf>,
    pub changed: Vec<PathBuf>,
    /// Everything that was compared and is as it was.
    pub unchanged: BTreeSet<PathBuf>,
}

impl UnconfirmedRecords {
    /// Those of a data directory.
    pub fn new(data: &Path) -> Self {
        let directory = data.join("unconfirmed");
        Self {
            log: WriteLog::new(directory.clone()),
            directory,
        }
    }

    /// Notes files that are about to be written, before they are.
    pub fn note(&self, files: &[WrittenFile<'_>]) -> io::Result<NotedWrites> {
        let row = |file: &WrittenFile<'_>| WrittenPath::new(file.path, file.before.clone());
        let rows: Vec<WrittenPath> = files.iter().map(row).collect();
        let generation = self.log.append(&rows)?;
        Ok(NotedWrites { rows, generation })
    }

    /// Notes files once more after they were written, where another lathe may have found them unchanged in between and
    /// forgotten the note.
    pub fn note_again(&self, noted: &NotedWrites) -> io::Result<()> {
        if self.log.is_still(&noted.generation) {
            return Ok(());
        }
        self.log.append(&noted.rows).map(drop)
    }

    /// Notes what there is before a command. It goes on without the record where that cannot be written; its end then fails
    /// as well.
    pub fn watch(&self, root: &Path, directory: &Path, digests: &mut Digests) -> CommandWatch {
        let noted = FilesBefore {
            root: root.to_owned(),
            directory: directory.to_owned(),
            contents: digests.at_places(root, directory),
        };
        let record = self.write_noted(&noted);
        if let Err(error) = &record {
            tracing::warn!(%error, "what is there before a command could not be noted");
        }
        CommandWatch {
            records: self.clone(),
            noted,
            record: record.ok(),
        }
    }

    fn write_noted(&self, noted: &FilesBefore) -> io::Result<(PathBuf, File)> {
        private_file::create_dir(&self.directory)?;
        let id = uuid::Uuid::now_v7().simple();
        let unfinished = self.directory.join(format!("{id}.new"));
        let path = self.directory.join(format!("{id}.before"));
        let mut file = private_file::open(&unfinished)?;
        file.lock()?;
        file.write_all(&serde_json::to_vec(noted)?)?;
        fs::rename(&unfinished, &path)?;
        Ok((path, file))
    }

    /// Returns the files that a session in `directory` must not read.
    pub fn unconfirmed(&self, root: &Path, directory: &Path) -> io::Result<UnconfirmedFiles> {
        if !self.directory.is_dir() {
            // Nothing was ever written.
            return Ok(UnconfirmedFiles::default());
        }
        let mut digests = Digests::default();
        let now = digests.at_places(root, directory);
        let running = self.compare_with_noted(root, directory, &now)?;
        let mut written = self.tidy(root, directory, &now)?;
        for path in running {
            written.take(WrittenPath::new(&path, None));
        }
        Ok(judge(now, written))
    }

    /// Compares with what there was before commands that have not ended. Those of a lathe that is gone are settled for good; the
    /// files that the others have touched so far are returned.
    fn compare_with_noted(&self, root: &Path, directory: &Path, now: &Contents) -> io::Result<Vec<PathBuf>> {
        let mut running = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let path = entry?.path();
            if path.extension().is_none_or(|extension| extension != "before") {
                continue;
            }
            let Some((file, noted, began)) = open_noted(&path) else {
                continue;
            };
            if !noted.root.starts_with(root) && !root.starts_with(&noted.root) {
                continue;
            }
            let is_own = noted.root == root && noted.directory == directory;
            let mut rows = noted.touched(now, began);
            // It may have ended since, and then it has told of the files itself.
            if file.try_lock().is_err() {
                running.extend(rows.into_iter().map(|row| PathBuf::from(row.path)));
                continue;
            }
            if !path.exists() {
                continue;
            }
            if !is_own {
                let there = Digests::default().at_places(&noted.root, &noted.directory);
                rows.extend(noted.touched(&there, began));
            }
            self.add(&rows)?;
            remove(&path)?;
        }
        Ok(running)
    }

    /// Forgets what is gone or as it was before; returns what is left.
    fn tidy(&self, root: &Path, directory: &Path, now: &Contents) -> io::Result<WrittenPaths> {
        let written = self.log.read()?;
        if written.is_empty() {
            return Ok(written);
        }
        let (mut restored, mut places) = (Vec::new(), places_at(root, directory));
        for (path, digest) in now {
            let names = link_names(path);
            let as_before = names.iter().filter(|name| written.is_as_before(name, digest));
            restored.extend(as_before.cloned());
            places.extend(names);
        }
        let mut places: Vec<String> = places.iter().map(|path| lower_case(path)).collect();
        places.sort_unstable();
        places.dedup();
        let is_at_place = |row: &WrittenPath| {
            let row = lower_case(Path::new(&row.path));
            let mut places = places.iter();
            places.any(|place| Path::new(place).starts_with(&row) || Path::new(&row).starts_with(place))
        };
        let gone: Vec<PathBuf> = written
            .rows()
            .filter(|row| is_at_place(row) && row.is_gone())
            .map(|row| row.path.clone().into())
            .collect();
        if restored.is_empty() && gone.is_empty() {
            return Ok(written);
        }
        let mut left = WrittenPaths::default();
        self.log.change(|written| {
            // A write that is noted by now may have been made.
            for path in restored {
                if written.is_as_before(&path, &config_files::digest(&path)) {
                    written.forget(&path);
                }
            }
            for path in gone.iter().filter(|path| path.symlink_metadata().is_err()) {
                written.forget(path);
            }
            left.clone_from(written);
        })?;
        Ok(left)
    }

    /// Takes the person's yes to the files as they were shown. One that is another by now stays without.
    pub fn confirm(&self, shown: &UnconfirmedFiles) -> io::Result<()> {
        self.log.change(|written| {
            for file in shown.files.iter() {
                if file.text.is_some() && config_files::digest(&file.path) == file.digest {
                    for name in link_names(&file.path) {
                        written.confirm(&name);
                    }
                }
            }
        })
    }

    /// Remembers paths that were written.
    fn add(&self, rows: &[WrittenPath]) -> io::Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        self.log.append(rows).map(drop)
    }

    /// Returns the path of the file that holds the rows.
    pub fn files(&self) -> PathBuf {
        self.log.path()
    }
}

/// Finds the files that are held.
fn judge(now: Contents, written: WrittenPaths) -> UnconfirmedFiles {
    let is_held_here = |path: &Path, digest: &str| {
        is_held(path, digest, &written)
            || is_too_many(digest) && link_names(path).iter().any(|name| written.has_below(name))
    };
    let held: Vec<&PathBuf> = now
        .iter()
        .filter(|(path, digest)| is_held_here(path, digest))
        .map(|(path, _)| path)
        .collect();
    let files: Vec<UnconfirmedFile> = held
        .iter()
        .map(|path| {
            let (text, digest) = config_files::text(path);
            UnconfirmedFile {
                path: (*path).clone(),
                text,
                digest,
            }
        })
        .collect();
    UnconfirmedFiles {
        held: held.iter().map(|path| lower_case(path)).collect(),
        files: files.into(),
        judged: Some(Arc::new(JudgedFiles {
            contents: now,
            written,
        })),
    }
}

impl FilesBefore {
    /// The files that are others now. `began` is the moment of the note, in nanoseconds.
    fn touched(&self, now: &Contents, began: i128) -> Vec<WrittenPath> {
        let places = places_at(&self.root, &self.directory);
        let was_looked_at = |path: &Path| places.iter().any(|place| path.starts_with(place));
        let touched = now
            .iter()
            .filter(|(path, digest)| match self.contents.get(*path) {
                Some(before) => before != *digest,
                None => was_looked_at(path) || is_changed_since(path, &self.root, began),
            });
        touched
            .map(|(path, _)| WrittenPath::new(path, self.contents.get(path).cloned()))
            .collect()
    }
}

/// Returns true if a path, or a directory below the root that it lies in, was made, moved or changed since a moment.
fn is_changed_since(path: &Path, root: &Path, began: i128) -> bool {
    let above = path.ancestors().skip(1);
    let above = above.take_while(|above| *above != root && above.starts_with(root));
    let mut changed = std::iter::once(path)
        .chain(above)
        .filter_map(|above| Some(nanoseconds(&above.symlink_metadata().ok()?)));
    changed.any(|changed| changed >= began)
}

fn nanoseconds(data: &fs::Metadata) -> i128 {
    i128::from(data.ctime()) * 1_000_000_000 + i128::from(data.ctime_nsec())
}

impl CommandWatch {
    /// Compares, and remembers what is another now. `others` were seen to be touched elsewhere in the project. Told are the
    /// names that count.
    pub fn end(
        self,
        others: &[PathBuf],
        digests: &mut Digests,
        counts: impl Fn(&Path) -> bool,
    ) -> io::Result<CommandChanges> {
        let now = digests.at_places(&self.noted.root, &self.noted.directory);
        // The record is only needed for what was not looked at, which is not here.
        let mut rows = self.noted.touched(&now, i128::MAX);
        let mut ended = CommandChanges {
            unchanged: now.into_keys().collect(),
            ..CommandChanges::default()
        };
        for row in &rows {
            let path = PathBuf::from(&row.path);
            ended.unchanged.remove(&path);
            if !counts(&path) {
                continue;
            }
            let list = match row.before {
                None => &mut ended.created,
                Some(_) => &mut ended.changed,
            };
            list.push(path);
        }
        let others = others.iter().filter(|path| !ended.unchanged.contains(*path));
        rows.extend(others.map(|path| WrittenPath::new(path, None)));
        self.records.add(&rows)?;
        if let Some((path, _locked)) = &self.record {
            remove(path)?;
        }
        Ok(ended)
    }
}

impl CommandChanges {
    /// Takes out of two lists what is as it was, and adds what is not in them.
    pub fn correct(self, created: &mut Vec<PathBuf>, changed: &mut Vec<PathBuf>) {
        for list in [&mut *created, &mut *changed] {
            list.retain(|path| !self.unchanged.contains(path) && !self.changed.contains(path));
        }
        created.retain(|path| !self.created.contains(path));
        created.extend(self.created);
        changed.extend(self.changed);
    }
}

fn open_noted(path: &Path) -> Option<(File, FilesBefore, i128)> {
    let mut file = File::open(path).ok()?;
    let began = nanoseconds(&file.metadata().ok()?);
    let mut text = Vec::new();
    file.read_to_end(&mut text).ok()?;
    Some((file, serde_json::from_slice(&text).ok()?, began))
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}
