//! Gemini `streamGenerateContent`.
//!
//! Calls come whole and mostly without an id; a signature stands on the part that it signs and goes back with it.

mod decode;
mod request;

use super::adapter::Adapter;

pub(crate) static ADAPTER: Adapter = Adapter {
    path: |model| {
        let model = model.strip_prefix("models/").unwrap_or(model);
        format!("/models/{model}:streamGenerateContent?alt=sse")
    },
    headers: |key| {
        key.map(|key| ("x-goog-api-key", key.to_owned()))
            .into_iter()
            .collect()
    },
    body: |ask, _| request::body(ask),
    conversation_field: "contents",
    encode: request::encode,
    write_conversation: |_, turns, list| request::write_conversation(turns, list),
    decoder: |model| Box::new(decode::Decoder::new(model)),
};
