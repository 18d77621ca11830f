//! Reading one session out of the database of OpenCode. Nothing is written there.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, OptionalExtension};
use serde_json::{Map, Value, json};

use super::StoreError;

/// Returns a session in the shape of OpenCode's own export, `{info, messages: [{info, parts}]}`; `None` where there is no
/// such session.
pub fn opencode_session(path: &Path, id: &str) -> Result<Option<Value>, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    let info = connection
        .query_row(
            "SELECT title, directory, time_created FROM session WHERE id = ?1",
            [id],
            |row| {
                Ok(json!({
                    "id": id,
                    "title": row.get::<_, Option<String>>(0)?,
                    "directory": row.get::<_, Option<String>>(1)?,
                    "time": {"created": row.get::<_, Option<i64>>(2)?},
                }))
            },
        )
        .optional()?;
    let Some(info) = info else { return Ok(None) };
    let mut messages: Vec<Value> = Vec::new();
    for (message, data) in rows(
        &connection,
        "SELECT id, data FROM message WHERE session_id = ?1 ORDER BY id",
        id,
    )? {
        let mut parts = rows(
            &connection,
            "SELECT id, data FROM part WHERE message_id = ?1 ORDER BY id",
            &message,
        )?;
        let parts: Vec<Value> = parts.drain(..).map(|(_, data)| data).collect();
        messages.push(json!({ "info": data, "parts": parts }));
    }
    Ok(Some(json!({ "info": info, "messages": messages })))
}

/// Rows of an id and a JSON object. What is no JSON counts as an empty object.
fn rows(connection: &Connection, sql: &str, id: &str) -> Result<Vec<(String, Value)>, StoreError> {
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([id], |row| {
        let data: String = row.get(1)?;
        let data = serde_json::from_str(&data).unwrap_or_else(|_| Value::Object(Map::new()));
        Ok((row.get(0)?, data))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
