//! Adapters of the protocols: the functions that write a request, and the reader of its replies.

use serde_json::Value;

use super::adjustment::Adjustments;
use super::budget::Untold;
use super::encoded_turn::EncodedTurn;
use super::history::HistoryTurn;
use super::{Model, ProviderError, ProviderSettings, Request};
use crate::conversation::{ModelRef, StreamEvent};

/// Tokens of a reply that are asked for however full the window is.
const LEAST_OUTPUT: u64 = 1024;

/// One wire protocol: how a request is written and how its reply is read. A new one is a folder and a line in `protocol`.
pub(crate) struct Adapter {
    /// Returns the path below `base_url`, with its leading slash.
    pub(crate) path: fn(model: &str) -> String,
    /// Returns the headers that carry the key and the version.
    pub(crate) headers: fn(key: Option<&str>) -> Vec<(&'static str, String)>,
    /// Returns the body without the conversation: an object.
    pub(crate) body: fn(&Ask<'_>, conversation: &[&EncodedTurn]) -> Value,
    /// The field of the body that has the conversation.
    pub(crate) conversation_field: &'static str,
    /// Returns a stretch of the conversation as JSON values. It is kept for later requests, so it depends on nothing that
    /// comes after it.
    pub(crate) encode: fn(&Ask<'_>, HistoryTurn<'_>) -> Vec<Value>,
    /// Writes the elements of the conversation's list. No turn is empty, the first is the user's, and the last is not the
    /// model's.
    pub(crate) write_conversation: fn(&Ask<'_>, turns: &[&EncodedTurn], list: &mut String),
    /// Makes the reader of the protocol's own events. See [`Protocol::decoder`](super::Protocol::decoder) for the whole one.
    pub(crate) decoder: fn(&ModelRef) -> Box<dyn Decode>,
}

/// Returns the header of a key that is given as a bearer token.
pub(crate) fn bearer(key: Option<&str>) -> Vec<(&'static str, String)> {
    key.map(|key| ("authorization", format!("Bearer {key}")))
        .into_iter()
        .collect()
}

/// A request together with what is known about its model and provider.
pub(crate) struct Ask<'a> {
    pub(crate) request: &'a Request,
    pub(crate) model: &'a Model,
    pub(crate) settings: &'a ProviderSettings,
    pub(crate) adjustments: &'a Adjustments,
}

impl Ask<'_> {
    /// Returns the limit of the reply in tokens: that of the model, or what its window leaves beside the prompt.
    pub(crate) fn output(&self) -> u64 {
        let window = self.model.context;
        // The prompt is estimated, and a template adds to it.
        let margin = self.request.prompt / 8 + window / 50 + 64;
        let left = window.saturating_sub(self.request.prompt + margin);
        self.model.output.min(left.max(LEAST_OUTPUT))
    }

    /// The same where the limit has to be sent: not if the model's is not known.
    pub(crate) fn max_output(&self) -> Option<u64> {
        self.model.max_output.map(|limit| limit.min(self.output()))
    }

    /// Returns true if the reply should be thought about: a title is not worth it.
    pub(crate) fn wants_reasoning(&self) -> bool {
        self.model.reasoning && self.request.purpose == super::Purpose::Turn
    }

    /// Returns the temperature to send. OpenAI's own models that reason refuse one.
    pub(crate) fn temperature(&self) -> Option<f64> {
        let is_refused = self.model.reasoning && self.is_openai();
        self.request.temperature.filter(|_| !is_refused)
    }

    /// Returns true if the server is OpenAI's own or Azure's copy of it, by the host in its URL.
    pub(crate) fn is_openai(&self) -> bool {
        let base_url = &self.settings.base_url;
        let host = base_url
            .split_once("://")
            .map_or(base_url.as_str(), |(_, rest)| rest);
        let host = host.split(['/', ':']).next().unwrap_or(host);
        host == "api.openai.com" || host.ends_with(".openai.azure.com")
    }
}

/// Reads a reply's events one after the other.
pub trait Decode: Send {
    /// Reads one server-sent event. Events of unknown kinds give nothing.
    fn event(&mut self, name: &str, data: &str) -> Result<Vec<StreamEvent>, ProviderError>;

    /// Returns what was read and is in no event so far. It counts in the budget of the reply as what was told does.
    fn untold(&self) -> Untold;

    /// Tells that the stream has ended. Returns the rest of a reply that was whole without saying so, and nothing for
    /// one that was cut.
    fn end(&mut self) -> Vec<StreamEvent> {
        Vec::new()
    }
}
