//! Drafts: texts in the composer that were not sent yet, and what a model is to be told with the next message.

use std::path::Path;

use rusqlite::{Connection, params};

use super::statement::{execute, row};
use super::{Store, StoreError, now, path_text};
use crate::conversation::SessionId;

/// Owner of a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DraftKey<'a> {
    /// Of the project in which no session has begun yet.
    Project(&'a Path),
    Session(&'a SessionId),
    /// Of messages of a session that were sent and wait to join the conversation.
    Unsent(&'a SessionId),
    /// What the model of the session is told with the next message: a sentence a line.
    Reminder(&'a SessionId),
}

impl DraftKey<'_> {
    /// A project root is absolute, so it is never taken for an id, and no id has a space.
    fn column(self) -> String {
        match self {
            Self::Project(project) => path_text(project),
            Self::Session(session) => session.to_string(),
            Self::Unsent(session) => format!("{session} unsent"),
            Self::Reminder(session) => format!("{session} reminder"),
        }
    }
}

impl Store {
    pub fn draft(&self, key: DraftKey<'_>) -> Result<Option<String>, StoreError> {
        let sql = "SELECT text FROM drafts WHERE key = ?1";
        row(&self.connection(), sql, [key.column()], |row| row.get(0))
    }

    /// Keeps a draft; an empty one is forgotten.
    pub fn set_draft(&self, key: DraftKey<'_>, text: &str) -> Result<(), StoreError> {
        put(&self.connection(), key, text)
    }

    /// Adds a sentence that the model of a session is told with the next message.
    pub fn add_reminder(&self, session: &SessionId, sentence: &str) -> Result<(), StoreError> {
        execute(
            &self.connection(),
            "INSERT INTO drafts (key, text, updated) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET text = drafts.text || char(10) || excluded.text, updated = excluded.updated",
            params![DraftKey::Reminder(session).column(), sentence, now()],
        )?;
        Ok(())
    }
}

/// Forgets what was told; a sentence that was added since is told with the next message.
pub(super) fn reminder_told(
    connection: &Connection,
    session: &SessionId,
    told: &str,
) -> Result<(), StoreError> {
    let key = DraftKey::Reminder(session).column();
    let left = "UPDATE drafts SET text = substr(text, length(?2) + 2) WHERE key = ?1 AND text != ?2";
    execute(connection, left, params![key, told])?;
    let sql = "DELETE FROM drafts WHERE key = ?1 AND text = ?2";
    execute(connection, sql, params![key, told])?;
    Ok(())
}

pub(super) fn put(connection: &Connection, key: DraftKey<'_>, text: &str) -> Result<(), StoreError> {
    if text.is_empty() {
        execute(connection, "DELETE FROM drafts WHERE key = ?1", [key.column()])?;
        return Ok(());
    }
    execute(
        connection,
        "INSERT INTO drafts (key, text, updated) VALUES (?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET text = excluded.text, updated = excluded.updated",
        params![key.column(), text, now()],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::MessageChange;
    use super::super::fixture::store_with;
    use super::*;

    #[test]
    fn a_draft_is_kept_until_it_is_emptied() {
        let (store, session) = store_with("/p");
        let keys = [
            DraftKey::Project(Path::new("/p")),
            DraftKey::Session(&session),
            DraftKey::Unsent(&session),
        ];
        for key in keys {
            assert_eq!(store.draft(key).unwrap(), None);
            store.set_draft(key, "one").unwrap();
            store.set_draft(key, "two").unwrap();
            assert_eq!(store.draft(key).unwrap().as_deref(), Some("two"));
        }
        store.set_draft(keys[0], "").unwrap();
        assert_eq!(store.draft(keys[0]).unwrap(), None);
        store.delete(&session).unwrap();
        assert_eq!(store.draft(keys[1]).unwrap(), None);
        assert_eq!(store.draft(keys[2]).unwrap(), None);
    }

    #[test]
    fn what_is_added_while_a_reminder_is_told_is_told_next() {
        let (store, session) = store_with("/p");
        let reminder = || store.draft(DraftKey::Reminder(&session)).unwrap();
        let told = |text: &str| {
            let change = MessageChange::ReminderTold(text.to_owned());
            store.write(&session, &[change]).unwrap();
        };
        assert_eq!(reminder(), None);
        store.add_reminder(&session, "one").unwrap();
        store.add_reminder(&session, "two").unwrap();
        assert_eq!(reminder().unwrap(), "one\ntwo");
        told("one");
        assert_eq!(reminder().unwrap(), "two");
        told("two");
        assert_eq!(reminder(), None);
        store.add_reminder(&session, "three").unwrap();
        store.delete(&session).unwrap();
        assert_eq!(reminder(), None);
    }
}
