//! Keeping keys out of what is written.

use std::borrow::Cow;

/// Shorter values are words and numbers, and would make holes everywhere.
const SHORTEST: usize = 8;
const REPLACEMENT: &str = "[secret]";
/// A variable whose name holds one of these holds a secret.
const NAMES: [&str; 6] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"];

/// Strings that must not be written, longest first, so that one within another leaves no rest.
#[derive(Clone, Default)]
pub(super) struct Secrets {
    plain: Vec<String>,
    /// As they look within a JSON string.
    escaped: Vec<String>,
}

impl Secrets {
    /// Picks the secrets out of an environment.
    pub(super) fn of_environment(variables: impl Iterator<Item = (String, String)>) -> Self {
        let mut secrets = Self::default();
        secrets.add(
            variables
                .filter(|(name, _)| is_secret_name(name))
                .map(|(_, value)| value),
        );
        secrets
    }

    pub(super) fn add(&mut self, values: impl Iterator<Item = String>) {
        let long = values
            .map(|value| value.trim().to_owned())
            .filter(|value| value.len() >= SHORTEST);
        self.plain.extend(long);
        self.plain
            .sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        self.plain.dedup();
        self.escaped = self.plain.iter().map(|secret| escaped(secret)).collect();
    }

    pub(super) fn are_in(&self, text: &str) -> bool {
        self.plain.iter().any(|secret| text.contains(secret.as_str()))
    }

    /// Takes the secrets out of plain text.
    pub(super) fn without<'a>(&self, text: &'a str) -> Cow<'a, str> {
        replaced(text, &self.plain)
    }

    /// Takes the secrets out of JSON text, where they stand within strings.
    pub(super) fn without_in_json<'a>(&self, json: &'a str) -> Cow<'a, str> {
        replaced(json, &self.escaped)
    }
}

fn replaced<'a>(text: &'a str, secrets: &[String]) -> Cow<'a, str> {
    let mut clean = Cow::Borrowed(text);
    for secret in secrets {
        if clean.contains(secret.as_str()) {
            clean = Cow::Owned(clean.replace(secret.as_str(), REPLACEMENT));
        }
    }
    clean
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    NAMES.iter().any(|part| name.contains(part))
}

fn escaped(secret: &str) -> String {
    let json = serde_json::Value::from(secret).to_string();
    json[1..json.len() - 1].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_the_names_of_their_variables() {
        let variables = [
            ("MY_API_KEY", "abcdefgh1"),
            ("GH_TOKEN", "tokentoken"),
            ("HOME", "/home/someone"),
            ("KEY", "x"),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let secrets = Secrets::of_environment(variables.into_iter());
        assert_eq!(
            secrets.without("a abcdefgh1 tokentoken /home/someone x"),
            "a [secret] [secret] /home/someone x"
        );
    }

    #[test]
    fn a_secret_with_quotes_is_found_in_json() {
        let mut secrets = Secrets::default();
        secrets.add(["pass\"word\\1".to_owned()].into_iter());
        let json = serde_json::Value::from("is pass\"word\\1 ok").to_string();
        assert_eq!(secrets.without_in_json(&json), "\"is [secret] ok\"");
    }
}
