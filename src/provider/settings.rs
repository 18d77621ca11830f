//! Settings of a provider, free of the configuration's own shape.
//!
//! `session::wire` makes these from the configuration, [`builtin`] from the environment. Nothing here is read from a
//! file, and a key never shows in `Debug`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{EditMode, RetrySettings};
use crate::conversation::Price;

/// A wire protocol, by its name in the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Protocol {
    #[serde(rename = "openai-chat")]
    OpenAiChat,
    #[serde(rename = "openai-responses")]
    OpenAiResponses,
    #[serde(rename = "anthropic")]
    Anthropic,
    #[serde(rename = "gemini")]
    Gemini,
}

impl Protocol {
    /// Returns the name that the configuration and stored native blocks use.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One entry of `providers`.
#[derive(Clone, PartialEq)]
pub struct ProviderSettings {
    pub protocol: Protocol,
    /// With or without a trailing slash; the protocol's path is appended.
    pub base_url: String,
    /// `base_url` as it is written in a file, where its value holds something that nobody is to see.
    pub written_url: Option<String>,
    /// Values that the configuration takes from the environment or a file into the address, the key and the headers.
    pub expanded: Vec<String>,
    pub api_key: Option<String>,
    /// A sentence that says why nothing can be asked of it, such as a variable that its key wants and that is not set.
    pub fault: Option<String>,
    /// Sent with every request; they win over the protocol's own headers.
    pub headers: Vec<(String, String)>,
    /// A stream silent for longer is given up.
    pub idle_timeout: Duration,
    pub retry: RetrySettings,
    pub models: BTreeMap<String, ModelSettings>,
}

impl ProviderSettings {
    /// The longest silence that is waited for unless the configuration says otherwise.
    pub const IDLE_TIMEOUT: Duration = Duration::from_mins(2);

    /// Makes settings with the defaults: no key, no headers, no models.
    pub fn new(protocol: Protocol, base_url: impl Into<String>) -> Self {
        Self {
            protocol,
            base_url: base_url.into(),
            written_url: None,
            expanded: Vec::new(),
            api_key: None,
            fault: None,
            headers: Vec::new(),
            idle_timeout: Self::IDLE_TIMEOUT,
            retry: RetrySettings::default(),
            models: BTreeMap::new(),
        }
    }

    /// Returns the variable that would hold the key, where a provider of this name wants one and none is there. Whoever
    /// sends headers of their own, or asks elsewhere than the provider itself, may need none.
    pub fn missing_key(&self, name: &str) -> Option<&'static str> {
        let builtin = BUILTIN.iter().find(|builtin| builtin.name == name)?;
        let is_its_own = self.base_url.trim_end_matches('/') == builtin.default_base;
        (is_its_own && self.api_key.is_none() && self.headers.is_empty()).then_some(builtin.key)
    }

    /// Returns what must not appear in any message, log or recording.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        let headers = self.headers.iter().map(|(_, value)| value.as_str());
        let bare = self
            .headers
            .iter()
            .filter_map(|(_, value)| value.strip_prefix("Bearer "));
        let all = self.api_key.as_deref().into_iter().chain(bare).chain(headers);
        let all = all.chain(self.expanded.iter().map(String::as_str));
        all.chain(user_info(&self.base_url))
    }

    /// Returns the address as it may be shown.
    pub fn shown_url(&self) -> Cow<'_, str> {
        if let Some(written) = &self.written_url {
            return without_user(written);
        }
        without_user(&self.base_url)
    }

    /// Returns what must not appear in any message, the longest first, so that one within another leaves no rest. What is
    /// known to be taken from elsewhere counts however short it is; a short value that is written in the configuration
    /// may be any word.
    pub(super) fn hidden(&self) -> Vec<String> {
        const SHORTEST_WRITTEN: usize = 6;
        let is_expanded = |secret: &str| self.expanded.iter().any(|value| value == secret);
        let mut hidden: Vec<String> = self
            .secrets()
            .filter(|secret| !secret.is_empty())
            .filter(|secret| secret.len() >= SHORTEST_WRITTEN || is_expanded(secret))
            .map(str::to_owned)
            .collect();
        hidden.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        hidden.dedup();
        hidden
    }
}

/// Returns what stands before the host: `name:password` of `https://name:password@host/`.
fn user_info(url: &str) -> Option<&str> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    authority.rsplit_once('@').map(|(user, _)| user)
}

/// Puts a placeholder in the place of the user that a URL names.
pub fn without_user(url: &str) -> Cow<'_, str> {
    match user_info(url) {
        Some(user) if !user.is_empty() => Cow::Owned(url.replacen(&format!("{user}@"), "[hidden]@", 1)),
        _ => Cow::Borrowed(url),
    }
}

impl fmt::Debug for ProviderSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("ProviderSettings")
            .field("protocol", &self.protocol)
            .field("base_url", &self.shown_url())
            .field("api_key", &self.api_key.as_ref().map(|_| "…"))
            .field("headers", &names)
            .field("idle_timeout", &self.idle_timeout)
            .field("retry", &self.retry)
            .field("models", &self.models)
            .finish_non_exhaustive()
    }
}

/// The configuration's settings of a model; what it leaves out comes from the catalog.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelSettings {
    pub context: Option<u64>,
    pub output: Option<u64>,
    pub images: Option<bool>,
    pub reasoning: Option<bool>,
    pub cost: Option<Price>,
    /// In place of what the model's name suggests.
    pub edit_mode: Option<EditMode>,
}

struct Builtin {
    name: &'static str,
    protocol: Protocol,
    key: &'static str,
    base: &'static str,
    default_base: &'static str,
    /// The version that is appended to a base URL without one, as the provider's own SDK does.
    version: Option<&'static str>,
}

const BUILTIN: [Builtin; 3] = [
    Builtin {
        name: "anthropic",
        protocol: Protocol::Anthropic,
        key: "ANTHROPIC_API_KEY",
        base: "ANTHROPIC_BASE_URL",
        default_base: "https://api.anthropic.com/v1",
        version: Some("v1"),
    },
    Builtin {
        name: "openai",
        protocol: Protocol::OpenAiResponses,
        key: "OPENAI_API_KEY",
        base: "OPENAI_BASE_URL",
        default_base: "https://api.openai.com/v1",
        version: None,
    },
    Builtin {
        name: "gemini",
        protocol: Protocol::Gemini,
        key: "GEMINI_API_KEY",
        base: "GEMINI_BASE_URL",
        default_base: "https://generativelanguage.googleapis.com/v1beta",
        version: Some("v1beta"),
    },
];

/// Makes the providers whose key is in the environment.
///
/// `env` answers with a variable's value; an empty one counts as unset.
pub fn builtin(env: &dyn Fn(&str) -> Option<String>) -> BTreeMap<String, ProviderSettings> {
    let set = |name: &str| {
        env(name)
            .map(|value| value.trim().to_owned())
            .filter(|value| !value.is_empty())
    };
    let mut providers = BTreeMap::new();
    for builtin in &BUILTIN {
        let Some(key) = set(builtin.key) else { continue };
        let base_url = set(builtin.base).map_or_else(
            || builtin.default_base.to_owned(),
            |base| with_version(&base, builtin.version),
        );
        let mut settings = ProviderSettings::new(builtin.protocol, base_url);
        settings.api_key = Some(key);
        providers.insert(builtin.name.to_owned(), settings);
    }
    providers
}

/// Returns the variable that holds a built-in provider's key.
pub(crate) fn key_variable(provider: &str) -> Option<&'static str> {
    BUILTIN
        .iter()
        .find(|builtin| builtin.name == provider)
        .map(|builtin| builtin.key)
}

fn with_version(base: &str, version: Option<&str>) -> String {
    let base = base.trim_end_matches('/');
    let path = base.split_once("://").map_or(base, |(_, rest)| rest);
    let is_version = |segment: &str| {
        let mut chars = segment.chars();
        chars.next() == Some('v') && chars.next().is_some_and(|c| c.is_ascii_digit())
    };
    match version {
        Some(version) if !path.split('/').skip(1).any(is_version) => format!("{base}/{version}"),
        _ => base.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_from_elsewhere_is_in_no_text_however_short() {
        let mut settings = ProviderSettings::new(Protocol::OpenAiChat, "https://me:pw@host/v1");
        settings.headers = vec![
            ("x".to_owned(), "Bearer k1".to_owned()),
            ("y".to_owned(), "1".to_owned()),
            ("z".to_owned(), "long-and-written".to_owned()),
        ];
        settings.expanded = vec!["k1".to_owned(), String::new()];
        assert_eq!(settings.hidden(), ["long-and-written", "Bearer k1", "k1"]);
        assert_eq!(settings.shown_url(), "https://[hidden]@host/v1");
        settings.written_url = Some("https://{env:U}@host/v1".to_owned());
        assert_eq!(settings.shown_url(), "https://[hidden]@host/v1");
        settings.written_url = Some("https://host/{env:U}".to_owned());
        assert_eq!(settings.shown_url(), "https://host/{env:U}");
        assert_eq!(without_user("http://host/a@b"), "http://host/a@b");
    }

    fn from(pairs: &[(&str, &str)]) -> BTreeMap<String, ProviderSettings> {
        builtin(&|name| {
            pairs
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn a_key_is_missed_only_where_the_provider_itself_is_asked_without_one() {
        let own = ProviderSettings::new(Protocol::Anthropic, "https://api.anthropic.com/v1/");
        assert_eq!(own.missing_key("anthropic"), Some("ANTHROPIC_API_KEY"));
        assert_eq!(own.missing_key("local"), None);
        let gateway = ProviderSettings::new(Protocol::Anthropic, "http://127.0.0.1:8080/v1");
        assert_eq!(gateway.missing_key("anthropic"), None);
        let mut keyed = own;
        keyed.api_key = Some("k".to_owned());
        assert_eq!(keyed.missing_key("anthropic"), None);
    }

    #[test]
    fn a_provider_exists_when_its_key_is_set() {
        assert!(from(&[("ANTHROPIC_BASE_URL", "http://x"), ("OPENAI_API_KEY", " ")]).is_empty());
        let providers = from(&[("ANTHROPIC_API_KEY", "k"), ("GEMINI_API_KEY", "g")]);
        assert_eq!(providers.keys().collect::<Vec<_>>(), ["anthropic", "gemini"]);
        assert_eq!(providers["anthropic"].base_url, "https://api.anthropic.com/v1");
        assert_eq!(
            providers["gemini"].base_url,
            "https://generativelanguage.googleapis.com/v1beta"
        );
    }

    #[test]
    fn the_version_is_appended_where_the_sdk_does() {
        let base = |name: &str, key: &str, url: &str| {
            let providers = from(&[(key, "k"), (name, url)]);
            providers.into_values().next().unwrap().base_url
        };
        let anthropic = |url| base("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", url);
        assert_eq!(anthropic("http://127.0.0.1:9/"), "http://127.0.0.1:9/v1");
        assert_eq!(anthropic("http://h/v1/"), "http://h/v1");
        assert_eq!(
            anthropic("https://v2.example/anthropic"),
            "https://v2.example/anthropic/v1"
        );
        assert_eq!(
            base("GEMINI_BASE_URL", "GEMINI_API_KEY", "http://h"),
            "http://h/v1beta"
        );
        assert_eq!(
            base("OPENAI_BASE_URL", "OPENAI_API_KEY", "http://h/api/"),
            "http://h/api"
        );
    }

    #[test]
    fn debug_shows_no_secret() {
        let mut settings = ProviderSettings::new(Protocol::OpenAiChat, "http://h");
        settings.api_key = Some("sk-very-secret".to_owned());
        settings.headers = vec![("x-token".to_owned(), "hush-hush".to_owned())];
        let shown = format!("{settings:?}");
        assert!(
            !shown.contains("sk-very") && !shown.contains("hush") && shown.contains("x-token"),
            "{shown}"
        );
    }
}
