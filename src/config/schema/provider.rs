//! Providers and their models.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Secret, Table};

/// A model provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProviderSettings {
    /// Optional where a built-in provider of this name exists.
    pub protocol: Option<Protocol>,
    /// Including the version: `http://127.0.0.1:8080/v1`.
    pub base_url: Option<String>,
    /// `{env:NAME}` and `{file:PATH}` are expanded.
    pub api_key: Option<Secret>,
    /// Headers sent with each request.
    pub headers: Table<Secret>,
    /// A stream silent for longer is closed and the request retried.
    #[schemars(range(min = 1))]
    pub idle_timeout_ms: u64,
    pub retry: Retry,
    pub models: Table<ModelSettings>,
}

impl Default for ProviderSettings {
    fn default() -> Self {
        Self {
            protocol: None,
            base_url: None,
            api_key: None,
            headers: Table::default(),
            idle_timeout_ms: 120_000,
            retry: Retry::default(),
            models: Table::default(),
        }
    }
}

/// The wire protocol of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    #[serde(rename = "openai-chat")]
    OpenAiChat,
    #[serde(rename = "openai-responses")]
    OpenAiResponses,
    Anthropic,
    Gemini,
}

/// How often, and after which delays, a request is retried. A delay that the server asks for wins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Retry {
    /// Retries after the first attempt.
    pub max: u32,
    /// Delay before the first retry; each further one waits twice as long, up to `max_ms`.
    pub base_ms: u64,
    /// Maximum delay.
    pub max_ms: u64,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            max: 5,
            base_ms: 1000,
            max_ms: 30_000,
        }
    }
}

/// The features of one model. Missing values come from the built-in catalog.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ModelSettings {
    /// The context window in tokens, input and output together.
    #[schemars(range(min = 1))]
    pub context: Option<u64>,
    /// Maximum number of tokens in one reply.
    #[schemars(range(min = 1))]
    pub output: Option<u64>,
    /// Accepts images.
    pub images: Option<bool>,
    /// Returns reasoning.
    pub reasoning: Option<bool>,
    pub cost: Option<Cost>,
    /// Which editing tools it gets.
    pub edit_mode: Option<EditMode>,
}

/// Dollars for a million tokens.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Cost {
    /// Dollars per million tokens of input that the cache did not serve.
    #[schemars(range(min = 0))]
    pub input: f64,
    /// Dollars per million tokens of output, reasoning included.
    #[schemars(range(min = 0))]
    pub output: f64,
    /// Dollars per million tokens of input read from the cache.
    #[schemars(range(min = 0))]
    pub cache_read: f64,
    /// Dollars per million tokens of input written to the cache.
    #[schemars(range(min = 0))]
    pub cache_write: f64,
}

/// A set of editing tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EditMode {
    Replace,
    Hashline,
    Patch,
}
