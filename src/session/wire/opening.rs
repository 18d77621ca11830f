//! Opens a session: what is stored of it, the services it works with, and its actor.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::mpsc;

use super::models::{Models, choose_model, provider, providers};
use super::profile::Profiles;
use super::resume::{FoundSession, draft, find, info, last_scope, prompt_facts};
use super::services::{CallServices, tree_services};
use super::{FrontEndKind, OpenRequest, agents, cleanup, commands, status, user_commands};
use crate::agent::driver::{Driver, Reports};
use crate::conversation::Message;
use crate::provider::{Catalog, Provider};
use crate::session::actor::{self, SessionParts, ShutdownGrace, UserCommands};
use crate::session::profile::Profile;
use crate::session::recorder::{FirstRecord, Recorder};
use crate::session::title::TitleGenerator;
use crate::session::{ErrorReport, Handle, SessionInfo};
use crate::store::{NewSession, Store};
use crate::tool::{Abilities, CallSettings, Registry, SessionServices};

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

/// Opens a session and starts its actor on the current runtime.
pub(in crate::session) fn open(request: &OpenRequest) -> Result<WiredSession, ErrorReport> {
    let mut notes = request.loaded.warnings.clone();
    let catalog = Arc::new(Catalog::new(providers(request)?));
    let store = Store::open(&request.dirs.data)?;
    let found = find_session(request, &store, &mut notes)?;
    let agents = agents(request);
    notes.extend(agents::problems(&agents));
    let start = agents::start(&agents, request, found.row.as_ref(), &mut notes)?;
    let (agent, mode, before_plan) = (start.agent.clone(), start.mode, start.before_plan);
    notes.extend(agents::without_effect(&agent));
    let model_name = choose_model(request, &catalog, found.row.as_ref(), &agent)?;
    let provider = provider(request, &catalog)?;
    let row = found.row.as_ref();
    let directory = row.map_or(&request.directory, |row| &row.directory).clone();
    let reports = Reports::new();
    let (services, tree) = tree_services(request, &store, &found.id, &directory, &reports, &mut notes)?;
    let kit = CallServices::new(request, services, &found.id, &directory, true)?;
    let prompt = prompt_facts(request, &kit, &mut notes);
    let profiles = Profiles {
        agents,
        models: Models::new(request, &catalog),
        catalog: Arc::clone(&catalog),
        registry: Arc::clone(&kit.registry),
        rules: kit.base,
        max_steps: request.loaded.config.max_steps,
        store: store.clone(),
        session: found.id.clone(),
        prompt,
    };
    let profile = profiles.make(&agent, &model_name)?;
    kit.services.gate.change_rules(profile.permissions.clone());
    kit.services.gate.set_mode(mode);
    let messages = history(&store, &found, &profile)?;
    let commands = own_commands(request, &mut notes);
    let info = SessionInfo {
        mode,
        scope: last_scope(&store)?,
        ..info(request, &found, &profile, &profiles, &commands, &messages)
    };
    let tools = Arc::clone(&kit.registry);
    let project = kit.services.roots.project_root().to_owned();
    let calls = calls(kit.registry, kit.services, &profile);
    let parts = SessionParts {
        info,
        messages,
        next_seq: store.next_seq(&found.id)?,
        todos: store.todos(&found.id)?,
        draft: draft(&store, &found, &project)?,
        opening: if found.row.is_none() { "startup" } else { "resume" },
        recorder: recorder(store, found, &profile, project, directory),
        before_plan,
        titles: titles(request, &catalog, &provider),
        driver: Driver::new(provider, reports),
        tree,
        calls,
        turn: profile.turn,
        model: profile.model,
        system: profile.system,
        temperature: profile.temperature,
        profiles: Box::new(profiles),
        user_commands: commands,
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
    Ok(WiredSession {
        handle: Handle { commands },
        tools,
        notes,
        actor,
    })
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

fn own_commands(request: &OpenRequest, notes: &mut Vec<String>) -> UserCommands {
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
        store.mark_interrupted(&found.id)?;
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
