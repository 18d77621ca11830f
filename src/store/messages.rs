//! Messages and their parts, in order, and what becomes of calls that a dead process left unfinished.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::thread;

use rusqlite::{Connection, Row, params};

use super::statement::{execute, exists, only_row, rows};
use super::stored_part::StoredPart;
use super::{NewSession, PaidRequest, Store, StoreError, column, drafts, journal, requests, sessions, tasks};
use crate::conversation::{
    CallId, CallResult, CallState, ErrorKind, Message, MessageId, MessageState, Part, PartBody, SessionId,
    ToolPart,
};

/// Parts whose bodies are held as text at once, so that a long session is not in memory twice.
const BATCH: usize = 2048;
/// A thread is worth its start for so many parts.
const FEWEST_PARTS: usize = 512;

/// One thing of a boundary. What is written together is there together after a crash.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant)] // A boundary has a few, which live for one call.
pub enum MessageChange {
    /// Adds the message, or replaces all of it but its place and its parts. `Message::parts` is not looked at.
    Message(Message),
    /// Adds the part, or replaces the one of the same `seq`.
    Part { message: MessageId, part: Part },
    /// Adds one model request, to the session's sums as well.
    Request(PaidRequest),
    /// The end of the task that runs in this session was told to the one that started it.
    TaskTold(SessionId),
    /// A turn begins: what was undone is gone for good.
    ForgetUndone,
    /// The model was told this of what the person did.
    ReminderTold(String),
}

/// Counts of what was found unfinished.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InterruptedCounts {
    pub calls: usize,
    /// Replies that were still coming in.
    pub messages: usize,
}

impl Store {
    /// Writes all of `changes`, in their order, in one commit, and makes the session the newest.
    pub fn write(&self, session: &SessionId, changes: &[MessageChange]) -> Result<(), StoreError> {
        self.transact(|connection| {
            sessions::touch(connection, session)?;
            changes.iter().try_for_each(|change| match change {
                MessageChange::Message(message) => put_message(connection, session, message),
                MessageChange::Part { message, part } => put_part(connection, message, part),
                MessageChange::Request(request) => {
                    sessions::add_cost(connection, session, &request.usage, request.cost)?;
                    requests::add(connection, session, request)
                }
                MessageChange::TaskTold(task) => tasks::set_told(connection, task),
                MessageChange::ForgetUndone => journal::forget_undone(connection, session),
                MessageChange::ReminderTold(told) => drafts::reminder_told(connection, session, told),
            })
        })
    }

    /// Stores a new session with its messages in one commit: `write` is lent what takes them one after the other, and
    /// returns the title. If it fails, there is no such session.
    pub fn create_with_messages<T, E: From<StoreError>>(
        &self,
        session: &NewSession,
        write: impl FnOnce(&mut dyn FnMut(&Message) -> Result<(), StoreError>) -> Result<(String, T), E>,
    ) -> Result<T, E> {
        self.transact(|connection| {
            sessions::insert(connection, session)?;
            let (title, done) = write(&mut |message| {
                put_message(connection, &session.id, message)?;
                let mut parts = message.parts.iter();
                parts.try_for_each(|part| put_part(connection, &message.id, part))
            })?;
            sessions::retitle(connection, &session.id, &title)?;
            Ok(done)
        })
    }

    /// Returns all messages with their parts, in order, but for those that were undone.
    pub fn load(&self, session: &SessionId) -> Result<Vec<Message>, StoreError> {
        self.load_undone(session, None)
    }

    /// Returns the messages that an undo took out of the conversation, in order.
    pub fn undone_messages(&self, session: &SessionId, undo: i64) -> Result<Vec<Message>, StoreError> {
        self.load_undone(session, Some(undo))
    }

    fn load_undone(&self, session: &SessionId, undo: Option<i64>) -> Result<Vec<Message>, StoreError> {
        let mut connection = self.connection();
        // Both statements see one state, whatever other processes write.
        let connection = connection.transaction()?;
        let mut statement = connection.prepare_cached(
            "SELECT id, role, state, agent, model, created, stop, usage FROM messages
             WHERE session = ?1 AND undo IS ?2 ORDER BY position",
        )?;
        let rows = statement.query_map(params![session.as_str(), undo], message)?;
        let mut messages = rows.collect::<Result<Vec<_>, _>>()?;
        let places: HashMap<String, usize> = messages
            .iter()
            .enumerate()
            .map(|(place, message)| (message.id.to_string(), place))
            .collect();
        let mut statement = connection
            .prepare_cached("SELECT message, seq, kind, body FROM parts WHERE session = ?1 ORDER BY seq")?;
        let mut rows = statement.query([session.as_str()])?;
        let mut stored = Vec::with_capacity(BATCH);
        while let Some(row) = rows.next()? {
            if let Some(&place) = places.get(row.get_ref(0)?.as_str().unwrap_or_default()) {
                stored.push(StoredPart::of(place, row)?);
            }
            if stored.len() == BATCH {
                hand_out(&mut stored, &mut messages)?;
            }
        }
        hand_out(&mut stored, &mut messages)?;
        Ok(messages)
    }

    /// Returns the `seq` for the session's next part. The first is 1. It is none of a part that was undone and forgotten while
    /// the journal still refers to it: a change of then would count as one of the next message.
    pub fn next_seq(&self, session: &SessionId) -> Result<u64, StoreError> {
        let sql = "SELECT 1 + max(
                       (SELECT coalesce(max(seq), 0) FROM parts WHERE session = ?1),
                       (SELECT coalesce(max(seq), 0) FROM journal_changes WHERE tree = ?1))";
        only_row(&self.connection(), sql, [session.as_str()], |row| {
            column::count(row, 0)
        })
    }

    /// Returns the calls of all sessions whose outputs are masked.
    pub fn masked_calls(&self) -> Result<HashSet<CallId>, StoreError> {
        let calls = rows(
            &self.connection(),
            "SELECT call.value FROM parts, json_each(parts.body, '$.calls') AS call WHERE parts.kind = 'context'",
            [],
            |row| column::parsed(row, 0),
        )?;
        Ok(calls.into_iter().collect())
    }

    /// Gives every unfinished call of the session and its children the result that says so, and marks their streaming
    /// replies as cut. Only the holder of the tree's lock may call this: then whoever ran them is gone.
    pub fn mark_interrupted(&self, session: &SessionId) -> Result<InterruptedCounts, StoreError> {
        self.transact(|connection| {
            let cut = "UPDATE messages SET state = 'cut' WHERE session = ?1 AND state = 'streaming'";
            let mut found = InterruptedCounts::default();
            for id in &sessions::tree_ids(connection, session)? {
                found.calls += interrupt_calls(connection, id)?;
                found.messages += execute(connection, cut, [id])?;
            }
            Ok(found)
        })
    }
}

pub(super) fn put_message(
    connection: &Connection,
    session: &SessionId,
    message: &Message,
) -> Result<(), StoreError> {
    let changed = execute(
        connection,
        "INSERT INTO messages (id, session, position, role, state, agent, model, created, stop, usage)
         VALUES (?1, ?2, (SELECT coalesce(max(position), 0) + 1 FROM messages WHERE session = ?2),
                 ?3, ?4, ?5, ?6, ?7, ?8, ?9)
         ON CONFLICT (id) DO UPDATE SET role = excluded.role, state = excluded.state, agent = excluded.agent,
             model = excluded.model, created = excluded.created, stop = excluded.stop, usage = excluded.usage
         WHERE session = excluded.session",
        params![
            message.id.as_str(),
            session.as_str(),
            column::name(&message.role)?,
            column::name(&message.state)?,
            message.agent,
            message.model.as_ref().map(ToString::to_string),
            message.created,
            message.stop.as_ref().map(column::name).transpose()?,
            message.usage.as_ref().map(column::to_json).transpose()?,
        ],
    )?;
    if changed == 0 {
        Err(StoreError::UnknownMessage(message.id.clone()))
    } else {
        Ok(())
    }
}

pub(super) fn put_part(connection: &Connection, message: &MessageId, part: &Part) -> Result<(), StoreError> {
    let changed = execute(
        connection,
        "INSERT INTO parts (message, session, seq, kind, unfinished, body)
             SELECT id, session, ?2, ?3, ?4, ?5 FROM messages WHERE id = ?1
             ON CONFLICT (session, seq) DO UPDATE SET kind = excluded.kind, unfinished = excluded.unfinished,
                 body = excluded.body
             WHERE message = excluded.message",
        params![
            message.as_str(),
            part.seq as i64,
            kind(&part.body),
            is_unfinished(&part.body),
            column::to_json(&part.body)?,
        ],
    )?;
    if changed == 1 {
        return Ok(());
    }
    let is_known = exists(
        connection,
        "SELECT 1 FROM messages WHERE id = ?1",
        [message.as_str()],
    )?;
    Err(if is_known {
        StoreError::SeqTaken {
            message: message.clone(),
            seq: part.seq,
        }
    } else {
        StoreError::UnknownMessage(message.clone())
    })
}

fn kind(body: &PartBody) -> &str {
    match body {
        PartBody::Text(_) => "text",
        PartBody::Reasoning(_) => "reasoning",
        PartBody::Tool(_) => "tool",
        PartBody::File(_) => "file",
        PartBody::Notice(_) => "notice",
        PartBody::Context(_) => "context",
        PartBody::Unknown(body) => body
            .get("type")
            .and_then(|kind| kind.as_str())
            .unwrap_or("unknown"),
    }
}

fn is_unfinished(body: &PartBody) -> bool {
    matches!(body, PartBody::Tool(tool) if !tool.state.is_final())
}

fn interrupt_calls(connection: &Connection, session: &str) -> Result<usize, StoreError> {
    let sql = "SELECT id, body FROM parts WHERE session = ?1 AND unfinished ORDER BY seq";
    let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, column::json(row, 1)?));
    let unfinished: Vec<(i64, PartBody)> = rows(connection, sql, [session], read)?;
    let mut update = connection.prepare_cached("UPDATE parts SET body = ?2, unfinished = 0 WHERE id = ?1")?;
    let mut calls = 0;
    for (id, mut body) in unfinished {
        if let PartBody::Tool(tool) = &mut body {
            interrupt(tool);
            update.execute(params![id, column::to_json(&body)?])?;
            calls += 1;
        }
    }
    Ok(calls)
}

fn interrupt(tool: &mut ToolPart) {
    let (message, hint) = match tool.state {
        CallState::Pending => (
            "lathe ended before this call was started; nothing of it was done",
            "call it again",
        ),
        _ => (
            "lathe ended while this call was running; how much of it was done is not known",
            "look at the present state before calling it again",
        ),
    };
    let mut result = CallResult::error(ErrorKind::Interrupted, message, Some(hint));
    for (inner, number) in tool.inner.iter_mut().zip(1..) {
        let break_before = if number == 1 { "\n\n" } else { "\n" };
        let state = how_it_ended(inner.state);
        let line = format!("{break_before}[{number}] {} {state}", inner.tool);
        result.output.push_str(&line);
        if !inner.state.is_final() {
            interrupt(inner);
        }
    }
    tool.state = CallState::Interrupted;
    tool.result = Some(result.into());
}

fn how_it_ended(state: CallState) -> &'static str {
    match state {
        CallState::Done => "had ended: ok",
        CallState::Pending => "was not started",
        CallState::Running | CallState::Interrupted => "was interrupted; what it did is not known",
        CallState::Failed | CallState::Denied | CallState::Cancelled => "had ended: error",
    }
}

fn message(row: &Row<'_>) -> Result<Message, rusqlite::Error> {
    Ok(Message {
        id: column::parsed(row, 0)?,
        role: column::variant(row, 1)?,
        state: column::variant::<MessageState>(row, 2)?,
        agent: row.get(3)?,
        model: column::model(row, 4)?,
        created: row.get(5)?,
        parts: Vec::new(),
        stop: column::optional(row, 6, column::variant)?,
        usage: column::optional(row, 7, column::json)?,
    })
}

/// Gives the parts to their messages.
fn hand_out(stored: &mut Vec<StoredPart>, messages: &mut [Message]) -> Result<(), rusqlite::Error> {
    let mut read = read(stored)?.into_iter().flatten();
    for run in stored.chunk_by(|one, next| one.place == next.place) {
        let parts = &mut messages[run[0].place].parts;
        parts.reserve_exact(run.len());
        parts.extend(read.by_ref().take(run.len()));
    }
    stored.clear();
    Ok(())
}

/// Reads the bodies, in their order. Those of a long session are megabytes of JSON, so they are read on several threads.
fn read(stored: &[StoredPart]) -> Result<Vec<Vec<Part>>, rusqlite::Error> {
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let share = stored.len().div_ceil(threads).max(FEWEST_PARTS);
    let (first, rest) = stored.split_at(share.min(stored.len()));
    thread::scope(|scope| {
        let others: Vec<_> = rest
            .chunks(share)
            .map(|stored| scope.spawn(move || read_share(stored)))
            .collect();
        let mut parts = vec![read_share(first)?];
        for other in others {
            parts.push(other.join().unwrap_or_else(|panic| resume_unwind(panic))?);
        }
        Ok(parts)
    })
}

fn read_share(stored: &[StoredPart]) -> Result<Vec<Part>, rusqlite::Error> {
    stored.iter().map(StoredPart::read).collect()
}

#[cfg(test)]
mod tests;
