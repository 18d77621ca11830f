//! A session that begins with what was said in another.
//!
//! The copy is a root of its own and knows nothing of where it came from: either may go on, or be deleted, without the
//! other. Messages get new ids, everything in them stays byte for byte, so that a provider finds what it has cached. The
//! ids of calls stay too, because the model was told of files by them: whoever removes such a file asks first whether
//! another session names its call ([`Store::is_call_elsewhere`]).

use rusqlite::{Connection, params};
use serde_json::Value;

use super::statement::{execute, exists};
use super::{NewSession, Store, StoreError, drafts, sessions, todos};
use crate::conversation::{CallId, MessageId, SessionId};
use crate::store::DraftKey;

/// The data that a fork takes along.
#[derive(Debug)]
pub struct Fork<'a> {
    pub new: &'a NewSession,
    pub source: &'a SessionId,
    /// In their order.
    pub messages: &'a [MessageId],
    /// Files that were read before this time count as read, in milliseconds since the Unix epoch.
    pub read_before: i64,
    pub todos: &'a [Value],
    pub draft: &'a str,
}

impl Store {
    /// Stores a fork as one commit.
    pub fn fork(&self, fork: &Fork<'_>) -> Result<(), StoreError> {
        self.transact(|connection| {
            sessions::insert(connection, fork.new)?;
            for message in fork.messages {
                copy_message(connection, message, &fork.new.id)?;
            }
            let ids = params![fork.new.id.as_str(), fork.source.as_str(), fork.read_before];
            connection.execute(
                "INSERT INTO prompts (session, agent, text) SELECT ?1, agent, text FROM prompts WHERE session = ?2",
                &ids[..2],
            )?;
            connection.execute(
                "INSERT INTO file_reads (session, path, hash, time, encoding)
                 SELECT ?1, path, hash, time, encoding FROM file_reads WHERE session = ?2 AND time < ?3",
                ids,
            )?;
            todos::replace(connection, &fork.new.id, fork.todos)?;
            drafts::put(connection, DraftKey::Session(&fork.new.id), fork.draft)
        })
    }

    /// Returns true if another session of the project has this call too. Copies keep their `seq`, so none is searched
    /// for.
    pub fn is_call_elsewhere(
        &self,
        session: &SessionId,
        seq: u64,
        call: &CallId,
    ) -> Result<bool, StoreError> {
        exists(
            &self.connection(),
            "SELECT 1 FROM sessions AS own JOIN sessions AS other ON other.project = own.project AND other.id <> own.id
                 JOIN parts ON parts.session = other.id AND parts.seq = ?2
             WHERE own.id = ?1 AND parts.kind = 'tool' AND json_extract(parts.body, '$.call') = ?3",
            params![session.as_str(), seq as i64, call.as_str()],
        )
    }
}

fn copy_message(connection: &Connection, message: &MessageId, to: &SessionId) -> Result<(), StoreError> {
    let copy = MessageId::new();
    let ids = [copy.as_str(), to.as_str(), message.as_str()];
    let copied = execute(
        connection,
        "INSERT INTO messages (id, session, position, role, state, agent, model, created, stop, usage)
         SELECT ?1, ?2, position, role, state, agent, model, created, stop, usage FROM messages WHERE id = ?3",
        ids,
    )?;
    if copied == 0 {
        return Err(StoreError::UnknownMessage(message.clone()));
    }
    execute(
        connection,
        "INSERT INTO parts (message, session, seq, kind, unfinished, body)
             SELECT ?1, ?2, seq, kind, unfinished, body FROM parts WHERE message = ?3 ORDER BY seq",
        ids,
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::fixture::{new_session, reply, store_with, text, tool};
    use super::super::{DraftKey, MessageChange};
    use super::*;
    use crate::conversation::{CallState, Message, MessageState};

    fn say(store: &Store, session: &SessionId, seq: u64) -> (Message, CallId) {
        let message = reply(MessageState::Complete);
        let call = tool(seq + 1, CallState::Done);
        let crate::conversation::PartBody::Tool(part) = &call.body else {
            unreachable!()
        };
        let id = part.call.clone();
        let parts = [text(seq, "words"), call].map(|part| MessageChange::Part {
            message: message.id.clone(),
            part,
        });
        let head = [MessageChange::Message(message.clone())];
        store.write(session, &[&head[..], &parts].concat()).unwrap();
        (message, id)
    }

    #[test]
    fn a_fork_has_what_was_said_and_lives_without_its_source() {
        let (store, source) = store_with("/p");
        let (first, call) = say(&store, &source, 1);
        let (second, left_out) = say(&store, &source, 3);
        store.set_system_prompt(&source, "build", "be good").unwrap();
        store
            .record_read(&source, Path::new("/p/a"), "hash", Some("GBK"))
            .unwrap();
        let new = new_session("/p");
        let fork = Fork {
            new: &new,
            source: &source,
            messages: std::slice::from_ref(&first.id),
            read_before: i64::MAX,
            todos: &[Value::from("todo")],
            draft: "again",
        };
        store.fork(&fork).unwrap();
        let whole = store.load(&source).unwrap();
        let copied = store.load(&new.id).unwrap();
        assert_eq!(copied.len(), 1);
        assert_eq!(copied[0].parts, whole[0].parts);
        assert!(![&first.id, &second.id].contains(&&copied[0].id));
        let key = DraftKey::Session(&new.id);
        assert_eq!(store.draft(key).unwrap().as_deref(), Some("again"));
        assert_eq!(store.todos(&new.id).unwrap(), [Value::from("todo")]);
        let prompt = store.system_prompt(&new.id, "build").unwrap();
        assert_eq!(prompt.as_deref(), Some("be good"));
        let reads = |session| store.file_read(session, Path::new("/p/a")).unwrap();
        assert_eq!(reads(&new.id), reads(&source));
        assert!(store.is_call_elsewhere(&source, 2, &call).unwrap());
        assert!(!store.is_call_elsewhere(&source, 4, &left_out).unwrap());
        assert_eq!(store.next_seq(&new.id).unwrap(), 3);
        assert!(store.delete(&source).unwrap());
        assert_eq!(store.load(&new.id).unwrap(), copied);
        assert!(!store.is_call_elsewhere(&new.id, 2, &call).unwrap());
    }

    #[test]
    fn nothing_is_left_of_a_fork_that_fails() {
        let (store, source) = store_with("/p");
        let new = new_session("/p");
        let failed = store.fork(&Fork {
            new: &new,
            source: &source,
            messages: &[MessageId::new()],
            read_before: 0,
            todos: &[],
            draft: "",
        });
        assert!(matches!(failed, Err(StoreError::UnknownMessage(_))));
        assert_eq!(store.get(&new.id).unwrap(), None);
    }
}
