//! Settings of the tools.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{EditMode, Table};

/// How much of a tool's output is sent to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Truncate {
    /// Maximum number of lines of one result; 0 for no limit.
    pub max_lines: u64,
    /// Maximum size of one result in bytes; 0 for no limit.
    pub max_bytes: u64,
    /// Truncates more when the context is nearly full.
    pub dynamic: bool,
    /// The share of the remaining context that one result may take.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub dynamic_ratio: f64,
    /// Maximum number of tokens of one result while `dynamic` is on.
    pub dynamic_max_tokens: u64,
    /// Limits of one tool, by its name.
    pub per_tool: Table<ToolLimits>,
}

impl Default for Truncate {
    fn default() -> Self {
        Self {
            max_lines: 2000,
            max_bytes: 51_200,
            dynamic: true,
            dynamic_ratio: 0.5,
            dynamic_max_tokens: 50_000,
            per_tool: Table::default(),
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ToolLimits {
    /// Instead of `truncate.max_lines`.
    pub max_lines: Option<u64>,
    /// Instead of `truncate.max_bytes`.
    pub max_bytes: Option<u64>,
    /// Maximum number of tokens of one result.
    pub max_tokens: Option<u64>,
}

/// Tools that change files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Edit {
    /// Which editing tools the model gets; depends on the model when unset.
    pub mode: Option<EditMode>,
    /// How far the text to replace may differ from the file.
    pub fuzzy: Fuzzy,
    /// A file must have been read before it is changed.
    pub require_read: bool,
    /// Waits for the language server's diagnostics and shows new errors.
    pub diagnostics: bool,
}

impl Default for Edit {
    fn default() -> Self {
        Self {
            mode: None,
            fuzzy: Fuzzy::Safe,
            require_read: true,
            diagnostics: true,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Fuzzy {
    Strict,
    Safe,
    Classic,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Search {
    /// How long one search may take.
    #[schemars(range(min = 1000, max = 300_000))]
    pub timeout_ms: u64,
}

impl Default for Search {
    fn default() -> Self {
        Self { timeout_ms: 60_000 }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Bash {
    /// The shell; bash on PATH when unset, else sh.
    pub shell: Option<String>,
    /// How long a command may run when the call sets no timeout.
    #[schemars(range(min = 1, max = 600_000))]
    pub timeout_ms: u64,
    /// Environment variables passed to commands although their names look like secrets.
    pub env_allow: Vec<String>,
}

impl Default for Bash {
    fn default() -> Self {
        Self {
            shell: None,
            timeout_ms: 120_000,
            env_allow: Vec::new(),
        }
    }
}

/// Tasks in the background; 0 means no limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Background {
    /// Limit for each `provider/model` that `per_model` does not name.
    pub max_concurrent: u32,
    /// Limits by `provider/model`, instead of `max_concurrent`; 0 for no limit.
    pub per_model: Table<u32>,
    /// Limit over all models of a provider.
    pub per_provider: Table<u32>,
    /// How deeply tasks may nest.
    pub max_depth: u32,
    /// Maximum number of tool calls of one task.
    pub max_tool_calls: u32,
    /// Maximum number of tasks in one session, nested ones included.
    pub max_spawned: u32,
    /// Limits of one turn and all tasks that it starts.
    pub budget: Budget,
    /// Tools that tasks do not get.
    pub primary_tools: Vec<String>,
    /// Work trees of isolated tasks.
    pub worktree: Worktree,
}

impl Default for Background {
    fn default() -> Self {
        Self {
            max_concurrent: 5,
            per_model: Table::default(),
            per_provider: Table::default(),
            max_depth: 3,
            max_tool_calls: 1000,
            max_spawned: 200,
            budget: Budget::default(),
            primary_tools: Vec::new(),
            worktree: Worktree::default(),
        }
    }
}

/// No model request starts once any of these is spent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Budget {
    /// Tokens of input and output, without input read from the cache.
    #[schemars(range(min = 1))]
    pub tokens: Option<u64>,
    /// In US dollars.
    #[schemars(range(min = 0.0))]
    pub cost: Option<f64>,
    /// Minutes in which an agent worked.
    #[schemars(range(min = 0.0))]
    pub minutes: Option<f64>,
}

/// Work trees of isolated tasks.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Worktree {
    /// A command line that runs first in a new work tree.
    pub setup: Option<String>,
    /// Uses work trees even where commands cannot be confined to them.
    pub unconfined: bool,
}

/// A category of tasks.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Category {
    /// Its purpose, by which agents choose it.
    pub description: Option<String>,
    /// `provider/model`.
    pub model: Option<String>,
    /// A variant of the model, such as a reasoning effort.
    pub variant: Option<String>,
    /// Sampling temperature.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub temperature: Option<f64>,
    /// Added to the agent's instructions.
    pub prompt_append: Option<String>,
    /// Tools switched on or off by name or wildcard.
    pub tools: Table<bool>,
    /// Skills that its tasks start with.
    pub load_skills: Vec<String>,
    /// Removes it.
    pub disable: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Batch {
    #[schemars(range(min = 1))]
    /// Maximum number of calls in one batch.
    pub max_calls: u32,
}

impl Default for Batch {
    fn default() -> Self {
        Self { max_calls: 10 }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Todo {
    /// How often a turn that would end with open todos is continued with a reminder; 0 is never.
    pub reminders: u32,
}

impl Default for Todo {
    fn default() -> Self {
        Self { reminders: 3 }
    }
}

/// The sandbox for commands (Linux).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sandbox {
    /// Directories that commands may write to: all, those of the project, or only a temporary one.
    pub mode: SandboxMode,
    /// Lets commands use the network.
    pub network: bool,
    /// More directories that commands may write to.
    pub write: Vec<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxMode {
    #[default]
    Off,
    WorkspaceWrite,
    ReadOnly,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    /// The JavaScript runtime; bun, else node, when unset.
    pub runtime: Option<String>,
}

/// A pattern that stops a reply while it streams.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamRule {
    /// Its name in messages.
    pub name: String,
    /// A regular expression.
    pub pattern: String,
    /// The message that the model gets before it continues.
    pub message: String,
}
