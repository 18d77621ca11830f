//! Settings of what is kept of conversations and of the files they change.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conversation::{ModelRef, model_name};

/// How a conversation is compacted when the model's context window is nearly full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Compaction {
    /// Compacts automatically; when off, a full window is an error.
    pub auto: bool,
    /// The share of the window at which compaction starts.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub threshold: f64,
    /// The newest turns, kept unchanged where they fit.
    pub keep_turns: u32,
    /// Masks old tool outputs before anything is summarised.
    pub mask: bool,
    /// `provider/model` that writes the summary; the session's model when unset.
    #[serde(
        deserialize_with = "model_name::deserialize",
        serialize_with = "model_name::serialize"
    )]
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

/// Earlier contents of files that tools changed, kept for undo.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Journal {
    /// Maximum size in megabytes, for all projects together.
    pub max_mb: u64,
    /// Days after which contents are removed.
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

/// How long sessions are kept. Only in the global file, because it covers all projects.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Retention {
    /// Days after the last message; 0 keeps sessions for ever. Pinned sessions stay, and a removal is announced a day
    /// before.
    pub sessions_days: u32,
}
