//! OpenAI Responses, without the server's memory: `store` is false, and reasoning travels encrypted with its items.
//!
//! An item goes back as it came. A reply whose reasoning is lost (another model's, or cut) is written anew without the
//! items' ids, because the server refuses a call that misses its reasoning.

mod decode;
mod request;

use super::adapter::{Adapter, bearer};

pub(crate) static ADAPTER: Adapter = Adapter {
    path: |_| "/responses".to_owned(),
    headers: bearer,
    body: |ask, _| request::body(ask),
    conversation_field: "input",
    encode: |_, turn| request::encode(turn),
    write_conversation: |_, turns, list| request::write_conversation(turns, list),
    decoder: |model| Box::new(decode::Decoder::new(model)),
};
