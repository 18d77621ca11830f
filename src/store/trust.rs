//! Which parts of which projects the user trusts.

use std::path::Path;

use rusqlite::{OptionalExtension, params};

use super::{Store, StoreError, now, path_text};

/// What was trusted in one place of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustRow {
    /// Recognises the parts.
    pub hash: String,
    /// The parts, so that a change can be shown.
    pub parts: String,
}

impl Store {
    /// Returns what was trusted in `place`, a directory of the project.
    pub fn trusted(&self, project: &Path, place: &Path) -> Result<Option<TrustRow>, StoreError> {
        let connection = self.connection();
        let mut select =
            connection.prepare_cached("SELECT hash, parts FROM trust WHERE project = ?1 AND place = ?2")?;
        let row = select.query_row(params![path_text(project), path_text(place)], |row| {
            Ok(TrustRow {
                hash: row.get(0)?,
                parts: row.get(1)?,
            })
        });
        Ok(row.optional()?)
    }

    /// Remembers what is trusted in `place` from now on.
    pub fn set_trusted(&self, project: &Path, place: &Path, row: &TrustRow) -> Result<(), StoreError> {
        self.connection()
            .prepare_cached(
                "INSERT INTO trust (project, place, hash, parts, created) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (project, place) DO UPDATE
                 SET hash = excluded.hash, parts = excluded.parts, created = excluded.created",
            )?
            .execute(params![
                path_text(project),
                path_text(place),
                row.hash,
                row.parts,
                now()
            ])?;
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
}
