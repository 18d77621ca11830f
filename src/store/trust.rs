//! Trusted parts of projects.

use std::path::{Path, PathBuf};

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::statement::{execute, row, rows};
use super::{Store, StoreError, now, path_text};

/// The trusted parts of one place of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustRow {
    /// Recognises the parts.
    pub hash: String,
    /// The parts, so that a change can be shown.
    pub parts: String,
}

/// A place whose parts the user trusts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedPlace {
    /// The project's root or a directory in it.
    pub place: PathBuf,
    /// As they were written down.
    pub parts: String,
    /// Milliseconds since the Unix epoch.
    pub created: i64,
}

impl Store {
    /// Returns every place that is trusted, sorted by path.
    pub fn trusted_places(&self) -> Result<Vec<TrustedPlace>, StoreError> {
        let sql = "SELECT place, parts, created FROM trust ORDER BY place";
        rows(&self.connection(), sql, [], |row| {
            Ok(TrustedPlace {
                place: row.get::<_, String>(0)?.into(),
                parts: row.get(1)?,
                created: row.get(2)?,
            })
        })
    }

    /// Takes the trust in what a place brings back; says whether there was any.
    pub fn distrust(&self, place: &Path) -> Result<bool, StoreError> {
        let sql = "DELETE FROM trust WHERE place = ?1";
        Ok(execute(&self.connection(), sql, [path_text(place)])? > 0)
    }

    /// Returns what was trusted in `place`, a directory of the project.
    pub fn trusted(&self, project: &Path, place: &Path) -> Result<Option<TrustRow>, StoreError> {
        let sql = "SELECT hash, parts FROM trust WHERE project = ?1 AND place = ?2";
        row(
            &self.connection(),
            sql,
            [path_text(project), path_text(place)],
            |row| {
                Ok(TrustRow {
                    hash: row.get(0)?,
                    parts: row.get(1)?,
                })
            },
        )
    }

    /// Remembers what is trusted in `place` from now on.
    pub fn set_trusted(&self, project: &Path, place: &Path, row: &TrustRow) -> Result<(), StoreError> {
        execute(
            &self.connection(),
            "INSERT INTO trust (project, place, hash, parts, created) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (project, place) DO UPDATE
                 SET hash = excluded.hash, parts = excluded.parts, created = excluded.created",
            params![path_text(project), path_text(place), row.hash, row.parts, now()],
        )?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_trusted_last_is_what_is_trusted() {
        let store = Store::in_memory().unwrap();
        let (project, place) = (Path::new("/p"), Path::new("/p/a"));
        let row = |hash: &str| TrustRow {
            hash: hash.to_owned(),
            parts: "[]".to_owned(),
        };
        assert_eq!(store.trusted(project, place).unwrap(), None);
        store.set_trusted(project, place, &row("one")).unwrap();
        store.set_trusted(project, place, &row("two")).unwrap();
        assert_eq!(store.trusted(project, place).unwrap(), Some(row("two")));
        assert_eq!(store.trusted(project, project).unwrap(), None);
        assert_eq!(store.trusted(place, place).unwrap(), None);
    }

    #[test]
    fn trust_is_listed_and_taken_back_by_its_place() {
        let store = Store::in_memory().unwrap();
        let row = TrustRow {
            hash: "h".to_owned(),
            parts: "[]".to_owned(),
        };
        let places = || {
            let listed = store.trusted_places().unwrap().into_iter();
            listed.map(|trusted| trusted.place).collect::<Vec<_>>()
        };
        assert!(places().is_empty());
        for place in ["/p/b", "/p/a"] {
            store
                .set_trusted(Path::new("/p"), Path::new(place), &row)
                .unwrap();
        }
        assert_eq!(places(), [Path::new("/p/a"), Path::new("/p/b")]);
        assert!(store.distrust(Path::new("/p/a")).unwrap());
        assert!(!store.distrust(Path::new("/p/a")).unwrap());
        assert_eq!(places(), [Path::new("/p/b")]);
    }
}
