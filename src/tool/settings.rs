//! The part of the configuration that tools need, in their own terms.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::ToolError;
use crate::conversation::ErrorKind;
use crate::provider::EditMode;
use crate::text::replace::Tolerance;

#[derive(Debug, Clone, Default)]
pub struct ToolSettings {
    pub truncate: TruncateSettings,
    /// Writers demand that the file was read in this session.
    pub require_read: bool,
    /// Editing tools that the model is told of.
    pub edit_mode: EditMode,
    /// How exactly `edit` has to be told what it replaces.
    pub tolerance: Tolerance,
    pub search: SearchSettings,
    pub batch: BatchSettings,
    pub bash: BashSettings,
    pub sandbox: SandboxSettings,
    pub delegation: DelegationSettings,
    /// The user's switches of tools, by their own names.
    pub switches: BTreeMap<String, bool>,
    /// The tools that the agent that makes the calls may use.
    pub access: ToolAccess,
}

/// One agent's access to tools, by their own names; silence leaves a tool as it is.
#[derive(Debug, Clone, Default)]
pub struct ToolAccess {
    pub agent: String,
    pub switches: BTreeMap<String, bool>,
    /// Tools that no setting gives it.
    pub barred: Vec<String>,
    /// Tools that it is told of though others are not, unless a setting takes them away.
    pub shown: &'static [&'static str],
}

impl ToolSettings {
    /// Returns what was said of a tool. Whoever switches it off wins; `None` when nobody said anything.
    pub fn switched(&self, tool: &str) -> Option<bool> {
        if self.access.barred.iter().any(|barred| barred == tool) {
            return Some(false);
        }
        match (self.switches.get(tool), self.access.switches.get(tool)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), _) | (_, Some(true)) => Some(true),
            (None, None) => None,
        }
    }
}

/// Agents that can work on tasks.
#[derive(Debug, Clone, Default)]
pub struct DelegationSettings {
    /// Agents and what they are for.
    pub agents: Vec<(String, String)>,
    /// Names of the kinds of work.
    pub categories: Vec<String>,
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
pub struct BatchSettings {
    /// How many calls of one batch are run.
    pub max_calls: usize,
}

impl Default for BatchSettings {
    fn default() -> Self {
        Self { max_calls: 10 }
    }
}

#[derive(Debug, Clone)]
pub struct BashSettings {
    /// `None`: bash on PATH, else sh.
    pub shell: Option<String>,
    pub timeout: Duration,
}

impl Default for BashSettings {
    fn default() -> Self {
        Self {
            shell: None,
            timeout: Duration::from_mins(2),
        }
    }
}

/// The limits of commands.
#[derive(Debug, Clone, Default)]
pub struct SandboxSettings {
    pub mode: SandboxMode,
    pub network: bool,
    /// More places that commands may write to; absolute.
    pub write: Vec<PathBuf>,
    /// Lathe's own directories, which no confined command writes to; absolute.
    pub own: Vec<PathBuf>,
    /// The work tree of a task that has one of its own.
    pub tree: Option<TaskTree>,
}

/// The work tree of a task: all that its tools write lies there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskTree {
    /// Real and absolute.
    pub root: PathBuf,
    /// The project that it was made of. Nothing is written there before a person applies it.
    pub project: PathBuf,
    /// The objects that its repository borrows, and no others.
    pub objects: PathBuf,
    /// Files of its repository that commands do not change either.
    pub kept: Vec<PathBuf>,
}

impl TaskTree {
    /// Refuses to write to a path that lies elsewhere.
    pub(super) fn refusal(&self, path: &Path) -> ToolError {
        let shown = path.display();
        let message =
            format!("`{shown}` lies outside of this task's work tree, which is all that it writes to");
        let error = ToolError::new(ErrorKind::Denied, message);
        match path.strip_prefix(&self.project) {
            Ok(below) => {
                let own = self.root.join(below);
                error.hint(format!(
                    "Change `{}` instead: it is the same file in your tree, and the user applies what you change.",
                    own.display()
                ))
            }
            Err(_) => error.hint(format!("Write below `{}`.", self.root.display())),
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum SandboxMode {
    #[default]
    Off,
    WorkspaceWrite,
    ReadOnly,
}

impl SandboxMode {
    /// As the configuration writes it.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

#[derive(Debug, Clone)]
pub struct TruncateSettings {
    /// 0: no limit.
    pub max_lines: usize,
    /// 0: no limit.
    pub max_bytes: usize,
    /// True if some tools are also cut by what the context has left.
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
