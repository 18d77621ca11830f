//! The todo list of a session. Its entries are the tool's own JSON.

use rusqlite::params;
use serde_json::Value;

use super::{Store, StoreError, column};
use crate::conversation::SessionId;

impl Store {
    pub fn todos(&self, session: &SessionId) -> Result<Vec<Value>, StoreError> {
        let connection = self.connection();
        let mut statement =
            connection.prepare_cached("SELECT body FROM todos WHERE session = ?1 ORDER BY position")?;
        let rows = statement.query_map([session.as_str()], |row| column::json(row, 0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Replaces the whole list.
    pub fn set_todos(&self, session: &SessionId, todos: &[Value]) -> Result<(), StoreError> {
        self.transact(|connection| {
            connection
                .prepare_cached("DELETE FROM todos WHERE session = ?1")?
                .execute([session.as_str()])?;
            let mut insert = connection
                .prepare_cached("INSERT INTO todos (session, position, body) VALUES (?1, ?2, ?3)")?;
            for (position, todo) in todos.iter().enumerate() {
                insert.execute(params![session.as_str(), position as i64, column::to_json(todo)?])?;
            }
            Ok(())
        })
    }
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
}
