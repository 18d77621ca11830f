//! Reading one session out of the database of OpenCode, row by row. Nothing is written there.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, OptionalExtension};

use super::StoreError;

/// A row of a session. `data` is JSON.
#[derive(Debug)]
pub enum OpencodeRow {
    Session {
        title: Option<String>,
        directory: Option<String>,
    },
    Message(String),
    /// Of the message before it.
    Part(String),
}

/// Gives each row of a session to `take`: the session, each message, and behind it its parts. Rows with more than `most`
/// bytes are left out. Returns false where there is no such session.
pub fn read_opencode_session<E: From<StoreError>>(
    path: &Path,
    id: &str,
    most: u64,
    take: &mut dyn FnMut(OpencodeRow) -> Result<(), E>,
) -> Result<bool, E> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(StoreError::from)?;
    // What is no table but a view could go on for ever.
    let tables = "SELECT count(*) = 3 FROM sqlite_master WHERE type = 'table' AND name IN ('session', 'message', 'part')";
    let has_tables = connection.query_row(tables, [], |row| row.get::<_, bool>(0));
    if !has_tables.map_err(StoreError::from)? {
        return Ok(false);
    }
    let session = connection.query_row(
        "SELECT title, directory FROM session WHERE id = ?1",
        [id],
        |row| {
            Ok(OpencodeRow::Session {
                title: row.get(0)?,
                directory: row.get(1)?,
            })
        },
    );
    let Some(session) = session.optional().map_err(StoreError::from)? else {
        return Ok(false);
    };
    take(session)?;
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let messages = "SELECT id, data FROM message WHERE session_id = ?1 AND length(data) <= ?2 ORDER BY id";
    let parts = "SELECT id, data FROM part WHERE message_id = ?1 AND length(data) <= ?2 ORDER BY id";
    rows(&connection, messages, (id, most), &mut |message, data| {
        take(OpencodeRow::Message(data))?;
        rows(&connection, parts, (&message, most), &mut |_, data| {
            take(OpencodeRow::Part(data))
        })
    })?;
    Ok(true)
}

/// Gives rows of an id and a text to `take`, one after the other.
fn rows<E: From<StoreError>>(
    connection: &Connection,
    sql: &str,
    (id, most): (&str, i64),
    take: &mut dyn FnMut(String, String) -> Result<(), E>,
) -> Result<(), E> {
    let mut statement = connection.prepare_cached(sql).map_err(StoreError::from)?;
    let mut rows = statement.query((id, most)).map_err(StoreError::from)?;
    while let Some(row) = rows.next().map_err(StoreError::from)? {
        let (id, data) = row
            .get(0)
            .and_then(|id| Ok((id, row.get(1)?)))
            .map_err(StoreError::from)?;
        take(id, data)?;
    }
    Ok(())
}
