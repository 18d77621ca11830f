//! Gemini `streamGenerateContent`.
//!
//! Calls come whole and mostly without an id; a signature stands on the part that it signs and goes back with it.

mod decode;
mod request;

use serde_json::Value;

use super::adapter::{Adapter, Ask, Decode};
use super::encoded_turn::EncodedTurn;
use super::history::HistoryTurn;
use crate::conversation::ModelRef;

pub(crate) struct Gemini;

impl Adapter for Gemini {
    fn path(&self, model: &str) -> String {
        format!(
            "/models/{}:streamGenerateContent?alt=sse",
            model.strip_prefix("models/").unwrap_or(model)
        )
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        key.map(|key| ("x-goog-api-key", key.to_owned()))
            .into_iter()
            .collect()
    }

    fn body(&self, ask: &Ask<'_>, _: &[EncodedTurn]) -> Value {
        request::body(ask)
    }

    fn conversation_field(&self) -> &'static str {
        "contents"
    }

    fn encode(&self, ask: &Ask<'_>, turn: HistoryTurn<'_>) -> Vec<Value> {
        request::encode(ask, turn)
    }

    fn decoder(&self, model: &ModelRef) -> Box<dyn Decode> {
        Box::new(decode::Decoder::new(model))
    }
}
