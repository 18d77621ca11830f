//! Records of files that commands created or changed, in lathe's data directory.
//!
//! ```text
//! unconfirmed/files.json       [{"path": "/p/lathe.jsonc", "before": null}, …]
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

use super::config_files::{self, Contents, Digests};
use super::{UnconfirmedFile, UnconfirmedFiles, lower_case};
use crate::private_file;

/// The records of all projects. Opens nothing by itself.
#[derive(Debug, Clone)]
pub struct UnconfirmedRecords {
    directory: PathBuf,
}

/// A file, or a directory that holds files, without a yes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct UnconfirmedRow {
    path: PathBuf,
    /// Digest of the file before the command, when it was read then; a file that still has it is read. `None` when
    /// there was no file. `None` when there was nothing.
    before: Option<String>,
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
    pub fn new(data: &Path) -> Self {
        Self {
            directory: data.join("unconfirmed"),
        }
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
            // No command was ever run.
            return Ok(UnconfirmedFiles::default());
        }
        let mut digests = Digests::default();
        let now = digests.at_places(root, directory);
        let running = self.compare_with_noted(root, directory, &now)?;
        let mut rows = self.tidy(root, &now)?;
        rows.extend(
            running
                .into_iter()
                .map(|path| UnconfirmedRow { path, before: None }),
        );
        Ok(Self::of_rows(&rows, root, directory, &now))
    }

    /// Leaves the rows that count for a session, with the files that they keep from being read.
    fn of_rows(rows: &[UnconfirmedRow], root: &Path, directory: &Path, now: &Contents) -> UnconfirmedFiles {
        let places: Vec<String> = config_files::of(root, directory)
            .iter()
            .map(|place| lower_case(place))
            .collect();
        let counts = |row: &String| {
            let row = Path::new(row);
            let mut places = places.iter().map(Path::new);
            places.any(|place| place.starts_with(row) || row.starts_with(place))
        };
        let mut held: Vec<String> = rows
            .iter()
            .map(|row| lower_case(&row.path))
            .filter(counts)
            .collect();
        held.sort_unstable();
        held.dedup();
        let mut unconfirmed = UnconfirmedFiles {
            held,
            ..UnconfirmedFiles::default()
        };
        let files = now.keys().filter(|path| unconfirmed.holds(path));
        let files: Vec<UnconfirmedFile> = files
            .map(|path| {
                let (text, digest) = config_files::text(path);
                UnconfirmedFile {
                    path: path.clone(),
                    text,
                    digest,
                }
            })
            .collect();
        unconfirmed.files = files.into();
        unconfirmed.seen = Some(Arc::new(now.clone()));
        unconfirmed
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
                running.extend(rows.into_iter().map(|row| row.path));
                continue;
            }
            if !path.exists() {
                continue;
            }
            if !is_own {
                let there = Digests::default().at_places(&noted.root, &noted.directory);
                rows.extend(noted.touched(&there, began));
            }
            self.change(|all| add(all, rows))?;
            remove(&path)?;
        }
        Ok(running)
    }

    /// Forgets what is gone or as it was before; returns what is left.
    fn tidy(&self, root: &Path, now: &Contents) -> io::Result<Vec<UnconfirmedRow>> {
        let rows = self.rows()?;
        let is_over = |row: &UnconfirmedRow| {
            row.path.starts_with(root)
                && (row.path.symlink_metadata().is_err()
                    || row.before.is_some() && row.before.as_ref() == now.get(&row.path))
        };
        if !rows.iter().any(is_over) {
            return Ok(rows);
        }
        let mut left = Vec::new();
        self.change(|all| {
            all.retain(|row| !is_over(row));
            left.clone_from(all);
        })?;
        Ok(left)
    }

    /// Takes the person's yes to the files as they were shown. One that is another by now stays without.
    pub fn confirm(&self, shown: &UnconfirmedFiles) -> io::Result<()> {
        let is_shown =
            |file: &UnconfirmedFile| file.text.is_some() && config_files::digest(&file.path) == file.digest;
        let (yes, no): (Vec<_>, Vec<_>) = shown.files.iter().partition(|file| is_shown(file));
        let is_above = |row: &UnconfirmedRow, file: &UnconfirmedFile| {
            Path::new(&lower_case(&file.path)).starts_with(lower_case(&row.path))
        };
        self.change(|rows| {
            rows.retain(|row| {
                !yes.iter().any(|file| is_above(row, file)) || no.iter().any(|file| is_above(row, file))
            });
        })
    }

    /// Remembers more files without a yes.
    fn add(&self, rows: Vec<UnconfirmedRow>) -> io::Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        private_file::create_dir(&self.directory)?;
        self.change(|all| add(all, rows))
    }

    fn rows(&self) -> io::Result<Vec<UnconfirmedRow>> {
        match fs::read(self.files()) {
            Ok(text) => serde_json::from_slice(&text).map_err(io::Error::other),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Returns the path of the file that holds the rows.
    pub fn files(&self) -> PathBuf {
        self.directory.join("files.json")
    }

    /// Changes the rows while no other lathe does.
    fn change(&self, change: impl FnOnce(&mut Vec<UnconfirmedRow>)) -> io::Result<()> {
        let lock = private_file::open(&self.directory.join("lock"))?;
        lock.lock()?;
        let before = self.rows()?;
        let mut rows = before.clone();
        change(&mut rows);
        if rows == before {
            return Ok(());
        }
        let unfinished = self.directory.join("files.json.new");
        let mut file = private_file::open(&unfinished)?;
        file.set_len(0)?;
        file.write_all(&serde_json::to_vec(&rows)?)?;
        fs::rename(&unfinished, self.files())
    }
}

/// Adds rows. A row that is still unconfirmed keeps the state from before the first command that touched it.
fn add(all: &mut Vec<UnconfirmedRow>, rows: Vec<UnconfirmedRow>) {
    for row in rows {
        if all.iter().all(|known| known.path != row.path) {
            all.push(row);
        }
    }
}

impl FilesBefore {
    /// The files that are others now. `began` is the moment of the note, in nanoseconds.
    fn touched(&self, now: &Contents, began: i128) -> Vec<UnconfirmedRow> {
        let places = config_files::of(&self.root, &self.directory);
        let was_looked_at = |path: &Path| places.iter().any(|place| path.starts_with(place));
        let touched = now
            .iter()
            .filter(|(path, digest)| match self.contents.get(*path) {
                Some(before) => before != *digest,
                None => was_looked_at(path) || is_changed_since(path, &self.root, began),
            });
        touched
            .map(|(path, _)| UnconfirmedRow {
                path: path.clone(),
                before: self.contents.get(path).cloned(),
            })
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
    /// Compares, and remembers what is another now. `others` were seen to be touched elsewhere in the project.
    pub fn end(
        self,
        others: &[PathBuf],
        digests: &mut Digests,
        counts: impl Fn(&Path) -> bool,
    ) -> io::Result<CommandChanges> {
        let now = digests.at_places(&self.noted.root, &self.noted.directory);
        // The record is only needed for what was not looked at, which is not here.
        let mut rows = self.noted.touched(&now, i128::MAX);
        rows.retain(|row| counts(&row.path));
        let mut ended = CommandChanges {
            unchanged: now.into_keys().collect(),
            ..CommandChanges::default()
        };
        for row in &rows {
            ended.unchanged.remove(&row.path);
            let list = match row.before {
                None => &mut ended.created,
                Some(_) => &mut ended.changed,
            };
            list.push(row.path.clone());
        }
        let others = others.iter().filter(|path| !ended.unchanged.contains(*path));
        rows.extend(others.map(|path| UnconfirmedRow {
            path: path.clone(),
            before: None,
        }));
        self.records.add(rows)?;
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
