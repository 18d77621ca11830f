//! API keys that a person gives at the first start: the services that take one, and the trial of a key.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::ErrorReport;
use crate::conversation::ModelRef;
use crate::provider::{self, Catalog, Client, ProviderSettings};

/// Name of the provider, name of the service, beginning of its keys. The beginning of one is in that of another, which comes
/// first.
const SERVICES: [(&str, &str, &str); 3] = [
    ("anthropic", "Anthropic", "sk-ant-"),
    ("gemini", "Gemini", "AIza"),
    ("openai", "OpenAI", "sk-"),
];

/// A built-in provider that needs only a key.
#[derive(Debug, Clone)]
pub struct KeyedProvider {
    /// Its name in the configuration.
    pub name: &'static str,
    /// `Anthropic`.
    pub service: &'static str,
    pub key_prefix: &'static str,
    /// The address that a variable of the environment sets in place of the service's own.
    pub other_address: Option<String>,
    settings: ProviderSettings,
}

/// Returns the providers that need only a key. `env` answers with a variable's value.
pub fn keyed_providers(env: &dyn Fn(&str) -> Option<String>) -> Vec<KeyedProvider> {
    // Providers are made for keys alone, so each of them gets one.
    let is_key = |name: &str| name.ends_with("_API_KEY").then(|| "key".to_owned());
    let own = provider::builtin(&is_key);
    let here = provider::builtin(&|name| is_key(name).or_else(|| env(name)));
    let keyed = SERVICES.into_iter().filter_map(|(name, service, key_prefix)| {
        let settings = here.get(name)?.clone();
        let is_other = own.get(name)?.base_url != settings.base_url;
        Some(KeyedProvider {
            name,
            service,
            key_prefix,
            other_address: is_other.then(|| settings.base_url.clone()),
            settings,
        })
    });
    keyed.collect()
}

impl KeyedProvider {
    /// Returns the address as it may be shown.
    pub fn shown_address(&self) -> String {
        self.settings.shown_url().into_owned()
    }

    /// Tries a key, for so long, without a token spent: asks for the list of models. An error is a sentence.
    pub async fn try_key(&self, key: &str, patience: Duration) -> Result<(), String> {
        let settings = ProviderSettings {
            api_key: Some(key.to_owned()),
            ..self.settings.clone()
        };
        let catalog = Catalog::new(BTreeMap::from([(self.name.to_owned(), settings)]));
        let model = ModelRef {
            provider: self.name.to_owned(),
            model: "any".to_owned(),
        };
        let service = self.service;
        match Client::new(Arc::new(catalog)).probe(&model, patience).await {
            Ok(200..=299) => Ok(()),
            // Gemini's answer to a wrong key is 400.
            Ok(status @ (400 | 401 | 403)) => Err(format!("{service} refuses the key (HTTP {status}).")),
            Ok(status) => Err(format!("{service} answers with HTTP {status}; try again.")),
            Err(error) => {
                let sentence = ErrorReport::from(error).sentence();
                Err(format!("The key could not be tried: {sentence}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_are_asked_where_the_environment_says() {
        let none = keyed_providers(&|_| None);
        let names: Vec<_> = none.iter().map(|keyed| keyed.name).collect();
        assert_eq!(names, ["anthropic", "gemini", "openai"]);
        assert!(none.iter().all(|keyed| keyed.other_address.is_none()));
        assert_eq!(none[0].shown_address(), "https://api.anthropic.com/v1");
        let here =
            keyed_providers(&|name| (name == "ANTHROPIC_BASE_URL").then(|| "http://127.0.0.1:9".to_owned()));
        assert_eq!(here[0].other_address.as_deref(), Some("http://127.0.0.1:9/v1"));
        assert_eq!(here[1].other_address, None);
    }
}
