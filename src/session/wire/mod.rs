//! The composition root: configuration in, a running session out.
//!
//! The only reader of configuration below the front ends. It turns what was written into each service's own settings,
//! builds the services, opens the store, takes the session's lock and starts the actor.

mod models;
mod resume;
mod services;

use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::mpsc;

use super::actor::Parts;
use super::recorder::{Beginning, Recorder};
use super::title::Titles;
use super::{ErrorReport, Handle, ReportKind, SessionInfo};
use crate::agent::driver::{CallSettings, Driver, Reports};
use crate::agent::turn::TurnSettings;
use crate::config::{Dirs, Loaded};
use crate::conversation::{CallId, CallResult, Message, ModelRef, SessionId};
use crate::permission::Mode;
use crate::provider::{Catalog, ProviderError, ToolSpec};
use crate::store::{NewSession, Store, StoreError};
use crate::tool::pipeline::{self, LoopGuard};
use crate::tool::{Abilities, Registry, ToolCx};
use models::{choose_model, provider, providers};
use resume::{clean_up, draft, find, info, no_session, system_prompt};
use services::{Kit, permissions, roots, tool_settings};

/// What to open, and how.
#[derive(Debug)]
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
    /// `--trust`.
    pub trust: bool,
}

/// Which session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    New,
    /// The project's newest; a new one, with a note, when there is none.
    Newest,
    Id(SessionId),
}

/// Whether somebody can answer questions.
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
#[derive(Debug)]
pub struct Opened {
    pub handle: Handle,
    /// Sentences for the user: warnings of the configuration, a session that was not there.
    pub notes: Vec<String>,
    /// Ends when the session's actor has written everything down.
    pub actor: tokio::task::JoinHandle<()>,
}

/// What the first frame shows, from configuration alone.
#[derive(Debug, Clone)]
pub struct Preview {
    pub model: String,
    pub agent: String,
    pub mode: Mode,
    pub theme: String,
}

/// What a single call gave.
#[derive(Debug)]
pub struct ToolRun {
    pub session: SessionId,
    pub call: CallId,
    pub result: CallResult,
}

const AGENT: &str = "build";

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
    let agent = agent_name(request)?;
    let catalog = Catalog::new(providers(request)?);
    let model = choose_model(request, &catalog, None)?;
    Ok(Preview {
        model: model.to_string(),
        agent,
        mode: request.mode,
        theme: request.loaded.config.theme.clone(),
    })
}

/// Returns what a model would be told of.
pub fn advertised(request: &OpenRequest) -> Result<Vec<ToolSpec>, ErrorReport> {
    let registry = Registry::builtin();
    let roots = roots(request, &request.directory);
    let permissions = permissions(request, &roots, None)?;
    Ok(registry.advertised(&tool_settings(request, &registry), &permissions))
}

/// Opens a session and starts its actor on the current runtime.
pub fn open(request: &OpenRequest) -> Result<Opened, ErrorReport> {
    let mut notes = request.loaded.warnings.clone();
    let catalog = Arc::new(Catalog::new(providers(request)?));
    let store = Store::open(&request.dirs.data)?;
    let found = find(request, &store, &mut notes)?;
    let model_name = choose_model(request, &catalog, found.row.as_ref())?;
    let model = catalog.model(&model_name)?;
    let provider = provider(request, &catalog)?;
    let directory = found
        .row
        .as_ref()
        .map_or_else(|| request.directory.clone(), |row| row.directory.clone());
    let reports = Reports::new();
    let kit = Kit::build(request, &store, &found.id, &directory, true, &reports)?;
    let agent = agent_name(request)?;
    if found.lock.is_some() && found.row.is_some() {
        store.mark_interrupted(&found.id)?;
    }
    let messages: Vec<Arc<Message>> = match &found.row {
        Some(_) => store.load(&found.id)?.into_iter().map(Arc::new).collect(),
        None => Vec::new(),
    };
    let system = system_prompt(request, &store, &kit, &found, &agent, &mut notes)?;
    let info = info(request, &found, &model, &agent, directory.clone(), &messages);
    let begin = found.row.is_none().then(|| Beginning {
        session: NewSession {
            id: found.id.clone(),
            parent: None,
            project: kit.services.roots.project_root().to_owned(),
            directory,
            agent: agent.clone(),
            model: Some(model_name.clone()),
            title: String::new(),
        },
        system: system.clone(),
    });
    let draft = draft(&store, &found, kit.services.roots.project_root())?;
    let small = request
        .loaded
        .config
        .small_model
        .clone()
        .filter(|_| request.front_end == FrontEndKind::Attended);
    let titles = small
        .filter(|model| catalog.provider(&model.provider).is_ok())
        .map(|model| Titles {
            provider: Arc::clone(&provider),
            model,
        });
    let tools = kit
        .registry
        .advertised(&kit.services.settings, &kit.services.gate.permissions());
    let parts = Parts {
        info,
        messages,
        next_seq: store.next_seq(&found.id)?,
        todos: store.todos(&found.id)?,
        draft,
        recorder: Recorder::new(store.clone(), found.id.clone(), begin, found.lock),
        driver: Driver::new(provider, reports),
        calls: CallSettings {
            registry: Arc::clone(&kit.registry),
            services: Arc::clone(&kit.services),
            session: found.id.clone(),
            agent: agent.clone(),
            abilities: Abilities {
                images: model.images,
                pdf: model.pdf,
            },
            context: None,
        },
        turn: TurnSettings {
            agent,
            model: model_name.clone(),
            max_steps: request.loaded.config.max_steps,
            retry: catalog
                .provider(&model_name.provider)
                .map(|provider| provider.retry)
                .unwrap_or_default(),
        },
        model,
        system,
        tools: tools.into(),
        titles,
    };
    clean_up(&request.dirs.data, &mut notes);
    let (commands, received) = mpsc::channel(256);
    let actor = super::actor::spawn(parts, received);
    Ok(Opened {
        handle: Handle { commands },
        notes,
        actor,
    })
}

/// Runs one tool once, in a session that is gone afterwards unless the request names one.
pub async fn run_tool(request: OpenRequest, name: &str, args: &str) -> Result<ToolRun, ErrorReport> {
    let (store, session, directory) = match &request.which {
        Which::Id(id) => {
            let store = Store::open(&request.dirs.data)?;
            let row = store.get(id)?.ok_or_else(|| no_session(id))?;
            (store, id.clone(), row.directory)
        }
        Which::New | Which::Newest => {
            let store = Store::in_memory()?;
            let session = SessionId::new();
            store.create(&NewSession {
                id: session.clone(),
                parent: None,
                project: request.directory.clone(),
                directory: request.directory.clone(),
                agent: AGENT.to_owned(),
                model: None,
                title: String::new(),
            })?;
            (store, session, request.directory.clone())
        }
    };
    let agent = agent_name(&request)?;
    let reports = Reports::new();
    let kit = Kit::build(&request, &store, &session, &directory, false, &reports)?;
    let call = CallId::new();
    let mut guard = LoopGuard::default();
    let resolved = pipeline::resolve(&kit.registry, &kit.services.settings, &mut guard, name, args);
    let (updates, _listener) = mpsc::unbounded_channel();
    let mut cx = ToolCx::new(Arc::clone(&kit.services), session.clone(), call.clone(), updates);
    cx.agent = agent;
    cx.abilities = Abilities {
        images: true,
        pdf: true,
    };
    let result = match resolved.outcome {
        Ok(ready) => pipeline::run(ready, &cx, &Silent).await,
        Err(result) => *result,
    };
    Ok(ToolRun {
        session,
        call,
        result,
    })
}

/// Nobody watches a single call.
struct Silent;

impl pipeline::Progress for Silent {
    fn running(&self, _: &CallId) {}
}

fn agent_name(request: &OpenRequest) -> Result<String, ErrorReport> {
    match request.agent.as_deref() {
        None | Some(AGENT | "sisyphus") => Ok(AGENT.to_owned()),
        Some(other) => Err(config_error(
            format!("there is no agent `{other}`"),
            "This version has one agent: `build`.",
        )),
    }
}
