//! Everything that follows from a session's agent, made when it begins and again when it changes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::agents::{choices, default_beside_plan, named};
use super::categories::Category;
use super::models::{Models, configured_edit_mode, own_model};
use super::rule_keys::own_rules;
use super::tool_names::own_name;
use super::{ErrorReport, OpenRequest, config_error};
use crate::agent::access::{TaskOrigin, barred_tools, tools_in_place};
use crate::agent::prompt::{self, PromptParts};
use crate::agent::reminder::{PLAN, PlanInstructions};
use crate::agent::turn::TurnSettings;
use crate::config::ToolSwitches;
use crate::conversation::{ModelRef, SessionId};
use crate::permission::{Permissions, Source};
use crate::project::agents::{Agent, AgentSource, Agents, Owner};
use crate::provider::{Catalog, EditMode, Model, ProviderSettings};
use crate::session::profile::{MakeProfiles, Profile};
use crate::session::{AgentChoice, ModelChoice};
use crate::store::Store;
use crate::tool::{DelegationSettings, Registry, ToolAccess, ToolSet, ToolSettings};

/// Makes profiles, from what the session began with.
pub(in crate::session) struct Profiles {
    pub(super) agents: Arc<Agents>,
    pub(super) catalog: Arc<Catalog>,
    pub(super) models: Models,
    pub(super) registry: Arc<Registry>,
    pub(super) rules: BaseRules,
    pub(super) max_steps: u32,
    pub(super) store: Store,
    pub(super) session: SessionId,
    pub(super) prompt: Arc<PromptFacts>,
    /// Of the session of a task.
    pub(super) task: Option<TaskFacts>,
}

/// Facts of a task that its tools and its model depend on.
pub(super) struct TaskFacts {
    /// Name of the tool that started it.
    pub(super) started_by: String,
    pub(super) category: Option<Category>,
    /// Tools that the configuration keeps for sessions of the person.
    pub(super) primary_tools: Vec<String>,
}

/// An agent that makes calls, the others that it may start, and the task that it works on.
#[derive(Clone, Copy)]
pub(super) struct ToolUser<'a> {
    pub(super) agent: &'a Agent,
    pub(super) agents: &'a Agents,
    pub(super) task: Option<&'a TaskFacts>,
}

impl<'a> ToolUser<'a> {
    /// Returns an agent that works for the person.
    pub(super) fn of_person(agent: &'a Agent, agents: &'a Agents) -> Self {
        let task = None;
        Self { agent, agents, task }
    }
}

/// Settings and rules before an agent has its say.
pub(super) struct BaseRules {
    pub(super) settings: ToolSettings,
    pub(super) permissions: Permissions,
    pub(super) home: Option<PathBuf>,
    /// The value of `edit.mode`.
    pub(super) edit_mode: Option<EditMode>,
}

impl BaseRules {
    pub(super) fn new(request: &OpenRequest, settings: ToolSettings, permissions: Permissions) -> Self {
        Self {
            settings,
            permissions,
            home: request.dirs.home.clone(),
            edit_mode: configured_edit_mode(request),
        }
    }
}

/// Facts that are in every agent's prompt, as they were when the session began.
pub(super) struct PromptFacts {
    pub(super) directory: PathBuf,
    pub(super) root: PathBuf,
    pub(super) branch: Option<String>,
    /// ISO 8601, without a time.
    pub(super) date: String,
    pub(super) instructions: Vec<(String, String)>,
}

impl Profiles {
    /// The branch that the project is on.
    pub(super) fn branch(&self) -> Option<String> {
        self.prompt.branch.clone()
    }

    /// The agents that the person can change to.
    pub(super) fn agents(&self) -> Vec<AgentChoice> {
        choices(&self.agents)
    }

    /// The models that the person can change to, and the one that is asked now.
    pub(super) fn models(&self, current: &Model) -> Vec<ModelChoice> {
        let mut models = self.catalog.models();
        let is_listed = models.iter().any(|model| model.reference == current.reference);
        // One whose provider is gone cannot be changed to.
        if !is_listed && self.settings_of(current).is_some() {
            models.insert(0, current.clone());
        }
        let choice = |model: Model| ModelChoice {
            protocol: self
                .settings_of(&model)
                .map_or("", |settings| settings.protocol.name())
                .into(),
            address: self.base_url(&model.reference),
            missing_key: self
                .settings_of(&model)
                .and_then(|settings| settings.missing_key(&model.reference.provider))
                .map(Into::into),
            model: model.reference,
            context: model.context,
            output: model.output,
            images: model.images,
            pdf: model.pdf,
            reasoning: model.reasoning,
            price: model.cost,
        };
        models.into_iter().map(choice).collect()
    }

    fn settings_of(&self, model: &Model) -> Option<&ProviderSettings> {
        self.catalog.provider(&model.reference.provider).ok()
    }

    /// An agent's own model comes and goes with it; one that the user chose stays.
    fn next_model<'a>(&'a self, to: &'a Agent, from: &str, current: &'a ModelRef) -> &'a ModelRef {
        if self.models.is_fixed {
            return current;
        }
        let small = self.models.small.as_ref();
        if let Some(own) = own_model(to, small, &self.catalog) {
            return own;
        }
        let before = named(&self.agents, from).ok();
        let was_its_own = before.and_then(|agent| own_model(agent, small, &self.catalog)) == Some(current);
        match &self.models.configured {
            Some(configured) if was_its_own => configured,
            _ => current,
        }
    }

    /// Makes the profile of an agent with a model, whose provider may be gone: the session is shown all the same.
    pub(super) fn make(&self, agent: &Agent, model: &ModelRef) -> Result<Profile, ErrorReport> {
        let known = self.catalog.model_or_default(model);
        let edit_mode = known.edit_mode_with(self.rules.edit_mode);
        let user = ToolUser {
            agent,
            agents: &self.agents,
            task: self.task.as_ref(),
        };
        let settings = Arc::new(tool_settings(&self.rules, user, edit_mode, &self.registry));
        let permissions = permissions(&self.rules, agent)?;
        let retry = self.catalog.provider(&model.provider);
        let steps = agent.steps.unwrap_or(self.max_steps);
        Ok(Profile {
            turn: TurnSettings {
                agent: agent.name.clone(),
                model: model.clone(),
                max_steps: steps.min(agent.steps_at_most.unwrap_or(u32::MAX)),
                retry: retry.map(|provider| provider.retry).unwrap_or_default(),
            },
            model: known,
            temperature: self
                .category()
                .and_then(|category| category.temperature)
                .or(agent.temperature),
            system: self.system(agent, &settings)?,
            prefix: (!self.shares_prefix(agent)).then(|| agent.name.clone()),
            settings,
            permissions,
        })
    }

    fn category(&self) -> Option<&Category> {
        self.task.as_ref()?.category.as_ref()
    }

    /// Returns true if requests of the agent begin like those of the others that have no prompt of their own.
    fn shares_prefix(&self, agent: &Agent) -> bool {
        self.task.is_none() && agent.is_primary() && agent.prompt.trim().is_empty()
    }

    /// The agents that share a prefix, by name.
    fn sharing(&self) -> impl Iterator<Item = &Agent> {
        let primaries = self.agents.usable().filter(|agent| agent.is_primary());
        primaries.filter(|agent| self.shares_prefix(agent))
    }

    /// The prompt that the session has for the agent already, or the one it has from now on.
    fn system(&self, agent: &Agent, settings: &ToolSettings) -> Result<String, ErrorReport> {
        if let Some(stored) = self.store.system_prompt(&self.session, &agent.name)? {
            return Ok(stored);
        }
        let shares = self.shares_prefix(agent);
        for other in self.sharing().filter(|_| shares) {
            if let Some(stored) = self.store.system_prompt(&self.session, &other.name)? {
                return Ok(stored);
            }
        }
        let extended: Vec<&str> = self
            .registry
            .tools()
            .filter(|tool| tool.set() == ToolSet::Extended && settings.switched(tool.name()) != Some(false))
            .map(|tool| tool.name())
            .collect();
        let platform = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
        Ok(prompt::assemble(&PromptParts {
            directory: &self.prompt.directory,
            root: &self.prompt.root,
            branch: self.prompt.branch.as_deref(),
            platform: &platform,
            date: &self.prompt.date,
            extended: &extended,
            agent: if shares {
                include_str!("../../../assets/agents/primary.md")
            } else {
                &agent.prompt
            },
            instructions: &self.prompt.instructions,
        }))
    }
}

impl MakeProfiles for Profiles {
    fn prefix_of(&self, agent: &str) -> Option<String> {
        let shares = named(&self.agents, agent).is_ok_and(|agent| self.shares_prefix(agent));
        (!shares).then(|| agent.to_owned())
    }

    fn default_beside_plan(&self) -> Option<String> {
        default_beside_plan(&self.agents)
    }

    fn base_url(&self, model: &ModelRef) -> String {
        let provider = self.catalog.provider(&model.provider);
        provider.map_or_else(|_| String::new(), |provider| provider.shown_url().into_owned())
    }

    fn sharing_prefix(&self, model: &ModelRef) -> Vec<(Arc<ToolSettings>, Permissions)> {
        let profiles = self.sharing().filter_map(|agent| self.make(agent, model).ok());
        profiles
            .map(|profile| (profile.settings, profile.permissions))
            .collect()
    }

    fn plan_instructions(&self) -> PlanInstructions {
        match named(&self.agents, PLAN) {
            Ok(plan) if !plan.prompt.trim().is_empty() => PlanInstructions::SystemPrompt,
            _ => PlanInstructions::Reminder,
        }
    }

    fn check(&self, name: &str) -> Result<String, ErrorReport> {
        named(&self.agents, name).map(|agent| agent.name.clone())
    }

    fn choose(&mut self, agent: &str, model: &ModelRef) -> Result<Profile, ErrorReport> {
        self.catalog.model(model)?;
        let profile = self.make(named(&self.agents, agent)?, model)?;
        self.models.configured = Some(model.clone());
        Ok(profile)
    }

    fn change(&self, name: &str, from: &str, model: &ModelRef) -> Result<Profile, ErrorReport> {
        let agent = named(&self.agents, name)?;
        let next = self.next_model(agent, from, model);
        if next != model {
            self.catalog.model(next)?;
        }
        self.make(agent, next)
    }
}

/// Adds what the agent may use, by the tools' own names, and how its model edits.
pub(super) fn tool_settings(
    base: &BaseRules,
    user: ToolUser<'_>,
    edit_mode: EditMode,
    registry: &Registry,
) -> ToolSettings {
    let agent = user.agent;
    let mut said = ToolSwitches::default();
    if !base.permissions.project_is_trusted {
        said.restrict_project();
    }
    for (name, on) in &agent.tools.user {
        said.push_user(own_name(name, registry), *on);
    }
    for (name, on) in &agent.tools.project {
        said.push_project(own_name(name, registry), *on);
    }
    let category = user.task.and_then(|task| task.category.as_ref());
    for (name, on) in category.iter().flat_map(|category| &category.tools) {
        said.push_user(own_name(name, registry), *on);
    }
    let switch = |name: &str| Some((name.to_owned(), said.get(name)?));
    let mut switches: BTreeMap<String, bool> =
        registry.tools().filter_map(|tool| switch(tool.name())).collect();
    if let Some((editor, on)) = editor(&said, agent, edit_mode, registry) {
        switches.insert(editor, on);
    }
    let barred = barred_tools(&agent.name, user.task.map(TaskFacts::origin));
    ToolSettings {
        edit_mode,
        access: ToolAccess {
            agent: agent.name.clone(),
            switches,
            shown: tools_in_place(&barred),
            barred,
        },
        delegation: DelegationSettings {
            agents: delegates(user.agents),
            ..base.settings.delegation.clone()
        },
        ..base.settings.clone()
    }
}

impl TaskFacts {
    fn origin(&self) -> TaskOrigin<'_> {
        TaskOrigin {
            started_by: &self.started_by,
            has_category: self.category.is_some(),
            primary_tools: &self.primary_tools,
        }
    }
}

/// The agents that a model is told it can give tasks to, with what they are for.
fn delegates(agents: &Agents) -> Vec<(String, String)> {
    let shown = agents.delegates().filter(|agent| !agent.is_hidden);
    shown
        .map(|agent| (agent.name.clone(), agent.description.clone()))
        .collect()
}

/// An agent's files speak of `edit` and do not know the model. What they say of the editing tool of one mode holds for
/// the one of the model's mode, unless they name that too.
fn editor(
    said: &ToolSwitches,
    agent: &Agent,
    edit_mode: EditMode,
    registry: &Registry,
) -> Option<(String, bool)> {
    let entries = agent.tools.user.iter().chain(&agent.tools.project);
    let named: Vec<String> = entries.map(|(name, _)| own_name(name, registry)).collect();
    let is_named = |tool: &str| named.iter().any(|name| name == tool);
    let editors = registry.tools().filter(|tool| tool.edit_modes().len() == 1);
    let (own, others): (Vec<_>, Vec<_>) = editors.partition(|tool| tool.edit_modes().contains(&edit_mode));
    let own = own
        .first()
        .map(|tool| tool.name())
        .filter(|tool| !is_named(tool))?;
    let others = others
        .iter()
        .map(|tool| tool.name())
        .filter(|tool| is_named(tool));
    let on = others
        .filter_map(|tool| said.get(tool))
        .reduce(|one, other| one || other)?;
    Some((own.to_owned(), on))
}

/// Puts the agent's rules behind those of the user's files, and those of the project behind the project's.
pub(super) fn permissions(base: &BaseRules, agent: &Agent) -> Result<Permissions, ErrorReport> {
    let mut permissions = base.permissions.clone();
    permissions.is_plan = agent.name == PLAN;
    for given in &agent.rules {
        let source = rule_source(&agent.name, &given.source);
        let rules = own_rules(&given.rules, &source, base.home.as_deref()).map_err(|problem| {
            config_error(
                format!("`{}`: agent `{}`: {problem}", given.source, agent.name),
                "Write `allow`, `ask` or `deny`.",
            )
        })?;
        match given.source.owner {
            Owner::Project => permissions.project.extend(rules),
            Owner::BuiltIn | Owner::Global | Owner::Extra => permissions.user.extend(rules),
        }
    }
    Ok(permissions)
}

/// A rule names the file it stands in.
fn rule_source(agent: &str, source: &AgentSource) -> Source {
    match (source.owner, source.file.clone()) {
        (Owner::BuiltIn, _) | (_, None) => Source::Agent(agent.to_owned()),
        (Owner::Global, Some(file)) => Source::Global(file),
        (Owner::Extra, Some(file)) => Source::Extra(file),
        (Owner::Project, Some(file)) => Source::Project(file),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::permission;
    use crate::project::agents::{AgentPlaces, agent_files};
    use crate::unconfirmed::UnconfirmedFiles;

    #[test]
    fn agent_plan_has_the_rules_of_mode_plan() {
        let empty = tempfile::tempdir().unwrap();
        let files = agent_files(&AgentPlaces {
            config: empty.path(),
            home: None,
            root: empty.path(),
            cwd: empty.path(),
            check_rules: &|_| Ok(()),
            gate: &|_: &Path| true,
            unconfirmed: &UnconfirmedFiles::default(),
        });
        let found = files.agents(&[], false);
        let base = BaseRules {
            settings: ToolSettings::default(),
            permissions: Permissions::default(),
            home: None,
            edit_mode: None,
        };
        let plan = named(&found, PLAN).unwrap();
        assert_eq!(permissions(&base, plan).unwrap().user, permission::plan_rules());
        let build = named(&found, "build").unwrap();
        assert!(permissions(&base, build).unwrap().user.is_empty());
    }
}
