//! Settings of what is kept of conversations and of the files they change.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{model_name, plain_name};
use crate::conversation::ModelRef;

/// How a conversation is made shorter when the model's window is nearly full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Compaction {
    /// Without it a full window is an error.
    pub auto: bool,
    /// The share of the window that is used when it begins.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub threshold: f64,
    /// Turns at the end that stay as they are, where they fit.
    pub keep_turns: u32,
    /// Old outputs of tools are left out first.
    pub mask: bool,
    /// `provider/model` that writes the summary; the session's own when unset.
    #[serde(deserialize_with = "model_name", serialize_with = "plain_name")]
    #[schemars(with = "Option<String>")]
    pub model: Option<ModelRef>,
}

impl Default for Compaction {
    fn default() -> Self {
        Self {
            auto: true,
            threshold: 0.85,
            keep_turns: 2,
            mask: true,
            model: None,
        }
    }
}

/// Earlier contents of files that tools changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Journal {
    /// Megabytes for all projects together.
    pub max_mb: u64,
    pub days: u32,
}

impl Default for Journal {
    fn default() -> Self {
        Self {
            max_mb: 500,
            days: 30,
        }
    }
}

/// How long sessions are kept. Only the global file may say so, as it is about those of all projects.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Retention {
    /// Days after their last message; 0 for ever. One that is pinned stays, and each is announced a day before.
    pub sessions_days: u32,
}
