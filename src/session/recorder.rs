//! Writes down what happens, in the order in which it is told.

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
    /// Held as long as the session lives; `None` for sessions that are gone with the process.
    lock: Option<SessionLock>,
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
            lock,
        }
    }

    /// Writes the session itself before the first thing that is said in it.
    pub(super) fn begin(&mut self) -> Result<(), StoreError> {
        let Some(FirstRecord { session, system }) = &self.beginning else {
            return Ok(());
        };
        self.store.create(session)?;
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
        self.begin()?;
        changes.reserve(message.parts.len() + 1);
        changes.push(MessageChange::Message(message.clone()));
        changes.extend(message.parts.iter().map(|part| MessageChange::Part {
            message: message.id.clone(),
            part: part.clone(),
        }));
        self.store.write(&self.session, &changes)
    }

    pub(super) fn part(&self, message: &MessageId, part: &Part) -> Result<(), StoreError> {
        self.store.write(
            &self.session,
            &[MessageChange::Part {
                message: message.clone(),
                part: part.clone(),
            }],
        )
    }

    /// Removes for good what was undone.
    pub(super) fn forget_undone(&self) -> Result<(), StoreError> {
        self.store.write(&self.session, &[MessageChange::ForgetUndone])
    }

    pub(super) fn request(&self, request: PaidRequest) -> Result<(), StoreError> {
        self.store
            .write(&self.session, &[MessageChange::Request(request)])
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
        self.begin()?;
        self.store.set_title(&self.session, title)
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

    /// Stores what the session works as, and ends what was allowed in it alone. Where the latter cannot be written it is
    /// ended when the session is opened again.
    pub(super) fn end(&mut self) {
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
