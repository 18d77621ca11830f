//! Permissions that were granted "always", listed and revocable.

use std::fmt;
use std::path::{Path, PathBuf};

use rusqlite::{Row, params};

use serde::{Deserialize, Serialize};

use super::statement::{execute, exists, only_row, rows};
use super::{Store, StoreError, column, now, path_text};
use crate::conversation::{PermissionKey, SessionId};

/// One stored allow rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// The number that `lathe permissions revoke` takes.
    pub id: i64,
    pub key: PermissionKey,
    pub pattern: String,
    pub scope: GrantScope,
    pub origin: GrantOrigin,
    /// Milliseconds since the Unix epoch.
    pub created: i64,
}

/// Scope of a grant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantScope {
    /// The tree of this root session.
    Session(SessionId),
    /// The project with this root.
    Project(PathBuf),
    Global,
}

/// Session in which a grant was given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantOrigin {
    /// Not known of old ones.
    pub session: Option<SessionId>,
    /// The session's title, when it is there and has one.
    pub title: Option<String>,
}

impl fmt::Display for GrantOrigin {
    /// `"fix the test"`, else the session's id; it may hold anything that a title does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.title, &self.session) {
            (Some(title), _) => write!(f, "\"{title}\""),
            (None, Some(session)) => write!(f, "session {session}"),
            (None, None) => f.write_str("unknown"),
        }
    }
}

/// The columns that [`grant`] reads.
const GRANTS: &str = "SELECT grants.id, key, pattern, scope, place, grants.created, origin, title FROM grants \
                      LEFT JOIN sessions ON sessions.id = origin";

/// The scope of rules that counted in a session which was closed. They count nowhere and are listed nowhere; they are
/// kept because the next "always" begins with the scope that was chosen last.
const ENDED: &str = "ended";

impl GrantScope {
    /// Returns the scope of a rule in words: `everywhere`. `own` is the current session, and `shown` formats a path.
    pub fn description(&self, own: Option<&SessionId>, shown: impl Fn(&Path) -> String) -> String {
        match self {
            Self::Session(session) if Some(session) == own => "this session".to_owned(),
            Self::Session(other) => format!("session {other}"),
            Self::Project(project) => format!("project {}", shown(project)),
            Self::Global => "everywhere".to_owned(),
        }
    }

    fn columns(&self) -> (&'static str, String) {
        match self {
            Self::Session(session) => ("session", session.to_string()),
            Self::Project(project) => ("project", path_text(project)),
            Self::Global => ("global", String::new()),
        }
    }
}

impl Store {
    /// Stores a rule and returns its id; one that is there already keeps its own. `origin` is the session it was given in.
    pub fn add_grant(
        &self,
        key: &PermissionKey,
        pattern: &str,
        scope: &GrantScope,
        origin: &SessionId,
    ) -> Result<i64, StoreError> {
        let (scope, place) = scope.columns();
        only_row(
            &self.connection(),
            "INSERT INTO grants (key, pattern, scope, place, created, origin) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (key, pattern, scope, place) DO UPDATE SET created = created RETURNING id",
            params![key.as_str(), pattern, scope, place, now(), origin.as_str()],
            |row| row.get(0),
        )
    }

    /// Returns all rules in the order in which they were granted.
    pub fn grants(&self) -> Result<Vec<Grant>, StoreError> {
        let sql = format!("{GRANTS} WHERE scope <> ?1 ORDER BY grants.id");
        rows(&self.connection(), &sql, [ENDED], grant)
    }

    /// Returns the rules that count in a session tree of a project, in the order in which they were granted.
    pub fn grants_for(&self, root: &SessionId, project: &Path) -> Result<Vec<Grant>, StoreError> {
        let sql = format!(
            "{GRANTS} WHERE scope = 'global' OR (scope = 'session' AND place = ?1)
             OR (scope = 'project' AND place = ?2) ORDER BY grants.id"
        );
        rows(
            &self.connection(),
            &sql,
            [root.as_str(), &path_text(project)],
            grant,
        )
    }

    /// Ends the rules of a session that is closed, or that was left without being closed.
    pub fn end_session_grants(&self, root: &SessionId) -> Result<(), StoreError> {
        let connection = self.connection();
        // Nearly no session has any, and looking needs no lock.
        let some = "SELECT 1 FROM grants WHERE scope = 'session' AND place = ?1";
        if !exists(&connection, some, [root.as_str()])? {
            return Ok(());
        }
        for sql in [
            "UPDATE OR REPLACE grants SET scope = ?1 WHERE scope = 'session' AND place = ?2",
            "DELETE FROM grants WHERE scope = ?1 AND place <> ?2",
        ] {
            execute(&connection, sql, [ENDED, root.as_str()])?;
        }
        Ok(())
    }

    /// Returns keys and scopes of all rules, the oldest first, with those of sessions that are closed.
    pub fn granted_scopes(&self) -> Result<Vec<(PermissionKey, GrantScope)>, StoreError> {
        let sql = format!("{GRANTS} ORDER BY grants.id");
        rows(&self.connection(), &sql, [], |row| {
            let grant = grant(row)?;
            Ok((grant.key, grant.scope))
        })
    }

    /// Removes a rule. Returns whether it was there.
    pub fn revoke_grant(&self, id: i64) -> Result<bool, StoreError> {
        Ok(execute(&self.connection(), "DELETE FROM grants WHERE id = ?1", [id])? > 0)
    }
}

fn grant(row: &Row<'_>) -> Result<Grant, rusqlite::Error> {
    let scope = match row.get_ref(3)?.as_str()? {
        "session" | ENDED => GrantScope::Session(column::parsed(row, 4)?),
        "project" => GrantScope::Project(row.get::<_, String>(4)?.into()),
        _ => GrantScope::Global,
    };
    Ok(Grant {
        id: row.get(0)?,
        key: PermissionKey::named(row.get::<_, String>(1)?),
        pattern: row.get(2)?,
        scope,
        created: row.get(5)?,
        origin: GrantOrigin {
            session: row.get_ref(6)?.as_str()?.parse().ok(),
            title: row.get::<_, Option<String>>(7)?.filter(|title| !title.is_empty()),
        },
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
        let one = store
            .add_grant(&PermissionKey::named("bash"), "git *", &project, &session)
            .unwrap();
        let two = store
            .add_grant(
                &PermissionKey::named("edit"),
                "*",
                &GrantScope::Session(session.clone()),
                &session,
            )
            .unwrap();
        let three = store
            .add_grant(
                &PermissionKey::named("webfetch"),
                "https://a/*",
                &GrantScope::Global,
                &session,
            )
            .unwrap();
        assert_eq!(
            store
                .add_grant(&PermissionKey::named("bash"), "git *", &project, &session)
                .unwrap(),
            one
        );
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
        assert!(
            store
                .add_grant(&PermissionKey::named("x"), "y", &GrantScope::Global, &session)
                .unwrap()
                > three
        );
    }

    #[test]
    fn the_grants_of_a_session_go_with_it() {
        let (store, session) = store_with("/p");
        store
            .add_grant(
                &PermissionKey::named("edit"),
                "*",
                &GrantScope::Session(session.clone()),
                &session,
            )
            .unwrap();
        store.delete(&session).unwrap();
        assert_eq!(store.grants().unwrap(), []);
    }

    #[test]
    fn the_grants_of_a_closed_session_count_nowhere_and_their_scope_is_remembered() {
        let (store, session) = store_with("/p");
        let own = GrantScope::Session(session.clone());
        let project = GrantScope::Project("/p".into());
        let kept = store
            .add_grant(&PermissionKey::named("bash"), "git *", &project, &session)
            .unwrap();
        store
            .add_grant(&PermissionKey::named("edit"), "*", &own, &session)
            .unwrap();
        store.end_session_grants(&session).unwrap();
        store.end_session_grants(&session).unwrap();
        let ids = |grants: Vec<Grant>| grants.into_iter().map(|grant| grant.id).collect::<Vec<_>>();
        assert_eq!(ids(store.grants().unwrap()), [kept]);
        assert_eq!(ids(store.grants_for(&session, Path::new("/p")).unwrap()), [kept]);
        let scopes = || {
            store
                .granted_scopes()
                .unwrap()
                .into_iter()
                .map(|(_, scope)| scope)
        };
        assert_eq!(scopes().collect::<Vec<_>>(), [project.clone(), own.clone()]);
        // The same may be granted again, and only the last closed session is remembered.
        store
            .add_grant(&PermissionKey::named("edit"), "*", &own, &session)
            .unwrap();
        assert_eq!(store.grants_for(&session, Path::new("/p")).unwrap().len(), 2);
        store.end_session_grants(&session).unwrap();
        assert_eq!(scopes().collect::<Vec<_>>(), [project.clone(), own]);
        let other = SessionId::new();
        let others = GrantScope::Session(other.clone());
        store
            .add_grant(&PermissionKey::named("edit"), "*", &others, &other)
            .unwrap();
        store.end_session_grants(&other).unwrap();
        assert_eq!(scopes().collect::<Vec<_>>(), [project, others]);
    }

    #[test]
    fn a_grant_says_in_which_session_it_was_given() {
        let (store, session) = store_with("/p");
        let add = |pattern| {
            store
                .add_grant(
                    &PermissionKey::named("bash"),
                    pattern,
                    &GrantScope::Global,
                    &session,
                )
                .unwrap()
        };
        add("ls *");
        store.set_title(&session, "").unwrap();
        assert_eq!(
            store.grants().unwrap()[0].origin.to_string(),
            format!("session {session}")
        );
        store.set_title(&session, "fix it").unwrap();
        assert_eq!(store.grants().unwrap()[0].origin.to_string(), "\"fix it\"");
        store.delete(&session).unwrap();
        let origin = store.grants().unwrap()[0].origin.clone();
        assert_eq!(origin.session, Some(session), "it outlives its session");
        let connection = store.connection();
        connection.execute("UPDATE grants SET origin = ''", []).unwrap();
        drop(connection);
        assert_eq!(store.grants().unwrap()[0].origin.to_string(), "unknown");
    }
}
