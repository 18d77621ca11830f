//! Anthropic Messages.
//!
//! Prompt cache marks stand at the end of the tools, at the end of the system prompt and on the last two messages of the
//! user's role; thinking blocks go back exactly as they came.

mod decode;
mod request;

use serde_json::Value;

use super::adapter::{Adapter, Ask, Decode};
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

    fn body(&self, ask: &Ask<'_>) -> Value {
        request::body(ask)
    }

    fn decoder(&self, model: &ModelRef) -> Box<dyn Decode> {
        Box::new(decode::Decoder::new(model))
    }
}
