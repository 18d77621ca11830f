//! The rules of the strictest servers, for each protocol: user and model alternate, nothing is empty, the user speaks first
//! and the model never last, and behind a message with calls stand their results.

use serde_json::Value;

use crate::provider::Protocol;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Speaker {
    User,
    Model,
    /// Results of calls, where the protocol has no message of the user's for them.
    Results,
}

/// One message, as far as the rules go.
#[derive(Debug)]
struct Spoken {
    speaker: Speaker,
    calls: Vec<String>,
    results: Vec<String>,
    is_empty: bool,
}

/// Panics where a request breaks a rule.
pub(super) fn assert_valid(protocol: Protocol, body: &Value, what: &str) {
    let spoken = match protocol {
        Protocol::Anthropic => list(body, "messages").iter().map(anthropic).collect(),
        Protocol::Gemini => list(body, "contents").iter().map(gemini).collect(),
        Protocol::OpenAiChat => chat(list(body, "messages")),
        Protocol::OpenAiResponses => responses(list(body, "input")),
    };
    let faults = faults(&spoken, protocol);
    assert!(faults.is_empty(), "{what}: {faults:?}\n{body:#}");
}

fn faults(spoken: &[Spoken], protocol: Protocol) -> Vec<String> {
    let mut faults = Vec::new();
    if spoken.first().is_none_or(|first| first.speaker != Speaker::User) {
        faults.push("the user does not speak first".to_owned());
    }
    if spoken.last().is_none_or(|last| last.speaker == Speaker::Model) {
        faults.push("the model speaks last".to_owned());
    }
    for (place, message) in spoken.iter().enumerate() {
        let before = place.checked_sub(1).map(|before| &spoken[before]);
        let may_follow = match before.map(|before| before.speaker) {
            None => true,
            Some(Speaker::Model) => message.speaker != Speaker::Model,
            Some(Speaker::User) => message.speaker == Speaker::Model,
            Some(Speaker::Results) => {
                message.speaker == Speaker::Model
                    || (message.speaker == Speaker::User && protocol == Protocol::OpenAiResponses)
            }
        };
        if !may_follow {
            faults.push(format!(
                "message {place} of {:?} follows another",
                message.speaker
            ));
        }
        if message.is_empty {
            faults.push(format!("message {place} is empty"));
        }
        let expected = before.map_or(&[][..], |before| &before.calls[..]);
        if message.results != expected {
            faults.push(format!(
                "message {place}: calls {expected:?}, results {:?}",
                message.results
            ));
        }
    }
    faults
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn is_blank(text: &Value) -> bool {
    text.as_str().is_none_or(|text| text.trim().is_empty())
}

fn name(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn speaker(role: &Value) -> Speaker {
    match role.as_str() {
        Some("user") => Speaker::User,
        Some("tool") => Speaker::Results,
        _ => Speaker::Model,
    }
}

fn anthropic(message: &Value) -> Spoken {
    let blocks = list(message, "content");
    let of_kind = |kind: &str, key: &str| {
        let of_kind = blocks.iter().filter(|block| block["type"] == kind);
        of_kind.map(|block| name(&block[key])).collect::<Vec<_>>()
    };
    Spoken {
        speaker: speaker(&message["role"]),
        calls: of_kind("tool_use", "id"),
        results: of_kind("tool_result", "tool_use_id"),
        is_empty: blocks.is_empty()
            || blocks
                .iter()
                .any(|block| block["type"] == "text" && is_blank(&block["text"])),
    }
}

fn gemini(content: &Value) -> Spoken {
    let parts = list(content, "parts");
    let of_kind = |kind: &str| {
        let of_kind = parts.iter().filter_map(|part| part.get(kind));
        // Ids are mostly missing.
        of_kind
            .map(|one| format!("{} {}", name(&one["name"]), name(&one["id"])))
            .collect::<Vec<_>>()
    };
    Spoken {
        speaker: speaker(&content["role"]),
        calls: of_kind("functionCall"),
        results: of_kind("functionResponse"),
        // A part with nothing but a signature is the model's own.
        is_empty: parts.is_empty()
            || parts.iter().any(|part| {
                let is_signed = part.get("thoughtSignature").is_some();
                !is_signed && part.get("text").is_some_and(is_blank)
            }),
    }
}

/// The results of one reply are messages of their own, which count as one.
fn chat(messages: &[Value]) -> Vec<Spoken> {
    let mut spoken: Vec<Spoken> = Vec::new();
    for message in messages.iter().filter(|message| message["role"] != "system") {
        let speaker = speaker(&message["role"]);
        let is_empty = match &message["content"] {
            Value::Array(parts) => {
                parts.is_empty()
                    || parts
                        .iter()
                        .any(|part| part["type"] == "text" && is_blank(&part["text"]))
            }
            text => is_blank(text) && list(message, "tool_calls").is_empty(),
        };
        if speaker == Speaker::Results
            && let Some(last) = spoken.last_mut().filter(|last| last.speaker == speaker)
        {
            last.results.push(name(&message["tool_call_id"]));
            last.is_empty |= is_empty;
            continue;
        }
        let result = (speaker == Speaker::Results).then(|| name(&message["tool_call_id"]));
        spoken.push(Spoken {
            speaker,
            calls: list(message, "tool_calls")
                .iter()
                .map(|call| name(&call["id"]))
                .collect(),
            results: result.into_iter().collect(),
            is_empty,
        });
    }
    spoken
}

/// Items of the model's in a row count as one message, and so do results. Messages that were written here are joined.
fn responses(items: &[Value]) -> Vec<Spoken> {
    let mut spoken: Vec<Spoken> = Vec::new();
    let mut is_after_own_text = false;
    for item in items {
        let kind = item["type"].as_str().unwrap_or_default();
        let speaker = match kind {
            "function_call_output" => Speaker::Results,
            "message" => speaker(&item["role"]),
            _ => Speaker::Model,
        };
        let is_own_text = kind == "message" && speaker == Speaker::Model && item.get("id").is_none();
        let is_empty = (is_own_text && (is_blank(&item["content"]) || is_after_own_text))
            || (speaker == Speaker::User && list(item, "content").is_empty())
            || item["output"]
                .as_str()
                .is_some_and(|output| output.trim().is_empty());
        is_after_own_text = is_own_text;
        let joins = speaker != Speaker::User && spoken.last().is_some_and(|last| last.speaker == speaker);
        if !joins {
            spoken.push(Spoken {
                speaker,
                calls: Vec::new(),
                results: Vec::new(),
                is_empty: false,
            });
        }
        let Some(last) = spoken.last_mut() else { continue };
        last.is_empty |= is_empty;
        match kind {
            "function_call" => last.calls.push(name(&item["call_id"])),
            "function_call_output" => last.results.push(name(&item["call_id"])),
            _ => {}
        }
    }
    spoken
}
