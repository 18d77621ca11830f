//! Writes down what happens, in the order in which it is told.

use crate::conversation::{Message, MessageId, ModelRef, Part, SessionId};
use crate::store::{Change, DraftKey, NewSession, PaidRequest, SessionLock, Store, StoreError};

/// One session's place in the store.
pub(super) struct Recorder {
    store: Store,
    session: SessionId,
    /// Until something is said, a session leaves no trace.
    beginning: Option<Beginning>,
    failed: bool,
    /// Held as long as the session lives; `None` for sessions that are gone with the process.
    lock: Option<SessionLock>,
}

/// What a new session is stored with.
pub(super) struct Beginning {
    pub(super) session: NewSession,
    pub(super) system: String,
}

impl Recorder {
    pub(super) fn new(
        store: Store,
        session: SessionId,
        beginning: Option<Beginning>,
        lock: Option<SessionLock>,
    ) -> Self {
        Self {
            store,
            session,
            beginning,
            failed: false,
            lock,
        }
    }

    /// Writes the session itself before the first thing that is said in it.
    pub(super) fn begin(&mut self) -> Result<(), StoreError> {
        let Some(Beginning { session, system }) = &self.beginning else {
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
        self.begin()?;
        let mut changes = Vec::with_capacity(message.parts.len() + 1);
        changes.push(Change::Message(message.clone()));
        changes.extend(message.parts.iter().map(|part| Change::Part {
            message: message.id.clone(),
            part: part.clone(),
        }));
        self.store.write(&self.session, &changes)
    }

    pub(super) fn part(&self, message: &MessageId, part: &Part) -> Result<(), StoreError> {
        self.store.write(
            &self.session,
            &[Change::Part {
                message: message.clone(),
                part: part.clone(),
            }],
        )
    }

    pub(super) fn request(&self, request: PaidRequest) -> Result<(), StoreError> {
        self.store.write(&self.session, &[Change::Request(request)])
    }

    /// Keeps what the session works as. One that was not begun yet begins so.
    pub(super) fn agent(&mut self, agent: &str, model: &ModelRef, system: &str) -> Result<(), StoreError> {
        if let Some(Beginning {
            session,
            system: first,
        }) = &mut self.beginning
        {
            agent.clone_into(&mut session.agent);
            session.model = Some(model.clone());
            system.clone_into(first);
            return Ok(());
        }
        self.store.set_agent_model(&self.session, agent, Some(model))?;
        self.store.set_system_prompt(&self.session, agent, system)
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

    /// Ends what was allowed in this session alone. Where that cannot be written it is ended when the session is opened
    /// again.
    pub(super) fn end(&self) {
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
