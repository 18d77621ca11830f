//! Tasks: one row each, beside the session that it runs in.

use rusqlite::{Connection, params};

use super::statement::{execute, rows};
use super::{NewSession, Store, StoreError, column, sessions};
use crate::conversation::{SessionId, TaskRow};

/// A task as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredTask {
    pub row: TaskRow,
    /// True if the session that started it knows how it ended, or is not to be told.
    pub is_told: bool,
}

impl Store {
    /// Stores a new task and its session.
    pub fn create_task(&self, session: &NewSession, task: &TaskRow) -> Result<(), StoreError> {
        self.transact(|connection| {
            sessions::insert(connection, session)?;
            put(connection, task, false)
        })
    }

    /// Stores a task as it is now.
    pub fn put_task(&self, task: &TaskRow, is_told: bool) -> Result<(), StoreError> {
        self.transact(|connection| put(connection, task, is_told))
    }

    /// Returns the tasks of the tree of a root session, in the order in which they were started. What each has spent and
    /// how many calls it made is counted anew, because a row is stored when its status changes, and not in between.
    pub fn tasks_of(&self, root: &SessionId) -> Result<Vec<StoredTask>, StoreError> {
        let sql = format!(
            "SELECT body, is_told, (SELECT count(*) FROM parts WHERE session = tasks.session AND kind = 'tool'),
                    input, output, reasoning, cache_read, cache_write, CASE WHEN unpriced = 0 THEN cost END
             FROM tasks JOIN sessions ON sessions.id = tasks.session WHERE session IN ({}) ORDER BY place",
            sessions::TREE_IDS
            );
        rows(&self.connection(), &sql, [root.as_str()], |row| {
            Ok(StoredTask {
                row: TaskRow {
                    calls: column::count(row, 2)?,
                    usage: column::usage(row, 3)?,
                    cost: row.get(8)?,
                    ..column::json(row, 0)?
                },
                is_told: row.get(1)?,
            })
        })
    }
}

fn put(connection: &Connection, task: &TaskRow, is_told: bool) -> Result<(), StoreError> {
    execute(
        connection,
        "INSERT INTO tasks (session, is_told, body) VALUES (?1, ?2, ?3)
             ON CONFLICT (session) DO UPDATE SET is_told = excluded.is_told, body = excluded.body",
        params![task.session.as_str(), is_told, column::to_json(task)?],
    )?;
    Ok(())
}

/// Notes that the end of a task was told.
pub(super) fn set_told(connection: &Connection, session: &SessionId) -> Result<(), StoreError> {
    let sql = "UPDATE tasks SET is_told = 1 WHERE session = ?1";
    execute(connection, sql, [session.as_str()]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::super::MessageChange;
    use super::super::fixture::{new_session, store_with};
    use super::*;
    use crate::conversation::{TaskActivity, TaskId, TaskStatus, Usage};

    fn task(parent: &SessionId) -> (NewSession, TaskRow) {
        let session = NewSession {
            parent: Some(parent.clone()),
            ..new_session("/p")
        };
        let row = TaskRow {
            task: TaskId::of(&session.id),
            session: session.id.clone(),
            parent: parent.clone(),
            started_by: "task".to_owned(),
            depth: 1,
            agent: "explore".to_owned(),
            category: None,
            description: "who calls it".to_owned(),
            model: "local/m".parse().unwrap(),
            is_background: true,
            status: TaskStatus::Queued,
            activity: TaskActivity::default(),
            since: 1,
            now: String::new(),
            calls: 0,
            usage: Usage::default(),
            cost: Some(0.0),
            created: 1,
            started: None,
            ended: None,
            error: None,
            failure: None,
            worktree: None,
        };
        (session, row)
    }

    #[test]
    fn the_tasks_of_a_tree_come_in_the_order_in_which_they_were_started() {
        let (store, root) = store_with("/p");
        let (first, mut first_row) = task(&root);
        store.create_task(&first, &first_row).unwrap();
        let (second, second_row) = task(&first.id);
        store.create_task(&second, &second_row).unwrap();
        first_row.status = TaskStatus::Completed;
        store.put_task(&first_row, false).unwrap();
        let stored = store.tasks_of(&root).unwrap();
        let rows: Vec<_> = stored.iter().map(|task| &task.row).collect();
        assert_eq!(rows, [&first_row, &second_row]);
        assert!(stored.iter().all(|task| !task.is_told));
        store
            .write(&root, &[MessageChange::TaskTold(first.id.clone())])
            .unwrap();
        assert!(store.tasks_of(&root).unwrap()[0].is_told);
        assert_eq!(store.tasks_of(&first.id).unwrap().len(), 2);
        assert!(store.delete(&root).unwrap());
        assert!(store.tasks_of(&first.id).unwrap().is_empty());
    }
}
