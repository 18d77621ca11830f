//! OpenAI Responses, without the server's memory: `store` is false, and reasoning travels encrypted with its items.
//!
//! An item goes back as it came. A reply whose reasoning is lost (another model's, or cut) is written anew without the
//! items' ids, because the server refuses a call that misses its reasoning.

mod decode;
mod request;

use serde_json::Value;

use super::adapter::{Adapter, Ask, Decode, bearer};
use super::encoded_turn::EncodedTurn;
use super::history::HistoryTurn;
use crate::conversation::ModelRef;

pub(crate) struct OpenAiResponses;

impl Adapter for OpenAiResponses {
    fn path(&self, _model: &str) -> String {
        "/responses".to_owned()
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        bearer(key)
    }

    fn body(&self, ask: &Ask<'_>, _: &[EncodedTurn]) -> Value {
        request::body(ask)
    }

    fn conversation_field(&self) -> &'static str {
        "input"
    }

    fn encode(&self, _: &Ask<'_>, turn: HistoryTurn<'_>) -> Vec<Value> {
        request::encode(turn)
    }

    fn decoder(&self, model: &ModelRef) -> Box<dyn Decode> {
        Box::new(decode::Decoder::new(model))
    }
}
