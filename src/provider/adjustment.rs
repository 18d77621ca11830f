//! Adjustments of requests to what the server of a model takes.
//!
//! Servers that speak one protocol differ in the parameters that they know. A refusal (HTTP 400 or 422) that names a
//! parameter, or a member of an earlier reply, is answered by the same request without it, and later requests to the
//! model are written so from the start, as long as the process runs.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::error::Refusal;
use super::{Protocol, Request};
use crate::conversation::{ModelRef, Native, PartBody};

/// Adjustments of one request before its refusal is final.
pub(crate) const MOST_TRIES: usize = 8;

/// Parameters that go by one name at some servers and by the other at others.
const RENAMED: [(&str, &str); 2] = [
    ("max_tokens", "max_completion_tokens"),
    ("max_completion_tokens", "max_tokens"),
];

/// Parameters without which a request means something else, or is none.
const ESSENTIAL: [&str; 11] = [
    "model",
    "messages",
    "input",
    "contents",
    "stream",
    "system",
    "instructions",
    "systemInstruction",
    "tools",
    "toolConfig",
    "store",
];

/// Words of a refusal that say that a name is not known, rather than that its value is wrong.
const COMPLAINTS: [&str; 14] = [
    "unsupported",
    "not supported",
    "support",
    "unknown",
    "unrecognized",
    "unrecognised",
    "unexpected",
    "extra inputs",
    "extra fields",
    "not permitted",
    "not allowed",
    "additional propert",
    "cannot find field",
    "deprecated",
];

/// Bytes of the longest text in quotation marks that is taken for names.
const LONGEST_NAME: usize = 64;

/// The adjustments of each model.
#[derive(Debug, Default)]
pub(crate) struct LearnedAdjustments(Mutex<HashMap<ModelRef, Arc<Adjustments>>>);

impl LearnedAdjustments {
    pub(crate) fn of(&self, model: &ModelRef) -> Arc<Adjustments> {
        let learned = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        learned.get(model).cloned().unwrap_or_default()
    }

    pub(crate) fn keep(&self, model: &ModelRef, adjustments: Arc<Adjustments>) {
        let mut learned = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        learned.insert(model.clone(), adjustments);
    }
}

/// Changes to the requests of one model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Adjustments {
    /// Parameters, by their path (`generationConfig.thinkingConfig`), that go by another name or not at all.
    parameters: BTreeMap<String, Option<&'static str>>,
    /// Members of earlier replies that are not sent back.
    members: BTreeSet<String>,
}

impl Adjustments {
    /// Changes a body, which has no conversation in it.
    pub(crate) fn apply(&self, body: &mut Value) {
        for (path, name) in &self.parameters {
            let (parent, key) = match path.split_once('.') {
                Some((parent, key)) => (body.get_mut(parent), key),
                None => (Some(&mut *body), &**path),
            };
            let Some(members) = parent.and_then(Value::as_object_mut) else {
                continue;
            };
            let taken = members.shift_remove(key);
            if let (Some(value), Some(name)) = (taken, name) {
                members.insert((*name).to_owned(), value);
            }
        }
    }

    /// Returns true if a member of an earlier reply is sent back.
    pub(crate) fn sends(&self, member: &str) -> bool {
        !self.members.contains(member)
    }

    /// Returns the adjustments after a refusal of `body`, the adjusted one; `None` where the refusal names nothing that
    /// could be left out.
    pub(crate) fn after(&self, refusal: &Refusal, body: &Value, members: &SentMembers) -> Option<Self> {
        let words = Words::of(refusal);
        let mut learned = self.clone();
        if let Some(member) = members.named(&words) {
            learned.members.insert(member.to_owned());
            return Some(learned);
        }
        if refusal.is_about_signed_blocks() {
            // A part of the conversation, which may be called as a parameter is.
            return None;
        }
        let path = words.parameter(&parameters(body))?;
        let is_new_name = self.parameters.values().flatten().any(|name| **name == *path);
        let renamed = RENAMED.iter().find(|(name, _)| **name == *path);
        let other = renamed.filter(|_| !is_new_name && !words.is_about_size());
        if let Some((_, other)) = other {
            learned.parameters.insert(path, Some(other));
        } else {
            // One that was renamed before is left out by its own name.
            let own = self.parameters.iter().find(|(_, name)| **name == Some(&*path));
            let own = own.map(|(own, _)| own.clone());
            learned.parameters.insert(own.unwrap_or(path), None);
        }
        (learned != *self).then_some(learned)
    }
}

/// Returns the paths of the parameters of a body, one level into objects.
fn parameters(body: &Value) -> Vec<String> {
    let mut paths = Vec::new();
    for (name, value) in body.as_object().into_iter().flatten() {
        if ESSENTIAL.contains(&&**name) {
            continue;
        }
        let inner = value.as_object().into_iter().flatten();
        // A word that every refusal may have.
        let inner = inner.filter(|(key, _)| *key != "type");
        paths.extend(inner.map(|(key, _)| format!("{name}.{key}")));
        paths.push(name.clone());
    }
    paths
}

/// The members of earlier replies that a request sends back.
#[derive(Debug, Default)]
pub(crate) struct SentMembers(Vec<(String, Vec<String>)>);

impl SentMembers {
    /// Reads the names of a request's members, and of what is in them.
    pub(crate) fn of(request: &Request, adjustments: &Adjustments) -> Self {
        let mut members: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for part in request.messages.iter().flat_map(|message| &message.parts) {
            let native = match &part.body {
                PartBody::Reasoning(reasoning) => reasoning.native.as_ref(),
                PartBody::Tool(call) => call.native.as_ref(),
                _ => None,
            };
            let Some(Value::Object(own)) = native.filter(|native| is_chat(native)).map(|native| &native.json)
            else {
                continue;
            };
            for (name, value) in own {
                if adjustments.sends(name) && !members.contains_key(name) {
                    let mut inner = Vec::new();
                    keys(value, &mut inner);
                    members.insert(name.clone(), inner);
                }
            }
        }
        Self(members.into_iter().collect())
    }

    fn named(&self, words: &Words) -> Option<&str> {
        let is_named = |(name, inner): &&(String, Vec<String>)| {
            words.has(name) || inner.iter().any(|key| key.contains('_') && words.has(key))
        };
        self.0.iter().find(is_named).map(|(name, _)| &**name)
    }
}

fn is_chat(native: &Native) -> bool {
    native.protocol == Protocol::OpenAiChat.name()
}

fn keys(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                into.push(name.clone());
                keys(value, into);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| keys(item, into)),
        _ => {}
    }
}

/// The words of a refusal.
struct Words {
    /// In small letters.
    text: String,
    /// Names, in the order of what they are worth: the parameter that the server names apart, then what is quoted, then
    /// what is before a colon, then all others. Without `_` and in small letters.
    names: Vec<String>,
    /// Number of names at the beginning of the list that the server marked as names, by quotes or otherwise.
    marked: usize,
}

impl Words {
    fn of(refusal: &Refusal) -> Self {
        let mut names: Vec<String> = split_names(&refusal.parameter).collect();
        names.extend(quoted(&refusal.message).flat_map(split_names));
        if let Some((before, _)) = refusal.message.split_once(": ")
            && !before.contains(' ')
        {
            names.extend(split_names(before));
        }
        let marked = names.len();
        names.extend(split_names(&refusal.message));
        Self {
            text: refusal.message.to_lowercase(),
            names,
            marked,
        }
    }

    fn has(&self, name: &str) -> bool {
        self.names.contains(&normal(name))
    }

    /// Returns the parameter that the refusal is about.
    fn parameter(&self, paths: &[String]) -> Option<String> {
        let complains = COMPLAINTS.iter().any(|words| self.text.contains(words));
        let known = |name: &String| {
            let is_it = |path: &&String| path.rsplit('.').next().map(normal).as_deref() == Some(&**name);
            paths.iter().find(is_it)
        };
        let marked = self.names[..self.marked].iter().find_map(known);
        let mentioned = || {
            self.names[self.marked..]
                .iter()
                .find_map(known)
                .filter(|_| complains)
        };
        marked.or_else(mentioned).cloned()
    }

    /// Returns true if a value is too large: another name would not help.
    fn is_about_size(&self) -> bool {
        ["too large", "too high", "at most", "exceed", "less than"]
            .iter()
            .any(|words| self.text.contains(words))
    }
}

/// Returns what is between two marks of one kind, in order; an apostrophe may be alone.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let at = rest.find(['`', '\'', '"'])?;
            let inner = &rest[at + 1..];
            let end = inner.find(&rest[at..=at]).filter(|end| *end <= LONGEST_NAME);
            rest = end.map_or(inner, |end| &inner[end + 1..]);
            if let Some(end) = end {
                return Some(&inner[..end]);
            }
        }
    })
}

/// Splits a text at what is in no name.
fn split_names(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(normal)
}

/// Gemini writes one name in two ways.
fn normal(name: &str) -> String {
    name.replace('_', "").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::sample::{assistant, reasoning, request, user};
    use super::*;

    fn refusal(message: &str, parameter: &str) -> Refusal {
        Refusal {
            status: 400,
            message: message.to_owned(),
            parameter: parameter.to_owned(),
        }
    }

    fn body() -> Value {
        json!({
            "model": "m",
            "stream": true,
            "stream_options": {"include_usage": true},
            "temperature": 0.2,
            "max_tokens": 100,
            "parallel_tool_calls": true,
            "tools": [],
            "thinking": {"type": "enabled", "budget_tokens": 1},
            "generationConfig": {"thinkingConfig": {}, "maxOutputTokens": 1},
        })
    }

    /// Returns the body after refusals in these words.
    fn adjusted(refusals: &[Refusal]) -> Option<Value> {
        let mut adjustments = Adjustments::default();
        let mut sent = body();
        for refusal in refusals {
            adjustments = adjustments.after(refusal, &sent, &SentMembers::default())?;
            sent = body();
            adjustments.apply(&mut sent);
        }
        Some(sent)
    }

    #[test]
    fn a_parameter_that_is_named_is_left_out() {
        for (words, parameter, gone) in [
            (
                "Unsupported parameter: 'temperature' is not supported with this model.",
                "temperature",
                "temperature",
            ),
            ("temperature: Extra inputs are not permitted", "", "temperature"),
            (
                "Unrecognized request argument supplied: stream_options",
                "",
                "stream_options",
            ),
            (
                "[{'type': 'extra_forbidden', 'loc': ('body', 'parallel_tool_calls'), 'msg': 'Extra inputs'}]",
                "",
                "parallel_tool_calls",
            ),
            ("This model does not support temperature", "", "temperature"),
            ("Unknown name \"thinking\": Cannot find field.", "", "thinking"),
        ] {
            let sent = adjusted(&[refusal(words, parameter)]).unwrap_or_else(|| panic!("{words}"));
            let mut wanted = body();
            wanted.as_object_mut().unwrap().shift_remove(gone);
            assert_eq!(sent, wanted, "{words}");
        }
        let words = "Invalid JSON payload received. Unknown name \"thinking_config\" at 'generation_config': Cannot find field.";
        let sent = adjusted(&[refusal(words, "")]).unwrap();
        assert_eq!(sent["generationConfig"], json!({"maxOutputTokens": 1}));
    }

    #[test]
    fn a_limit_goes_by_its_other_name_and_then_not_at_all() {
        let words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
        let other = "Unrecognized request argument supplied: max_completion_tokens";
        let sent = adjusted(&[refusal(words, "max_tokens")]).unwrap();
        assert_eq!(sent["max_completion_tokens"], 100);
        assert!(sent.get("max_tokens").is_none());
        let sent = adjusted(&[refusal(words, ""), refusal(other, "")]).unwrap();
        assert!(sent.get("max_completion_tokens").is_none() && sent.get("max_tokens").is_none());
        let words = "'max_tokens' is too large: 100. This model supports at most 16 completion tokens";
        let sent = adjusted(&[refusal(words, "")]).unwrap();
        assert!(sent.get("max_completion_tokens").is_none() && sent.get("max_tokens").is_none());
    }

    #[test]
    fn other_refusals_change_nothing() {
        for words in [
            "model 'x' was not found",
            "Invalid value for 'tools[0].function.name'",
            "messages.3: all messages must have non-empty content",
            "messages.1.content.0: Invalid `signature` in `thinking` block",
            "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
            "The temperature of the server is too high",
            "Could not process image",
            "",
        ] {
            assert_eq!(adjusted(&[refusal(words, "")]), None, "{words}");
        }
        let twice = refusal("Unsupported parameter: temperature", "");
        assert_eq!(adjusted(&[twice.clone(), twice]), None);
    }

    #[test]
    fn a_member_that_is_named_is_not_sent_back() {
        let own = |json: Value| Some(Protocol::OpenAiChat.native(&"a/m".parse().unwrap(), json));
        let members = json!({"reasoning_details": [{"type": "text", "signature_data": "s"}], "reasoning_content": "hm"});
        let request = request(
            "a/m",
            vec![user("x"), assistant(vec![reasoning("", own(members))])],
        );
        let after = |words: &str| {
            let none = Adjustments::default();
            none.after(&refusal(words, ""), &body(), &SentMembers::of(&request, &none))
        };
        let learned = after("property 'reasoning_content' is unsupported").unwrap();
        assert!(!learned.sends("reasoning_content") && learned.sends("reasoning_details"));
        let learned = after("invalid signature_data in message 1").unwrap();
        assert!(!learned.sends("reasoning_details"));
        assert!(
            SentMembers::of(&request, &learned)
                .0
                .iter()
                .all(|(name, _)| name == "reasoning_content")
        );
        assert_eq!(after("the text is wrong"), None);
    }
}
