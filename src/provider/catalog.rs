//! Facts about models: `assets/models.json` and, above it, what the configuration says.
//!
//! The file is parsed on the first question about a model and not at the start. A model that is not in it is no error:
//! it gets the defaults of its protocol and no price, because an unknown price is shown as tokens and never as 0.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, OnceLock, PoisonError};

use serde::{Deserialize, Serialize};

use super::{Protocol, ProviderError, ProviderErrorKind, ProviderSettings, window};
use crate::conversation::{ModelRef, Price, Usage};

const KNOWN: &str = include_str!("../../assets/models.json");

/// The order in which a default model is looked for.
const FIRST: [&str; 3] = ["anthropic", "openai", "gemini"];

/// Editing tool that a model is given (TOOLS 0.8).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EditMode {
    #[default]
    Replace,
    Hashline,
    Patch,
}

impl EditMode {
    pub const ALL: [Self; 3] = [Self::Replace, Self::Hashline, Self::Patch];

    /// Returns the mode that a model's name suggests.
    pub fn of_model_id(id: &str) -> Self {
        let id = id.to_lowercase();
        let is_gpt = id
            .match_indices("gpt-")
            .any(|(at, _)| !id[at..].starts_with("gpt-oss"));
        let is_o = |segment: &str| ["o1", "o3", "o4"].iter().any(|name| segment.starts_with(name));
        if is_gpt || id.contains("codex") || id.split(['/', '-', ':', '.']).any(is_o) {
            Self::Patch
        } else {
            Self::Replace
        }
    }
}

/// How an Anthropic model is asked to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Thinking {
    /// The model decides how much.
    Adaptive,
    /// Older models, and others that speak the protocol, want a number of tokens.
    Budget,
}

impl Thinking {
    fn of_model_id(id: &str) -> Self {
        if id.contains("claude") {
            Self::Adaptive
        } else {
            Self::Budget
        }
    }
}

/// A model with all that lathe has to know about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub reference: ModelRef,
    /// Tokens of input and output together.
    pub context: u64,
    /// Tokens of one reply, to plan with. Less than what the largest models could say.
    pub output: u64,
    /// The limit that is sent; nothing is sent to a model of which it is not known.
    pub max_output: Option<u64>,
    pub images: bool,
    pub pdf: bool,
    pub reasoning: bool,
    pub thinking: Thinking,
    pub cost: Option<Price>,
    /// Above this many tokens of input another price holds for the whole request.
    pub long_cost: Option<LongCost>,
    /// The mode in the model's own entry, else the one its name suggests.
    pub edit_mode: EditMode,
    /// True if the configuration has `edit_mode` in the model's own entry, so that it overrides `edit.mode`.
    pub edit_mode_is_set: bool,
}

impl Model {
    /// Returns the mode to use when the configuration's `edit.mode` is `configured`.
    pub fn edit_mode_with(&self, configured: Option<EditMode>) -> EditMode {
        match configured {
            Some(mode) if !self.edit_mode_is_set => mode,
            _ => self.edit_mode,
        }
    }

    /// Returns the price of one request in US dollars, if it is known.
    pub fn price_of(&self, usage: &Usage) -> Option<f64> {
        let input = usage.input + usage.cache_read + usage.cache_write;
        match self.long_cost {
            Some(long) if input > long.over => Some(long.cost.of(usage)),
            _ => self.cost.map(|cost| cost.of(usage)),
        }
    }
}

/// The price of long prompts.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct LongCost {
    pub over: u64,
    pub cost: Price,
}

/// The configured providers and their models.
#[derive(Debug)]
pub struct Catalog {
    providers: BTreeMap<String, ProviderSettings>,
    known: OnceLock<KnownProviders>,
    /// Windows of models whose servers were asked for them, where they told one.
    windows: Mutex<HashMap<ModelRef, Option<u64>>>,
}

impl Catalog {
    /// Takes the settings of all providers, [`super::builtin`] ones included. Reads nothing yet.
    pub fn new(providers: BTreeMap<String, ProviderSettings>) -> Self {
        Self {
            providers,
            known: OnceLock::new(),
            windows: Mutex::default(),
        }
    }

    pub fn provider(&self, name: &str) -> Result<&ProviderSettings, ProviderError> {
        self.providers.get(name).ok_or_else(|| unknown_provider(name))
    }

    /// Returns a provider that can be asked.
    pub fn usable(&self, name: &str) -> Result<&ProviderSettings, ProviderError> {
        let settings = self.provider(name)?;
        match &settings.fault {
            Some(fault) => Err(ProviderError::new(ProviderErrorKind::Config, fault)
                .hinted("set it, or choose a model of another provider with `-m PROVIDER/MODEL`")),
            None => Ok(settings),
        }
    }

    /// Returns what is known about a model of a configured provider.
    pub fn model(&self, reference: &ModelRef) -> Result<Model, ProviderError> {
        let settings = self.provider(&reference.provider)?;
        Ok(self.described(reference, Some(settings)))
    }

    /// The same where the provider may be unknown: the embedded list, else the defaults, describe its model.
    pub fn model_or_default(&self, reference: &ModelRef) -> Model {
        self.described(reference, self.providers.get(&reference.provider))
    }

    fn described(&self, reference: &ModelRef, settings: Option<&ProviderSettings>) -> Model {
        let own = settings.and_then(|settings| settings.models.get(&reference.model));
        let entry = self.entry(reference);
        let guess = DefaultModel::of(settings.map_or(Protocol::OpenAiChat, |settings| settings.protocol));
        let output = own
            .and_then(|own| own.output)
            .or(entry.map(KnownModel::sent_output));
        let own_cost = own.and_then(|own| own.cost);
        // A gateway sells the same model at its own price.
        let listed = entry.filter(|_| self.known().contains_key(&reference.provider));
        let reasoning = own.and_then(|own| own.reasoning);
        let own_edit_mode = own.and_then(|own| own.edit_mode);
        let edit_mode = own_edit_mode.or(entry.and_then(|entry| entry.edit_mode));
        Model {
            reference: reference.clone(),
            context: own
                .and_then(|own| own.context)
                .or_else(|| self.told_window(reference))
                .or(entry.map(|entry| entry.context))
                .unwrap_or(guess.context),
            output: output.unwrap_or(guess.output),
            max_output: output,
            images: own
                .and_then(|own| own.images)
                .or(entry.map(|entry| entry.images))
                .unwrap_or(guess.images),
            pdf: entry.map_or(guess.images, |entry| entry.pdf),
            reasoning: reasoning
                .or(entry.map(|entry| entry.reasoning))
                .unwrap_or(guess.reasoning),
            thinking: entry
                .and_then(|entry| entry.thinking)
                .unwrap_or_else(|| Thinking::of_model_id(&reference.model)),
            cost: own_cost.or(listed.and_then(|entry| entry.cost)),
            long_cost: listed.filter(|_| own_cost.is_none()).and_then(|entry| entry.long),
            edit_mode: edit_mode.unwrap_or_else(|| EditMode::of_model_id(&reference.model)),
            edit_mode_is_set: own_edit_mode.is_some(),
        }
    }

    fn told_window(&self, model: &ModelRef) -> Option<u64> {
        let windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        windows.get(model).copied().flatten()
    }

    /// Returns true if the server of a model is to be asked for the model's window now. It is asked once.
    pub(crate) fn begin_asking_window(&self, model: &ModelRef) -> bool {
        let Ok(settings) = self.usable(&model.provider) else {
            return false;
        };
        let own = settings.models.get(&model.model);
        if own.is_some_and(|own| own.context.is_some()) || !window::is_local(settings) {
            return false;
        }
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = !windows.contains_key(model);
        windows.entry(model.clone()).or_default();
        is_first
    }

    /// Keeps what the server of a model said of the model's window.
    pub(crate) fn learn_window(&self, model: &ModelRef, tokens: u64) {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        windows.insert(model.clone(), Some(tokens));
    }

    /// Returns the model to use when none is configured.
    ///
    /// The first built-in provider with a key gives its default; after them, providers with a key and then those
    /// without give the first model that they list. One that cannot be asked comes last.
    pub fn default_model(&self) -> Option<ModelRef> {
        let named = |provider: &str, model: &str| ModelRef {
            provider: provider.to_owned(),
            model: model.to_owned(),
        };
        for name in FIRST {
            let Some(settings) = self.providers.get(name) else {
                continue;
            };
            if settings.api_key.is_some() && settings.fault.is_none() {
                return self.known().get(name).map(|known| named(name, &known.default));
            }
        }
        let listing = |is_wanted: fn(&ProviderSettings) -> bool| {
            self.providers.iter().find_map(|(name, settings)| {
                let model = settings.models.keys().next()?;
                is_wanted(settings).then(|| named(name, model))
            })
        };
        listing(|settings| settings.fault.is_none() && settings.api_key.is_some())
            .or_else(|| listing(|settings| settings.fault.is_none()))
            .or_else(|| listing(|_| true))
    }

    /// Returns every model that is configured or known, in the order of providers; of one provider the newest first.
    pub fn models(&self) -> Vec<Model> {
        let mut models = Vec::new();
        for (provider, settings) in &self.providers {
            let known = self
                .known()
                .get(provider)
                .into_iter()
                .flat_map(|known| known.models.keys());
            let mut names: Vec<&String> = settings.models.keys().chain(known).collect();
            names.sort_by_cached_key(|name| (Reverse(version(name)), *name));
            names.dedup();
            let reference = |name: &String| ModelRef {
                provider: provider.clone(),
                model: name.clone(),
            };
            models.extend(
                names
                    .into_iter()
                    .filter_map(|name| self.model(&reference(name)).ok()),
            );
        }
        models
    }

    /// Returns all keys and header values, which must appear in no message, log or recording.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        self.providers.values().flat_map(ProviderSettings::secrets)
    }

    fn known(&self) -> &KnownProviders {
        self.known
            .get_or_init(|| serde_json::from_str(KNOWN).expect("the embedded list of models is tested"))
    }

    /// Finds a model by its provider's list or, for gateways, by its name in any list.
    fn entry(&self, reference: &ModelRef) -> Option<&KnownModel> {
        let known = self.known();
        let full = reference.model.as_str();
        if let Some(listed) = known.get(&reference.provider) {
            return listed.find(full);
        }
        let last = full.rsplit('/').next().unwrap_or(full);
        FIRST
            .iter()
            .filter_map(|name| known.get(*name))
            .find_map(|listed| listed.find(last))
    }
}

type KnownProviders = BTreeMap<String, KnownProvider>;

#[derive(Debug, Deserialize)]
struct KnownProvider {
    default: String,
    models: BTreeMap<String, KnownModel>,
}

impl KnownProvider {
    /// Finds a model by its name, with or without the date of its release.
    fn find(&self, name: &str) -> Option<&KnownModel> {
        self.models
            .get(name)
            .or_else(|| self.models.get(without_date(name)))
    }
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct KnownModel {
    context: u64,
    output: u64,
    images: bool,
    pdf: bool,
    reasoning: bool,
    #[serde(default)]
    thinking: Option<Thinking>,
    #[serde(default)]
    cost: Option<Price>,
    #[serde(default)]
    long: Option<LongCost>,
    #[serde(default)]
    edit_mode: Option<EditMode>,
}

impl KnownModel {
    /// Returns the limit to send: room that a reply reserves is lost to the prompt, and few replies need all of it.
    fn sent_output(&self) -> u64 {
        self.output.min(64_000).min(self.context / 6)
    }
}

/// Defaults for a model that nobody has described.
struct DefaultModel {
    context: u64,
    output: u64,
    images: bool,
    reasoning: bool,
}

impl DefaultModel {
    fn of(protocol: Protocol) -> Self {
        match protocol {
            Protocol::Anthropic => Self {
                context: 200_000,
                output: 32_000,
                images: true,
                reasoning: false,
            },
            // What is new there reasons.
            Protocol::OpenAiResponses => Self {
                context: 128_000,
                output: 16_384,
                images: true,
                reasoning: true,
            },
            Protocol::Gemini => Self {
                context: 1_048_576,
                output: 65_536,
                images: true,
                reasoning: false,
            },
            // Local servers: most of their models see nothing, and refuse what they cannot see.
            Protocol::OpenAiChat => Self {
                context: 128_000,
                output: 8192,
                images: false,
                reasoning: false,
            },
        }
    }
}

fn unknown_provider(name: &str) -> ProviderError {
    let error = ProviderError::new(
        ProviderErrorKind::Config,
        format!("there is no provider `{name}`"),
    );
    match super::settings::key_variable(name) {
        Some(variable) => error.hinted(format!("set `{variable}`, or configure `providers.{name}`")),
        None => error.hinted(format!(
            "configure `providers.{name}`, or choose a model with `-m PROVIDER/MODEL`"
        )),
    }
}

/// `claude-x-20250929`, `gpt-x-2025-04-14`, `x@20250929`, `x-latest` → `x`.
fn without_date(name: &str) -> &str {
    let name = name.strip_suffix("-latest").unwrap_or(name);
    let is_number =
        |text: &str, digits: usize| text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((stem, date)) = name.rsplit_once(['-', '@'])
        && is_number(date, 8)
    {
        return stem;
    }
    let parts: Vec<&str> = name.rsplitn(4, '-').collect();
    match parts[..] {
        [day, month, year, stem] if is_number(day, 2) && is_number(month, 2) && is_number(year, 4) => stem,
        _ => name,
    }
}

/// Returns the version that a model's name tells: its numbers up to a date, without sizes such as `70b`.
fn version(name: &str) -> Vec<u32> {
    let mut numbers = Vec::new();
    let mut rest = name;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let digits = rest[start..].trim_start_matches(|c: char| c.is_ascii_digit());
        let number = &rest[start..rest.len() - digits.len()];
        rest = digits;
        match number.parse() {
            Ok(number) if number < FIRST_YEAR => {
                if !rest.starts_with(['b', 'B', 'k', 'K', 'x']) {
                    numbers.push(number);
                }
            }
            _ => break,
        }
    }
    numbers
}

/// A number from here on is a date.
const FIRST_YEAR: u32 = 1_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::ModelSettings;

    fn catalog() -> Catalog {
        let mut providers = BTreeMap::new();
        for (name, protocol, key) in [
            ("anthropic", Protocol::Anthropic, Some("k")),
            ("openai", Protocol::OpenAiResponses, Some("k")),
            ("local", Protocol::OpenAiChat, None),
        ] {
            let mut settings = ProviderSettings::new(protocol, "http://h");
            settings.api_key = key.map(str::to_owned);
            providers.insert(name.to_owned(), settings);
        }
        Catalog::new(providers)
    }

    fn model(name: &str) -> Model {
        catalog().model(&name.parse().unwrap()).unwrap()
    }

    #[test]
    fn the_embedded_list_is_whole_and_its_defaults_exist() {
        let catalog = catalog();
        for name in FIRST {
            let listed = &catalog.known()[name];
            assert!(listed.models.contains_key(&listed.default), "{name}");
            for (model, entry) in &listed.models {
                assert!(entry.output < entry.context && entry.cost.is_some(), "{model}");
            }
        }
    }

    #[test]
    fn a_dated_name_is_the_model_without_the_date() {
        assert_eq!(without_date("claude-sonnet-4-5-20250929"), "claude-sonnet-4-5");
        assert_eq!(without_date("claude-haiku-4-5@20251001"), "claude-haiku-4-5");
        assert_eq!(without_date("gpt-4.1-2025-04-14"), "gpt-4.1");
        assert_eq!(without_date("gpt-4o-latest"), "gpt-4o");
        assert_eq!(without_date("claude-opus-4-5"), "claude-opus-4-5");
        assert_eq!(without_date(""), "");
        assert_eq!(model("anthropic/claude-opus-4-1-20250805").output, 32_000);
    }

    #[test]
    fn a_model_nobody_knows_gets_defaults_and_no_price() {
        let model = model("local/qwen-99");
        assert_eq!(
            (model.context, model.max_output, model.cost),
            (128_000, None, None)
        );
        assert!(!model.images && !model.reasoning);
    }

    #[test]
    fn a_gateway_knows_the_abilities_but_not_the_price() {
        let model = model("local/vendor/claude-opus-5");
        assert_eq!((model.context, model.images, model.cost), (1_000_000, true, None));
    }

    #[test]
    fn the_configuration_wins() {
        let mut providers = catalog().providers;
        let own = ModelSettings {
            context: Some(5),
            output: Some(4),
            images: Some(false),
            cost: Some(Price {
                input: 1.0,
                ..Price::default()
            }),
            edit_mode: Some(EditMode::Hashline),
            ..ModelSettings::default()
        };
        let openai = providers.get_mut("openai").unwrap();
        openai.models.insert("gpt-6.1-sol".to_owned(), own);
        let catalog = Catalog::new(providers);
        let model = catalog.model(&"openai/gpt-6.1-sol".parse().unwrap()).unwrap();
        assert_eq!(
            (model.context, model.output, model.images, model.reasoning),
            (5, 4, false, true)
        );
        assert!((model.cost.unwrap().input - 1.0).abs() < 1e-9);
        assert_eq!(model.edit_mode_with(Some(EditMode::Patch)), EditMode::Hashline);
    }

    #[test]
    fn the_edit_mode_follows_the_name() {
        for (id, mode) in [
            ("gpt-5", EditMode::Patch),
            ("GPT-5.1", EditMode::Patch),
            ("gpt-oss:20b", EditMode::Replace),
            ("gpt-oss-gpt-4", EditMode::Patch),
            ("o4-mini", EditMode::Patch),
            ("foo3", EditMode::Replace),
            ("openai/gpt-oss-120b", EditMode::Replace),
            ("o3-mini", EditMode::Patch),
            ("openai/o1", EditMode::Patch),
            ("my-codex", EditMode::Patch),
            ("claude-opus-5", EditMode::Replace),
            ("solo3", EditMode::Replace),
        ] {
            assert_eq!(EditMode::of_model_id(id), mode, "{id}");
        }
        assert_eq!(
            model("openai/gpt-5").edit_mode_with(Some(EditMode::Replace)),
            EditMode::Replace
        );
    }

    #[test]
    fn the_first_provider_with_a_key_gives_the_default() {
        assert_eq!(catalog().default_model().unwrap().provider, "anthropic");
        let mut providers = catalog().providers;
        providers.remove("anthropic");
        assert_eq!(
            Catalog::new(providers.clone()).default_model().unwrap().provider,
            "openai"
        );
        providers.remove("openai");
        assert_eq!(Catalog::new(providers.clone()).default_model(), None);
        let local = providers.get_mut("local").unwrap();
        local.models.insert("m".to_owned(), ModelSettings::default());
        assert_eq!(
            Catalog::new(providers).default_model().unwrap().to_string(),
            "local/m"
        );
    }

    #[test]
    fn long_prompts_have_their_own_price() {
        let model = model("anthropic/claude-haiku-5-5");
        let short = Usage {
            input: 100_000,
            ..Usage::default()
        };
        let long = Usage {
            input: 100_001,
            ..Usage::default()
        };
        assert!(model.price_of(&long).unwrap() > 4.9 * model.price_of(&short).unwrap());
    }

    #[test]
    fn an_unknown_provider_says_what_to_set() {
        let error = catalog().model(&"gemini/x".parse().unwrap()).unwrap_err();
        assert_eq!(error.kind, ProviderErrorKind::Config);
        assert!(error.hint.unwrap().contains("GEMINI_API_KEY"));
    }

    #[test]
    fn a_model_of_an_unknown_provider_has_defaults() {
        let reference = "gone/x".parse().unwrap();
        assert!(catalog().model(&reference).is_err());
        let model = catalog().model_or_default(&reference);
        assert_eq!(
            (model.reference, model.context, model.output),
            (reference, 128_000, 8192)
        );
    }

    #[test]
    fn newer_versions_have_higher_numbers() {
        for (newer, older) in [
            ("claude-opus-5-5", "claude-opus-5"),
            ("claude-opus-5", "claude-opus-4-8"),
            ("claude-opus-4-1-20250805", "claude-opus-4-20250514"),
            ("claude-sonnet-4", "claude-3-7-sonnet-20250219"),
            ("gpt-6.1-sol", "gpt-5.6-luna"),
            ("gpt-5", "gpt-4o-2024-08-06"),
            ("gemini-3.8-flash", "gemini-3.1-pro-preview"),
            ("llama-3.3-8b", "llama-3.1-405b"),
        ] {
            assert!(version(newer) > version(older), "{newer}, {older}");
        }
        assert_eq!(version("gpt-oss-120b"), version("test-model"));
    }

    #[test]
    fn the_newest_model_of_a_kind_is_listed_first() {
        let catalog = Catalog::new(crate::provider::builtin(&|name| {
            name.ends_with("_API_KEY").then(|| "key".to_owned())
        }));
        let models = catalog.models();
        let names: Vec<String> = models.iter().map(|model| model.reference.to_string()).collect();
        for kind in ["opus", "sonnet", "haiku"] {
            let mut of_kind = names.iter().filter(|name| name.contains(kind));
            let first = of_kind.next().unwrap();
            assert!(of_kind.all(|name| version(name) <= version(first)), "{first}");
        }
    }
}
