//! Permissions that were granted "always", listed and revocable.

use std::path::{Path, PathBuf};

use rusqlite::{Row, params};

use super::{Store, StoreError, column, now, path_text};
use crate::conversation::SessionId;

/// One stored allow rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// What `lathe permissions revoke` takes.
    pub id: i64,
    pub key: String,
    pub pattern: String,
    pub scope: GrantScope,
    /// Milliseconds since the Unix epoch.
    pub created: i64,
}

/// Where a grant counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GrantScope {
    /// The tree of this root session.
    Session(SessionId),
    /// The project with this root.
    Project(PathBuf),
    Global,
}

impl GrantScope {
    fn columns(&self) -> (&'static str, String) {
        match self {
            Self::Session(session) => ("session", session.to_string()),
            Self::Project(project) => ("project", path_text(project)),
            Self::Global => ("global", String::new()),
        }
    }
}

impl Store {
    /// Stores a rule and returns its id; one that is there already keeps its own.
    pub fn add_grant(&self, key: &str, pattern: &str, scope: &GrantScope) -> Result<i64, StoreError> {
        let (scope, place) = scope.columns();
        let connection = self.connection();
        let mut insert = connection.prepare_cached(
            "INSERT INTO grants (key, pattern, scope, place, created) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (key, pattern, scope, place) DO UPDATE SET created = created RETURNING id",
        )?;
        Ok(insert.query_row(params![key, pattern, scope, place, now()], |row| row.get(0))?)
    }

    /// Returns all rules in the order in which they were granted.
    pub fn grants(&self) -> Result<Vec<Grant>, StoreError> {
        let connection = self.connection();
        let mut statement = connection
            .prepare_cached("SELECT id, key, pattern, scope, place, created FROM grants ORDER BY id")?;
        let rows = statement.query_map([], grant)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Returns the rules that count in a session tree of a project, in the order in which they were granted.
    pub fn grants_for(&self, root: &SessionId, project: &Path) -> Result<Vec<Grant>, StoreError> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(
            "SELECT id, key, pattern, scope, place, created FROM grants
             WHERE scope = 'global' OR (scope = 'session' AND place = ?1) OR (scope = 'project' AND place = ?2)
             ORDER BY id",
        )?;
        let rows = statement.query_map([root.as_str(), &path_text(project)], grant)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Removes a rule. Returns whether it was there.
    pub fn revoke_grant(&self, id: i64) -> Result<bool, StoreError> {
        Ok(self
            .connection()
            .prepare_cached("DELETE FROM grants WHERE id = ?1")?
            .execute([id])?
            > 0)
    }
}

fn grant(row: &Row<'_>) -> Result<Grant, rusqlite::Error> {
    let scope = match row.get_ref(3)?.as_str()? {
        "session" => GrantScope::Session(column::parsed(row, 4)?),
        "project" => GrantScope::Project(row.get::<_, String>(4)?.into()),
        _ => GrantScope::Global,
    };
    Ok(Grant {
        id: row.get(0)?,
        key: row.get(1)?,
        pattern: row.get(2)?,
        scope,
        created: row.get(5)?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::store_with;
    use super::*;

    #[test]
    fn a_grant_is_listed_where_it_counts_until_it_is_revoked() {
        let (store, session) = store_with("/p");
        let project = GrantScope::Project("/p".into());
        let one = store.add_grant("bash", "git *", &project).unwrap();
        let two = store
            .add_grant("edit", "*", &GrantScope::Session(session.clone()))
            .unwrap();
        let three = store
            .add_grant("webfetch", "https://a/*", &GrantScope::Global)
            .unwrap();
        assert_eq!(store.add_grant("bash", "git *", &project).unwrap(), one);
        let ids = |grants: Vec<Grant>| grants.into_iter().map(|grant| grant.id).collect::<Vec<_>>();
        assert_eq!(ids(store.grants().unwrap()), [one, two, three]);
        assert_eq!(store.grants().unwrap()[0].scope, project);
        assert_eq!(
            ids(store.grants_for(&session, Path::new("/p")).unwrap()),
            [one, two, three]
        );
        assert_eq!(
            ids(store.grants_for(&SessionId::new(), Path::new("/q")).unwrap()),
            [three]
        );
        assert!(store.revoke_grant(three).unwrap());
        assert!(!store.revoke_grant(three).unwrap());
        assert!(store.add_grant("x", "y", &GrantScope::Global).unwrap() > three);
    }

    #[test]
    fn the_grants_of_a_session_go_with_it() {
        let (store, session) = store_with("/p");
        store
            .add_grant("edit", "*", &GrantScope::Session(session.clone()))
            .unwrap();
        store.delete(&session).unwrap();
        assert_eq!(store.grants().unwrap(), []);
    }
}
