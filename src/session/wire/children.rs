//! The sessions of tasks: who works in them, with what model, by which rules, and where.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::agents::{named, task_agent};
use super::categories::{self, Category};
use super::models::{SessionModel, own_model};
use super::profile::{Profiles, PromptFacts, TaskFacts};
use super::resume::{FoundSession, draft, info};
use super::services::{CallPlace, CallServices};
use super::tree_parts::{NewActor, TreeParts, own_commands};
use super::{ErrorReport, FrontEndKind, OpenRequest, config_error};
use crate::agent::background::{Limits, SlotLimits};
use crate::agent::driver::Reports;
use crate::conversation::{Budget, ErrorKind, Isolation, ModelRef, SessionId, TaskRow, Usage};
use crate::permission::{DelegatedTask, Mode};
use crate::project::agents::{Agent, Agents};
use crate::provider::{Catalog, Model};
use crate::session::actor::StateBeforePlan;
use crate::session::opened::RunningSession;
use crate::session::recorder::Recorder;
use crate::session::tasks::TaskSessions;
use crate::session::{ReadOnlyReason, SessionInfo};
use crate::store::NewSession;
use crate::tool::{Abilities, CheckedOrder, Gate, TaskCaller, TaskModel, TaskOrder, TaskTarget, ToolError};

/// Makes the sessions of the tasks of one tree.
pub(super) struct ChildSessions {
    pub(super) parts: TreeParts,
    /// Of the root: the prompts of tasks depend on nothing else, so that siblings share what is cached of them.
    pub(super) prompt: Arc<PromptFacts>,
    /// Process that holds the tree, when it is another one.
    pub(super) held: Option<ReadOnlyReason>,
}

/// Returns the limits of a tree whose root asks this model.
pub(super) fn limits(
    request: &OpenRequest,
    catalog: &Catalog,
    model: &SessionModel,
) -> Result<Limits, ErrorReport> {
    let config = &request.loaded.config.background;
    let caps = |table: &crate::config::schema::Table<u32>| {
        let caps = table.iter().map(|(name, cap)| (name.to_owned(), *cap));
        caps.collect()
    };
    let budget = Budget {
        tokens: config.budget.tokens,
        cost: config.budget.cost,
        minutes: config.budget.minutes,
    };
    let name = &model.reference;
    // One that cannot be asked costs nothing.
    if budget.cost.is_some() && model.problem.is_none() && !is_priced(catalog, name) {
        return Err(config_error(
            format!("a budget in dollars cannot be enforced: the price of `{name}` is unknown"),
            "Give the budget in tokens or minutes, or set `providers.NAME.models.MODEL.cost`.",
        ));
    }
    Ok(Limits {
        slots: SlotLimits {
            max_concurrent: config.max_concurrent,
            per_model: caps(&config.per_model),
            per_provider: caps(&config.per_provider),
        },
        max_depth: config.max_depth,
        max_tool_calls: config.max_tool_calls,
        max_spawned: config.max_spawned,
        budget,
    })
}

fn is_priced(catalog: &Catalog, model: &ModelRef) -> bool {
    catalog.model(model).is_ok_and(|model| model.cost.is_some())
}

impl TaskSessions for ChildSessions {
    fn check(&self, caller: &TaskCaller, mut order: TaskOrder) -> Result<CheckedOrder, ToolError> {
        if let TaskTarget::Resume(id) = &order.target {
            let id = id.clone();
            return self.check_resumed(caller, &id, order);
        }
        let (agent, category) = self.target(caller, &order)?;
        let model = self.model_of(caller, (agent, category.as_ref()), order.model.as_ref())?;
        self.check_budget(caller, &order, &model)?;
        let words = category.as_ref().map(|category| category.words.as_str());
        if let Some(words) = words.filter(|words| !words.is_empty()) {
            // It stands in the first message, so that the prompts of all tasks of this agent begin alike.
            order.prompt.push_str("\n\n");
            order.prompt.push_str(words);
        }
        Ok(CheckedOrder {
            agent: agent.name.clone(),
            category: category.map(|category| category.name),
            isolation: order.isolation.or(agent.isolation).unwrap_or_default(),
            resumes: None,
            model,
            order,
        })
    }

    fn model_for(
        &self,
        caller: &TaskCaller,
        order: &TaskOrder,
        wants_images: bool,
    ) -> Result<TaskModel, ToolError> {
        let (agent, category) = self.target(caller, order)?;
        let reference = self.model_of(caller, (agent, category.as_ref()), order.model.as_ref())?;
        let known = self.parts.catalog.model(&reference);
        let mut model = known.map_err(|error| ToolError::new(ErrorKind::Unavailable, error.to_string()))?;
        let is_named = order.model.is_some() || self.named_model(agent, category.as_ref()).is_some();
        let is_free = !is_named && !self.is_demo();
        if wants_images
            && !model.images
            && is_free
            && let Some(other) = self.first_with_images()
        {
            model = other;
        }
        Ok(TaskModel {
            abilities: Abilities {
                images: model.images,
                pdf: model.pdf,
            },
            context: model.context,
            reference: model.reference,
        })
    }

    fn new_session(&self, id: &SessionId, caller: &TaskCaller, order: &CheckedOrder) -> NewSession {
        let (project, directory) = self.place(&caller.session);
        let directory = match order.isolation {
            Isolation::Worktree => self.tree_directory(id, &project, &directory),
            Isolation::None => directory,
        };
        NewSession {
            id: id.clone(),
            parent: Some(caller.session.clone()),
            project,
            directory,
            agent: order.agent.clone(),
            model: Some(order.model.clone()),
            title: format!("{} (@{})", order.order.description, order.agent),
        }
    }

    fn open(&self, row: &TaskRow) -> Result<RunningSession, ErrorReport> {
        let parts = &self.parts;
        let stored = parts.store.get(&row.session)?;
        let stored = stored.ok_or_else(|| super::resume::no_session(&row.session))?;
        let directory = existing(&stored.directory, row);
        let request = &OpenRequest {
            mode: self.mode(),
            ..parts.request.clone()
        };
        let found = FoundSession {
            id: row.session.clone(),
            row: Some(stored),
            lock: None,
            held: self.held.clone(),
        };
        let place = CallPlace {
            session: &row.session,
            root: &parts.root,
            directory: &directory,
            require_read: true,
            above: self.gate_above(row),
            delegated: Some(self.delegated(row)),
        };
        let kit = CallServices::new(request, Arc::clone(&parts.services), &parts.registry, place)?;
        let profiles = Profiles {
            task: Some(self.facts(row)),
            ..parts.profiles(&row.session, kit.base, Arc::clone(&self.prompt))
        };
        let agent = stored_agent(&parts.agents, &row.agent)?;
        let messages = parts.store.load(&row.session)?;
        let messages: Vec<_> = messages.into_iter().map(Arc::new).collect();
        if messages.is_empty() {
            // A task begins with a model that can be asked; one that is over is shown without it, too.
            parts.catalog.model(&row.model)?;
        }
        let profile = profiles.make(agent, &row.model)?;
        kit.services.gate.change_rules(profile.permissions.clone());
        if parts
            .store
            .system_prompt(&row.session, profile.agent())?
            .is_none()
        {
            parts
                .store
                .set_system_prompt(&row.session, profile.agent(), &profile.system)?;
        }
        let commands = own_commands(request, &mut Vec::new());
        let info = SessionInfo {
            agents: Vec::new(),
            ..info(request, &found, &profile, &profiles, &commands, &messages)
        };
        let works_as = (profile.agent().to_owned(), profile.model.reference.clone());
        let reports = Reports::new();
        parts.tree.add(&row.session, reports.question_sink());
        let project = kit.services.roots.project_root().to_owned();
        let draft = draft(&parts.store, &found, &project)?;
        let (handle, actor) = parts.spawn(NewActor {
            info,
            draft,
            opening: "startup",
            recorder: Recorder::new(parts.store.clone(), row.session.clone(), None, works_as, None)
                .keeping_unsaved(parts.request.front_end == FrontEndKind::Attended),
            before_plan: StateBeforePlan {
                agent: None,
                mode: Mode::Ask,
            },
            titles: None,
            reports,
            services: kit.services,
            profile,
            profiles,
            commands,
            messages,
            is_task: true,
        })?;
        Ok(RunningSession { handle, actor })
    }

    fn has_cache(&self, model: &ModelRef) -> bool {
        let price = self.parts.catalog.model(model).ok().and_then(|model| model.cost);
        price.is_some_and(|price| price.cache_read > 0.0)
    }

    fn price(&self, model: &ModelRef, usage: &Usage) -> Option<f64> {
        self.parts.catalog.model(model).ok()?.price_of(usage)
    }
}

impl ChildSessions {
    fn check_resumed(
        &self,
        caller: &TaskCaller,
        id: &str,
        order: TaskOrder,
    ) -> Result<CheckedOrder, ToolError> {
        let row = self.parts.tasks.resumed(caller, id)?;
        // Whom the caller may not start it may not let go on either.
        task_agent(&self.parts.agents, (&caller.agent, order.tool), &row.agent)?;
        self.check_budget(caller, &order, &row.model)?;
        let messages = self.parts.store.load(&row.session)?;
        let used = messages.iter().rev().find_map(|message| message.usage);
        Ok(CheckedOrder {
            agent: row.agent,
            category: row.category,
            isolation: order.isolation.unwrap_or_default(),
            resumes: Some((row.task, used.map_or(0, |usage| usage.context()))),
            model: row.model,
            order,
        })
    }

    /// Refuses a model whose price is not known where dollars are limited, by the order or by a budget above it.
    fn check_budget(
        &self,
        caller: &TaskCaller,
        order: &TaskOrder,
        model: &ModelRef,
    ) -> Result<(), ToolError> {
        let is_limited = order.budget.cost.is_some() || self.parts.tasks.has_cost_limit(&caller.session);
        if !is_limited || is_priced(&self.parts.catalog, model) {
            return Ok(());
        }
        Err(ToolError::new(
            ErrorKind::InvalidArgs,
            format!("a budget in dollars cannot be enforced: the price of `{model}` is unknown"),
        )
        .hint("Name an agent or a category with another model, or give `budget.tokens` or `budget.minutes`."))
    }

    /// Returns the agent that an order is for, and the kind of work.
    fn target(
        &self,
        caller: &TaskCaller,
        order: &TaskOrder,
    ) -> Result<(&Agent, Option<Category>), ToolError> {
        let parts = &self.parts;
        let starts = (caller.agent.as_str(), order.tool);
        match &order.target {
            TaskTarget::Category(name) => {
                let category = categories::find(&parts.request, &parts.catalog, name)?;
                let agent = task_agent(&parts.agents, starts, categories::AGENT)?;
                Ok((agent, Some(category)))
            }
            TaskTarget::Agent(name) | TaskTarget::Resume(name) => {
                Ok((task_agent(&parts.agents, starts, name)?, None))
            }
        }
    }

    /// Facts of a stored task. A category that is gone by now changes nothing any more.
    fn facts(&self, row: &TaskRow) -> TaskFacts {
        let parts = &self.parts;
        let category = row.category.as_deref();
        TaskFacts {
            started_by: row.started_by.clone(),
            category: category.and_then(|name| categories::find(&parts.request, &parts.catalog, name).ok()),
            primary_tools: parts.request.loaded.config.background.primary_tools.clone(),
        }
    }

    /// The model of a task: the one that is asked for, the category's, the agent's own, or that of the session that starts it.
    fn model_of(
        &self,
        caller: &TaskCaller,
        (agent, category): (&Agent, Option<&Category>),
        asked: Option<&ModelRef>,
    ) -> Result<ModelRef, ToolError> {
        let own = asked.or_else(|| self.named_model(agent, category));
        if let Some(own) = own.filter(|_| !self.is_demo()) {
            return Ok(own.clone());
        }
        let parent = self.parts.store.get(&caller.session)?;
        let model = parent.and_then(|parent| parent.model);
        model.ok_or_else(|| {
            ToolError::new(
                ErrorKind::Unavailable,
                "the model of this session is not known, so no task can be started",
            )
        })
    }

    /// Returns the model that the category names, else the agent.
    fn named_model<'a>(&'a self, agent: &'a Agent, category: Option<&'a Category>) -> Option<&'a ModelRef> {
        let small = self.parts.request.loaded.config.small_model.as_ref();
        let of_category = category.and_then(|category| category.model.as_ref());
        of_category.or_else(|| own_model(agent, small, &self.parts.catalog))
    }

    /// Returns true if there is one model, which plays a recording.
    fn is_demo(&self) -> bool {
        self.parts.request.source == super::ModelSource::Demo
    }

    /// Returns the first model of the catalog that takes images and can be asked.
    fn first_with_images(&self) -> Option<Model> {
        let catalog = &self.parts.catalog;
        let models = catalog.models().into_iter();
        let mut able =
            models.filter(|model| model.images && catalog.usable(&model.reference.provider).is_ok());
        able.next()
    }

    /// Project and directory of the session that starts a task.
    pub(super) fn place(&self, session: &SessionId) -> (PathBuf, PathBuf) {
        let stored = self.parts.store.get(session).ok().flatten();
        let own = || (self.prompt.root.clone(), self.prompt.directory.clone());
        stored.map_or_else(own, |row| (row.project, row.directory))
    }

    fn mode(&self) -> Mode {
        let root = self.parts.services.gates.of(&self.parts.root);
        root.map_or(self.parts.request.mode, |gate| gate.mode())
    }

    /// The gate whose denials count for a task: that of the session that started it, or the root's where that is closed.
    fn gate_above(&self, row: &TaskRow) -> Option<Arc<Gate>> {
        let gates = &self.parts.services.gates;
        gates.of(&row.parent).or_else(|| gates.of(&self.parts.root))
    }

    /// Names who started a task, the root's agent first.
    fn delegated(&self, row: &TaskRow) -> DelegatedTask {
        let rows = self.parts.tasks.rows();
        let mut by = Vec::new();
        let mut session = row.parent.clone();
        while let Some(above) = rows.iter().find(|above| above.session == session) {
            by.insert(0, above.agent.clone());
            session.clone_from(&above.parent);
        }
        if let Ok(Some(root)) = self.parts.store.get(&self.parts.root) {
            by.insert(0, root.agent);
        }
        DelegatedTask {
            by,
            task: row.description.clone(),
        }
    }
}

/// The directory of a task's session; the top of its work tree where that place is not in it.
fn existing(directory: &Path, row: &TaskRow) -> PathBuf {
    let tree = row.worktree.as_ref().filter(|_| !directory.is_dir());
    tree.map_or_else(|| directory.to_owned(), |tree| PathBuf::from(&tree.path))
}

/// The agent of a stored task, which may be gone by now.
fn stored_agent<'a>(agents: &'a Agents, name: &str) -> Result<&'a Agent, ErrorReport> {
    let usable = agents.usable().find(|agent| agent.name == name);
    // It says why it cannot be used.
    usable.map_or_else(|| named(agents, name), Ok)
}
