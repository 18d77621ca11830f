//! The reader in front of each protocol's own: what all of them owe to every stream.
//!
//! It counts what was read against the budget of the reply (see [`budget`](super::budget)), and ends one that exceeds it.
//! It finds the errors that servers write into a stream, in whatever shape they come, so that no protocol reads one as an
//! event of an unknown kind. And it keeps halves of characters (see [`surrogates`]): the protocol's reader sees marks in
//! their place, and no text, call, id or native block leaves here with one.

use std::collections::HashMap;

use serde_json::Value;

use super::ProviderError;
use super::adapter::Decode;
use super::budget::{ReplyBudget, Untold};
use super::error::ReportedError;
use crate::conversation::{ModelRef, StreamEvent};
use crate::text::surrogates::{self, Joiner};

pub(crate) struct Decoder {
    model: ModelRef,
    protocol: Box<dyn Decode>,
    budget: ReplyBudget,
    /// Names of the tools that were offered.
    tools: Vec<String>,
    /// The open blocks in which a half was met; none as long as there was none in the stream.
    joiners: HashMap<usize, Joiner>,
    has_marks: bool,
}

impl Decoder {
    pub(crate) fn new(model: &ModelRef, protocol: Box<dyn Decode>, tools: Vec<String>) -> Self {
        Self {
            model: model.clone(),
            protocol,
            budget: ReplyBudget::default(),
            tools,
            joiners: HashMap::new(),
            has_marks: false,
        }
    }

    /// Returns events that are within the budget.
    fn counted(&mut self, events: Vec<StreamEvent>) -> Result<Vec<StreamEvent>, ProviderError> {
        self.budget.take(&events, self.protocol.untold(), &self.model)?;
        Ok(events)
    }

    /// Takes what models add to the name of a tool off it: a namespace before it (`functions.read`), marks of a channel
    /// behind it (`read<|channel|>commentary`). A name that no tool has without them stays as it is.
    fn undecorate(&self, events: &mut [StreamEvent]) {
        for event in events {
            if let StreamEvent::CallStart { name, .. } = event
                && !self.tools.contains(name)
                && let Some(tool) = undecorated(name, &self.tools)
            {
                *name = tool.to_owned();
            }
        }
    }

    fn joined(&mut self, events: Vec<StreamEvent>) -> Vec<StreamEvent> {
        if !self.has_marks {
            return events;
        }
        let mut joined = Vec::with_capacity(events.len());
        for event in events {
            self.join(event, &mut joined);
        }
        joined
    }

    fn join(&mut self, event: StreamEvent, joined: &mut Vec<StreamEvent>) {
        match event {
            StreamEvent::Delta { block, delta } => {
                let delta = self.joiners.entry(block).or_default().push(&delta);
                joined.extend((!delta.is_empty()).then_some(StreamEvent::Delta { block, delta }));
            }
            StreamEvent::End { block, native } => {
                self.finish(block, joined);
                let native = native.map(|mut native| {
                    join_strings(&mut native.json);
                    native
                });
                joined.push(StreamEvent::End { block, native });
            }
            StreamEvent::CallStart {
                block,
                provider_id,
                name,
            } => joined.push(StreamEvent::CallStart {
                block,
                provider_id: provider_id.map(|id| surrogates::join(&id).into_owned()),
                name: surrogates::join(&name).into_owned(),
            }),
            StreamEvent::Refusal(words) => {
                joined.push(StreamEvent::Refusal(surrogates::join(&words).into_owned()));
            }
            StreamEvent::Stop(stop) => {
                let mut open: Vec<usize> = self.joiners.keys().copied().collect();
                open.sort_unstable();
                for block in open {
                    self.finish(block, joined);
                }
                joined.push(StreamEvent::Stop(stop));
            }
            event @ (StreamEvent::TextStart { .. }
            | StreamEvent::ReasoningStart { .. }
            | StreamEvent::Usage(_)) => joined.push(event),
        }
    }

    fn finish(&mut self, block: usize, joined: &mut Vec<StreamEvent>) {
        let single = self.joiners.remove(&block).and_then(|mut joiner| joiner.finish());
        joined.extend(single.map(|single| StreamEvent::Delta {
            block,
            delta: single.to_string(),
        }));
    }
}

impl Decode for Decoder {
    fn event(&mut self, name: &str, data: &str) -> Result<Vec<StreamEvent>, ProviderError> {
        self.budget.take_data(data, &self.model)?;
        if data.trim().is_empty() {
            // A keep-alive.
            return Ok(Vec::new());
        }
        let marked = surrogates::mark(data);
        self.has_marks |= matches!(marked, std::borrow::Cow::Owned(_));
        let outcome = match reported_error(name, &marked) {
            Some(reported) => Err(reported.in_stream(&self.model)),
            None => self
                .protocol
                .event(name, &marked)
                .and_then(|events| self.counted(events)),
        };
        match outcome {
            Ok(events) => {
                let mut events = self.joined(events);
                self.undecorate(&mut events);
                Ok(events)
            }
            Err(mut error) => {
                error.message = surrogates::join(&error.message).into_owned();
                Err(error)
            }
        }
    }

    fn untold(&self) -> Untold {
        self.protocol.untold()
    }

    fn end(&mut self) -> Vec<StreamEvent> {
        // What it closes was counted before, as told or as untold.
        let events = self.protocol.end();
        let mut events = self.joined(events);
        self.undecorate(&mut events);
        events
    }
}

fn undecorated<'a>(name: &str, tools: &'a [String]) -> Option<&'a str> {
    let name = name.split("<|").next()?.trim();
    let ends = name
        .char_indices()
        .filter(|(_, sign)| matches!(sign, '.' | ':' | '/'));
    let mut starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1));
    starts.find_map(|start| {
        tools
            .iter()
            .find(|tool| **tool == name[start..])
            .map(|tool| &**tool)
    })
}

fn join_strings(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let std::borrow::Cow::Owned(joined) = surrogates::join(text) {
                *text = joined;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(join_strings),
        Value::Object(fields) => fields.values_mut().for_each(join_strings),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the error that an event is, if it is one: by its name, by its type, by a field `error`, or by being a message
/// of the server's and nothing that a protocol has.
fn reported_error(name: &str, data: &str) -> Option<ReportedError> {
    let may_be_one = name == "error"
        || ["\"error\"", "\"message\"", "\"detail\""]
            .iter()
            .any(|word| data.contains(word));
    if !may_be_one {
        return None;
    }
    let Ok(value) = serde_json::from_str::<Value>(data) else {
        return (name == "error").then(|| ReportedError::from_body(data));
    };
    let is_named = name == "error" || value["type"] == "error" || value["object"] == "error";
    if is_named || has_error(&value) {
        return Some(ReportedError::from_event(&value));
    }
    let is_an_event = ["choices", "candidates", "usage", "usageMetadata"]
        .iter()
        .any(|key| value.get(key).is_some_and(|value| !value.is_null()));
    let kind = value["type"].as_str().unwrap_or_default();
    let is_bare = (kind.is_empty() || kind.to_lowercase().contains("error"))
        && ["message", "detail"].iter().any(|key| value[key].is_string());
    (!is_an_event && is_bare).then(|| ReportedError::from_event(&value))
}

fn has_error(value: &Value) -> bool {
    match &value["error"] {
        Value::String(text) => !text.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Number(_) => true,
        Value::Null | Value::Bool(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Protocol;
    use super::super::sample::{decode, told};

    const PROTOCOLS: [Protocol; 4] = [
        Protocol::Anthropic,
        Protocol::OpenAiChat,
        Protocol::OpenAiResponses,
        Protocol::Gemini,
    ];

    fn read(protocol: Protocol, events: &[&str]) -> Vec<String> {
        let stream: Vec<String> = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        told(&decode(protocol, &stream.concat()))
    }

    /// A text whose emoji is cut in half between the two pieces, and one that lacks its second half.
    fn halves(protocol: Protocol) -> Vec<String> {
        let pieces = [r"a\ud83d", r"\ude00b", r"\ude00c\ud83d"];
        let event = |piece: &str| match protocol {
            Protocol::Anthropic => format!(
                r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{piece}"}}}}"#
            ),
            Protocol::OpenAiChat => format!(r#"{{"choices":[{{"delta":{{"content":"{piece}"}}}}]}}"#),
            Protocol::OpenAiResponses => {
                format!(r#"{{"type":"response.output_text.delta","output_index":0,"delta":"{piece}"}}"#)
            }
            Protocol::Gemini => {
                format!(r#"{{"candidates":[{{"content":{{"parts":[{{"text":"{piece}"}}]}}}}]}}"#)
            }
        };
        let start = match protocol {
            Protocol::Anthropic => {
                r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#
            }
            Protocol::OpenAiResponses => {
                r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"message"}}"#
            }
            Protocol::OpenAiChat | Protocol::Gemini => "{}",
        };
        let stop = match protocol {
            Protocol::Anthropic => r#"{"type":"message_stop"}"#,
            Protocol::OpenAiChat => "[DONE]",
            Protocol::OpenAiResponses => r#"{"type":"response.completed","response":{}}"#,
            Protocol::Gemini => r#"{"candidates":[{"finishReason":"STOP"}]}"#,
        };
        let mut events = vec![start.to_owned()];
        events.extend(pieces.map(event));
        events.push(stop.to_owned());
        read(protocol, &events.iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[test]
    fn halves_of_a_character_are_joined_over_events_and_never_dropped() {
        for protocol in PROTOCOLS {
            assert_eq!(
                halves(protocol),
                ["text: a😀b\u{fffd}c\u{fffd} |", "stop: End"],
                "{protocol}"
            );
        }
    }

    #[test]
    fn names_lose_what_models_add_to_them() {
        let tools: Vec<String> = ["read", "a.b", "web_search"].map(str::to_owned).into();
        for (name, tool) in [
            ("functions.read", Some("read")),
            ("assistant.read", Some("read")),
            ("default_api:read", Some("read")),
            ("read<|channel|>commentary", Some("read")),
            ("functions.read<|constrain|>json", Some("read")),
            ("tools/functions.web_search", Some("web_search")),
            ("x.a.b", Some("a.b")),
            ("bread", None),
            ("functions.", None),
            ("", None),
        ] {
            assert_eq!(super::undecorated(name, &tools), tool, "{name}");
        }
    }

    #[test]
    fn halves_in_arguments_are_kept() {
        let lines = read(
            Protocol::OpenAiChat,
            &[
                r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"w","arguments":"{\"x\":\"1\ud83d"}}]}}]}"#,
                r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\ude002\ud83d3\"}"}}]}}]}"#,
                "[DONE]",
            ],
        );
        assert_eq!(
            lines,
            ["call w a: {\"x\":\"1😀2\u{fffd}3\"} |", "stop: ToolCalls"]
        );
    }

    #[test]
    fn halves_in_a_native_block_are_joined_or_replaced() {
        let lines = read(
            Protocol::Gemini,
            &[
                r#"{"candidates":[{"content":{"parts":[{"text":"a\ud83d"}]}}]}"#,
                r#"{"candidates":[{"content":{"parts":[{"text":"\ude00","thoughtSignature":"s"},{"functionCall":{"name":"ls","args":{"p":"\udc00"}}}]},"finishReason":"STOP"}]}"#,
            ],
        );
        assert_eq!(
            lines[0],
            "text: a😀 | {\"text\":\"a😀\",\"thoughtSignature\":\"s\"}"
        );
        assert!(lines[1].contains("{\"p\":\"\u{fffd}\"}"), "{lines:?}");
        assert!(!lines[1].contains('\u{fdd0}'), "{lines:?}");
    }

    #[test]
    fn an_error_in_the_stream_keeps_its_words_in_every_shape() {
        for protocol in PROTOCOLS {
            for (event, kind) in [
                (r#"{"error":"slot is gone"}"#, "BadResponse"),
                (
                    r#"{"error":{"message":"slot is gone","type":"server_error","code":500}}"#,
                    "BadResponse",
                ),
                (r#"{"error":{"code":503,"message":"slot is gone"}}"#, "Overloaded"),
                (r#"{"error":{"code":429,"message":"slot is gone"}}"#, "RateLimit"),
                (
                    r#"{"object":"error","message":"slot is gone","type":"BadRequestError","code":400}"#,
                    "BadRequest",
                ),
                (r#"{"type":"error","message":"slot is gone"}"#, "BadResponse"),
                (
                    r#"{"type":"error","error":{"type":"overloaded_error","message":"slot is gone"}}"#,
                    "Overloaded",
                ),
                (
                    r#"{"type":"server_error","message":"slot is gone"}"#,
                    "BadResponse",
                ),
                (r#"{"detail":"slot is gone"}"#, "BadResponse"),
                (
                    r#"{"error":"slot is gone","error_type":"overloaded"}"#,
                    "Overloaded",
                ),
                (
                    r#"{"choices":[{"delta":{"content":"x"},"finish_reason":"error"}],"error":{"message":"slot is gone"}}"#,
                    "BadResponse",
                ),
            ] {
                let lines = read(protocol, &[event]);
                assert_eq!(lines.len(), 1, "{protocol} {event}: {lines:?}");
                assert!(
                    lines[0].starts_with(&format!("error: {kind}: ")),
                    "{protocol} {event}: {lines:?}"
                );
                assert!(
                    lines[0].ends_with(": slot is gone"),
                    "{protocol} {event}: {lines:?}"
                );
                assert_eq!(lines[0].contains("overloaded"), kind == "Overloaded", "{lines:?}");
            }
            let named = "event: error\ndata: slot is gone\n\n";
            let lines = told(&decode(protocol, named));
            assert!(lines[0].ends_with(": slot is gone"), "{protocol}: {lines:?}");
            // llama.cpp's older servers put the error into a field of its own.
            let field = "error: {\"code\":500,\"message\":\"slot is gone\",\"type\":\"server_error\"}\n\n";
            let lines = told(&decode(protocol, field));
            assert_eq!(
                lines,
                ["error: BadResponse: `p` failed: slot is gone"],
                "{protocol}"
            );
        }
    }

    #[test]
    fn a_message_that_speaks_of_errors_is_none() {
        let lines = read(
            Protocol::OpenAiChat,
            &[
                r#"{"choices":[{"delta":{"content":"\"error\": \"message\""}}],"error":null}"#,
                r#"{"choices":[{"delta":{"content":"."},"finish_reason":"stop"}],"error":{}}"#,
                "[DONE]",
            ],
        );
        assert_eq!(lines, ["text: \"error\": \"message\". |", "stop: End"]);
    }
}
