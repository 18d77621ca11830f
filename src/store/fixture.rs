//! Sessions and messages for tests.

use super::messages::{put_message, put_part};
use super::sessions::{add_cost, touch};
use super::{NewSession, Store, StoreError};
use crate::conversation::{
    CallId, Message, MessageId, MessageState, Part, PartBody, Role, SessionId, TextPart, ToolPart, Usage,
};

impl Store {
    /// Adds a message, or replaces all of it but its place and its parts. Its parts are put by [`Store::put_part`].
    pub(crate) fn put_message(&self, session: &SessionId, message: &Message) -> Result<(), StoreError> {
        self.transact(|connection| {
            touch(connection, session)?;
            put_message(connection, session, message)
        })
    }

    /// Adds a part, or replaces the one of the same `seq`: the checkpoint of a part that streams.
    pub(crate) fn put_part(&self, message: &MessageId, part: &Part) -> Result<(), StoreError> {
        put_part(&self.connection(), message, part)
    }

    /// Adds one model request: its tokens and, where its price is known, what it cost in US dollars.
    pub(crate) fn add_cost(
        &self,
        session: &SessionId,
        usage: &Usage,
        cost: Option<f64>,
    ) -> Result<(), StoreError> {
        add_cost(&self.connection(), session, usage, cost)
    }

    /// Makes the session the newest.
    pub(crate) fn touch(&self, session: &SessionId) -> Result<(), StoreError> {
        touch(&self.connection(), session)
    }
}

pub(super) fn new_session(project: &str) -> NewSession {
    NewSession {
        id: SessionId::new(),
        parent: None,
        project: project.into(),
        directory: project.into(),
        agent: "build".into(),
        model: None,
        title: "New".into(),
    }
}

pub(super) fn store_with(project: &str) -> (Store, SessionId) {
    let store = Store::in_memory().unwrap();
    let session = new_session(project);
    store.create(&session).unwrap();
    (store, session.id)
}

pub(super) fn reply(state: MessageState) -> Message {
    Message {
        id: MessageId::new(),
        role: Role::Assistant,
        state,
        agent: None,
        model: None,
        created: 1,
        parts: Vec::new(),
        stop: None,
        usage: None,
    }
}

pub(super) fn text(seq: u64, text: &str) -> Part {
    Part {
        seq,
        body: PartBody::Text(TextPart {
            text: text.into(),
            native: None,
        }),
    }
}

pub(super) fn tool(seq: u64, state: crate::conversation::CallState) -> Part {
    let body = PartBody::Tool(ToolPart {
        call: CallId::new(),
        provider_id: None,
        tool: "bash".into(),
        raw_args: "{}".into(),
        args: None,
        state,
        result: None,
        native: None,
        inner: Vec::new(),
    });
    Part { seq, body }
}
