//! Sessions and messages for tests.

use super::{NewSession, Store};
use crate::conversation::{
    CallId, Message, MessageId, MessageState, Part, PartBody, Role, SessionId, TextPart, ToolPart,
};

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
