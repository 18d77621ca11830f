//! The environment of commands, and the variables that are kept from them.

use std::ffi::OsString;

use super::OpenRequest;
use crate::conversation::SessionId;
use crate::process::{EnvironmentRules, shell_environment, terminal_environment, withhold};
use crate::provider::without_user;

/// The environment of shell commands.
pub(super) fn environment(request: &OpenRequest, session: &SessionId) -> Vec<(OsString, OsString)> {
    shell_environment(std::env::vars_os(), &rules(request, session))
}

/// The environment of programs in terminals.
pub(super) fn of_terminals(request: &OpenRequest, session: &SessionId) -> Vec<(OsString, OsString)> {
    terminal_environment(std::env::vars_os(), &rules(request, session))
}

fn rules(request: &OpenRequest, session: &SessionId) -> EnvironmentRules {
    let provider_keys = key_variables(request);
    withhold(provider_keys.iter().cloned());
    EnvironmentRules {
        provider_keys,
        allow: request.loaded.config.bash.env_allow.clone(),
        session: Some(session.to_string()),
    }
}

/// Names of the variables whose values are sent to a server: those that the configuration names where only a server sees
/// the value, and those that hold the same as a key or a header, whatever they are called.
pub(super) fn key_variables(request: &OpenRequest) -> Vec<String> {
    /// Minimum length of a value in a header that counts as a key; a shorter one may be anything.
    const MIN_IN_HEADER: usize = 12;
    let providers = || {
        request
            .loaded
            .config
            .providers
            .iter()
            .map(|(_, settings)| settings)
    };
    let is_key = |value: &str| {
        let mut keys = providers().filter_map(|provider| provider.api_key.as_ref());
        keys.any(|key| key.expose() == value)
    };
    let is_in_header = |value: &str| {
        let mut headers = providers().flat_map(|provider| provider.headers.iter());
        value.len() >= MIN_IN_HEADER && headers.any(|(_, header)| header.expose().ends_with(value))
    };
    let variables = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let has_user = |name: &str, value: &str| name.ends_with("_BASE_URL") && without_user(value) != value;
    let of_keys = variables.filter(|(name, value)| {
        !value.is_empty() && (is_key(value) || is_in_header(value) || has_user(name, value))
    });
    let named = request.loaded.secrets.iter();
    let named = named.flat_map(|secret| secret.variables.iter().cloned());
    of_keys.map(|(name, _)| name).chain(named).collect()
}
