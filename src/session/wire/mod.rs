//! The composition root: configuration in, a running session out.
//!
//! The only reader of configuration below the front ends. It turns what was written into each service's own settings,
//! builds the services, opens the store, takes the session's lock and starts the actor.
//!
//! Import circle: trust, unconfirmed: the trust in a project holds what its files that are left out would bring, and that
//! is settled as trust itself.

mod agents;
mod categories;
mod child_trees;
mod children;
mod cleanup;
mod commands;
mod environment;
mod gates;
mod hooks;
mod imported;
mod models;
mod moved;
mod new_key;
mod opening;
mod part;
mod profile;
mod recap;
mod resume;
mod rule_files;
mod rule_keys;
mod services;
mod single_call;
mod standing;
mod status;
mod task_trees;
mod tool_names;
mod tools;
mod tree_parts;
mod trust;
mod unconfirmed;
mod unused;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::{ErrorReport, ReportKind};
use crate::agent::reminder::PLAN;
use crate::config::{Dirs, LoadedConfig};
use crate::conversation::{ModelRef, SessionId};
use crate::permission::Mode;
use crate::process::withhold;
use crate::provider::{Catalog, Client, ProviderError};
use crate::store::{LockError, Store, StoreError};
use models::{choose_model, providers};

pub use agents::load as agents;
pub use commands::user_commands;
pub use gates::{attachment_refusal, prompt_gate};
pub use imported::{ImportedList, imported_lists};
pub use new_key::{KeyedProvider, keyed_providers};
pub(super) use opening::{WiredSession, open};
pub use part::Part;
pub(in crate::session) use resume::{no_session, of_task};
pub use rule_keys::check_rule_keys;
pub use single_call::{ToolRun, run_tool};
pub use tools::{ListedTool, find_tool, list_tools};
pub use trust::{ProjectTrust, TrustFlag, TrustState, TrustedBy, accept_trust, settle_trust, trusted_names};
pub use unconfirmed::{UnconfirmedParts, unconfirmed};
pub use unused::{UnusedSetting, unused};

/// The session to open, and the settings for it.
#[derive(Debug, Clone)]
pub struct OpenRequest {
    pub loaded: LoadedConfig,
    pub dirs: Dirs,
    /// The session's directory, absolute and existing.
    pub directory: PathBuf,
    pub which: SessionChoice,
    /// Overrides the configured model.
    pub model: Option<ModelRef>,
    pub agent: Option<String>,
    pub mode: Mode,
    pub front_end: FrontEndKind,
    pub source: ModelSource,
    /// How the project stands; [`settle_trust`] finds it out.
    pub trust: ProjectTrust,
}

/// Session to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionChoice {
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

/// Source of replies.
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

/// The data of the first frame, from configuration alone.
#[derive(Debug, Clone)]
pub struct Preview {
    pub model: String,
    pub agent: String,
    pub mode: Mode,
}

impl From<StoreError> for ErrorReport {
    fn from(error: StoreError) -> Self {
        Self::new(ReportKind::Storage, error.to_string())
    }
}

impl From<LockError> for ErrorReport {
    fn from(error: LockError) -> Self {
        Self::new(ReportKind::Storage, error.to_string())
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

/// Returns how long sessions are kept after their last message; `None` is for ever.
pub(in crate::session) fn sessions_kept_for(request: &OpenRequest) -> Option<Duration> {
    let days = request.loaded.config.retention.sessions_days;
    (days > 0).then(|| Duration::from_hours(24) * days)
}

/// Returns the first of many texts, and how many more there are, which `about` says more of.
fn first_of(mut all: impl ExactSizeIterator<Item = String>, most: usize, about: &str) -> Vec<String> {
    let mut first: Vec<String> = all.by_ref().take(most).collect();
    let more = all.len();
    first.extend((more > 0).then(|| format!("{more} more{about}")));
    first
}

fn config_error(message: impl Into<String>, hint: &str) -> ErrorReport {
    ErrorReport::new(ReportKind::Config, message).hinted(hint)
}

/// Returns what the first frame shows. Opens nothing.
pub fn preview(request: &OpenRequest) -> Result<Preview, ErrorReport> {
    withhold(environment::key_variables(request));
    let agents = agents(request);
    let start = agents::start(&agents, request, None, &mut Vec::new())?;
    let catalog = Catalog::new(providers(request)?);
    let model = choose_model(request, &catalog, None, start.agent)?;
    Ok(Preview {
        model: model.to_string(),
        agent: start.agent.name.clone(),
        mode: start.mode,
    })
}

/// The same for a stored session that is reopened, whose model need not be available. `None` where there is no such session,
/// or where a model was asked for.
pub fn preview_reopened(request: &OpenRequest) -> Result<Option<Preview>, ErrorReport> {
    if request.model.is_some() || request.which == SessionChoice::New {
        return Ok(None);
    }
    let Some(store) = Store::open_existing(&request.dirs.data)? else {
        return Ok(None);
    };
    let Some(row) = resume::stored_row(request, &store)? else {
        return Ok(None);
    };
    let agents = agents(request);
    let start = agents::start(&agents, request, Some(&row), &mut Vec::new())?;
    // What is wrong with a provider is told before the screen begins.
    providers(request)?;
    Ok(Some(Preview {
        model: row
            .model
            .map_or_else(|| "no model".to_owned(), |model| model.to_string()),
        agent: start.agent.name.clone(),
        mode: start.mode,
    }))
}

/// Returns true if the provider of a model is configured and can be asked.
pub fn has_provider(request: &OpenRequest, model: &ModelRef) -> bool {
    let providers = providers(request);
    providers.is_ok_and(|providers| Catalog::new(providers).usable(&model.provider).is_ok())
}

/// Tries the server of the model that would be asked, for so long, without a token spent. Returns the model, and what the
/// server answered: the HTTP status, or why there was no answer. There is nothing to try where no server is asked.
pub async fn probe(
    request: &OpenRequest,
    patience: Duration,
) -> Result<Option<(ModelRef, Result<u16, ProviderError>)>, ErrorReport> {
    if !matches!(request.source, ModelSource::Network | ModelSource::Record(_)) {
        return Ok(None);
    }
    let agents = agents(request);
    let start = agents::start(&agents, request, None, &mut Vec::new())?;
    let catalog = Arc::new(Catalog::new(providers(request)?));
    let model = choose_model(request, &catalog, None, start.agent)?;
    let answer = Client::new(catalog).probe(&model, patience).await;
    Ok(Some((model, answer)))
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
    }
}
