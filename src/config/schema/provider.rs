//! Providers and their models.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Secret, Table};

/// One place where models are served.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProviderSettings {
    /// May be left out where a built-in provider of this name exists.
    pub protocol: Option<Protocol>,
    /// Up to and with the version: `http://127.0.0.1:8080/v1`.
    pub base_url: Option<String>,
    /// `{env:NAME}` and `{file:PATH}` are expanded.
    pub api_key: Option<Secret>,
    /// Sent with each request.
    pub headers: Table<Secret>,
    /// A stream silent for longer is given up and tried again.
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

/// How often, and how long apart, a request is tried again. What the server asks to wait wins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Retry {
    /// Tries after the first.
    pub max: u32,
    pub base_ms: u64,
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

/// What one model can do. What is left out is as the built-in catalog says.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ModelSettings {
    /// Tokens of input and output together.
    #[schemars(range(min = 1))]
    pub context: Option<u64>,
    /// Tokens of one reply.
    #[schemars(range(min = 1))]
    pub output: Option<u64>,
    /// Whether it can be shown images.
    pub images: Option<bool>,
    /// Whether it thinks aloud.
    pub reasoning: Option<bool>,
    pub cost: Option<Cost>,
    /// Which tools it is given to change files.
    pub edit_mode: Option<EditMode>,
}

/// Dollars for a million tokens.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Cost {
    #[schemars(range(min = 0))]
    pub input: f64,
    #[schemars(range(min = 0))]
    pub output: f64,
    #[schemars(range(min = 0))]
    pub cache_read: f64,
    #[schemars(range(min = 0))]
    pub cache_write: f64,
}

/// Which tools change files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EditMode {
    Replace,
    Hashline,
    Patch,
}
