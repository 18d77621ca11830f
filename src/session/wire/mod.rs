//! The composition root: configuration in, a running session out.
//!
//! The only reader of configuration below the front ends. It turns what was written into each service's own settings,
//! builds the services, opens the store, takes the session's lock and starts the actor.

mod about;
mod agents;
mod commands;
mod hooks;
mod imported;
mod models;
mod profile;
mod resume;
mod rule_keys;
mod services;
mod tools;
mod trust;
mod upkeep;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::mpsc;

use super::actor::{Commands, Farewell, Parts};
use super::recorder::{Beginning, Recorder};
use super::title::Titles;
use super::{ErrorReport, Handle, ReportKind, SessionInfo};
use crate::agent::driver::{CallSettings, Driver, Reports};
use crate::agent::reminder::PLAN;
use crate::config::{Dirs, Loaded};
use crate::conversation::{CallId, CallResult, Message, ModelRef, SessionId};
use crate::hook::Transcript;
use crate::permission::Mode;
use crate::process::withhold;
use crate::provider::{Catalog, Provider, ProviderError, ToolSpec};
use crate::store::{NewSession, Store, StoreError};
use crate::tool::pipeline::{self, LoopGuard};
use crate::tool::{Abilities, Inside, Registry, Resolution, ToolCx};
use models::{choose_model, likely_edit_mode, provider, providers};
use profile::Models;
pub(super) use profile::{Profile, Profiles};
use resume::{draft, find, info, last_scope, no_session, prompt_facts};
use services::{Kit, roots};

pub use agents::load as agents;
pub use commands::user_commands;
pub use imported::{ImportedList, Unused, imported_lists, unused};
pub use rule_keys::check_rule_keys;
pub use services::{attachment_refusal, prompt_gate};
pub use tools::{ListedTool, find_tool, list_tools};
pub use trust::{
    Part, ProjectTrust, TrustFlag, TrustState, TrustedBy, UsersRules, accept_trust, settle_trust,
    trusted_names,
};

/// The session to open, and the settings for it.
#[derive(Debug, Clone)]
pub struct OpenRequest {
    pub loaded: Loaded,
    pub dirs: Dirs,
    /// The session's directory, absolute and existing.
    pub directory: PathBuf,
    pub which: Which,
    /// Overrides the configured model.
    pub model: Option<ModelRef>,
    pub agent: Option<String>,
    pub mode: Mode,
    pub front_end: FrontEndKind,
    pub source: ModelSource,
    /// How the project stands; [`settle_trust`] finds it out.
    pub trust: ProjectTrust,
}

/// Which session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    New,
    /// The project's newest; a new one, with a note, when there is none.
    Newest,
    Id(SessionId),
}

/// Tells if somebody can answer questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrontEndKind {
    Attended,
    Unattended,
}

/// Where replies come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelSource {
    Network,
    /// The network, and every exchange is written to this cassette.
    Record(PathBuf),
    /// This cassette alone.
    Replay(PathBuf),
    /// The embedded scripted model.
    Demo,
}

/// An opened session.
pub(super) struct Opened {
    pub handle: Handle,
    /// Draws the session's calls.
    pub tools: Arc<Registry>,
    /// Sentences for the user: warnings of the configuration, a session that was not there.
    pub notes: Vec<String>,
    /// Ends when the session's actor has written everything down.
    pub actor: tokio::task::JoinHandle<()>,
}

/// The data of the first frame, from configuration alone.
#[derive(Debug, Clone)]
pub struct Preview {
    pub model: String,
    pub agent: String,
    pub mode: Mode,
    pub theme: String,
}

/// The result of a single call.
#[derive(Debug)]
pub struct ToolRun {
    pub session: SessionId,
    pub call: CallId,
    /// The tool's own name, where there is one of the name that was given.
    pub tool: String,
    pub result: CallResult,
    /// Sentences for the user: what an earlier crash left behind, and what hooks had to say.
    pub notes: Vec<String>,
}

impl From<StoreError> for ErrorReport {
    fn from(error: StoreError) -> Self {
        Self {
            kind: ReportKind::Storage,
            message: error.to_string(),
            hint: None,
        }
    }
}

impl From<ProviderError> for ErrorReport {
    fn from(error: ProviderError) -> Self {
        Self {
            kind: error.kind.into(),
            hint: error.advice(),
            message: error.message,
        }
    }
}

fn config_error(message: impl Into<String>, hint: &str) -> ErrorReport {
    ErrorReport {
        kind: ReportKind::Config,
        message: message.into(),
        hint: Some(hint.to_owned()),
    }
}

/// Returns what the first frame shows. Opens nothing.
pub fn preview(request: &OpenRequest) -> Result<Preview, ErrorReport> {
    withhold(services::key_variables(request));
    let agents = agents(request);
    let start = agents::start(&agents, request, None, &mut Vec::new())?;
    let catalog = Catalog::new(providers(request)?);
    let model = choose_model(request, &catalog, None, start.agent)?;
    Ok(Preview {
        model: model.to_string(),
        agent: start.agent.name.clone(),
        mode: start.mode,
        theme: request.loaded.config.theme.clone(),
    })
}

/// The same where it cannot be known before the user has said whether the project is trusted.
pub fn preview_untrusted(request: &OpenRequest) -> Preview {
    let config = &request.loaded.config;
    let model = request.model.as_ref().or(config.model.as_ref());
    let agent = request.agent.as_deref().unwrap_or(agents::DEFAULT);
    let plans = request.mode == Mode::Plan || agent.eq_ignore_ascii_case(PLAN);
    Preview {
        model: model.map_or_else(|| "no model".to_owned(), ToString::to_string),
        agent: if plans { PLAN } else { agent }.to_owned(),
        mode: if plans { Mode::Plan } else { request.mode },
        theme: config.theme.clone(),
    }
}

/// Opens a session and starts its actor on the current runtime.
pub(super) fn open(request: &OpenRequest) -> Result<Opened, ErrorReport> {
    let mut notes = request.loaded.warnings.clone();
    let catalog = Arc::new(Catalog::new(providers(request)?));
    let store = Store::open(&request.dirs.data)?;
    // First of all: what is read below may be among the files that a crash left half changed.
    notes.extend(upkeep::recover(&request.dirs.data));
    let found = find(request, &store, &mut notes)?;
    if found.lock.is_some() && found.row.is_some() {
        // One that was killed has closed nothing.
        store.end_session_grants(&found.id)?;
    }
    let agents = agents(request);
    notes.extend(agents::problems(&agents));
    let start = agents::start(&agents, request, found.row.as_ref(), &mut notes)?;
    let (agent, mode, before_plan) = (start.agent.clone(), start.mode, start.before_plan);
    if agent.variant.is_some() {
        let name = &agent.name;
        notes.push(format!(
            "`variant` of agent `{name}` has no effect: models have no variants in this build of lathe yet"
        ));
    }
    let model_name = choose_model(request, &catalog, found.row.as_ref(), &agent)?;
    let provider = provider(request, &catalog)?;
    let directory = found
        .row
        .as_ref()
        .map_or_else(|| request.directory.clone(), |row| row.directory.clone());
    let reports = Reports::new();
    let kit = Kit::build(request, &store, &found.id, &directory, true, &reports, &mut notes)?;
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
    if found.lock.is_some()
        && let Some(row) = &found.row
    {
        store.mark_interrupted(&found.id)?;
        if row.agent != agent.name {
            store.set_agent_model(&found.id, &agent.name, Some(&model_name))?;
            store.set_system_prompt(&found.id, &agent.name, &profile.system)?;
        }
    }
    let messages: Vec<Arc<Message>> = match &found.row {
        Some(_) => store.load(&found.id)?.into_iter().map(Arc::new).collect(),
        None => Vec::new(),
    };
    let (list, problems) = user_commands(request);
    notes.extend(commands::problems(&problems));
    let commands = Commands {
        list,
        is_trusted: request.trust.is_trusted(),
    };
    let info = SessionInfo {
        mode,
        scope: last_scope(&store)?,
        ..info(request, &found, &profile, &profiles, &commands, &messages)
    };
    let is_new = found.row.is_none();
    let begin = is_new.then(|| Beginning {
        session: NewSession {
            id: found.id.clone(),
            parent: None,
            project: kit.services.roots.project_root().to_owned(),
            directory,
            agent: agent.name.clone(),
            model: Some(model_name.clone()),
            title: String::new(),
        },
        system: profile.system.clone(),
    });
    let draft = draft(&store, &found, kit.services.roots.project_root())?;
    let titles = titles(request, &catalog, &provider);
    let tools = Arc::clone(&kit.registry);
    let parts = Parts {
        info,
        messages,
        next_seq: store.next_seq(&found.id)?,
        todos: store.todos(&found.id)?,
        draft,
        recorder: Recorder::new(
            store.clone(),
            found.id.clone(),
            begin,
            (agent.name.clone(), model_name),
            found.lock,
        ),
        before_plan,
        driver: Driver::new(provider, reports),
        calls: CallSettings {
            registry: kit.registry,
            services: kit.services,
            settings: profile.settings,
            told: Arc::default(),
            session: found.id.clone(),
            agent: agent.name,
            abilities: Abilities {
                images: profile.model.images,
                pdf: profile.model.pdf,
            },
            context: None,
        },
        turn: profile.turn,
        model: profile.model,
        system: profile.system,
        temperature: profile.temperature,
        titles,
        profiles,
        user_commands: commands,
        reminders: request.loaded.config.todo.reminders,
        opening: if is_new { "startup" } else { "resume" },
        farewell: match request.front_end {
            FrontEndKind::Attended => Farewell::Short,
            FrontEndKind::Unattended => Farewell::Whole,
        },
        about: about::about(request),
        _cleaning: upkeep::clean_outputs(&request.dirs.data),
    };
    let (commands, received) = mpsc::channel(256);
    let actor = super::actor::spawn(parts, received);
    Ok(Opened {
        handle: Handle { commands },
        tools,
        notes,
        actor,
    })
}

/// Returns the model that gives sessions titles, where one is configured, its provider is and somebody sees the title.
fn titles(request: &OpenRequest, catalog: &Catalog, provider: &Arc<dyn Provider>) -> Option<Titles> {
    let small = request.loaded.config.small_model.clone();
    let model = small.filter(|model| {
        request.front_end == FrontEndKind::Attended && catalog.usable(&model.provider).is_ok()
    })?;
    Some(Titles {
        provider: Arc::clone(provider),
        model,
    })
}

/// Runs one tool once, in a session that is gone afterwards unless the request names one.
pub async fn run_tool(mut request: OpenRequest, name: &str, args: &str) -> Result<ToolRun, ErrorReport> {
    // A single call has no session through which somebody could answer.
    request.front_end = FrontEndKind::Unattended;
    let mut notes = upkeep::recover(&request.dirs.data);
    let _cleaning = upkeep::clean_outputs(&request.dirs.data);
    let agents = agents(&request);
    let (store, session, directory, start, edit_mode) = match &request.which {
        Which::Id(id) => {
            let store = Store::open(&request.dirs.data)?;
            let row = store.get(id)?.ok_or_else(|| no_session(id))?;
            let start = agents::start(&agents, &request, Some(&row), &mut Vec::new())?;
            let edit_mode = likely_edit_mode(&request, Some(&row), start.agent);
            (store, id.clone(), row.directory, start, edit_mode)
        }
        Which::New | Which::Newest => {
            let store = Store::in_memory()?;
            let session = SessionId::new();
            // Without them more is asked, which is no reason to fail.
            if let Err(error) = lend_grants(&request, &store, &session) {
                notes.push(format!("the stored rules do not count: {error}"));
            }
            let start = agents::start(&agents, &request, None, &mut Vec::new())?;
            store.create(&NewSession {
                id: session.clone(),
                parent: None,
                project: request.directory.clone(),
                directory: request.directory.clone(),
                agent: start.agent.name.clone(),
                model: None,
                title: String::new(),
            })?;
            let edit_mode = likely_edit_mode(&request, None, start.agent);
            (store, session, request.directory.clone(), start, edit_mode)
        }
    };
    let agent = start.agent;
    let reports = Reports::new();
    let kit = Kit::build(
        &request, &store, &session, &directory, false, &reports, &mut notes,
    )?;
    let transcript = kit.services.hooks.transcript();
    let _transcript = transcript.map(|path| Transcript::new(path.to_owned(), session.as_str()));
    let settings = profile::tool_settings(&kit.base, agent, edit_mode, &kit.registry);
    let permissions = profile::permissions(&kit.base, agent)?;
    kit.services.gate.change_rules(permissions);
    kit.services.gate.set_mode(start.mode);
    let call = CallId::new();
    let mut guard = LoopGuard::default();
    let told: Arc<[ToolSpec]> = kit
        .registry
        .advertised(&settings, &kit.services.gate.permissions(), &BTreeSet::new())
        .into();
    let known = pipeline::Known {
        registry: &kit.registry,
        settings: &settings,
        told: &told,
    };
    let resolved = pipeline::resolve(known, &mut guard, name, args);
    let (updates, _listener) = mpsc::unbounded_channel();
    let mut cx = ToolCx::new(Arc::clone(&kit.services), session.clone(), call.clone(), updates);
    cx.agent.clone_from(&agent.name);
    cx.edit_mode = edit_mode;
    cx.abilities = Abilities {
        images: true,
        pdf: true,
    };
    cx.inside = Some(Inside {
        registry: Arc::clone(&kit.registry),
        settings: Arc::new(settings),
        told,
        guard: Arc::new(tokio::sync::Mutex::new(guard)),
        progress: Arc::new(Silent),
    });
    let result = match resolved.outcome {
        Ok(ready) => pipeline::run(ready, &cx, &Silent).await,
        Err(result) => *result,
    };
    notes.extend(reports.into_messages());
    let tool = match kit.registry.resolve(name) {
        Resolution::Tool(tool) => tool.name().to_owned(),
        Resolution::Unknown { .. } => name.to_owned(),
    };
    Ok(ToolRun {
        session,
        call,
        tool,
        result,
        notes,
    })
}

/// Puts the stored rules that count here into a throwaway session's store: what is allowed in `run` is allowed in a single call.
fn lend_grants(request: &OpenRequest, store: &Store, session: &SessionId) -> Result<(), StoreError> {
    let Some(stored) = Store::open_existing(&request.dirs.data)? else {
        return Ok(());
    };
    let roots = roots(request, &request.directory);
    for grant in stored.grants_for(session, roots.project_root())? {
        store.add_grant(&grant.key, &grant.pattern, &grant.scope, session)?;
    }
    Ok(())
}

/// Nobody watches a single call.
struct Silent;

impl pipeline::Progress for Silent {}
