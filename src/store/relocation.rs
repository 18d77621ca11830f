//! Sessions that are moved to another directory: everything stored of them that names a file follows to the new place.
//!
//! What the person allowed in the old place, and whether they trust it, stays there: a new place
//! is asked about anew.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};

use super::journal::{StoredPath, UndoRecord};
use super::statement::{execute, row, rows};
use super::{Store, StoreError, column, path_text, places, sessions};
use crate::conversation::SessionId;

/// The old and the new place of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relocation {
    pub old_project: PathBuf,
    pub old_directory: PathBuf,
    pub new_project: PathBuf,
    pub new_directory: PathBuf,
}

impl Relocation {
    /// Returns the place of a file after the move; `None` for one that is elsewhere.
    fn follow(&self, path: &Path) -> Option<PathBuf> {
        let below = |old: &Path, new: &Path| match path.strip_prefix(old) {
            Ok(rest) if rest.as_os_str().is_empty() => Some(new.to_owned()),
            rest => rest.ok().map(|rest| new.join(rest)),
        };
        below(&self.old_directory, &self.new_directory)
            .or_else(|| below(&self.old_project, &self.new_project))
    }

    fn follow_stored(&self, path: &mut StoredPath) {
        if let Some(followed) = self.follow(&path.to_path()) {
            *path = StoredPath::new(&followed);
        }
    }
}

impl Store {
    /// Moves a session, with all below it, to another place, as one commit. The caller has the lock of its tree.
    pub fn relocate(&self, root: &SessionId, relocation: &Relocation) -> Result<(), StoreError> {
        self.transact(|connection| {
            for id in sessions::tree_ids(connection, root)? {
                move_session(connection, &id, relocation)?;
                move_reads(connection, &id, relocation)?;
                // It names the directory, so another one is assembled.
                execute(connection, "DELETE FROM prompts WHERE session = ?1", [&id])?;
            }
            move_journal(connection, root, relocation)?;
            move_undos(connection, root, relocation)?;
            places::note_project(connection, &relocation.new_project)
        })
    }
}

/// A child that works elsewhere, as in a work tree of its own, keeps its directory.
fn move_session(connection: &Connection, id: &str, relocation: &Relocation) -> Result<(), StoreError> {
    let sql = "SELECT directory FROM sessions WHERE id = ?1";
    let directory: Option<String> = row(connection, sql, [id], |row| row.get(0))?;
    let Some(directory) = directory.map(PathBuf::from) else {
        return Ok(());
    };
    let followed = relocation.follow(&directory).unwrap_or(directory);
    execute(
        connection,
        "UPDATE sessions SET project = ?2, directory = ?3 WHERE id = ?1",
        [id, &path_text(&relocation.new_project), &path_text(&followed)],
    )?;
    Ok(())
}

fn move_reads(connection: &Connection, id: &str, relocation: &Relocation) -> Result<(), StoreError> {
    let sql = "SELECT path FROM file_reads WHERE session = ?1";
    let paths = rows(connection, sql, [id], |row| row.get::<_, String>(0))?;
    for path in paths {
        if let Some(followed) = relocation.follow(Path::new(&path)) {
            let sql = "UPDATE OR REPLACE file_reads SET path = ?3 WHERE session = ?1 AND path = ?2";
            execute(connection, sql, [id, &path, &path_text(&followed)])?;
        }
    }
    Ok(())
}

fn move_journal(
    connection: &Connection,
    root: &SessionId,
    relocation: &Relocation,
) -> Result<(), StoreError> {
    let files = rows(
        connection,
        "SELECT journal_files.id, path, parents
             FROM journal_changes JOIN journal_files ON journal_files.change = journal_changes.id WHERE tree = ?1",
        [root.as_str()],
        |row| {
            let path: Vec<u8> = row.get(1)?;
            let parents: Vec<StoredPath> = column::json(row, 2)?;
            Ok((row.get::<_, i64>(0)?, path, parents))
        },
    )?;
    for (id, path, mut parents) in files {
        let path = Path::new(OsStr::from_bytes(&path));
        let followed = relocation.follow(path).unwrap_or_else(|| path.to_owned());
        for parent in &mut parents {
            relocation.follow_stored(parent);
        }
        execute(
            connection,
            "UPDATE journal_files SET path = ?2, parents = ?3 WHERE id = ?1",
            params![id, followed.as_os_str().as_bytes(), column::to_json(&parents)?],
        )?;
    }
    Ok(())
}

fn move_undos(connection: &Connection, root: &SessionId, relocation: &Relocation) -> Result<(), StoreError> {
    let sql = "SELECT id, record FROM undos WHERE tree = ?1";
    let undos = rows(connection, sql, [root.as_str()], |row| {
        Ok((row.get::<_, i64>(0)?, column::json::<UndoRecord>(row, 1)?))
    })?;
    for (id, mut record) in undos {
        for file in &mut record.files {
            relocation.follow_stored(&mut file.path);
            for parent in &mut file.parents {
                relocation.follow_stored(parent);
            }
        }
        let sql = "UPDATE undos SET record = ?2 WHERE id = ?1";
        execute(connection, sql, params![id, column::to_json(&record)?])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{new_session, store_with};
    use super::super::{ChangeOrigin, FileImage, JournalFile, NewJournalChange, NewSession};
    use super::*;

    fn relocation(old: &str, new: &str) -> Relocation {
        Relocation {
            old_project: old.into(),
            old_directory: format!("{old}/sub").into(),
            new_project: new.into(),
            new_directory: format!("{new}/sub").into(),
        }
    }

    #[test]
    fn everything_that_names_a_file_of_the_project_follows() {
        let (store, id) = store_with("/old");
        let child = NewSession {
            parent: Some(id.clone()),
            directory: "/data/worktrees/tree".into(),
            ..new_session("/old")
        };
        store.create(&child).unwrap();
        store
            .record_read(&id, Path::new("/old/sub/a"), "one", None)
            .unwrap();
        store
            .record_read(&id, Path::new("/older/sub/a"), "two", None)
            .unwrap();
        store.set_system_prompt(&id, "build", "in /old").unwrap();
        let file = JournalFile {
            path: "/old/new/b".into(),
            before: FileImage::Absent,
            after: FileImage::Unknown,
            parents: vec!["/old/new".into()],
        };
        let change = NewJournalChange {
            tree: &id,
            session: &id,
            origin: ChangeOrigin::Lathe,
            is_pending: false,
            files: std::slice::from_ref(&file),
        };
        store.add_change(&change).unwrap();

        store.relocate(&id, &relocation("/old", "/new/place")).unwrap();

        let places = |id: &SessionId| {
            let row = store.get(id).unwrap().unwrap();
            (row.project, row.directory)
        };
        assert_eq!(places(&id), ("/new/place".into(), "/new/place".into()));
        let in_tree = ("/new/place".into(), "/data/worktrees/tree".into());
        assert_eq!(places(&child.id), in_tree);
        let read = |path: &str| store.file_read(&id, Path::new(path)).unwrap();
        assert!(read("/old/sub/a").is_none());
        assert_eq!(read("/new/place/sub/a").unwrap().hash, "one");
        assert_eq!(read("/older/sub/a").unwrap().hash, "two", "another directory");
        assert_eq!(store.system_prompt(&id, "build").unwrap(), None);
        let moved = &store.journal_since(&id, 0).unwrap()[0].file;
        assert_eq!(moved.path, Path::new("/new/place/new/b"));
        assert_eq!(moved.parents, [Path::new("/new/place/new")]);
    }
}
