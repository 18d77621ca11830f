//! The list of protocols: each with its adapter.

use serde_json::Value;

use super::adapter::{Adapter, Decode};
use super::decoder::Decoder;
use super::{Protocol, anthropic, gemini, openai_chat, openai_responses};
use crate::conversation::{ModelRef, Native};

impl Protocol {
    pub(crate) fn adapter(self) -> &'static Adapter {
        match self {
            Self::Anthropic => &anthropic::ADAPTER,
            Self::OpenAiChat => &openai_chat::ADAPTER,
            Self::OpenAiResponses => &openai_responses::ADAPTER,
            Self::Gemini => &gemini::ADAPTER,
        }
    }

    /// Makes the reader of a reply of `model`.
    pub fn decoder(self, model: &ModelRef) -> Box<dyn Decode> {
        self.decoder_of(model, Vec::new())
    }

    /// Makes the reader of a reply of `model` to a request that offers tools of these names.
    pub(crate) fn decoder_of(self, model: &ModelRef, tools: Vec<String>) -> Box<dyn Decode> {
        Box::new(Decoder::new(model, (self.adapter().decoder)(model), tools))
    }

    /// Wraps a provider's own block.
    pub(crate) fn native(self, model: &ModelRef, json: Value) -> Native {
        Native {
            protocol: self.name().to_owned(),
            model: model.to_string(),
            json,
        }
    }
}
