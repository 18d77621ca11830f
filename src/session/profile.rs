//! Everything that follows from a session's agent.

use std::sync::Arc;

use super::ErrorReport;
use crate::agent::reminder::PlanInstructions;
use crate::agent::turn::TurnSettings;
use crate::conversation::ModelRef;
use crate::permission::Permissions;
use crate::provider::Model;
use crate::tool::ToolSettings;

/// The agent, the model and the settings that a session works with.
pub(super) struct Profile {
    pub(super) turn: TurnSettings,
    pub(super) model: Model,
    pub(super) temperature: Option<f64>,
    pub(super) system: String,
    /// The agent that the prefix of requests belongs to: system prompt and tool list. `None` is the one that all primary
    /// agents without a prompt of their own share.
    pub(super) prefix: Option<String>,
    pub(super) settings: Arc<ToolSettings>,
    pub(super) permissions: Permissions,
}

impl Profile {
    pub(super) fn agent(&self) -> &str {
        &self.turn.agent
    }
}

/// Makes profiles for a session that lives; `wire` has what it takes.
pub(super) trait MakeProfiles: Send + Sync {
    /// Returns the agent that a session goes on as when it leaves agent `plan` and had none before.
    fn default_beside_plan(&self) -> Option<String>;

    /// The base URL of a model's provider, as it may be shown; empty for an unknown provider.
    fn base_url(&self, model: &ModelRef) -> String;

    /// Returns the settings and rules of all agents that share the prefix, in a fixed order: it has the tools of them all.
    fn sharing_prefix(&self, model: &ModelRef) -> Vec<(Arc<ToolSettings>, Permissions)>;

    /// Returns the agent that the prefix of an agent's requests belongs to, as in [`Profile::prefix`].
    fn prefix_of(&self, agent: &str) -> Option<String>;

    /// Returns where the instructions of agent `plan` stand.
    fn plan_instructions(&self) -> PlanInstructions;

    /// Returns an agent's name as it is written, or why the session cannot go on as it.
    fn check(&self, name: &str) -> Result<String, ErrorReport>;

    /// Makes the profile of an agent with a model that a person chose. It is asked by all agents that name none.
    fn choose(&mut self, agent: &str, model: &ModelRef) -> Result<Profile, ErrorReport>;

    /// Makes the profile of an agent for a session that had another.
    fn change(&self, name: &str, from: &str, model: &ModelRef) -> Result<Profile, ErrorReport>;
}
