//! Facts about a session that are counted from its messages.

use serde::{Deserialize, Serialize};

use super::{Store, StoreError};
use crate::conversation::SessionId;

/// Who took part in a session, and how much was said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionFacts {
    pub user_messages: u64,
    pub assistant_messages: u64,
    pub tool_calls: u64,
    /// Milliseconds since the Unix epoch; `None` where nothing was said.
    pub first: Option<i64>,
    pub last: Option<i64>,
    /// In the order of their names.
    pub agents: Vec<String>,
    pub models: Vec<String>,
}

impl Store {
    /// Counts what stands in a session. Replies that were replaced by a retry do not count.
    pub fn facts(&self, session: &SessionId) -> Result<SessionFacts, StoreError> {
        let connection = self.connection();
        let id = [session.as_str()];
        let mut facts = connection
            .prepare_cached(
                "SELECT count(*) FILTER (WHERE role = 'user'), count(*) FILTER (WHERE role = 'assistant'),
                        min(created), max(created) FROM messages WHERE session = ?1
                     AND state <> 'void' AND undo IS NULL",
            )?
            .query_row(id, |row| {
                Ok(SessionFacts {
                    user_messages: row.get::<_, i64>(0)? as u64,
                    assistant_messages: row.get::<_, i64>(1)? as u64,
                    first: row.get(2)?,
                    last: row.get(3)?,
                    ..SessionFacts::default()
                })
            })?;
        let calls: i64 = connection
            .prepare_cached(
                "SELECT count(*) FROM parts JOIN messages ON messages.id = parts.message
                 WHERE parts.session = ?1 AND parts.kind = 'tool' AND messages.undo IS NULL",
            )?
            .query_row(id, |row| row.get(0))?;
        facts.tool_calls = calls as u64;
        let names = |sql| -> Result<Vec<String>, StoreError> {
            let mut statement = connection.prepare_cached(sql)?;
            let names = statement.query_map(id, |row| row.get(0))?;
            Ok(names.collect::<Result<_, _>>()?)
        };
        facts.agents = names(
            "SELECT DISTINCT agent FROM messages WHERE session = ?1 AND agent IS NOT NULL AND undo IS NULL ORDER BY agent",
        )?;
        facts.models = names(
            "SELECT DISTINCT model FROM messages WHERE session = ?1 AND model IS NOT NULL AND undo IS NULL ORDER BY model",
        )?;
        Ok(facts)
    }
}
