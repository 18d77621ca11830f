//! The list of protocols: each with its adapter.

use serde_json::Value;

use super::Protocol;
use super::adapter::{Adapter, Decode};
use super::anthropic::Anthropic;
use super::decoder::Decoder;
use super::gemini::Gemini;
use super::openai_chat::OpenAiChat;
use super::openai_responses::OpenAiResponses;
use crate::conversation::{ModelRef, Native};

impl Protocol {
    pub(crate) fn adapter(self) -> &'static dyn Adapter {
        match self {
            Self::Anthropic => &Anthropic,
            Self::OpenAiChat => &OpenAiChat,
            Self::OpenAiResponses => &OpenAiResponses,
            Self::Gemini => &Gemini,
        }
    }

    /// Makes the reader of a reply of `model`.
    pub fn decoder(self, model: &ModelRef) -> Box<dyn Decode> {
        Box::new(Decoder::new(model, self.adapter().decoder(model)))
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
