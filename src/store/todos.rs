//! The todo list of a session. Its entries are the tool's own JSON.

use rusqlite::{Connection, params};
use serde_json::Value;

use super::statement::{execute, rows};
use super::{Store, StoreError, column};
use crate::conversation::SessionId;

impl Store {
    pub fn todos(&self, session: &SessionId) -> Result<Vec<Value>, StoreError> {
        read(&self.connection(), session)
    }

    /// Replaces the whole list.
    pub fn set_todos(&self, session: &SessionId, todos: &[Value]) -> Result<(), StoreError> {
        self.transact(|connection| replace(connection, session, todos))
    }

    /// Changes the list as it is now, whoever wrote it last, and returns what it became. `None` leaves it alone.
    pub fn change_todos(
        &self,
        session: &SessionId,
        change: impl FnOnce(&[Value]) -> Option<Vec<Value>>,
    ) -> Result<Option<Vec<Value>>, StoreError> {
        self.transact(|connection| {
            let changed = change(&read(connection, session)?);
            if let Some(todos) = &changed {
                replace(connection, session, todos)?;
            }
            Ok(changed)
        })
    }
}

fn read(connection: &Connection, session: &SessionId) -> Result<Vec<Value>, StoreError> {
    let sql = "SELECT body FROM todos WHERE session = ?1 ORDER BY position";
    rows(connection, sql, [session.as_str()], |row| column::json(row, 0))
}

pub(super) fn replace(
    connection: &Connection,
    session: &SessionId,
    todos: &[Value],
) -> Result<(), StoreError> {
    execute(
        connection,
        "DELETE FROM todos WHERE session = ?1",
        [session.as_str()],
    )?;
    let insert = "INSERT INTO todos (session, position, body) VALUES (?1, ?2, ?3)";
    for (position, todo) in todos.iter().enumerate() {
        let values = params![session.as_str(), position as i64, column::to_json(todo)?];
        execute(connection, insert, values)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fixture::store_with;

    #[test]
    fn the_list_is_replaced_as_a_whole() {
        let (store, session) = store_with("/p");
        assert!(store.todos(&session).unwrap().is_empty());
        let list = [
            json!({ "content": "b", "status": "pending" }),
            json!({ "content": "a" }),
        ];
        store.set_todos(&session, &list).unwrap();
        assert_eq!(store.todos(&session).unwrap(), list);
        store.set_todos(&session, &list[1..]).unwrap();
        assert_eq!(store.todos(&session).unwrap(), list[1..]);
    }

    #[test]
    fn a_change_sees_the_list_as_it_is_and_may_leave_it_alone() {
        let (store, session) = store_with("/p");
        store.set_todos(&session, &[json!({ "content": "a" })]).unwrap();
        let more = |list: &[serde_json::Value]| Some([list, list].concat());
        assert_eq!(store.change_todos(&session, more).unwrap().unwrap().len(), 2);
        assert_eq!(store.change_todos(&session, |_| None).unwrap(), None);
        assert_eq!(store.todos(&session).unwrap().len(), 2);
    }
}
