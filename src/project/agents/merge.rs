//! One agent while its sources are laid over each other.

use super::patch::{AgentPatch, Dialect, ToolChoice};
use super::{Agent, AgentMode, AgentModel, AgentRules, AgentSource, AgentState, Owner, ToolLists};
use crate::conversation::Isolation;
use crate::project::frontmatter::SourceProblem;

/// The key whose rules a project cannot change, not even by being stricter.
const PROTECTED: &str = "protected";

pub(super) struct Draft {
    name: String,
    /// For an agent whose files say nothing of it.
    default_mode: AgentMode,
    mode: Option<AgentMode>,
    description: Option<String>,
    model: Option<AgentModel>,
    unknown_models: Vec<(AgentSource, String)>,
    variant: Option<String>,
    temperature: Option<f64>,
    prompt: Option<String>,
    steps: Option<u32>,
    steps_at_most: Option<u32>,
    isolation: Option<Isolation>,
    hidden: Option<bool>,
    tools: Vec<(Owner, ToolChoice)>,
    rules: Vec<AgentRules>,
    sources: Vec<AgentSource>,
    disabled: Option<AgentSource>,
    broken: Option<SourceProblem>,
}

impl Draft {
    pub(super) fn new(name: &str, dialect: Dialect) -> Self {
        Self {
            name: name.to_owned(),
            default_mode: match dialect {
                Dialect::Lathe | Dialect::OpenCode => AgentMode::All,
                Dialect::Claude => AgentMode::Subagent,
            },
            mode: None,
            description: None,
            model: None,
            unknown_models: Vec::new(),
            variant: None,
            temperature: None,
            prompt: None,
            steps: None,
            steps_at_most: None,
            isolation: None,
            hidden: None,
            tools: Vec::new(),
            rules: Vec::new(),
            sources: Vec::new(),
            disabled: None,
            broken: None,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns true if somebody else than the project speaks of the agent.
    pub(super) fn is_of_user(&self) -> bool {
        self.sources.iter().any(|source| source.owner != Owner::Project)
    }

    /// Lays a source over the ones before it.
    pub(super) fn lay(&mut self, patch: AgentPatch, source: AgentSource) {
        let is_project = source.owner == Owner::Project;
        over(&mut self.description, patch.description);
        over(&mut self.mode, patch.mode);
        over(&mut self.model, patch.model);
        let unknown = patch.unknown_model.map(|model| (source.clone(), model));
        self.unknown_models.extend(unknown);
        over(&mut self.variant, patch.variant);
        over(&mut self.temperature, patch.temperature);
        over(&mut self.prompt, patch.prompt);
        over(&mut self.isolation, patch.isolation);
        over(&mut self.hidden, patch.hidden);
        if is_project {
            let least = [self.steps_at_most, patch.steps].into_iter().flatten().min();
            self.steps_at_most = least;
        } else {
            over(&mut self.steps, patch.steps);
        }
        match patch.disable {
            Some(true) => self.disabled = Some(source.clone()),
            // What the user has removed, a project does not bring back.
            Some(false) if !is_project => self.disabled = None,
            Some(false) => drop(self.disabled.take_if(|by| by.owner == Owner::Project)),
            None => {}
        }
        let choices = patch.tools.into_iter();
        self.tools.extend(choices.map(|choice| (source.owner, choice)));
        if let Some(mut rules) = patch.permission {
            let may_protect = matches!(source.owner, Owner::BuiltIn | Owner::Global);
            if let Some(keys) = rules.as_object_mut().filter(|_| !may_protect) {
                keys.shift_remove(PROTECTED);
            }
            self.rules.push(AgentRules {
                source: source.clone(),
                rules,
            });
        }
        self.sources.push(source);
    }

    /// The first problem stays: what follows may come of it.
    pub(super) fn break_with(&mut self, problem: SourceProblem) {
        self.broken.get_or_insert(problem);
    }

    pub(super) fn finish(self) -> AgentState {
        if let Some(problem) = self.broken {
            return AgentState::Broken(problem);
        }
        if let Some(source) = self.disabled {
            return AgentState::Disabled(source);
        }
        let mode = self.mode.unwrap_or(self.default_mode);
        let mut tools = ToolLists::default();
        for (owner, choice) in self.tools {
            let list = match owner {
                Owner::Project => &mut tools.project,
                Owner::BuiltIn | Owner::Global | Owner::Extra => &mut tools.user,
            };
            list.extend(switches(choice, mode));
        }
        AgentState::Usable(Box::new(Agent {
            name: self.name,
            description: self.description.unwrap_or_default(),
            mode,
            model: self.model,
            unknown_models: self.unknown_models,
            variant: self.variant,
            temperature: self.temperature,
            prompt: self.prompt.unwrap_or_default(),
            steps: self.steps,
            steps_at_most: self.steps_at_most,
            isolation: self.isolation,
            is_hidden: self.hidden.unwrap_or_default(),
            tools,
            rules: self.rules,
            sources: self.sources,
        }))
    }
}

fn over<T>(place: &mut Option<T>, given: Option<T>) {
    if given.is_some() {
        *place = given;
    }
}

/// A list means only these; who talks to the user keeps the list of what is to be done.
fn switches(choice: ToolChoice, mode: AgentMode) -> Vec<(String, bool)> {
    match choice {
        ToolChoice::Switches(switches) => switches,
        ToolChoice::Only(names) => {
            let mut switches = vec![("*".to_owned(), false)];
            switches.extend(names.into_iter().map(|name| (name, true)));
            if mode != AgentMode::Subagent {
                switches.push(("todowrite".to_owned(), true));
            }
            switches
        }
    }
}
