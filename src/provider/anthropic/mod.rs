//! Anthropic Messages.
//!
//! Prompt cache marks stand at the end of the tools, at the end of the system prompt and on the last two messages of the
//! user's role; thinking blocks go back exactly as they came.

mod decode;
mod request;

use serde_json::Value;

use super::adapter::{Adapter, Ask, Decode};
use super::encoded_turn::EncodedTurn;
use super::history::HistoryTurn;
use crate::conversation::ModelRef;

pub(crate) struct Anthropic;

impl Adapter for Anthropic {
    fn path(&self, _model: &str) -> String {
        "/messages".to_owned()
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        let mut headers = vec![("anthropic-version", "2023-06-01".to_owned())];
        headers.extend(key.map(|key| ("x-api-key", key.to_owned())));
        headers
    }

    fn body(&self, ask: &Ask<'_>, conversation: &[EncodedTurn]) -> Value {
        request::body(ask, conversation)
    }

    fn conversation_field(&self) -> &'static str {
        "messages"
    }

    fn encode(&self, _: &Ask<'_>, turn: HistoryTurn<'_>) -> Vec<Value> {
        request::encode(turn)
    }

    fn write_conversation(&self, _ask: &Ask<'_>, turns: &[EncodedTurn], list: &mut String) {
        request::write_conversation(turns, list);
    }

    fn decoder(&self, model: &ModelRef) -> Box<dyn Decode> {
        Box::new(decode::Decoder::new(model))
    }
}
