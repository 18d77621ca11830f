//! Agents: who can work in a session, from Markdown files with front matter.
//!
//! The built-in ones are files as well (`assets/agents`), so that a user overrides or adds one by dropping a file. What
//! is said about one name is laid over each other key by key, in this order: built in, `~/.claude/agents`,
//! `<config>/agents`, the configuration, then the project: from its root down to the session's directory
//! `.claude/agents`, `.opencode/agent`, `.opencode/agents` and `.lathe/agents`, and its configuration. Rules and tool
//! lists are not merged here but kept with who wrote them, because a project may only tighten. Until the project is
//! trusted nothing but text and tightening counts of what it says ([`AgentPatch::text`]).
//!
//! A file that cannot be understood costs its agent and nothing else: half of what somebody wrote about an agent may be
//! the half that opens things. Nothing is run, and whether a model or a tool exists is not asked here.

mod agent_files;
mod file;
mod merge;
mod patch;

use std::fmt;
use std::path::PathBuf;

use serde_json::Value;

use super::frontmatter::SourceProblem;
use crate::conversation::Isolation;

pub use agent_files::{AgentFiles, AgentPlaces, ConfiguredAgent, ProjectPatch, agent_files};
pub use patch::{AgentPatch, ToolChoice};

/// Owner and file of a statement about an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSource {
    pub owner: Owner,
    /// `None` for what is built in.
    pub file: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    BuiltIn,
    /// The user, for every project.
    Global,
    /// The user, for this process (`--config`).
    Extra,
    /// Whoever wrote the project; not necessarily the user.
    Project,
}

impl AgentSource {
    fn built_in() -> Self {
        Self {
            owner: Owner::BuiltIn,
            file: None,
        }
    }
}

impl fmt::Display for AgentSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{}", file.display()),
            None => f.write_str("built in"),
        }
    }
}

/// Callers that may start an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum AgentMode {
    /// The user.
    Primary,
    /// Other agents, as a task.
    Subagent,
    All,
}

impl AgentMode {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// One agent, after everything that is said about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Agent {
    pub name: String,
    /// Empty when nobody described it.
    pub description: String,
    pub mode: AgentMode,
    pub model: Option<AgentModel>,
    /// Names of models that only another program knows, with where they stand.
    pub unknown_models: Vec<(AgentSource, String)>,
    pub variant: Option<String>,
    pub temperature: Option<f64>,
    pub prompt: String,
    /// Model requests in one turn, as the user set them.
    pub steps: Option<u32>,
    /// The project allows no more than this.
    pub steps_at_most: Option<u32>,
    /// Place of its tasks' work, unless the call names another.
    pub isolation: Option<Isolation>,
    /// Left out of lists.
    pub is_hidden: bool,
    /// In order; the last matching entry of a list wins.
    pub tools: ToolLists,
    /// In order, each as it is written.
    pub rules: Vec<AgentRules>,
    /// Sources of its settings, the weakest first.
    pub sources: Vec<AgentSource>,
}

/// `provider/model`, and who may be told that there is no such model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentModel {
    Named(crate::conversation::ModelRef),
    /// From a file that was written for another program: where it is not known, the session's model is meant.
    Foreign(crate::conversation::ModelRef),
    /// `small_model` of the configuration: where it is not set, the session's model is meant.
    Small,
}

impl AgentModel {
    /// The word that a file writes for [`AgentModel::Small`].
    pub(in crate::project) const SMALL: &'static str = "small_model";
}

impl fmt::Display for AgentModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(model) | Self::Foreign(model) => model.fmt(f),
            Self::Small => f.write_str(Self::SMALL),
        }
    }
}

/// Names or wildcards, switched on or off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolLists {
    pub user: Vec<(String, bool)>,
    pub project: Vec<(String, bool)>,
}

/// The rules of one source.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentRules {
    pub source: AgentSource,
    /// The value of `permission`, its order kept.
    pub rules: Value,
}

impl Agent {
    /// Returns true if a session can be held with it, and not only a task be given to it.
    pub fn is_primary(&self) -> bool {
        self.mode != AgentMode::Subagent
    }

    /// Returns true if another agent can give it a task.
    pub fn takes_tasks(&self) -> bool {
        self.mode != AgentMode::Primary
    }
}

/// All agents by name, in a fixed order: what is built in first, then by name.
#[derive(Debug, Clone, Default)]
pub struct Agents {
    pub entries: Vec<AgentEntry>,
    /// Problems that have an effect on no agent that there is.
    pub problems: Vec<SourceProblem>,
}

#[derive(Debug, Clone)]
pub struct AgentEntry {
    pub name: String,
    pub state: AgentState,
}

#[derive(Debug, Clone)]
pub enum AgentState {
    Usable(Box<Agent>),
    /// By `disable: true` there.
    Disabled(AgentSource),
    Broken(SourceProblem),
}

impl AgentState {
    /// Says why an agent cannot be used; `None` when it can.
    pub fn refusal(&self, name: &str) -> Option<String> {
        match self {
            Self::Usable(_) => None,
            Self::Disabled(source) => Some(format!("agent `{name}` is disabled in `{source}`")),
            Self::Broken(problem) => Some(format!("agent `{name}` cannot be used: {problem}")),
        }
    }
}

impl Agents {
    /// Finds what is known under a name, whatever its case.
    pub fn get(&self, name: &str) -> Option<&AgentEntry> {
        self.entries
            .iter()
            .find(|entry| entry.name.eq_ignore_ascii_case(name))
    }

    pub fn usable(&self) -> impl Iterator<Item = &Agent> {
        self.entries.iter().filter_map(|entry| match &entry.state {
            AgentState::Usable(agent) => Some(&**agent),
            AgentState::Disabled(_) | AgentState::Broken(_) => None,
        })
    }

    /// The agents that a task can be given to.
    pub fn delegates(&self) -> impl Iterator<Item = &Agent> {
        self.usable().filter(|agent| agent.takes_tasks())
    }

    /// Everything that could not be understood.
    pub fn all_problems(&self) -> impl Iterator<Item = &SourceProblem> {
        let broken = self.entries.iter().filter_map(|entry| match &entry.state {
            AgentState::Broken(problem) => Some(problem),
            AgentState::Usable(_) | AgentState::Disabled(_) => None,
        });
        broken.chain(&self.problems)
    }
}

#[cfg(test)]
mod tests;
