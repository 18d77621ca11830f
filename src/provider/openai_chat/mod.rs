//! OpenAI Chat Completions, and the many servers that speak it.
//!
//! Local servers are stricter and laxer than the original in different places, so a request holds only what all of them
//! take. The limit of a reply is sent as `max_completion_tokens` to OpenAI and Azure, as `max_tokens` to other servers, and
//! not at all if the model's limit is unknown. Members of a reply that the protocol does not name, such as reasoning, are
//! sent back to the model that made them.

mod decode;
mod members;
mod request;

use super::adapter::{Adapter, bearer};

pub(crate) static ADAPTER: Adapter = Adapter {
    path: |_| "/chat/completions".to_owned(),
    headers: bearer,
    body: |ask, _| request::body(ask),
    conversation_field: "messages",
    encode: request::encode,
    write_conversation: request::write_conversation,
    decoder: |model| Box::new(decode::Decoder::new(model)),
};
