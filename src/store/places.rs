//! Places of projects, by which one that was moved is found again.
//!
//! A project is recognised by the identity of its root directory ([`project_root::identity`]), which a rename keeps and no
//! other directory ever has.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::statement::{execute, row, rows};
use super::{Store, StoreError, path_text};
use crate::project_root;

impl Store {
    /// Notes the identity of a project's root, by which it is found after a move.
    pub fn note_project(&self, project: &Path) -> Result<(), StoreError> {
        note_project(&self.connection(), project)
    }

    /// Returns the places at which a project was known before, that of now left out. They may be there still.
    pub fn earlier_places(&self, project: &Path) -> Result<Vec<PathBuf>, StoreError> {
        let Some(identity) = project_root::identity(project) else {
            return Ok(Vec::new());
        };
        rows(
            &self.connection(),
            "SELECT project FROM project_places WHERE identity = ?1 AND project <> ?2",
            [&identity, &path_text(project)],
            |row| row.get::<_, String>(0).map(PathBuf::from),
        )
    }

    /// Forgets that a project was at a place.
    pub fn forget_project(&self, project: &Path) -> Result<(), StoreError> {
        let sql = "DELETE FROM project_places WHERE project = ?1";
        execute(&self.connection(), sql, [path_text(project)]).map(drop)
    }
}

pub(super) fn note_project(connection: &Connection, project: &Path) -> Result<(), StoreError> {
    let Some(identity) = project_root::identity(project) else {
        return Ok(());
    };
    let name = path_text(project);
    let sql = "SELECT identity FROM project_places WHERE project = ?1";
    let known: Option<String> = row(connection, sql, [&name], |row| row.get(0))?;
    if known.as_deref() != Some(&identity) {
        execute(
            connection,
            "INSERT INTO project_places (project, identity) VALUES (?1, ?2)
                 ON CONFLICT DO UPDATE SET identity = excluded.identity",
            [&name, &identity],
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::fixture::new_session;
    use super::*;

    #[test]
    fn a_renamed_project_is_recognised_and_one_made_in_its_place_is_not() {
        let base = tempfile::tempdir().unwrap();
        let [old, new] = ["old", "new"].map(|name| base.path().join(name));
        std::fs::create_dir(&old).unwrap();
        if project_root::identity(&old).is_none() {
            eprintln!("skipped: the file system does not keep when directories were made");
            return;
        }
        let store = Store::in_memory().unwrap();
        store.create(&new_session(old.to_str().unwrap())).unwrap();
        std::fs::rename(&old, &new).unwrap();
        assert_eq!(store.earlier_places(&new).unwrap(), [old.as_path()]);
        let other = base.path().join("other");
        std::fs::remove_dir(&new).unwrap();
        std::fs::create_dir(&other).unwrap();
        assert!(store.earlier_places(&other).unwrap().is_empty());
    }
}
