//! Sessions as they lie in the store, open or not: listed, searched, looked into, renamed and deleted.
//!
//! Everything here blocks. What changes a session takes its lock, so that one that is open somewhere is left alone.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::retention::{LastWritten, milliseconds, now};
use super::tags;
use super::trees::TaskTrees;
use crate::conversation::{CallId, Message, MessageId, ModelRef, PartBody, SessionId};
use crate::files;
use crate::journal::Journal;
use crate::session::import::{Import, ImportDirectory, ImportSource, ImportedSession};
use crate::session::title::first_line;
use crate::session::undo::{SessionUndo, UndoList, UndoOutcome, UndoRequest};
use crate::session::wire::{no_session, of_task};
use crate::session::{ErrorReport, ReportKind};
use crate::store::{
    FoundText, Hit, LockError, NewSession, Outputs, Relocation, SessionLock, SessionMarks, SessionRow, Store,
    StoreError, locks,
};
use crate::tool::records_dir;

/// Messages that a search looks at, at most, for the sessions that they are in: the newest that hold the text.
const HITS: usize = 30_000;
/// Texts that a look at a session shows.
const LAST: usize = 8;
/// A session that was just closed here may still be writing.
const CLOSING: Duration = Duration::from_secs(2);
const AGAIN: Duration = Duration::from_millis(10);

/// The store with what lies beside it.
#[derive(Debug, Clone)]
pub struct StoredSessions {
    pub(super) store: Store,
    data: PathBuf,
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListedSession {
    pub row: SessionRow,
    /// Since it was last written to.
    pub idle: Duration,
    /// The process that has it open, where that is another one.
    pub held: Option<String>,
    /// Until it is removed for its age, where that is soon.
    pub removed_in: Option<Duration>,
}

impl ListedSession {
    pub(crate) fn title(&self) -> &str {
        match self.row.title.as_str() {
            "" => "untitled",
            title => title,
        }
    }
}

/// Returns the places of a project's own sessions in a list, and then those of the others if they are wanted.
pub(crate) fn in_order(listed: &[ListedSession], project: &Path, with_others: bool) -> Vec<usize> {
    let is_own = |place: &usize| listed[*place].row.project == project;
    let (mut own, others): (Vec<usize>, Vec<usize>) = (0..listed.len()).partition(is_own);
    if with_others {
        own.extend(others);
    }
    own
}

impl StoredSessions {
    /// Opens them, and brings to an end what a crash left half done in those that are open nowhere: whoever reads one finds
    /// files and conversation together.
    pub fn open(data: &Path) -> Result<Self, StoreError> {
        let stored = Self {
            store: Store::open(data)?,
            data: data.to_owned(),
        };
        for tree in stored.store.unsettled_trees()? {
            if let Ok(_lock) = SessionLock::take(data, &tree) {
                stored.settle(&tree)?;
            }
        }
        Ok(stored)
    }

    /// Puts interrupted changes of files right, and then what the journal knows of them. The caller has the tree's lock.
    fn settle(&self, root: &SessionId) -> Result<Journal, StoreError> {
        for problem in files::recover(&records_dir(&self.data)).problems {
            // The file that it is about is refused by name if it is not as it has to be.
            tracing::warn!(problem, "a change was interrupted and is not put right");
        }
        let journal = Journal::new(&self.data, self.store.clone(), root.clone());
        journal.settle()?;
        Ok(journal)
    }

    /// Returns all that are no children of others: those that are pinned, then the newest. `kept_for` is how long sessions
    /// are kept; `None` is for ever.
    pub fn list(&self, kept_for: Option<Duration>) -> Result<Vec<ListedSession>, ErrorReport> {
        let now = now();
        let held = locks::held_locks(&self.data);
        let rows = self.store.list(None)?;
        let written = kept_for.map(|kept_for| (LastWritten::of(&rows), kept_for));
        let roots = rows.into_iter().filter(|row| row.parent.is_none());
        let listed = roots.map(|row| ListedSession {
            idle: milliseconds(now - row.updated),
            removed_in: written
                .as_ref()
                .and_then(|(last, kept_for)| last.removed_in(&row, *kept_for, now)),
            held: holder(&held, &row.id),
            row,
        });
        let (mut listed, others): (Vec<_>, Vec<_>) = listed.partition(|listed| listed.row.marks.pinned);
        listed.extend(others);
        Ok(listed)
    }

    /// Returns the sessions in which this was said, those where it was said last first, each with one line of it. What
    /// children said counts for the session they belong to.
    pub fn search(&self, text: &str) -> Result<Vec<(SessionId, String)>, ErrorReport> {
        let mut found: Vec<(SessionId, String)> = Vec::new();
        for (session, excerpt) in self.store.sessions_saying(text, HITS)? {
            let root = self.store.root(&session)?;
            if found.iter().all(|(known, _)| *known != root) {
                found.push((root, excerpt));
            }
        }
        Ok(found)
    }

    /// Returns the texts of a session around the newest that holds `searched`, in it or in its children; its last ones where
    /// none does.
    pub fn look(&self, session: &SessionId, searched: &str) -> Result<Vec<FoundText>, ErrorReport> {
        let mut trees = vec![session.clone()];
        trees.extend(self.store.tree_rows(session)?.into_iter().map(|row| row.id));
        for session in &trees {
            let around = self.store.words_around(session, searched, LAST)?;
            if !around.is_empty() {
                return Ok(around);
            }
        }
        Ok(self.store.last_words(session, LAST)?)
    }

    /// Returns every session, children too, the newest first.
    pub fn rows(&self) -> Result<Vec<SessionRow>, ErrorReport> {
        Ok(self.store.list(None)?)
    }

    pub fn messages(&self, session: &SessionId) -> Result<Vec<Message>, ErrorReport> {
        Ok(self.store.load(session)?)
    }

    /// Returns the messages that hold this text, the newest first, at most `limit`.
    pub fn hits(&self, text: &str, limit: usize) -> Result<Vec<Hit>, ErrorReport> {
        Ok(self.store.search(text, limit)?)
    }

    pub fn get(&self, session: &SessionId) -> Result<Option<SessionRow>, ErrorReport> {
        Ok(self.store.get(session)?)
    }

    /// Names a session that is open nowhere, and returns the name as it is stored.
    pub fn rename(&self, session: &SessionId, title: &str) -> Result<String, ErrorReport> {
        let _lock = self.lock(session, "renamed")?;
        let title = first_line(title);
        self.store.set_title(session, &title)?;
        Ok(title)
    }

    /// Removes a session that is open nowhere, with its children and the stored outputs of its calls.
    pub fn delete(&self, session: &SessionId) -> Result<(), ErrorReport> {
        let _lock = self.lock(session, "deleted")?;
        self.remove(session)
    }

    /// Sets whether a session is pinned. It may be open meanwhile.
    /// Returns the other process that has a session.
    pub fn holder(&self, session: &SessionId) -> Option<String> {
        holder(&locks::held_locks(&self.data), session)
    }

    pub fn pin(&self, session: &SessionId, is_pinned: bool) -> Result<SessionMarks, ErrorReport> {
        self.store.set_pinned(session, is_pinned)?;
        self.marks(session)
    }

    /// Gives a session the tags that stand in a text, in place of those that it has.
    pub fn tag(&self, session: &SessionId, text: &str) -> Result<SessionMarks, ErrorReport> {
        self.store.set_tags(session, &tags::read(text)?)?;
        self.marks(session)
    }

    fn marks(&self, session: &SessionId) -> Result<SessionMarks, ErrorReport> {
        let row = self.store.get(session)?;
        Ok(row.map(|row| row.marks).unwrap_or_default())
    }

    /// Removes a session whose lock the caller has.
    pub(super) fn remove(&self, session: &SessionId) -> Result<(), ErrorReport> {
        let calls = self.own_calls(session)?;
        self.store.delete(session)?;
        let outputs = Outputs::new(&self.data);
        for call in &calls {
            outputs.remove(call);
        }
        Ok(())
    }

    /// The calls of a session and its children that no fork has too.
    fn own_calls(&self, session: &SessionId) -> Result<Vec<CallId>, StoreError> {
        let mut calls = Vec::new();
        for message in self.store.load(session)? {
            for part in message.parts {
                if let PartBody::Tool(tool) = part.body
                    && !self.store.is_call_elsewhere(session, part.seq, &tool.call)?
                {
                    calls.extend(tool.inner.into_iter().map(|inner| inner.call));
                    calls.push(tool.call);
                }
            }
        }
        for child in self.store.children(session)? {
            calls.extend(self.own_calls(&child.id)?);
        }
        Ok(calls)
    }

    /// Stores a session that another program, or lathe, wrote to a file, as a new one. It belongs to `place`, whatever
    /// the file says, and has the defaults of a new session there. Only a model that `is_usable` is taken from lathe's own
    /// export.
    pub fn import(
        &self,
        given: &str,
        from: Option<ImportSource>,
        place: &ImportDirectory,
        is_usable: impl FnOnce(&ModelRef) -> bool,
    ) -> Result<ImportedSession, ErrorReport> {
        let import = Import::open(given, from)?;
        let new = NewSession {
            id: SessionId::new(),
            parent: None,
            project: place.project().to_owned(),
            directory: place.directory().to_owned(),
            agent: "build".to_owned(),
            model: None,
            title: String::new(),
        };
        let (title, conversation) = self.store.create_with_messages(&new, |write| {
            let conversation = import.read(&mut |message| Ok::<_, ErrorReport>(write(&message)?))?;
            let title = first_line(conversation.title());
            Ok::<_, ErrorReport>((title.clone(), (title, conversation)))
        })?;
        let mut notes = conversation.notes();
        if let Some(model) = conversation.model() {
            if is_usable(model) {
                self.store.set_agent_model(&new.id, &new.agent, Some(model))?;
            } else {
                let model = first_line(&model.to_string());
                notes.push(format!(
                    "its model `{model}` cannot be used here, so it has the model of a new session"
                ));
            }
        }
        let here = place.directory().display().to_string();
        if let Some(there) = conversation.took_place().filter(|there| **there != here) {
            let there = first_line(there);
            notes.push(format!(
                "it took place in `{there}`, and belongs to `{here}` now; `--directory` names another directory"
            ));
        }
        Ok(ImportedSession {
            session: new.id,
            title,
            messages: conversation.len(),
            notes,
        })
    }

    /// Has a session that is open nowhere go on in another directory, with the files that it knows there.
    pub fn relocate(&self, session: &SessionId, place: &ImportDirectory) -> Result<SessionRow, ErrorReport> {
        let row = self.store.get(session)?.ok_or_else(|| no_session(session))?;
        let root = self.store.root(session)?;
        if root != *session {
            return Err(of_task(session, &root));
        }
        let _lock = self.lock(session, "moved")?;
        let relocation = Relocation {
            old_project: row.project,
            old_directory: row.directory,
            new_project: place.project().to_owned(),
            new_directory: place.directory().to_owned(),
        };
        self.store.relocate(session, &relocation)?;
        if relocation.old_project.symlink_metadata().is_err() {
            let (old, new) = (&relocation.old_project, &relocation.new_project);
            let sessions = self.store.tree_rows(session)?;
            TaskTrees::new(&self.data).follow(old, new, &sessions)?;
        }
        self.store.get(session)?.ok_or_else(|| no_session(session))
    }

    /// Says what undoing a session would do, from a message on; see [`UndoRequest`].
    pub fn undo_list(&self, session: &SessionId, to: Option<&MessageId>) -> Result<UndoList, ErrorReport> {
        let (work, _lock) = self.undo_work(session)?;
        work.list(to)
    }

    /// Undoes in a session that is open nowhere.
    pub fn undo(&self, session: &SessionId, request: &UndoRequest) -> Result<UndoOutcome, ErrorReport> {
        let (work, _lock) = self.undo_work(session)?;
        Ok(work.undo(request)?.outcome)
    }

    /// Says what taking the last undo back would do.
    pub fn redo_list(&self, session: &SessionId) -> Result<UndoList, ErrorReport> {
        let (work, _lock) = self.undo_work(session)?;
        work.redo_list()
    }

    /// Takes the last undo back, in a session that is open nowhere.
    pub fn redo(&self, session: &SessionId) -> Result<UndoOutcome, ErrorReport> {
        let (work, _lock) = self.undo_work(session)?;
        Ok(work.redo(false)?.outcome)
    }

    /// Takes the lock of a session and settles what a crash left in it.
    fn undo_work(&self, session: &SessionId) -> Result<(SessionUndo, SessionLock), ErrorReport> {
        let row = self.store.get(session)?.ok_or_else(|| no_session(session))?;
        let root = self.store.root(session)?;
        if root != *session {
            return Err(of_task(session, &root));
        }
        let lock = self.lock(session, "changed")?;
        let journal = self.settle(&root)?;
        self.store.mark_interrupted(session)?;
        let work = SessionUndo {
            store: self.store.clone(),
            journal,
            session: session.clone(),
            records: records_dir(&self.data),
            project: row.project,
            directory: row.directory,
        };
        Ok((work, lock))
    }

    pub(super) fn lock(&self, session: &SessionId, what: &str) -> Result<SessionLock, ErrorReport> {
        let root = self.store.root(session)?;
        let deadline = Instant::now() + CLOSING;
        loop {
            let held = match SessionLock::take(&self.data, &root) {
                Ok(lock) => return Ok(lock),
                Err(LockError::Store(error)) => return Err(error.into()),
                Err(LockError::Held { pid, .. }) => pid,
            };
            let is_own = held == Some(std::process::id());
            if !is_own || Instant::now() > deadline {
                let place = match held {
                    _ if is_own => "here".to_owned(),
                    Some(pid) => format!("in process {pid}"),
                    None => "in another process".to_owned(),
                };
                let message = format!("the session is open {place} and was not {what}; close it there first");
                return Err(ErrorReport::new(ReportKind::Storage, message));
            }
            thread::sleep(AGAIN);
        }
    }
}

/// Names the other process that has a session, of the locks that are held.
fn holder(held: &HashMap<SessionId, Option<u32>>, session: &SessionId) -> Option<String> {
    match held.get(session)? {
        Some(pid) if *pid == std::process::id() => None,
        Some(pid) => Some(format!("process {pid}")),
        None => Some("another process".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::MessageChange;

    fn new_session(parent: Option<SessionId>) -> NewSession {
        NewSession {
            id: SessionId::new(),
            parent,
            project: "/p".into(),
            directory: "/p".into(),
            agent: "build".into(),
            model: None,
            title: "one".into(),
        }
    }

    #[test]
    fn a_session_is_renamed_and_deleted_unless_it_is_open_elsewhere() {
        let dir = tempfile::tempdir().unwrap();
        let stored = StoredSessions::open(dir.path()).unwrap();
        let root = new_session(None);
        let child = new_session(Some(root.id.clone()));
        stored.store.create(&root).unwrap();
        stored.store.create(&child).unwrap();
        let listed = stored.list(None).unwrap();
        assert_eq!((listed.len(), &listed[0].row.id), (1, &root.id));
        assert_eq!(stored.rename(&root.id, " two\nlines").unwrap(), "two");
        assert_eq!(stored.list(None).unwrap()[0].row.title, "two");
        // As another process would: its number stands in the lock's file.
        let lock = SessionLock::take(dir.path(), &root.id).unwrap();
        let path = dir.path().join(format!("locks/{}.lock", root.id));
        std::fs::write(&path, "1 0\n").unwrap();
        let refused = stored.delete(&root.id).unwrap_err();
        assert_eq!(
            refused.message,
            "the session is open in process 1 and was not deleted; close it there first"
        );
        assert_eq!(stored.list(None).unwrap()[0].held.as_deref(), Some("process 1"));
        drop(lock);
        stored.delete(&root.id).unwrap();
        assert!(stored.list(None).unwrap().is_empty());
    }

    #[test]
    fn the_outputs_of_a_deleted_session_go_with_it() {
        use crate::conversation::{CallState, Message, MessageId, MessageState, Part, Role, ToolPart};
        let dir = tempfile::tempdir().unwrap();
        let stored = StoredSessions::open(dir.path()).unwrap();
        let session = new_session(None);
        stored.store.create(&session).unwrap();
        let call = CallId::new();
        let message = Message {
            id: MessageId::new(),
            role: Role::Assistant,
            state: MessageState::Complete,
            agent: None,
            model: None,
            created: 1,
            parts: Vec::new(),
            stop: None,
            usage: None,
        };
        let body = PartBody::Tool(ToolPart {
            call: call.clone(),
            provider_id: None,
            tool: "bash".into(),
            raw_args: "{}".into(),
            args: None,
            state: CallState::Done,
            result: None,
            native: None,
            inner: Vec::new(),
        });
        let part = MessageChange::Part {
            message: message.id.clone(),
            part: Part { seq: 1, body },
        };
        stored
            .store
            .write(&session.id, &[MessageChange::Message(message), part])
            .unwrap();
        let outputs = Outputs::new(dir.path());
        let own = outputs.create(&call).unwrap().finish().unwrap();
        let other = outputs.create(&CallId::new()).unwrap().finish().unwrap();
        stored.delete(&session.id).unwrap();
        assert!(!own.exists() && other.exists());
    }
}
