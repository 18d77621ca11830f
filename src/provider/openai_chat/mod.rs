//! OpenAI Chat Completions, and the many servers that speak it.
//!
//! Local servers are stricter and laxer than the original in different places, so a request holds only what all of them
//! take: a limit is sent as `max_completion_tokens` to OpenAI and Azure and as `max_tokens` to everybody else, and not
//! at all when nobody has said what the model's is. Reasoning is shown and never sent back: it has no signature here.

mod decode;
mod request;

use serde_json::Value;

use super::adapter::{Adapter, Ask, Decode, bearer};
use super::encoded_turn::EncodedTurn;
use super::history::HistoryTurn;
use crate::conversation::ModelRef;

pub(crate) struct OpenAiChat;

impl Adapter for OpenAiChat {
    fn path(&self, _model: &str) -> String {
        "/chat/completions".to_owned()
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        bearer(key)
    }

    fn body(&self, ask: &Ask<'_>, _: &[EncodedTurn]) -> Value {
        request::body(ask)
    }

    fn conversation_field(&self) -> &'static str {
        "messages"
    }

    fn encode(&self, _: &Ask<'_>, turn: HistoryTurn<'_>) -> Vec<Value> {
        request::encode(turn)
    }

    fn write_conversation(&self, ask: &Ask<'_>, turns: &[EncodedTurn], list: &mut String) {
        request::write_conversation(ask, turns, list);
    }

    fn decoder(&self, model: &ModelRef) -> Box<dyn Decode> {
        Box::new(decode::Decoder::new(model))
    }
}
