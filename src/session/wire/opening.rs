//! Opens a session: what is stored of it, the services it works with, and its actor.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::mpsc;

use super::agents::InitialAgent;
use super::children::{ChildSessions, limits};
use super::models::{Models, choose_model, provider, providers};
use super::profile::{BaseRules, Profiles, PromptFacts};
use super::resume::{FoundSession, draft, find, info, last_scope, prompt_facts};
use super::services::{CallPlace, CallServices, tree_services};
use super::{FrontEndKind, OpenRequest, agents, cleanup, commands, status, task_trees, user_commands};
use crate::agent::driver::{Driver, Reports};
use crate::conversation::{Message, ModelRef, SessionId};
use crate::project::agents::Agents;
use crate::provider::{Catalog, Provider};
use crate::session::actor::{self, SessionParts, ShutdownGrace, StateBeforePlan, UserCommands};
use crate::session::profile::Profile;
use crate::session::recorder::{FirstRecord, Recorder};
use crate::session::tasks::{MeteredProvider, TaskDelegation, Tasks, TasksParts};
use crate::session::title::TitleGenerator;
use crate::session::tree::SessionTree;
use crate::session::{ErrorReport, Handle, SessionInfo};
use crate::store::{NewSession, Store};
use crate::tool::{Abilities, CallSettings, Registry, SessionServices, TreeServices};

/// An opened session.
pub(in crate::session) struct WiredSession {
    pub handle: Handle,
    /// Draws the session's calls.
    pub tools: Arc<Registry>,
    /// Sentences for the user: warnings of the configuration, a session that was not there.
    pub notes: Vec<String>,
    /// Ends when the session's actor has written everything down.
    pub actor: tokio::task::JoinHandle<()>,
}

/// Everything that the sessions of a tree are made from.
pub(super) struct TreeParts {
    pub(super) request: OpenRequest,
    pub(super) root: SessionId,
    pub(super) store: Store,
    pub(super) catalog: Arc<Catalog>,
    pub(super) agents: Arc<Agents>,
    pub(super) registry: Arc<Registry>,
    /// Every request of the tree goes through it.
    pub(super) provider: Arc<dyn Provider>,
    pub(super) services: Arc<TreeServices>,
    pub(super) tree: Arc<SessionTree>,
    pub(super) tasks: Arc<Tasks>,
}

/// Opens a session and starts its actor on the current runtime.
pub(in crate::session) fn open(request: &OpenRequest) -> Result<WiredSession, ErrorReport> {
    let mut notes = request.loaded.warnings.clone();
    let catalog = Arc::new(Catalog::new(providers(request)?));
    let store = Store::open(&request.dirs.data)?;
    let found = find_session(request, &store, &mut notes)?;
    let agents = Arc::new(agents(request));
    notes.extend(agents::problems(&agents));
    let start = agents::start(&agents, request, found.row.as_ref(), &mut notes)?;
    notes.extend(agents::without_effect(start.agent));
    let model_name = choose_model(request, &catalog, found.row.as_ref(), start.agent)?;
    let row = found.row.as_ref();
    let directory = row.map_or(&request.directory, |row| &row.directory).clone();
    let reports = Reports::new();
    let (services, tree) = tree_services(request, &store, &found.id, &directory, &reports, &mut notes)?;
    let registry = Arc::new(Registry::builtin());
    if found.lock.is_some() && found.row.is_some() {
        store.mark_interrupted(&found.id)?;
    }
    let tasks = Tasks::start(TasksParts {
        root: found.id.clone(),
        store: store.clone(),
        tree: Arc::clone(&tree),
        tools: Arc::clone(&registry),
        limits: limits(request, &catalog, &model_name)?,
    })?;
    let provider = Arc::new(MeteredProvider {
        inner: provider(request, &catalog)?,
        tasks: Arc::downgrade(&tasks),
    });
    // Nobody else has these services yet.
    let _ = services
        .delegation
        .set(Arc::new(TaskDelegation(Arc::downgrade(&tasks))));
    let parts = TreeParts {
        request: request.clone(),
        root: found.id.clone(),
        store,
        catalog,
        agents: Arc::clone(&agents),
        registry,
        provider,
        services,
        tree,
        tasks,
    };
    parts.open_root(found, &start, &model_name, (reports, directory), notes)
}

impl TreeParts {
    /// Opens the root, and connects the tasks with it.
    fn open_root(
        self,
        found: FoundSession,
        start: &InitialAgent<'_>,
        model: &ModelRef,
        (reports, directory): (Reports, PathBuf),
        mut notes: Vec<String>,
    ) -> Result<WiredSession, ErrorReport> {
        let request = &self.request;
        let place = CallPlace {
            session: &found.id,
            root: &found.id,
            directory: &directory,
            require_read: true,
            above: None,
            delegated: None,
        };
        let kit = CallServices::new(request, Arc::clone(&self.services), &self.registry, place)?;
        let prompt = Arc::new(prompt_facts(request, &kit, &mut notes));
        let profiles = self.profiles(&found.id, kit.base, Arc::clone(&prompt));
        let profile = profiles.make(start.agent, model)?;
        kit.services.gate.change_rules(profile.permissions.clone());
        kit.services.gate.set_mode(start.mode);
        let messages = history(&self.store, &found, &profile)?;
        let commands = own_commands(request, &mut notes);
        let info = SessionInfo {
            mode: start.mode,
            scope: last_scope(&self.store)?,
            ..info(request, &found, &profile, &profiles, &commands, &messages)
        };
        let project = kit.services.roots.project_root().to_owned();
        notes.extend(task_trees::note(request, &found.id, &project));
        let draft = draft(&self.store, &found, &project)?;
        let opening = if found.row.is_none() { "startup" } else { "resume" };
        let handle = self.spawn(NewActor {
            info,
            messages,
            draft,
            opening,
            recorder: recorder(self.store.clone(), found, &profile, project, directory),
            before_plan: start.before_plan.clone(),
            titles: titles(request, &self.catalog, &self.provider),
            reports,
            services: kit.services,
            profile,
            profiles,
            commands,
            is_task: false,
        })?;
        let (tools, tasks) = (Arc::clone(&self.registry), Arc::clone(&self.tasks));
        let (handle, actor) = handle;
        tasks.connect(handle.clone(), Arc::new(ChildSessions { parts: self, prompt }));
        Ok(WiredSession {
            handle,
            tools,
            notes,
            actor,
        })
    }

    pub(super) fn profiles(
        &self,
        session: &SessionId,
        rules: BaseRules,
        prompt: Arc<PromptFacts>,
    ) -> Profiles {
        Profiles {
            agents: Arc::clone(&self.agents),
            models: Models::new(&self.request, &self.catalog),
            catalog: Arc::clone(&self.catalog),
            registry: Arc::clone(&self.registry),
            rules,
            max_steps: self.request.loaded.config.max_steps,
            store: self.store.clone(),
            session: session.clone(),
            prompt,
        }
    }

    /// Starts the actor of a session.
    pub(super) fn spawn(&self, new: NewActor) -> Result<(Handle, tokio::task::JoinHandle<()>), ErrorReport> {
        let request = &self.request;
        let (session, profile) = (new.info.id.clone(), new.profile);
        let parts = SessionParts {
            next_seq: self.store.next_seq(&session)?,
            todos: self.store.todos(&session)?,
            info: new.info,
            messages: new.messages,
            draft: new.draft,
            opening: new.opening,
            recorder: new.recorder,
            before_plan: new.before_plan,
            titles: new.titles,
            driver: Driver::new(Arc::clone(&self.provider), new.reports),
            tree: Arc::clone(&self.tree),
            tasks: Arc::clone(&self.tasks),
            is_task: new.is_task,
            calls: calls(Arc::clone(&self.registry), new.services, &profile),
            turn: profile.turn,
            model: profile.model,
            system: profile.system,
            temperature: profile.temperature,
            profiles: Box::new(new.profiles),
            user_commands: new.commands,
            reminders: request.loaded.config.todo.reminders,
            shutdown_grace: match request.front_end {
                FrontEndKind::Attended => ShutdownGrace::Short,
                FrontEndKind::Unattended => ShutdownGrace::Whole,
            },
            about: status::about(request),
            _cleaning: cleanup::clean_outputs(&request.dirs.data),
        };
        let (commands, received) = mpsc::channel(256);
        let actor = actor::spawn(parts, received);
        Ok((Handle { commands }, actor))
    }
}

/// An actor to be started.
pub(super) struct NewActor {
    pub(super) info: SessionInfo,
    pub(super) messages: Vec<Arc<Message>>,
    pub(super) draft: String,
    pub(super) opening: &'static str,
    pub(super) recorder: Recorder,
    pub(super) before_plan: StateBeforePlan,
    pub(super) titles: Option<TitleGenerator>,
    pub(super) reports: Reports,
    pub(super) services: Arc<SessionServices>,
    pub(super) profile: Profile,
    pub(super) profiles: Profiles,
    pub(super) commands: UserCommands,
    pub(super) is_task: bool,
}

/// Returns the session that is wanted.
fn find_session(
    request: &OpenRequest,
    store: &Store,
    notes: &mut Vec<String>,
) -> Result<FoundSession, ErrorReport> {
    // First of all: what is read below may be among the files that a crash left half changed.
    notes.extend(cleanup::recover(&request.dirs.data));
    let found = find(request, store, notes)?;
    if found.lock.is_some() && found.row.is_some() {
        // One that was killed has closed nothing.
        store.end_session_grants(&found.id)?;
    }
    Ok(found)
}

pub(super) fn own_commands(request: &OpenRequest, notes: &mut Vec<String>) -> UserCommands {
    let (list, problems) = user_commands(request);
    notes.extend(commands::problems(&problems));
    UserCommands {
        list,
        is_trusted: request.trust.is_trusted(),
    }
}

fn calls(registry: Arc<Registry>, services: Arc<SessionServices>, profile: &Profile) -> CallSettings {
    CallSettings {
        registry,
        services,
        settings: Arc::clone(&profile.settings),
        advertised: Arc::default(),
        agent: profile.agent().to_owned(),
        abilities: Abilities {
            images: profile.model.images,
            pdf: profile.model.pdf,
        },
        context: None,
    }
}

/// Returns the messages of a stored session. One that was cut off is made whole first: it is ours, and nobody else's.
fn history(store: &Store, found: &FoundSession, profile: &Profile) -> Result<Vec<Arc<Message>>, ErrorReport> {
    let Some(row) = &found.row else {
        return Ok(Vec::new());
    };
    if found.lock.is_some() {
        let agent = profile.agent();
        if row.agent != agent {
            store.set_agent_model(&found.id, agent, Some(&profile.model.reference))?;
            store.set_system_prompt(&found.id, agent, &profile.system)?;
        }
    }
    Ok(store.load(&found.id)?.into_iter().map(Arc::new).collect())
}

/// Returns what writes the session down; a new one is stored with its first message.
fn recorder(
    store: Store,
    found: FoundSession,
    profile: &Profile,
    project: PathBuf,
    directory: PathBuf,
) -> Recorder {
    let (agent, model) = (profile.agent().to_owned(), profile.model.reference.clone());
    let begin = found.row.is_none().then(|| FirstRecord {
        session: NewSession {
            id: found.id.clone(),
            parent: None,
            project,
            directory,
            agent: agent.clone(),
            model: Some(model.clone()),
            title: String::new(),
        },
        system: profile.system.clone(),
    });
    Recorder::new(store, found.id, begin, (agent, model), found.lock)
}

/// Returns the model that gives sessions titles, where one is configured, its provider is and somebody sees the title.
fn titles(request: &OpenRequest, catalog: &Catalog, provider: &Arc<dyn Provider>) -> Option<TitleGenerator> {
    let small = request.loaded.config.small_model.clone();
    let model = small.filter(|model| {
        request.front_end == FrontEndKind::Attended && catalog.usable(&model.provider).is_ok()
    })?;
    Some(TitleGenerator {
        provider: Arc::clone(provider),
        model,
    })
}
