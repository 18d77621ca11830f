//! The history as a model may see it: void replies left out, each call with its one result.

use std::sync::Arc;

use crate::conversation::{CallResult, CallState, ErrorKind, Message, MessageState, PartBody, Role};

/// Returns the messages to send. What a crash or an abort left behind is repaired in the copy: a call without a result
/// gets one that says so, and replies with nothing to send are left out, as is a command of the person's that still runs.
pub fn sendable(messages: &[Arc<Message>]) -> Vec<Arc<Message>> {
    let mut sent: Vec<Arc<Message>> = Vec::with_capacity(messages.len());
    for message in messages {
        if message.state == MessageState::Void
            || message.state == MessageState::Streaming
            || !has_content(message)
        {
            continue;
        }
        if message.calls().all(|call| call.result.is_some()) {
            sent.push(Arc::clone(message));
        } else if message.role == Role::Assistant {
            sent.push(Arc::new(with_results(message)));
        }
    }
    sent
}

fn has_content(message: &Message) -> bool {
    message.role == Role::User
        || message.parts.iter().any(|part| match &part.body {
            PartBody::Text(text) => !text.text.is_empty(),
            PartBody::Reasoning(_) | PartBody::Notice(_) | PartBody::Unknown(_) => false,
            PartBody::Tool(_) | PartBody::File(_) => true,
        })
}

fn with_results(message: &Message) -> Message {
    let mut message = message.clone();
    for call in message.calls_mut().filter(|call| call.result.is_none()) {
        call.state = CallState::Interrupted;
        call.result = Some(CallResult::error(
            ErrorKind::Interrupted,
            "lathe was stopped before this call had a result; what it did is not known",
            None,
        ));
    }
    message
}
