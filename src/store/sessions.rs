//! Sessions: what lists show, what they cost, and the system prompt of each agent.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, Params, Row, params};
use serde::{Deserialize, Serialize};

use super::statement::{self, execute, rows};
use super::{Store, StoreError, column, now, path_text, places};
use crate::conversation::{ModelRef, SessionId, Usage, model_name};

/// The session and all below it.
pub(super) const TREE_IDS: &str = "
    WITH RECURSIVE tree (id) AS (
        SELECT ?1 UNION SELECT sessions.id FROM sessions JOIN tree ON sessions.parent = tree.id
    ) SELECT id FROM tree";

/// A session to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSession {
    pub id: SessionId,
    pub parent: Option<SessionId>,
    /// The project root.
    pub project: PathBuf,
    /// The session's own directory.
    pub directory: PathBuf,
    pub agent: String,
    pub model: Option<ModelRef>,
    pub title: String,
}

/// A session without its messages. Serialised it has the shape that `lathe sessions list --json` prints, and more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionRow {
    pub id: SessionId,
    pub title: String,
    pub project: PathBuf,
    pub directory: PathBuf,
    pub agent: String,
    #[serde(with = "model_name")]
    pub model: Option<ModelRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<SessionId>,
    /// Milliseconds since the Unix epoch, like `updated`.
    pub created: i64,
    pub updated: i64,
    /// Those that count: replies that were replaced by a retry do not.
    pub messages: u64,
    /// US dollars; `None` when no request had a known price.
    pub cost: Option<f64>,
    pub usage: Usage,
    #[serde(flatten)]
    pub marks: SessionMarks,
}

/// Marks by which a session is told apart from others in a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionMarks {
    /// Listed first, and never removed for its age.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// Words that a person gave it, in their order. None is blank or has white space in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// When a person was told that it will be removed for its age.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub announced: Option<i64>,
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, title, project, directory, agent, model, parent, created, updated, ",
            "(SELECT count(*) FROM messages WHERE session = sessions.id AND state <> 'void' AND undo IS NULL), ",
            "cost, unpriced, input, output, reasoning, cache_read, cache_write, pinned, tags, announced FROM sessions ",
            $rest
        )
    };
}

impl Store {
    /// Stores a new session.
    pub fn create(&self, session: &NewSession) -> Result<(), StoreError> {
        insert(&self.connection(), session)
    }

    pub fn get(&self, session: &SessionId) -> Result<Option<SessionRow>, StoreError> {
        let sql = select!("WHERE id = ?1");
        statement::row(&self.connection(), sql, [session.as_str()], row)
    }

    /// Returns the sessions of one project, or all, newest first, child sessions with them.
    pub fn list(&self, project: Option<&Path>) -> Result<Vec<SessionRow>, StoreError> {
        let sql = select!("WHERE ?1 IS NULL OR project = ?1 ORDER BY updated DESC, rowid DESC");
        rows(&self.connection(), sql, [project.map(path_text)], row)
    }

    /// Returns the session of a project that was used last, child sessions left out.
    pub fn newest(&self, project: &Path) -> Result<Option<SessionRow>, StoreError> {
        let sql = select!("WHERE project = ?1 AND parent IS NULL ORDER BY updated DESC, rowid DESC LIMIT 1");
        statement::row(&self.connection(), sql, [path_text(project)], row)
    }

    /// Returns the sessions whose parent this one is, oldest first.
    pub fn children(&self, session: &SessionId) -> Result<Vec<SessionRow>, StoreError> {
        let sql = select!("WHERE parent = ?1 ORDER BY rowid");
        rows(&self.connection(), sql, [session.as_str()], row)
    }

    /// Returns a session and all below it.
    pub fn tree_rows(&self, session: &SessionId) -> Result<Vec<SessionRow>, StoreError> {
        let sql = select!(
            "WHERE id IN (WITH RECURSIVE tree (id) AS (
                 SELECT ?1 UNION SELECT sessions.id FROM sessions JOIN tree ON sessions.parent = tree.id
             ) SELECT id FROM tree)"
        );
        rows(&self.connection(), sql, [session.as_str()], row)
    }

    /// Returns the root of the session's tree: the one whose lock owns it.
    pub fn root(&self, session: &SessionId) -> Result<SessionId, StoreError> {
        let root = statement::row(
            &self.connection(),
            "WITH RECURSIVE up (id, parent) AS (
                 SELECT id, parent FROM sessions WHERE id = ?1
                 UNION SELECT sessions.id, sessions.parent FROM sessions JOIN up ON sessions.id = up.parent
             ) SELECT id FROM up WHERE parent IS NULL",
            [session.as_str()],
            |row| column::parsed(row, 0),
        )?;
        root.ok_or_else(|| StoreError::UnknownSession(session.clone()))
    }

    pub fn set_title(&self, session: &SessionId, title: &str) -> Result<(), StoreError> {
        retitle(&self.connection(), session, title)
    }

    pub fn set_pinned(&self, session: &SessionId, is_pinned: bool) -> Result<(), StoreError> {
        let sql = "UPDATE sessions SET pinned = ?2 WHERE id = ?1";
        update(
            &self.connection(),
            session,
            sql,
            params![session.as_str(), is_pinned],
        )
    }

    /// Stores tags, which have no white space in them.
    pub fn set_tags(&self, session: &SessionId, tags: &[String]) -> Result<(), StoreError> {
        let sql = "UPDATE sessions SET tags = ?2 WHERE id = ?1";
        update(
            &self.connection(),
            session,
            sql,
            params![session.as_str(), tags.join(" ")],
        )
    }

    /// Notes that a person is told now that the sessions in `anew` will be removed. What was noted of those in `announced`
    /// stays, and that of all others goes.
    pub fn announce_removal(&self, announced: &[SessionId], anew: &[SessionId]) -> Result<(), StoreError> {
        let ids = |sessions: &[SessionId]| {
            column::to_json(&sessions.iter().map(SessionId::as_str).collect::<Vec<_>>())
        };
        let (announced, anew) = (ids(announced)?, ids(anew)?);
        self.transact(|connection| {
            execute(
                connection,
                "UPDATE sessions SET announced = NULL
                     WHERE announced IS NOT NULL AND id NOT IN (SELECT value FROM json_each(?1))",
                [&announced],
            )?;
            let sql = "UPDATE sessions SET announced = ?2 WHERE id IN (SELECT value FROM json_each(?1))";
            execute(connection, sql, params![anew, now()]).map(drop)
        })
    }

    pub fn set_agent_model(
        &self,
        session: &SessionId,
        agent: &str,
        model: Option<&ModelRef>,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE sessions SET agent = ?2, model = ?3 WHERE id = ?1";
        let values = params![session.as_str(), agent, model.map(ToString::to_string)];
        update(&self.connection(), session, sql, values)
    }

    /// Removes a session with its children and all that belongs to them. Returns whether it was there.
    pub fn delete(&self, session: &SessionId) -> Result<bool, StoreError> {
        self.transact(|connection| {
            for id in &tree_ids(connection, session)? {
                for sql in [
                    "DELETE FROM drafts WHERE key IN (?1, ?1 || ' unsent', ?1 || ' reminder')",
                    "DELETE FROM grants WHERE scope IN ('session', 'ended') AND place = ?1",
                ] {
                    execute(connection, sql, [id])?;
                }
            }
            Ok(execute(
                connection,
                "DELETE FROM sessions WHERE id = ?1",
                [session.as_str()],
            )? > 0)
        })
    }

    /// Returns the system prompt that was assembled for the session and agent.
    pub fn system_prompt(&self, session: &SessionId, agent: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT text FROM prompts WHERE session = ?1 AND agent = ?2";
        statement::row(&self.connection(), sql, [session.as_str(), agent], |row| {
            row.get(0)
        })
    }

    pub fn set_system_prompt(&self, session: &SessionId, agent: &str, text: &str) -> Result<(), StoreError> {
        execute(
            &self.connection(),
            "INSERT INTO prompts (session, agent, text) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET text = excluded.text",
            [session.as_str(), agent, text],
        )?;
        Ok(())
    }
}

/// Returns the ids of a session and all below it.
pub(super) fn tree_ids(connection: &Connection, session: &SessionId) -> Result<Vec<String>, StoreError> {
    rows(connection, TREE_IDS, [session.as_str()], |row| row.get(0))
}

pub(super) fn retitle(connection: &Connection, session: &SessionId, title: &str) -> Result<(), StoreError> {
    let sql = "UPDATE sessions SET title = ?2 WHERE id = ?1";
    update(connection, session, sql, params![session.as_str(), title])
}

pub(super) fn insert(connection: &Connection, session: &NewSession) -> Result<(), StoreError> {
    execute(
        connection,
        "INSERT INTO sessions (id, parent, project, directory, agent, model, title, created, updated)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)",
        params![
            session.id.as_str(),
            session.parent.as_ref().map(SessionId::as_str),
            path_text(&session.project),
            path_text(&session.directory),
            session.agent,
            session.model.as_ref().map(ToString::to_string),
            session.title,
            now(),
        ],
    )?;
    places::note_project(connection, &session.project)
}

/// Adds one model request: its tokens and, where its price is known, what it cost in US dollars.
pub(super) fn add_cost(
    connection: &Connection,
    session: &SessionId,
    usage: &Usage,
    cost: Option<f64>,
) -> Result<(), StoreError> {
    update(
        connection,
        session,
        "UPDATE sessions SET cost = cost + ?2, unpriced = unpriced + ?3, input = input + ?4, output = output + ?5,
         reasoning = reasoning + ?6, cache_read = cache_read + ?7, cache_write = cache_write + ?8 WHERE id = ?1",
        params![
            session.as_str(),
            cost.unwrap_or(0.0),
            i64::from(cost.is_none()),
            usage.input as i64,
            usage.output as i64,
            usage.reasoning as i64,
            usage.cache_read as i64,
            usage.cache_write as i64,
        ],
    )
}

/// Makes the session the newest. Never sets the time back, whatever the clock does.
pub(super) fn touch(connection: &Connection, session: &SessionId) -> Result<(), StoreError> {
    let sql = "UPDATE sessions SET updated = max(updated, ?2) WHERE id = ?1";
    update(connection, session, sql, params![session.as_str(), now()])
}

/// Changes the row of a session, which has to be there.
fn update(
    connection: &Connection,
    session: &SessionId,
    sql: &str,
    values: impl Params,
) -> Result<(), StoreError> {
    if execute(connection, sql, values)? == 0 {
        return Err(StoreError::UnknownSession(session.clone()));
    }
    Ok(())
}

fn row(row: &Row<'_>) -> Result<SessionRow, rusqlite::Error> {
    let path = |column| row.get::<_, String>(column).map(PathBuf::from);
    let (cost, unpriced): (f64, i64) = (row.get(10)?, row.get(11)?);
    Ok(SessionRow {
        id: column::parsed(row, 0)?,
        title: row.get(1)?,
        project: path(2)?,
        directory: path(3)?,
        agent: row.get(4)?,
        model: column::model(row, 5)?,
        parent: column::optional(row, 6, column::parsed)?,
        created: row.get(7)?,
        updated: row.get(8)?,
        messages: column::count(row, 9)?,
        cost: (unpriced == 0 || cost > 0.0).then_some(cost),
        usage: column::usage(row, 12)?,
        marks: SessionMarks {
            pinned: row.get(17)?,
            tags: row
                .get::<_, String>(18)?
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
            announced: row.get(19)?,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{new_session, store_with};
    use super::*;

    #[test]
    fn the_newest_session_comes_first() {
        let (store, first) = store_with("/p");
        let second = new_session("/p");
        let elsewhere = new_session("/q");
        store.create(&second).unwrap();
        store.create(&elsewhere).unwrap();
        let ids = |project: Option<&str>| -> Vec<_> {
            store
                .list(project.map(Path::new))
                .unwrap()
                .into_iter()
                .map(|row| row.id)
                .collect()
        };
        assert_eq!(ids(Some("/p")), [second.id.clone(), first.clone()]);
        assert_eq!(ids(None).len(), 3);
        std::thread::sleep(std::time::Duration::from_millis(2));
        store.write(&first, &[]).unwrap();
        assert_eq!(ids(Some("/p")), [first.clone(), second.id]);
        assert_eq!(store.newest(Path::new("/p")).unwrap().unwrap().id, first);
        assert_eq!(store.newest(Path::new("/none")).unwrap(), None);
    }

    #[test]
    fn a_child_is_listed_but_never_the_newest() {
        let (store, root) = store_with("/p");
        let child = NewSession {
            parent: Some(root.clone()),
            ..new_session("/p")
        };
        let grandchild = NewSession {
            parent: Some(child.id.clone()),
            ..new_session("/p")
        };
        store.create(&child).unwrap();
        store.create(&grandchild).unwrap();
        assert_eq!(store.newest(Path::new("/p")).unwrap().unwrap().id, root);
        assert_eq!(store.list(None).unwrap().len(), 3);
        assert_eq!(store.children(&root).unwrap()[0].id, child.id);
        assert_eq!(store.root(&grandchild.id).unwrap(), root);
        store
            .set_system_prompt(&grandchild.id, "build", "be good")
            .unwrap();
        assert!(store.delete(&root).unwrap());
        assert!(!store.delete(&root).unwrap());
        assert_eq!(store.list(None).unwrap(), []);
    }

    #[test]
    fn an_unknown_price_is_never_zero() {
        let (store, id) = store_with("/p");
        let cost = || store.get(&id).unwrap().unwrap().cost;
        assert_eq!(cost(), Some(0.0));
        let usage = Usage {
            input: 10,
            output: 5,
            ..Usage::default()
        };
        add_cost(&store.connection(), &id, &usage, None).unwrap();
        assert_eq!(cost(), None);
        add_cost(&store.connection(), &id, &usage, Some(0.25)).unwrap();
        assert_eq!(cost(), Some(0.25));
        assert_eq!(store.get(&id).unwrap().unwrap().usage.input, 20);
    }

    #[test]
    fn a_row_has_the_shape_that_scripts_rely_on() {
        let (store, id) = store_with("/p");
        store.set_title(&id, "Fix it").unwrap();
        store
            .set_agent_model(&id, "plan", Some(&"local/m".parse().unwrap()))
            .unwrap();
        let shown = serde_json::to_value(store.get(&id).unwrap().unwrap()).unwrap();
        for (field, value) in [
            ("title", "Fix it"),
            ("agent", "plan"),
            ("model", "local/m"),
            ("project", "/p"),
        ] {
            assert_eq!(shown[field], value);
        }
        assert!(shown.get("parent").is_none());
        assert_eq!(shown["messages"], 0);
    }

    #[test]
    fn a_session_that_is_not_there_is_an_error() {
        let (store, _) = store_with("/p");
        let other = SessionId::new();
        assert_eq!(store.get(&other).unwrap(), None);
        assert!(matches!(
            store.set_title(&other, "x"),
            Err(StoreError::UnknownSession(_))
        ));
        assert!(matches!(store.root(&other), Err(StoreError::UnknownSession(_))));
    }

    #[test]
    fn the_system_prompt_is_kept_for_each_agent() {
        let (store, id) = store_with("/p");
        assert_eq!(store.system_prompt(&id, "build").unwrap(), None);
        store.set_system_prompt(&id, "build", "one").unwrap();
        store.set_system_prompt(&id, "build", "two").unwrap();
        store.set_system_prompt(&id, "plan", "three").unwrap();
        assert_eq!(store.system_prompt(&id, "build").unwrap().as_deref(), Some("two"));
    }
}
