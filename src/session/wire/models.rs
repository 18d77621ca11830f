//! From configured providers to a model that can be asked.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::{ErrorReport, FrontEndKind, ModelSource, OpenRequest, config_error};
use crate::config::schema;
use crate::conversation::{ModelRef, Price};
use crate::project::agents::{Agent, AgentModel};
use crate::provider::cassette::{MatchMode, PlaybackSpeed, Player, Recorder as Recording};
use crate::provider::{
    self, Catalog, Client, EditMode, ModelSettings, Protocol, Provider, ProviderSettings, RetrySettings,
};
use crate::store::SessionRow;

/// The facts that decide about the model when the agent changes.
pub(super) struct Models {
    /// Given on the command line or by the demo: it stays.
    pub(super) is_fixed: bool,
    /// For agents that name none.
    pub(super) configured: Option<ModelRef>,
    /// For agents that ask for the small one.
    pub(super) small: Option<ModelRef>,
}

impl Models {
    pub(super) fn new(request: &OpenRequest, catalog: &Catalog) -> Self {
        let configured = request.loaded.config.model.clone();
        Self {
            is_fixed: request.model.is_some() || request.source == ModelSource::Demo,
            configured: configured.or_else(|| catalog.default_model()),
            small: request.loaded.config.small_model.clone(),
        }
    }
}

/// The model that an agent names, where it is known.
pub(super) fn own_model<'a>(
    agent: &'a Agent,
    small: Option<&'a ModelRef>,
    catalog: &Catalog,
) -> Option<&'a ModelRef> {
    match agent.model.as_ref()? {
        AgentModel::Named(model) => Some(model),
        AgentModel::Foreign(model) => catalog.provider(&model.provider).is_ok().then_some(model),
        AgentModel::Small => small.filter(|model| catalog.usable(&model.provider).is_ok()),
    }
}

pub(super) fn providers(request: &OpenRequest) -> Result<BTreeMap<String, ProviderSettings>, ErrorReport> {
    let mut providers = match request.source {
        ModelSource::Demo => BTreeMap::new(),
        _ => provider::builtin(&|name| std::env::var(name).ok().filter(|value| !value.is_empty())),
    };
    for (name, given) in request.loaded.config.providers.iter() {
        let mut settings = provider_settings(name, given, providers.remove(name))?;
        let secrets = request.loaded.secrets.iter();
        for secret in secrets.filter(|secret| secret.path.starts_with(&["providers".into(), name.into()])) {
            settings.expanded.extend(secret.values.iter().cloned());
            let is_url = secret.path.last().is_some_and(|key| key == "base_url");
            if is_url && !secret.values.is_empty() {
                settings.written_url = Some(secret.written.clone());
            }
        }
        let mut unset = request.loaded.unset.iter();
        settings.fault = unset
            .find(|unset| unset.is_of("providers", name))
            .map(|unset| unset.problem.to_string());
        providers.insert(name.to_owned(), settings);
    }
    if request.source == ModelSource::Demo {
        providers.insert(
            "demo".to_owned(),
            ProviderSettings::new(Protocol::OpenAiChat, "http://localhost/v1"),
        );
    }
    Ok(providers)
}

/// Returns a provider's settings from the configuration, over what is built in under the same name.
fn provider_settings(
    name: &str,
    given: &schema::ProviderSettings,
    builtin: Option<ProviderSettings>,
) -> Result<ProviderSettings, ErrorReport> {
    let protocol = match given.protocol {
        Some(schema::Protocol::OpenAiChat) => Some(Protocol::OpenAiChat),
        Some(schema::Protocol::OpenAiResponses) => Some(Protocol::OpenAiResponses),
        Some(schema::Protocol::Anthropic) => Some(Protocol::Anthropic),
        Some(schema::Protocol::Gemini) => Some(Protocol::Gemini),
        None => builtin.as_ref().map(|settings| settings.protocol),
    };
    let protocol = protocol.or(known_protocol(name)).unwrap_or(Protocol::OpenAiChat);
    let base_url = given
        .base_url
        .clone()
        .or_else(|| builtin.as_ref().map(|settings| settings.base_url.clone()));
    let base_url = base_url
        .or_else(|| known_base_url(name).map(str::to_owned))
        .ok_or_else(|| {
            config_error(
                format!("provider `{name}` has no `base_url`"),
                "Set `providers.NAME.base_url`, such as `http://127.0.0.1:8080/v1`.",
            )
        })?;
    let mut settings = ProviderSettings::new(protocol, base_url);
    let key = given
        .api_key
        .as_ref()
        .map(|key| key.expose().to_owned())
        .filter(|key| !key.is_empty());
    settings.api_key = key.or_else(|| builtin.and_then(|settings| settings.api_key));
    settings.headers = given
        .headers
        .iter()
        .map(|(name, value)| (name.to_owned(), value.expose().to_owned()))
        .collect();
    settings.idle_timeout = Duration::from_millis(given.idle_timeout_ms);
    settings.retry = RetrySettings {
        max: given.retry.max,
        base: Duration::from_millis(given.retry.base_ms),
        max_delay: Duration::from_millis(given.retry.max_ms),
    };
    settings.models = given
        .models
        .iter()
        .map(|(name, model)| (name.to_owned(), model_settings(model)))
        .collect();
    Ok(settings)
}

fn known_protocol(name: &str) -> Option<Protocol> {
    match name {
        "anthropic" => Some(Protocol::Anthropic),
        "openai" => Some(Protocol::OpenAiResponses),
        "gemini" => Some(Protocol::Gemini),
        _ => None,
    }
}

/// The services' own addresses, for a provider that is configured with a key alone.
fn known_base_url(name: &str) -> Option<&'static str> {
    match name {
        "anthropic" => Some("https://api.anthropic.com/v1"),
        "openai" => Some("https://api.openai.com/v1"),
        "gemini" => Some("https://generativelanguage.googleapis.com/v1beta"),
        _ => None,
    }
}

fn model_settings(given: &schema::ModelSettings) -> ModelSettings {
    let price = |cost: &schema::Cost| Price {
        input: cost.input,
        output: cost.output,
        cache_read: cost.cache_read,
        cache_write: cost.cache_write,
    };
    ModelSettings {
        context: given.context,
        output: given.output,
        images: given.images,
        reasoning: given.reasoning,
        cost: given.cost.as_ref().map(price),
        edit_mode: given.edit_mode.map(edit_mode),
    }
}

fn edit_mode(given: schema::EditMode) -> EditMode {
    match given {
        schema::EditMode::Replace => EditMode::Replace,
        schema::EditMode::Hashline => EditMode::Hashline,
        schema::EditMode::Patch => EditMode::Patch,
    }
}

/// Returns the value of `edit.mode`.
pub(super) fn configured_edit_mode(request: &OpenRequest) -> Option<EditMode> {
    request.loaded.config.edit.mode.map(edit_mode)
}

/// The edit mode of the model that a session would have, for calls without one. A model that cannot be used still has a
/// name.
pub(super) fn likely_edit_mode(request: &OpenRequest, row: Option<&SessionRow>, agent: &Agent) -> EditMode {
    let configured = configured_edit_mode(request);
    let known = || {
        let catalog = Catalog::new(providers(request).ok()?);
        let model = choose_model(request, &catalog, row, agent).ok()?;
        catalog.model(&model).ok()
    };
    let by_name = || {
        let named = request.model.as_ref();
        named.map(|model| EditMode::of_model_id(&model.model))
    };
    match known() {
        Some(model) => model.edit_mode_with(configured),
        None => configured.or_else(by_name).unwrap_or_default(),
    }
}

/// The model that a session opens with.
pub(super) struct SessionModel {
    pub(super) reference: ModelRef,
    /// Why it cannot be asked, where the session opens all the same.
    pub(super) problem: Option<String>,
}

/// Returns the model of the session to open. A stored session that somebody watches opens with a model that cannot be
/// asked as well: its transcript is shown, and another model can be chosen. A model that the request names has to be
/// available.
pub(super) fn session_model(
    request: &OpenRequest,
    catalog: &Catalog,
    row: Option<&SessionRow>,
    agent: &Agent,
) -> Result<SessionModel, ErrorReport> {
    let report = match choose_model(request, catalog, row, agent) {
        Ok(reference) => {
            return Ok(SessionModel {
                reference,
                problem: None,
            });
        }
        Err(report) => report,
    };
    let Some(row) = row else { return Err(report) };
    if request.model.is_some() {
        return Err(report);
    }
    let wanted = wanted_model(request, catalog, Some(row), agent);
    if request.front_end == FrontEndKind::Unattended {
        return Err(match wanted {
            Some(model) => unavailable(row, &model, &report),
            None => report,
        });
    }
    Ok(SessionModel {
        reference: wanted.unwrap_or_else(no_model),
        problem: Some(report.message),
    })
}

/// Stands for a model where none is known.
fn no_model() -> ModelRef {
    ModelRef {
        provider: "none".to_owned(),
        model: "none".to_owned(),
    }
}

fn unavailable(row: &SessionRow, model: &ModelRef, report: &ErrorReport) -> ErrorReport {
    let message = format!(
        "the model `{model}` of session `{}` is not available: {}",
        row.id, report.message
    );
    ErrorReport::new(report.kind, message)
        .hinted("Choose one with `-m PROVIDER/MODEL`; `lathe models` lists them.")
}

pub(super) fn choose_model(
    request: &OpenRequest,
    catalog: &Catalog,
    row: Option<&SessionRow>,
    agent: &Agent,
) -> Result<ModelRef, ErrorReport> {
    if request.source == ModelSource::Demo {
        return Ok(ModelRef {
            provider: "demo".to_owned(),
            model: "scripted".to_owned(),
        });
    }
    let chosen = wanted_model(request, catalog, row, agent).ok_or_else(|| {
        let left_out = request.trust.report().map(|report| format!("; {}", report.message));
        config_error(
            format!(
                "no model is configured and no key was found{}",
                left_out.unwrap_or_default()
            ),
            "Run `lathe demo` to look around, set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or name a local \
             server in the configuration (`lathe config path` says where).",
        )
    })?;
    if matches!(request.source, ModelSource::Replay(_)) {
        return Ok(chosen);
    }
    catalog.usable(&chosen.provider)?;
    Ok(chosen)
}

fn wanted_model(
    request: &OpenRequest,
    catalog: &Catalog,
    row: Option<&SessionRow>,
    agent: &Agent,
) -> Option<ModelRef> {
    let chosen = request
        .model
        .clone()
        .or_else(|| row.filter(|row| row.agent == agent.name)?.model.clone())
        .or_else(|| own_model(agent, request.loaded.config.small_model.as_ref(), catalog).cloned())
        .or_else(|| row?.model.clone());
    chosen
        .or_else(|| request.loaded.config.model.clone())
        .or_else(|| catalog.default_model())
}

pub(super) fn provider(
    request: &OpenRequest,
    catalog: &Arc<Catalog>,
) -> Result<Arc<dyn Provider>, ErrorReport> {
    let network = || Arc::new(Client::new(Arc::clone(catalog))) as Arc<dyn Provider>;
    match &request.source {
        ModelSource::Network => Ok(network()),
        ModelSource::Record(path) => Ok(Arc::new(
            Recording::new(network(), path)?.hiding(catalog.secrets()),
        )),
        ModelSource::Replay(path) => {
            let file = std::fs::File::open(path).map_err(|error| {
                config_error(
                    format!("the cassette `{}` cannot be opened: {error}", path.display()),
                    "Check the path.",
                )
            })?;
            Ok(Arc::new(Player::from_reader(file, PlaybackSpeed::Flat)?))
        }
        ModelSource::Demo => {
            let pace = PlaybackSpeed::AsRecorded {
                scale: 1.0,
                max_wait: Duration::from_millis(400),
            };
            Ok(Arc::new(
                Player::from_text(DEMO, pace)?.following(MatchMode::Loose),
            ))
        }
    }
}

const DEMO: &str = include_str!("../../../assets/demo/cassette.jsonl");
