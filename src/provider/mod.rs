//! Models behind four wire protocols, as one stream of events.
//!
//! A provider turns a [`Request`] into HTTP, and what comes back into [`StreamEvent`]s. It makes one attempt: retrying,
//! pairing calls with results and executing them belong to `agent`. An adapter never repairs the history; it is handed a
//! well-formed one.

mod adapter;
mod adjustment;
mod anthropic;
mod budget;
pub mod cassette;
mod catalog;
mod client;
#[cfg(test)]
mod client_tests;
mod decoder;
mod encoded_turn;
mod encoding;
mod error;
mod full_window;
mod gemini;
mod history;
mod http;
mod lenient;
mod openai_chat;
mod openai_responses;
mod pictures;
mod protocol;
mod reply;
mod retry;
#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod sdk_reader_tests;
#[cfg(test)]
pub(crate) mod sdk_tests;
mod settings;
pub mod sse;
#[cfg(test)]
mod vectors;
mod window;

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::error::Refusal;
use crate::conversation::{Message, ModelRef, SessionId, StreamEvent};

pub use catalog::{Catalog, EditMode, Model, Thinking};
pub use client::Client;
pub use retry::RetrySettings;
pub use settings::{ModelSettings, Protocol, ProviderSettings, builtin, without_user};

/// One reply's events. It ends after `StreamEvent::Stop`, or with the one error that cut it.
pub type ReplyStream = BoxStream<'static, Result<StreamEvent, ProviderError>>;

/// A model that can be asked.
pub trait Provider: Send + Sync {
    /// Sends the request and answers with the reply's stream as soon as the status line is there. Dropping the future
    /// or the stream closes the connection.
    fn stream(&self, request: Request) -> BoxFuture<'_, Result<ReplyStream, ProviderError>>;

    /// Returns what asks the server of a model for the model's window in tokens. There is nothing to ask where the window is
    /// configured, where the server is not a local one, and where it was asked before.
    fn window(&self, _model: &ModelRef) -> Option<BoxFuture<'static, Option<u64>>> {
        None
    }
}

/// Everything one model request needs.
#[derive(Debug, Clone)]
pub struct Request {
    pub session: SessionId,
    /// Name of the agent that asks. No server is sent it; cassettes tell conversations apart by it.
    pub agent: String,
    pub purpose: Purpose,
    pub model: ModelRef,
    pub system: String,
    pub tools: Arc<[ToolSpec]>,
    /// Estimated tokens of all of it; the reply has what it leaves of the window.
    pub prompt: u64,
    /// Well formed: each call of a reply has its result, void messages are left out, the first is the user's.
    pub messages: Vec<Arc<Message>>,
    /// Left to the server when unset, and where the model does not take one.
    pub temperature: Option<f64>,
}

/// The purpose of a request. Cassettes match by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    Turn,
    Title,
    /// A summary of a conversation that is too long.
    Compaction,
}

/// A tool as the model is told of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments, an object without `$ref`.
    pub schema: Value,
}

/// Why a request got no whole reply, in a sentence for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ProviderError {
    pub kind: ProviderErrorKind,
    /// Says what happened: lower case, no full stop.
    pub message: String,
    /// Says what to try next.
    pub hint: Option<String>,
    /// The wait that the server asked for.
    pub retry_after: Option<Duration>,
    /// How often it is worth sending the request again, where the settings allow more.
    pub most_retries: Option<u32>,
    /// True if the reply so far is of no use: it is kept and marked, and no later request has it.
    pub voids_reply: bool,
    /// The server's own words, where it refused the request.
    pub(crate) refusal: Option<Box<Refusal>>,
}

/// The names are those of the `error` event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderErrorKind {
    Auth,
    RateLimit,
    Overloaded,
    Network,
    Context,
    BadRequest,
    BadResponse,
    /// The model or its provider declined: a refusal, a content filter.
    Refused,
    /// The request was not sent: what may be spent is spent.
    Budget,
    /// The configuration names no such provider or model.
    Config,
}
