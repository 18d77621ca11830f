//! From what a provider says to what the user reads.
//!
//! A status, a body and the names that the four protocols give their errors become one kind, one sentence and the next
//! thing to try. What a provider wrote is quoted on one line, without control characters and bounded in length.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::Value;

use super::full_window;
use super::settings::key_variable;
use super::{ProviderError, ProviderErrorKind};
use crate::conversation::ModelRef;

/// Characters of a provider's own message that are quoted.
const QUOTED: usize = 400;

const REFUSED_HINT: &str = "rephrase it, or choose another model";

impl ProviderError {
    /// Makes an error without a hint.
    pub fn new(kind: ProviderErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: None,
            retry_after: None,
            most_retries: None,
            voids_reply: false,
            refusal: None,
        }
    }

    /// Says what to try next.
    pub fn hinted(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Returns what to try next, as a sentence of its own: what whoever made the error said, else what mostly helps.
    pub fn advice(&self) -> Option<String> {
        let own = self
            .hint
            .as_deref()
            .map(str::trim)
            .filter(|hint| !hint.is_empty());
        let hint = own.or_else(|| self.usual_hint())?;
        let mut characters = hint.chars();
        let first = characters.next()?;
        let stop = if hint.ends_with(['.', '!', '?']) { "" } else { "." };
        Some(format!("{}{}{stop}", first.to_uppercase(), characters.as_str()))
    }

    fn usual_hint(&self) -> Option<&'static str> {
        match self.kind {
            ProviderErrorKind::Network => {
                Some("send it again; if it keeps failing, check the server and the network")
            }
            ProviderErrorKind::BadResponse => Some("send it again, or choose another model"),
            _ => None,
        }
    }

    /// Notes what the server asked to wait.
    pub fn after(mut self, retry_after: Option<Duration>) -> Self {
        self.retry_after = retry_after;
        self
    }

    /// Returns true if the same request may fare better in a while. A reply that was cut or garbled is among these.
    pub fn is_retryable(&self) -> bool {
        match self.kind {
            ProviderErrorKind::RateLimit
            | ProviderErrorKind::Overloaded
            | ProviderErrorKind::Network
            | ProviderErrorKind::BadResponse => true,
            ProviderErrorKind::Auth
            | ProviderErrorKind::Context
            | ProviderErrorKind::BadRequest
            | ProviderErrorKind::Refused
            | ProviderErrorKind::Budget
            | ProviderErrorKind::Config => false,
        }
    }

    /// Returns true if the provider refused the request because of a picture or a document in it.
    pub fn refuses_media(&self) -> bool {
        let Some(refusal) = self
            .refusal
            .as_deref()
            .filter(|_| self.kind == ProviderErrorKind::BadRequest)
        else {
            return false;
        };
        let message = refusal.message.to_lowercase();
        let names = |word: &&str| {
            let mut words = message.split(|c: char| !c.is_ascii_alphabetic());
            words.any(|own| own == *word)
        };
        matches!(refusal.status, 400 | 415 | 422)
            && [
                "image",
                "images",
                "picture",
                "pdf",
                "document",
                "media",
                "vision",
                "multimodal",
                "png",
                "jpeg",
                "webp",
                "gif",
            ]
            .iter()
            .any(names)
    }

    /// Returns true if the provider refused the request because of a block of its own in an earlier reply: a signature, a
    /// thinking block, encrypted reasoning.
    pub fn refuses_signed_blocks(&self) -> bool {
        let refusal = self
            .refusal
            .as_deref()
            .filter(|_| self.kind == ProviderErrorKind::BadRequest);
        refusal.is_some_and(|refusal| matches!(refusal.status, 400 | 422) && refusal.is_about_signed_blocks())
    }

    /// Makes a refusal final: there is nothing in the conversation that could be left out.
    pub(crate) fn into_final_refusal(mut self) -> Self {
        self.refusal = None;
        self
    }

    /// Limits how often the request is sent again, whatever the settings allow: more tries would not help.
    pub(crate) fn with_most_retries(mut self, most: u32) -> Self {
        self.most_retries = Some(most);
        self
    }

    /// Says that the reply so far is of no use.
    pub(crate) fn voiding_reply(mut self) -> Self {
        self.voids_reply = true;
        self
    }

    /// Makes the error of a reply that the model or its provider declined, with the reason that came.
    pub fn refused(model: &ModelRef, words: &str) -> Self {
        let words = one_line(words);
        let colon = if words.is_empty() { "" } else { ": " };
        let message = format!(
            "`{}` refused to continue this reply{colon}{words}",
            model.provider
        );
        Self::new(ProviderErrorKind::Refused, message).hinted(REFUSED_HINT)
    }

    /// Takes `secrets` out of every text of the error.
    pub(crate) fn without(mut self, secrets: &[String]) -> Self {
        for secret in secrets {
            self.message = self.message.replace(secret, "…");
            if let Some(refusal) = &mut self.refusal {
                refusal.message = refusal.message.replace(secret, "…");
            }
            self.hint = self.hint.map(|hint| hint.replace(secret, "…"));
        }
        self
    }
}

/// A server's answer to a request that it refused.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) message: String,
    /// The parameter or part that it names apart from its sentence; mostly empty.
    pub(crate) parameter: String,
}

impl Refusal {
    /// Returns true if it is about the provider's own blocks in earlier replies.
    pub(crate) fn is_about_signed_blocks(&self) -> bool {
        let message = self
            .message
            .to_lowercase()
            .replace("thought signature", "thought_signature");
        let has = |word: &str| message.contains(word);
        let is_sealed = has("encrypted content") || has("encrypted_content") || has("redacted_thinking");
        let is_broken = ["verified", "decrypt", "invalid", "modified"]
            .iter()
            .any(|word| has(word));
        let is_signature = has("thought_signature") || (has("signature") && has("thinking"));
        is_signature || (is_sealed && is_broken) || (has("thinking") && has("cannot be modified"))
    }
}

/// An error as the provider described it, as far as that can be found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ReportedError {
    pub(crate) message: String,
    /// Its type, code and status names, joined and in lower case.
    names: String,
    /// The parameter that it names.
    parameter: String,
    status: Option<u16>,
    /// Gemini says in the body how long to wait.
    retry_delay: Option<Duration>,
}

impl ReportedError {
    /// Reads an error object in any of the usual shapes; anything else is quoted as it is.
    pub(crate) fn from_body(body: &str) -> Self {
        match serde_json::from_str::<Value>(body) {
            Ok(value) => Self::from_value(&value),
            Err(_) if looks_like_markup(body) => Self::default(),
            Err(_) => Self {
                message: one_line(body),
                ..Self::default()
            },
        }
    }

    /// Reads an event that is an error. One without a sentence is quoted whole.
    pub(crate) fn from_event(value: &Value) -> Self {
        let mut reported = Self::from_value(value);
        if reported.message.is_empty() {
            let inner = value.get("error").unwrap_or(value);
            reported.message = one_line(&inner.to_string());
        }
        reported
    }

    pub(crate) fn from_value(value: &Value) -> Self {
        let outer = value.get(0).unwrap_or(value);
        let inner = match outer.get("error") {
            Some(Value::Null) | None => outer,
            Some(error) => error,
        };
        let message = [inner.as_str()]
            .into_iter()
            .chain(["message", "detail", "error"].map(|key| inner.get(key).and_then(Value::as_str)))
            .flatten()
            .next();
        let mut names = String::new();
        for object in [inner, outer] {
            for key in ["type", "code", "status", "error_type"] {
                // This type says no more than that it is an error.
                let name = object
                    .get(key)
                    .and_then(Value::as_str)
                    .filter(|name| *name != "error");
                if let Some(name) = name {
                    let _ = write!(names, "{} ", name.to_lowercase());
                }
            }
        }
        let number = |key: &str| {
            let value = inner.get(key)?;
            let number = value.as_u64().or_else(|| value.as_str()?.parse().ok());
            number.and_then(|number| u16::try_from(number).ok())
        };
        let mut delays = inner
            .get("details")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        Self {
            retry_delay: delays.find_map(retry_delay),
            message: message.map(one_line).unwrap_or_default(),
            names,
            parameter: text_of(inner, "param"),
            status: ["code", "status", "status_code"]
                .into_iter()
                .filter_map(number)
                .find(|code| (400..600).contains(code)),
        }
    }

    /// Turns an error within a stream into ours.
    pub(crate) fn in_stream(&self, model: &ModelRef) -> ProviderError {
        let kind = self.kind_by_name().or(self.status.map(|status| match status {
            // The server failed at this reply; that it has too much to do it would have said.
            500..=599 if !matches!(status, 503 | 529) => ProviderErrorKind::BadResponse,
            status => self.kind_by_status(status),
        }));
        self.error(model, kind.unwrap_or(ProviderErrorKind::BadResponse), None)
    }

    /// Turns an answer with an error status into ours.
    pub(crate) fn with_status(&self, model: &ModelRef, status: u16) -> ProviderError {
        let mut error = self.error(model, self.kind_by_status(status), Some(status));
        error.refusal = Some(Box::new(Refusal {
            status,
            message: self.message.clone(),
            parameter: self.parameter.clone(),
        }));
        error
    }

    fn kind_by_status(&self, status: u16) -> ProviderErrorKind {
        match status {
            400..=499 if self.is_refusal() => ProviderErrorKind::Refused,
            401 | 403 => ProviderErrorKind::Auth,
            408 | 425 => ProviderErrorKind::Network,
            413 => ProviderErrorKind::Context,
            // No wait helps an empty account.
            429 if self.names.contains("insufficient_quota") => ProviderErrorKind::BadRequest,
            429 => ProviderErrorKind::RateLimit,
            // Some local servers call it a fault of their own.
            _ if self.is_too_long() => ProviderErrorKind::Context,
            500.. => ProviderErrorKind::Overloaded,
            _ if self.message.to_lowercase().contains("api key not valid") => ProviderErrorKind::Auth,
            _ => ProviderErrorKind::BadRequest,
        }
    }

    fn kind_by_name(&self) -> Option<ProviderErrorKind> {
        let named = |names: &[&str]| names.iter().any(|name| self.names.contains(name));
        let kind = if self.is_too_long() || named(&["request_too_large"]) {
            ProviderErrorKind::Context
        } else if self.is_refusal() {
            ProviderErrorKind::Refused
        } else if named(&["insufficient_quota", "billing"]) {
            ProviderErrorKind::BadRequest
        } else if named(&["rate_limit", "resource_exhausted", "too_many_requests"]) {
            ProviderErrorKind::RateLimit
        } else if named(&["overloaded", "unavailable"]) {
            ProviderErrorKind::Overloaded
        } else if named(&["server_error", "api_error", "internal"]) {
            ProviderErrorKind::BadResponse
        } else if named(&[
            "authentication",
            "permission",
            "unauthenticated",
            "invalid_api_key",
        ]) {
            ProviderErrorKind::Auth
        } else if named(&["timeout", "deadline"]) {
            ProviderErrorKind::Network
        } else if named(&["invalid", "not_found", "unsupported"]) {
            ProviderErrorKind::BadRequest
        } else {
            return None;
        };
        Some(kind)
    }

    /// Returns true if a content filter or a policy said no.
    fn is_refusal(&self) -> bool {
        [
            "content_filter",
            "content_policy",
            "contentfilter",
            "safety",
            "refusal",
            "prohibited_content",
        ]
        .iter()
        .any(|name| self.names.contains(name))
    }

    fn is_too_long(&self) -> bool {
        full_window::is_full(&self.message.to_lowercase(), &self.names)
    }

    fn error(&self, model: &ModelRef, kind: ProviderErrorKind, status: Option<u16>) -> ProviderError {
        let provider = &model.provider;
        let mut message = match kind {
            ProviderErrorKind::Auth => format!("`{provider}` refused the key"),
            ProviderErrorKind::RateLimit => format!("`{provider}` limits the rate of requests"),
            ProviderErrorKind::Overloaded if matches!(status, Some(503 | 529) | None) => {
                format!("`{provider}` is overloaded")
            }
            ProviderErrorKind::Overloaded => format!("`{provider}` failed"),
            ProviderErrorKind::Network => format!("`{provider}` timed out"),
            ProviderErrorKind::Context => format!("the conversation is too long for `{model}`"),
            ProviderErrorKind::BadRequest => format!("`{provider}` refused the request"),
            ProviderErrorKind::BadResponse => format!("`{provider}` failed"),
            ProviderErrorKind::Refused => format!("`{provider}` declined because of its content policy"),
            ProviderErrorKind::Config | ProviderErrorKind::Budget => {
                format!("`{provider}` cannot be used")
            }
        };
        if let Some(status) = status {
            let _ = write!(message, " (HTTP {status})");
        }
        if !self.message.is_empty() {
            let _ = write!(message, ": {}", self.message);
        }
        let error = ProviderError::new(kind, message).after(self.retry_delay);
        match self.hint(model, kind, status) {
            Some(hint) => error.hinted(hint),
            None => error,
        }
    }

    fn hint(&self, model: &ModelRef, kind: ProviderErrorKind, status: Option<u16>) -> Option<String> {
        let provider = &model.provider;
        let hint = match kind {
            ProviderErrorKind::Auth => auth_hint(provider),
            ProviderErrorKind::RateLimit => "wait a while, or choose another model".to_owned(),
            ProviderErrorKind::Overloaded => "try again in a while, or choose another model".to_owned(),
            ProviderErrorKind::Network => return None,
            ProviderErrorKind::Context => {
                "start a new session, or choose a model with a larger context window".to_owned()
            }
            ProviderErrorKind::BadRequest if self.names.contains("quota") || status == Some(402) => {
                format!("check the plan and billing of your account with `{provider}`")
            }
            ProviderErrorKind::BadRequest if matches!(status, Some(300..=399 | 404 | 405)) => format!(
                "check the name `{}` and \
                 `providers.{provider}.base_url` (`lathe config show`)",
                model.model
            ),
            ProviderErrorKind::BadRequest | ProviderErrorKind::Config => {
                format!("check the settings of `{model}` with `lathe config show`")
            }
            ProviderErrorKind::BadResponse => "try again in a while, or choose another model".to_owned(),
            ProviderErrorKind::Refused => REFUSED_HINT.to_owned(),
            ProviderErrorKind::Budget => return None,
        };
        Some(hint)
    }
}

fn text_of(object: &Value, key: &str) -> String {
    object
        .get(key)
        .and_then(Value::as_str)
        .map(one_line)
        .unwrap_or_default()
}

/// Reads `{"retryDelay": "37.5s"}`.
fn retry_delay(detail: &Value) -> Option<Duration> {
    let seconds = detail.get("retryDelay")?.as_str()?.strip_suffix('s')?;
    Duration::try_from_secs_f64(seconds.parse().ok()?).ok()
}

/// Makes the error of a reply whose end says that the server could not finish it.
pub(crate) fn broken_off(model: &ModelRef, kind: ProviderErrorKind, reason: &str) -> ProviderError {
    let message = format!("`{}` cut the reply short: `{}`", model.provider, one_line(reason));
    ProviderError::new(kind, message)
}

/// Makes the error of a stream whose data are not what the protocol says.
pub(crate) fn malformed(model: &ModelRef, error: &serde_json::Error) -> ProviderError {
    let message = format!("`{}` sent an event that cannot be read: {error}", model.provider);
    ProviderError::new(ProviderErrorKind::BadResponse, message).hinted(base_url_hint(&model.provider))
}

pub(crate) fn base_url_hint(provider: &str) -> String {
    format!("check `providers.{provider}.base_url` and `protocol` with `lathe config show`")
}

fn auth_hint(provider: &str) -> String {
    match key_variable(provider) {
        Some(variable) => format!("set `{variable}` to a valid key"),
        None => format!("check `providers.{provider}.api_key` with `lathe config show`"),
    }
}

fn looks_like_markup(body: &str) -> bool {
    body.trim_start().starts_with('<')
}

/// Brings foreign text onto one bounded line without control characters and without its full stop.
pub(crate) fn one_line(text: &str) -> String {
    let is_unprintable = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    let mut line = String::new();
    let mut room = QUOTED;
    for c in text.chars() {
        let c = if is_unprintable(c) || c.is_whitespace() {
            ' '
        } else {
            c
        };
        if c == ' ' && (line.is_empty() || line.ends_with(' ')) {
            continue;
        }
        if room == 0 {
            line.push('…');
            break;
        }
        line.push(c);
        room -= 1;
    }
    line.trim_end().trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> ModelRef {
        "anthropic/m".parse().unwrap()
    }

    #[test]
    fn a_refusal_of_a_signed_block_is_told_from_one_of_a_parameter() {
        for (words, expected) in [
            (
                "messages.1.content.0: Invalid `signature` in `thinking` block",
                true,
            ),
            ("messages.1.content.0.thinking.signature: Field required", true),
            (
                "messages.3.content.0: Invalid `data` in `redacted_thinking` block",
                true,
            ),
            (
                "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
                true,
            ),
            (
                "The encrypted content gAAA could not be verified. Reason: it could not be decrypted or parsed.",
                true,
            ),
            (
                "Function call is missing a thought_signature in functionCall parts.",
                true,
            ),
            ("Thought signature is not valid.", true),
            ("Encrypted content is not supported with this model.", false),
            ("thinking: Extra inputs are not permitted", false),
            (
                "Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final \
                 `assistant` message must start with a thinking block.",
                false,
            ),
            ("Could not process image", false),
            ("The signature of the function is unknown", false),
        ] {
            let reported = ReportedError {
                message: words.to_owned(),
                ..ReportedError::default()
            };
            let error = reported.with_status(&model(), 400);
            assert_eq!(error.refuses_signed_blocks(), expected, "{words}");
            assert!(!reported.with_status(&model(), 500).refuses_signed_blocks());
        }
    }

    #[test]
    fn every_status_has_its_kind() {
        use ProviderErrorKind::{Auth, BadRequest, Context, Network, Overloaded, RateLimit};
        let table = [
            (401, Auth),
            (403, Auth),
            (402, BadRequest),
            (404, BadRequest),
            (408, Network),
            (413, Context),
            (422, BadRequest),
            (429, RateLimit),
            (500, Overloaded),
            (503, Overloaded),
            (529, Overloaded),
        ];
        for (status, kind) in table {
            let error = ReportedError::default().with_status(&model(), status);
            assert_eq!(error.kind, kind, "{status}");
            assert!(error.message.contains(&status.to_string()), "{error}");
        }
    }

    #[test]
    fn the_providers_own_words_are_found_in_every_shape() {
        for body in [
            r#"{"type":"error","error":{"type":"x","message":"Nope."}}"#,
            r#"[{"error":{"code":400,"message":"Nope"}}]"#,
            r#"{"error":"Nope"}"#,
            r#"{"message":"Nope"}"#,
            r#"{"detail":"Nope"}"#,
            "Nope\n",
        ] {
            assert_eq!(ReportedError::from_body(body).message, "Nope", "{body}");
        }
        assert_eq!(ReportedError::from_body("<html>…").message, "");
    }

    #[test]
    fn foreign_text_is_one_bounded_printable_line() {
        assert_eq!(one_line("a\u{1b}[31m\r\n\n b\u{202e}c."), "a [31m b c");
        assert_eq!(one_line(&"x".repeat(5000)).chars().count(), QUOTED + 1);
    }

    #[test]
    fn a_refused_key_names_the_variable_to_set() {
        let error = ReportedError::default().with_status(&model(), 401);
        assert!(error.hint.unwrap().contains("ANTHROPIC_API_KEY"));
        let error = ReportedError::default().with_status(&"local/m".parse().unwrap(), 401);
        assert!(error.hint.unwrap().contains("providers.local.api_key"));
    }

    #[test]
    fn an_empty_account_is_not_tried_again() {
        let body = r#"{"error":{"message":"You exceeded your quota","type":"insufficient_quota"}}"#;
        let error = ReportedError::from_body(body).with_status(&model(), 429);
        assert!(!error.is_retryable(), "{error:?}");
    }

    #[test]
    fn advice_is_a_sentence() {
        let advice = |hint| {
            ProviderError::new(ProviderErrorKind::Auth, "no")
                .hinted(hint)
                .advice()
        };
        assert_eq!(advice("set `KEY`").as_deref(), Some("Set `KEY`."));
        assert_eq!(advice("`lathe` can. ").as_deref(), Some("`lathe` can."));
        assert_eq!(advice(" "), None);
        let lost = ProviderError::new(ProviderErrorKind::Network, "lost").advice();
        assert!(lost.is_some_and(|advice| advice.starts_with("Send it again;")));
    }

    #[test]
    fn a_wait_in_the_body_is_read() {
        let body = r#"{"error":{"code":429,"details":[{"@type":"x"},{"retryDelay":"37.5s"}]}}"#;
        let error = ReportedError::from_body(body).with_status(&model(), 429);
        assert_eq!(error.retry_after, Some(Duration::from_millis(37_500)));
    }

    #[test]
    fn secrets_leave_the_texts() {
        let error = ProviderError::new(ProviderErrorKind::Auth, "bad key sk-12345").hinted("not sk-12345");
        let error = error.without(&["sk-12345".to_owned()]);
        assert_eq!(
            (error.message.as_str(), error.hint.as_deref()),
            ("bad key …", Some("not …"))
        );
    }
}
