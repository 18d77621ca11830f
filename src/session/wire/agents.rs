//! Loads the agents, and chooses the one that a session begins with.

use std::sync::Arc;

use super::gates::{request_gate, roots};
use super::rule_keys::ForeignKeys;
use super::{ErrorReport, OpenRequest, config_error, first_of};
use crate::agent::access::may_not_start;
use crate::agent::reminder::PLAN;
use crate::config::{Origin, schema};
use crate::conversation::{ErrorKind, Isolation};
use crate::permission::Mode;
use crate::project::agents::{
    Agent, AgentFiles, AgentMode, AgentModel, AgentPatch, AgentPlaces, AgentSource, AgentState, Agents,
    ConfiguredAgent, Owner, ToolChoice, agent_files,
};
use crate::session::AgentChoice;
use crate::session::actor::StateBeforePlan;
use crate::store::SessionRow;
use crate::tool::ToolError;
use crate::unconfirmed::UnconfirmedFiles;

/// The agent of a session that names none.
pub(in crate::session) const DEFAULT: &str = "build";
/// Another name of the default agent.
const ALIAS: &str = "sisyphus";
/// Problems that are told one by one when a session opens.
pub(super) const TOLD: usize = 3;

/// All agents, as `lathe agents` lists them. Where their files were looked at before, those that were looked at.
pub fn load(request: &OpenRequest) -> Agents {
    let files = match &request.trust.agents {
        Some(files) => Arc::clone(files),
        None => Arc::new(find(request, request.loaded.unconfirmed())),
    };
    files.agents(&configured(request), request.trust.is_trusted())
}

/// Reads files and blocks.
pub(super) fn find(request: &OpenRequest, unconfirmed: &UnconfirmedFiles) -> AgentFiles {
    let roots = roots(request, &request.directory);
    let (root, directory) = (roots.project_root(), roots.session_dir());
    let explained = ForeignKeys::new(&request.loaded, &request.dirs.config, root, directory);
    let check_rules = |rules: &serde_json::Value| explained.check(rules);
    agent_files(&AgentPlaces {
        config: &request.dirs.config,
        home: request.dirs.home.as_deref(),
        root: roots.project_root(),
        cwd: roots.session_dir(),
        check_rules: &check_rules,
        gate: &*request_gate(request, &roots),
        unconfirmed,
    })
}

/// Agents of the configuration, in the order of its files.
pub(super) fn configured(request: &OpenRequest) -> Vec<ConfiguredAgent> {
    let layers = request.loaded.agent_layers.iter();
    let configured = layers.flat_map(|layer| {
        let source = AgentSource {
            owner: match layer.origin {
                // Nothing of the managed file comes here.
                Origin::Global | Origin::Managed => Owner::Global,
                Origin::Extra => Owner::Extra,
                Origin::Project => Owner::Project,
            },
            file: Some(layer.file.clone()),
        };
        let entries = layer.agents.iter();
        entries.map(move |(name, settings)| ConfiguredAgent {
            source: source.clone(),
            name: name.to_owned(),
            patch: patch(settings),
        })
    });
    configured.collect()
}

fn patch(settings: &schema::AgentSettings) -> AgentPatch {
    let tools = settings.tools.as_ref().map(|tools| match tools {
        schema::AgentTools::Switches(switches) => {
            let switches = switches.iter().map(|(name, on)| (name.to_owned(), *on));
            ToolChoice::Switches(switches.collect())
        }
        schema::AgentTools::Only(names) => ToolChoice::Only(names.clone()),
    });
    let rules = |rules| serde_json::to_value(rules).ok();
    AgentPatch {
        unknown_model: None,
        description: settings.description.clone(),
        mode: settings.mode.map(|mode| match mode {
            schema::AgentMode::Primary => AgentMode::Primary,
            schema::AgentMode::Subagent => AgentMode::Subagent,
            schema::AgentMode::All => AgentMode::All,
        }),
        // One that cannot be read was refused with the configuration.
        model: settings
            .model
            .as_ref()
            .and_then(|model| model.parse().ok())
            .map(AgentModel::Named),
        variant: settings.variant.clone(),
        temperature: settings.temperature,
        prompt: settings.prompt.clone(),
        tools: tools.into_iter().collect(),
        permission: settings.permission.as_ref().and_then(rules),
        steps: settings.steps,
        isolation: settings.isolation.map(|isolation| match isolation {
            schema::Isolation::None => Isolation::None,
            schema::Isolation::Worktree => Isolation::Worktree,
        }),
        hidden: settings.hidden,
        disable: settings.disable,
    }
}

/// Returns the agent of a name, if a session can be held with it.
pub(super) fn named<'a>(agents: &'a Agents, name: &str) -> Result<&'a Agent, ErrorReport> {
    let alias = |name: &str| name.eq_ignore_ascii_case(ALIAS).then(|| agents.get(DEFAULT));
    let entry = agents.get(name).or_else(|| alias(name).flatten());
    let Some(entry) = entry else {
        return Err(config_error(
            format!("there is no agent `{name}`"),
            &there_are(agents),
        ));
    };
    match &entry.state {
        AgentState::Usable(agent) if agent.is_primary() => Ok(agent),
        AgentState::Usable(agent) => Err(config_error(
            format!(
                "agent `{}` is a subagent: it works on tasks of other agents and cannot lead a session",
                agent.name
            ),
            &there_are(agents),
        )),
        AgentState::Disabled(_) | AgentState::Broken(_) => {
            let refusal = entry.state.refusal(&entry.name);
            Err(config_error(
                refusal.unwrap_or_default(),
                &format!("Change that, or name another agent. {}", there_are(agents)),
            ))
        }
    }
}

/// Returns the agent that a task is given to by its name in any case, or says whom it can be given to instead.
/// `agent` and `tool` are those of the call that starts it.
pub(super) fn task_agent<'a>(
    agents: &'a Agents,
    (agent, tool): (&str, &str),
    name: &str,
) -> Result<&'a Agent, ToolError> {
    let hint = || task_hint(agents, (agent, tool));
    let name = name.trim();
    let known = if name.eq_ignore_ascii_case(ALIAS) {
        DEFAULT
    } else {
        name
    };
    let Some(entry) = agents.get(known) else {
        let error = ToolError::new(ErrorKind::NotFound, format!("there is no agent `{name}`"));
        return Err(error.hint(hint()));
    };
    let refused = |why: String| Err(ToolError::new(ErrorKind::Denied, why).hint(hint()));
    match &entry.state {
        AgentState::Usable(other) if !other.takes_tasks() => refused(format!(
            "agent `{}` is a primary agent: it works with the user, and no task can be given to it",
            other.name
        )),
        AgentState::Usable(other) if may_not_start(agent, tool, &other.name) => refused(format!(
            "agent `{agent}` may not start agent `{}` with `{tool}`",
            other.name
        )),
        AgentState::Usable(other) => Ok(other),
        AgentState::Disabled(_) | AgentState::Broken(_) => {
            refused(entry.state.refusal(&entry.name).unwrap_or_default())
        }
    }
}

/// Says whom an agent can give a task to.
fn task_hint(agents: &Agents, (agent, tool): (&str, &str)) -> String {
    let callable = agents.delegates().filter(|other| !other.is_hidden);
    let callable = callable.filter(|other| !may_not_start(agent, tool, &other.name));
    let names: Vec<String> = callable.map(|other| format!("`{}`", other.name)).collect();
    match names.as_slice() {
        [] => "No task can be given to anybody here. Do the work yourself.".to_owned(),
        [only] => format!("A task can be given to {only}. Or do the work yourself."),
        names => format!(
            "A task can be given to {}. Or do the work yourself.",
            names.join(", ")
        ),
    }
}

fn there_are(agents: &Agents) -> String {
    let names: Vec<String> = names(agents).iter().map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [] => "No agent can be used here; `lathe agents` says why.".to_owned(),
        names => format!("There are {}.", names.join(", ")),
    }
}

/// Names of the agents that the person can change to.
fn names(agents: &Agents) -> Vec<String> {
    choices(agents).into_iter().map(|choice| choice.name).collect()
}

/// The agents that the person can change to.
pub(super) fn choices(agents: &Agents) -> Vec<AgentChoice> {
    let shown = agents
        .usable()
        .filter(|agent| agent.is_primary() && !agent.is_hidden);
    let choice = |agent: &Agent| AgentChoice {
        name: agent.name.clone(),
        description: agent.description.clone(),
        model: agent.model.as_ref().and_then(|model| match model {
            AgentModel::Named(model) | AgentModel::Foreign(model) => Some(model.clone()),
            AgentModel::Small => None,
        }),
        tools: agent
            .tools
            .user
            .iter()
            .chain(&agent.tools.project)
            .cloned()
            .collect(),
        rules: agent
            .rules
            .iter()
            .flat_map(|rules| rule_lines(&rules.rules))
            .collect(),
        sources: agent.sources.iter().map(ToString::to_string).collect(),
    };
    shown.map(choice).collect()
}

/// Rules as they are written, one line each: `deny edit`, `allow bash git log *`.
fn rule_lines(rules: &serde_json::Value) -> Vec<String> {
    let line = |key: &str, action: &serde_json::Value| {
        let action = action.as_str().map_or_else(|| action.to_string(), str::to_owned);
        format!("{action} {key}")
    };
    match rules {
        serde_json::Value::Object(rules) => rules
            .iter()
            .flat_map(|(key, rule)| match rule {
                serde_json::Value::Object(patterns) => patterns
                    .iter()
                    .map(|(pattern, action)| line(&format!("{key} {pattern}"), action))
                    .collect(),
                action => vec![line(key, action)],
            })
            .collect(),
        action => vec![line("everything", action)],
    }
}

/// The agent that was asked for, or the one that the session had, or the default.
pub(super) fn choose<'a>(
    agents: &'a Agents,
    request: &OpenRequest,
    row: Option<&SessionRow>,
    notes: &mut Vec<String>,
) -> Result<&'a Agent, ErrorReport> {
    if let Some(name) = &request.agent {
        return named(agents, name);
    }
    if let Some(row) = row {
        match named(agents, &row.agent) {
            Ok(agent) => return Ok(agent),
            Err(report) => notes.push(format!("{}; the session goes on as `{DEFAULT}`", report.message)),
        }
    }
    named(agents, DEFAULT)
}

/// Says what of an agent's settings this version cannot follow.
pub(super) fn without_effect(agent: &Agent) -> Option<String> {
    agent.variant.as_ref()?;
    let name = &agent.name;
    Some(format!(
        "`variant` of agent `{name}` has no effect: models have no variants in this build of lathe yet"
    ))
}

/// Agent and mode that a session begins with.
pub(super) struct InitialAgent<'a> {
    pub(super) agent: &'a Agent,
    pub(super) mode: Mode,
    pub(super) before_plan: StateBeforePlan,
}

/// Returns what the session begins as: where either the agent or the mode is `plan`, both are.
pub(super) fn start<'a>(
    agents: &'a Agents,
    request: &OpenRequest,
    row: Option<&SessionRow>,
    notes: &mut Vec<String>,
) -> Result<InitialAgent<'a>, ErrorReport> {
    let chosen = choose(agents, request, row, notes)?;
    let mode = request.mode;
    if chosen.name == PLAN {
        return Ok(InitialAgent {
            agent: chosen,
            mode: Mode::Plan,
            before_plan: StateBeforePlan { agent: None, mode },
        });
    }
    let plan = named(agents, PLAN).ok().filter(|_| mode == Mode::Plan);
    Ok(InitialAgent {
        agent: plan.unwrap_or(chosen),
        mode,
        before_plan: StateBeforePlan {
            agent: Some(chosen.name.clone()),
            mode: Mode::Ask,
        },
    })
}

/// Returns the agent to go on as where plan is left and none was there before it.
pub(super) fn default_beside_plan(agents: &Agents) -> Option<String> {
    let default = named(agents, DEFAULT).ok().map(|agent| agent.name.clone());
    default.or_else(|| names(agents).into_iter().find(|name| name != PLAN))
}

/// Sentences about what could not be understood.
pub(super) fn problems(agents: &Agents) -> Vec<String> {
    let all: Vec<String> = agents.all_problems().map(ToString::to_string).collect();
    first_of(all.into_iter(), TOLD, " about agents; `lathe agents` lists them")
}
