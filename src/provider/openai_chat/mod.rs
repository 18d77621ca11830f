//! OpenAI Chat Completions, and the many servers that speak it.
//!
//! Local servers are stricter and laxer than the original in different places, so a request holds only what all of them
//! take: a limit is sent as `max_completion_tokens` to OpenAI and Azure and as `max_tokens` to everybody else, and not
//! at all when nobody has said what the model's is. Members of a reply that the protocol does not name, reasoning among them,
//! are sent back to the model that made them.

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
