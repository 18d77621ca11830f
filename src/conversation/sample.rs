//! Messages for tests.

use std::sync::Arc;

use super::{Message, MessageId, MessageState, Part, PartBody, Role, TextPart};

/// Returns a whole message that says this and nothing else.
pub(crate) fn message(role: Role, text: &str) -> Arc<Message> {
    let body = PartBody::Text(TextPart {
        text: text.to_owned(),
        native: None,
    });
    Arc::new(Message {
        id: MessageId::new(),
        role,
        state: MessageState::Complete,
        agent: None,
        model: None,
        created: 0,
        parts: vec![Part { seq: 1, body }],
        stop: None,
        usage: None,
    })
}
