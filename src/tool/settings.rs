//! What tools need to know of the configuration, in their own terms.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::text::replace::Tolerance;

#[derive(Debug, Clone, Default)]
pub struct ToolSettings {
    pub truncate: TruncateSettings,
    /// Writers demand that the file was read in this session.
    pub require_read: bool,
    /// How exactly `edit` has to be told what it replaces.
    pub tolerance: Tolerance,
    pub search: SearchSettings,
    pub bash: BashSettings,
    /// What the user said of tools, by their own names.
    pub switches: BTreeMap<String, bool>,
}

#[derive(Debug, Clone)]
pub struct SearchSettings {
    pub timeout: Duration,
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self {
            timeout: Duration::from_mins(1),
        }
    }
}

#[derive(Debug, Clone)]
pub struct BashSettings {
    /// `None`: bash on PATH, else sh.
    pub shell: Option<String>,
    pub timeout: Duration,
    /// Names of variables that are kept although they look like secrets.
    pub env_allow: Vec<String>,
}

impl Default for BashSettings {
    fn default() -> Self {
        Self {
            shell: None,
            timeout: Duration::from_mins(2),
            env_allow: Vec::new(),
        }
    }
}

#[derive(Debug, Clone)]
pub struct TruncateSettings {
    /// 0: no limit.
    pub max_lines: usize,
    /// 0: no limit.
    pub max_bytes: usize,
    /// Whether some tools are also cut by what the context has left.
    pub dynamic: bool,
    pub dynamic_ratio: f64,
    pub dynamic_max_tokens: usize,
    pub per_tool: BTreeMap<String, TruncateLimits>,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct TruncateLimits {
    pub max_lines: Option<usize>,
    pub max_bytes: Option<usize>,
    pub max_tokens: Option<usize>,
}

impl Default for TruncateSettings {
    fn default() -> Self {
        Self {
            max_lines: 2000,
            max_bytes: 51_200,
            dynamic: true,
            dynamic_ratio: 0.5,
            dynamic_max_tokens: 50_000,
            per_tool: BTreeMap::new(),
        }
    }
}
