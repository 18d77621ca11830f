//! Facts about a session that are counted from its messages.

use serde::{Deserialize, Serialize};

use super::statement::{only_row, rows};
use super::{Store, StoreError, column};
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
        let mut facts = only_row(
            &connection,
            "SELECT count(*) FILTER (WHERE role = 'user'), count(*) FILTER (WHERE role = 'assistant'),
                        min(created), max(created) FROM messages WHERE session = ?1
                     AND state <> 'void' AND undo IS NULL",
            id,
            |row| {
                Ok(SessionFacts {
                    user_messages: column::count(row, 0)?,
                    assistant_messages: column::count(row, 1)?,
                    first: row.get(2)?,
                    last: row.get(3)?,
                    ..SessionFacts::default()
                })
            },
        )?;
        facts.tool_calls = only_row(
            &connection,
            "SELECT count(*) FROM parts JOIN messages ON messages.id = parts.message
                 WHERE parts.session = ?1 AND parts.kind = 'tool' AND messages.undo IS NULL",
            id,
            |row| column::count(row, 0),
        )?;
        let names = |sql| rows(&connection, sql, id, |row| row.get(0));
        facts.agents = names(
            "SELECT DISTINCT agent FROM messages WHERE session = ?1 AND agent IS NOT NULL AND undo IS NULL ORDER BY agent",
        )?;
        facts.models = names(
            "SELECT DISTINCT model FROM messages WHERE session = ?1 AND model IS NOT NULL AND undo IS NULL ORDER BY model",
        )?;
        Ok(facts)
    }
}
