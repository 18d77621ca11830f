//! Anthropic Messages.
//!
//! Prompt cache marks stand at the end of the tools, at the end of the system prompt and on the last two messages of the
//! user's role; thinking blocks go back exactly as they came.

mod decode;
mod request;

use super::adapter::Adapter;

pub(crate) static ADAPTER: Adapter = Adapter {
    path: |_| "/messages".to_owned(),
    headers: |key| {
        let mut headers = vec![("anthropic-version", "2023-06-01".to_owned())];
        headers.extend(key.map(|key| ("x-api-key", key.to_owned())));
        headers
    },
    body: request::body,
    conversation_field: "messages",
    encode: |_, turn| request::encode(turn),
    write_conversation: |_, turns, list| request::write_conversation(turns, list),
    decoder: |model| Box::new(decode::Decoder::new(model)),
};
