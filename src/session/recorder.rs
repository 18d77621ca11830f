//! Writes down what happens, in the order in which it is told.
//!
//! In a session on screen, changes that cannot be written (a full disk, a database that another process holds for long) are
//! kept in memory, in their order, and written later. Without a screen the caller gets the error.

use crate::conversation::{Message, MessageId, ModelRef, Part, SessionId};
use crate::store::{DraftKey, MessageChange, NewSession, PaidRequest, SessionLock, Store, StoreError};

/// One session's place in the store.
pub(super) struct Recorder {
    store: Store,
    session: SessionId,
    /// Until something is said, a session leaves no trace.
    beginning: Option<FirstRecord>,
    /// Agent and model as they are stored, or will be when the session begins.
    stored: (String, ModelRef),
    /// The agent and the model that the session has by now, where they are not stored yet.
    changed: Option<AgentChange>,
    failed: bool,
    /// What could not be written and is to be; `None` where nothing is kept.
    unsaved: Option<Unsaved>,
    /// Held as long as the session lives; `None` for sessions that are gone with the process.
    lock: Option<SessionLock>,
}

/// What could not be written, in its order.
#[derive(Default)]
struct Unsaved {
    changes: Vec<MessageChange>,
    title: Option<String>,
    /// All of it was written after all, and nobody was told yet.
    is_saved_again: bool,
}

impl Unsaved {
    fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.title.is_none()
    }

    fn add_all(&mut self, changes: Vec<MessageChange>) {
        for change in changes {
            self.add(change);
        }
    }

    /// Adds a change. One of the same message, or the same part, takes the place of the one before.
    fn add(&mut self, change: MessageChange) {
        let is_same = |other: &MessageChange| match (&change, other) {
            (MessageChange::Message(one), MessageChange::Message(other)) => one.id == other.id,
            (
                MessageChange::Part { message, part },
                MessageChange::Part {
                    message: other,
                    part: other_part,
                },
            ) => message == other && part.seq == other_part.seq,
            _ => false,
        };
        match self.changes.iter().rposition(is_same) {
            Some(place) => self.changes[place] = change,
            None => self.changes.push(change),
        }
    }
}

/// The data that a new session is stored with.
pub(super) struct FirstRecord {
    pub(super) session: NewSession,
    pub(super) system: String,
}

struct AgentChange {
    agent: String,
    model: ModelRef,
    system: String,
}

impl Recorder {
    pub(super) fn new(
        store: Store,
        session: SessionId,
        beginning: Option<FirstRecord>,
        works_as: (String, ModelRef),
        lock: Option<SessionLock>,
    ) -> Self {
        Self {
            store,
            session,
            beginning,
            stored: works_as,
            changed: None,
            failed: false,
            unsaved: None,
            lock,
        }
    }

    /// Keeps what cannot be written until it can be, where that is wanted.
    pub(super) fn keeping_unsaved(mut self, is_wanted: bool) -> Self {
        self.unsaved = is_wanted.then(Unsaved::default);
        self
    }

    /// Returns true if what cannot be written is kept.
    pub(super) fn keeps_unsaved(&self) -> bool {
        self.unsaved.is_some()
    }

    /// Returns true if something is in memory alone.
    pub(super) fn has_unsaved(&self) -> bool {
        self.unsaved.as_ref().is_some_and(|unsaved| !unsaved.is_empty())
    }

    /// Returns true once after everything that was kept in memory was written.
    pub(super) fn take_saved_again(&mut self) -> bool {
        let Some(unsaved) = &mut self.unsaved else {
            return false;
        };
        let is_saved = std::mem::take(&mut unsaved.is_saved_again);
        self.failed &= !is_saved;
        is_saved
    }

    /// Writes changes behind those that could not be written before.
    fn write(&mut self, changes: Vec<MessageChange>) -> Result<(), StoreError> {
        let Some(unsaved) = &mut self.unsaved else {
            return self.store.write(&self.session, &changes);
        };
        if unsaved.is_empty() && self.beginning.is_none() {
            let written = self.store.write(&self.session, &changes);
            if written.is_err() {
                unsaved.add_all(changes);
            }
            return written;
        }
        unsaved.add_all(changes);
        self.retry()
    }

    /// Writes what could not be written before. Once that has failed it does not wait for another process again.
    pub(super) fn retry(&mut self) -> Result<(), StoreError> {
        self.look_whether_free()?;
        self.write_unsaved()
    }

    fn look_whether_free(&self) -> Result<(), StoreError> {
        if self.failed && !self.store.is_free()? {
            return Err(StoreError::Locked);
        }
        Ok(())
    }

    fn write_unsaved(&mut self) -> Result<(), StoreError> {
        self.begin()?;
        let Some(unsaved) = &mut self.unsaved else {
            return Ok(());
        };
        if let Some(title) = &unsaved.title {
            self.store.set_title(&self.session, title)?;
        }
        self.store.write(&self.session, &unsaved.changes)?;
        *unsaved = Unsaved {
            is_saved_again: self.failed,
            ..Unsaved::default()
        };
        Ok(())
    }

    /// Writes the session itself before the first thing that is said in it.
    pub(super) fn begin(&mut self) -> Result<(), StoreError> {
        let Some(FirstRecord { session, system }) = &self.beginning else {
            return Ok(());
        };
        // It is there where an earlier attempt found no room for the rest.
        if self.store.get(&session.id)?.is_none() {
            self.store.create(session)?;
        }
        self.store
            .set_system_prompt(&session.id, &session.agent, system)?;
        self.store.set_draft(DraftKey::Project(&session.project), "")?;
        self.beginning = None;
        Ok(())
    }

    /// Writes a message with its parts as they now are, in one commit.
    pub(super) fn message(&mut self, message: &Message) -> Result<(), StoreError> {
        self.message_with(message, Vec::new())
    }

    /// The same with other changes.
    pub(super) fn message_with(
        &mut self,
        message: &Message,
        mut changes: Vec<MessageChange>,
    ) -> Result<(), StoreError> {
        if self.unsaved.is_none() {
            self.begin()?;
        }
        changes.reserve(message.parts.len() + 1);
        changes.push(MessageChange::Message(message.clone()));
        changes.extend(message.parts.iter().map(|part| MessageChange::Part {
            message: message.id.clone(),
            part: part.clone(),
        }));
        self.write(changes)
    }

    pub(super) fn part(&mut self, message: &MessageId, part: &Part) -> Result<(), StoreError> {
        self.write(vec![MessageChange::Part {
            message: message.clone(),
            part: part.clone(),
        }])
    }

    /// Removes for good what was undone.
    pub(super) fn forget_undone(&mut self) -> Result<(), StoreError> {
        self.write(vec![MessageChange::ForgetUndone])
    }

    pub(super) fn request(&mut self, request: PaidRequest) -> Result<(), StoreError> {
        self.write(vec![MessageChange::Request(request)])
    }

    /// Notes what the session works as. One that was not begun yet begins so; else [`Self::store_agent`] writes it, so that
    /// a change that is taken back before anything was asked is never written.
    pub(super) fn agent(&mut self, agent: &str, model: &ModelRef, system: &str) {
        if let Some(FirstRecord {
            session,
            system: first,
        }) = &mut self.beginning
        {
            agent.clone_into(&mut session.agent);
            session.model = Some(model.clone());
            system.clone_into(first);
            self.stored = (agent.to_owned(), model.clone());
            return;
        }
        let is_stored = self.stored.0 == agent && self.stored.1 == *model;
        self.changed = (!is_stored).then(|| AgentChange {
            agent: agent.to_owned(),
            model: model.clone(),
            system: system.to_owned(),
        });
    }

    /// Writes the agent and the model that the session has by now, with the agent's prompt.
    pub(super) fn store_agent(&mut self) -> Result<(), StoreError> {
        let Some(AgentChange { agent, model, system }) = self.changed.take() else {
            return Ok(());
        };
        self.store.set_agent_model(&self.session, &agent, Some(&model))?;
        self.store.set_system_prompt(&self.session, &agent, &system)?;
        self.stored = (agent, model);
        Ok(())
    }

    pub(super) fn title(&mut self, title: &str) -> Result<(), StoreError> {
        let written = self
            .look_whether_free()
            .and_then(|()| self.begin())
            .and_then(|()| self.store.set_title(&self.session, title));
        if written.is_err()
            && let Some(unsaved) = &mut self.unsaved
        {
            unsaved.title = Some(title.to_owned());
        }
        written
    }

    /// A draft that cannot be kept is not worth a word: it is still on the screen.
    pub(super) fn draft(&self, draft: &str) {
        let key = match &self.beginning {
            Some(beginning) => DraftKey::Project(&beginning.session.project),
            None => DraftKey::Session(&self.session),
        };
        if let Err(error) = self.store.set_draft(key, draft) {
            tracing::warn!(%error, "the draft was not kept");
        }
    }

    /// Keeps the messages that wait to join the conversation, for the next process if this one is killed.
    pub(super) fn unsent(&self, unsent: &str) {
        // Nothing is stored of a session that has not begun.
        if self.beginning.is_some() {
            return;
        }
        if let Err(error) = self.store.set_draft(DraftKey::Unsent(&self.session), unsent) {
            tracing::warn!(%error, "the waiting messages were not kept");
        }
    }

    /// Stores what the session works as, and ends what was allowed in it alone. Where the latter cannot be written it is
    /// ended when the session is opened again.
    pub(super) fn end(&mut self) {
        if self.has_unsaved()
            && let Err(error) = self.write_unsaved()
        {
            tracing::error!(%error, "a part of the session was never saved");
        }
        if let Err(error) = self.store_agent() {
            tracing::warn!(%error, "the agent of the session was not stored");
        }
        if self.lock.is_none() {
            return;
        }
        if let Err(error) = self.store.end_session_grants(&self.session) {
            tracing::warn!(%error, "the rules of the session were not ended");
        }
    }

    /// Notes that writing failed; says whether it is the first time.
    pub(super) fn fail(&mut self) -> bool {
        !std::mem::replace(&mut self.failed, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::Role;
    use crate::conversation::sample::message;

    #[test]
    fn a_reply_that_a_locked_database_did_not_take_is_saved_by_a_later_try() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let id = SessionId::new();
        let model: ModelRef = "local/test".parse().unwrap();
        let first = FirstRecord {
            session: NewSession {
                id: id.clone(),
                parent: None,
                project: "/p".into(),
                directory: "/p".into(),
                agent: "build".to_owned(),
                model: Some(model.clone()),
                title: String::new(),
            },
            system: String::new(),
        };
        let works_as = ("build".to_owned(), model);
        let mut recorder =
            Recorder::new(store.clone(), id.clone(), Some(first), works_as, None).keeping_unsaved(true);
        // The first failure waited; the later ones do not.
        recorder.fail();
        let other = rusqlite::Connection::open(dir.path().join("lathe.db")).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let said = message(Role::Assistant, "The answer.");
        assert!(matches!(recorder.message(&said), Err(StoreError::Locked)));
        assert!(matches!(recorder.retry(), Err(StoreError::Locked)));
        assert!(recorder.has_unsaved());
        other.execute_batch("ROLLBACK").unwrap();
        recorder.retry().unwrap();
        assert!(!recorder.has_unsaved() && recorder.take_saved_again());
        assert_eq!(store.load(&id).unwrap().len(), 1);
    }
}
