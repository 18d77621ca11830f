//! The event stream of Anthropic Messages.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::super::adapter::Decode;
use super::super::budget::Untold;
use super::super::error::malformed;
use super::super::lenient::{count, some_count, some_name, some_object, text};
use super::super::{Protocol, ProviderError, ProviderErrorKind};
use crate::conversation::{ModelRef, Stop, StreamEvent, Usage};

pub(crate) struct Decoder {
    model: ModelRef,
    /// The blocks that are open, by their number on the wire.
    open: Vec<(u64, Open)>,
    next_block: usize,
    /// The numbers of blocks of the provider's own tools and of unknown kinds, which are skipped.
    skipped: Vec<u64>,
    /// Bytes of signatures and redacted thoughts, which are told when their block ends.
    unsaid: usize,
    usage: Usage,
    stop: Option<Stop>,
    has_calls: bool,
    is_over: bool,
}

struct Open {
    block: usize,
    body: Body,
}

enum Body {
    Text,
    Thinking {
        text: String,
        signature: String,
    },
    Redacted(Value),
    /// `whole` holds arguments that came with the start, for servers that send no pieces.
    Call {
        whole: Option<String>,
    },
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Cow<'a, str>,
    #[serde(default, deserialize_with = "count")]
    index: u64,
    #[serde(borrow, default)]
    delta: Option<Delta<'a>>,
    #[serde(borrow, default)]
    content_block: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "some_object")]
    message: Option<Start>,
    #[serde(default, deserialize_with = "some_object")]
    usage: Option<Figures>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow, default)]
    text: Option<&'a RawValue>,
    #[serde(borrow, default)]
    thinking: Option<&'a RawValue>,
    #[serde(default)]
    partial_json: Option<String>,
    #[serde(default, deserialize_with = "some_name")]
    signature: Option<String>,
    #[serde(default, deserialize_with = "some_name")]
    stop_reason: Option<String>,
    #[serde(default)]
    stop_details: Value,
}

#[derive(Deserialize)]
struct Start {
    #[serde(default, deserialize_with = "some_object")]
    usage: Option<Figures>,
}

#[derive(Deserialize)]
struct Figures {
    #[serde(default, deserialize_with = "some_count")]
    input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "some_count")]
    output_tokens: Option<u64>,
    #[serde(default, deserialize_with = "some_count")]
    cache_creation_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "some_count")]
    cache_read_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "some_object")]
    output_tokens_details: Option<OutputDetails>,
}

#[derive(Deserialize)]
struct OutputDetails {
    #[serde(default, deserialize_with = "some_count")]
    thinking_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(rename = "type", default, deserialize_with = "some_name")]
    kind: Option<String>,
    #[serde(default, deserialize_with = "some_name")]
    id: Option<String>,
    #[serde(default, deserialize_with = "some_name")]
    name: Option<String>,
    #[serde(default)]
    input: Option<Value>,
    #[serde(borrow, default)]
    text: Option<&'a RawValue>,
    #[serde(borrow, default)]
    thinking: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "some_name")]
    signature: Option<String>,
}

impl Decode for Decoder {
    fn event(&mut self, _name: &str, data: &str) -> Result<Vec<StreamEvent>, ProviderError> {
        let event: Event<'_> = serde_json::from_str(data).map_err(|error| malformed(&self.model, &error))?;
        match &*event.kind {
            "content_block_delta" => match event.delta {
                Some(delta) => self.delta(event.index, delta),
                None => Ok(Vec::new()),
            },
            "content_block_start" => match event.content_block {
                Some(raw) => self.start(event.index, raw),
                None => Ok(Vec::new()),
            },
            "content_block_stop" => Ok(self.close(event.index)),
            "message_start" => Ok(self.figures(event.message.and_then(|start| start.usage))),
            "message_delta" => {
                let mut events = self.figures(event.usage);
                let details = event.delta.as_ref().map(|delta| delta.stop_details.clone());
                if let Some(reason) = event.delta.and_then(|delta| delta.stop_reason) {
                    self.stop = Some(stop(&reason));
                    let is_refusal = self.stop == Some(Stop::Refusal);
                    events.extend(is_refusal.then(|| refusal(&details.unwrap_or_default())));
                }
                Ok(events)
            }
            "message_stop" => Ok(self.finish()),
            _ => Ok(Vec::new()),
        }
    }

    fn untold(&self) -> Untold {
        Untold {
            calls: 0,
            blocks: self.skipped.len(),
            bytes: self.unsaid,
        }
    }

    fn end(&mut self) -> Vec<StreamEvent> {
        if self.stop.is_some() {
            self.finish()
        } else {
            Vec::new()
        }
    }
}

impl Decoder {
    pub(crate) fn new(model: &ModelRef) -> Self {
        Self {
            model: model.clone(),
            open: Vec::new(),
            next_block: 0,
            skipped: Vec::new(),
            unsaid: 0,
            usage: Usage::default(),
            stop: None,
            has_calls: false,
            is_over: false,
        }
    }

    fn start(&mut self, index: u64, raw: &RawValue) -> Result<Vec<StreamEvent>, ProviderError> {
        let failed = |error| malformed(&self.model, &error);
        let start: Block<'_> = serde_json::from_str(raw.get()).map_err(failed)?;
        match start.kind.as_deref().unwrap_or_default() {
            "text" => {
                let first = text(start.text).map_err(failed)?;
                Ok(self.open(index, Body::Text, first))
            }
            "thinking" => {
                let first = text(start.thinking).map_err(failed)?;
                let body = Body::Thinking {
                    text: first.clone().unwrap_or_default(),
                    signature: start.signature.unwrap_or_default(),
                };
                Ok(self.open(index, body, first))
            }
            "redacted_thinking" => {
                self.unsaid += raw.get().len();
                let whole =
                    serde_json::from_str(raw.get()).map_err(|error| malformed(&self.model, &error))?;
                Ok(self.open(index, Body::Redacted(whole), None))
            }
            "tool_use" => {
                self.has_calls = true;
                self.unsaid += raw.get().len();
                let whole = start
                    .input
                    .filter(|input| input.as_object().is_some_and(|input| !input.is_empty()));
                let body = Body::Call {
                    whole: whole.map(|input| input.to_string()),
                };
                let block = self.place(index, body);
                Ok(vec![StreamEvent::CallStart {
                    block,
                    provider_id: start.id,
                    name: start.name.unwrap_or_default(),
                }])
            }
            // Blocks of the provider's own tools, and kinds that are yet to be invented.
            _ => {
                self.skipped.push(index);
                Ok(Vec::new())
            }
        }
    }

    /// Opens a block of text or thinking.
    fn open(&mut self, index: u64, body: Body, first: Option<String>) -> Vec<StreamEvent> {
        let is_text = matches!(body, Body::Text);
        let block = self.place(index, body);
        let opened = if is_text {
            StreamEvent::TextStart { block }
        } else {
            StreamEvent::ReasoningStart { block }
        };
        let delta = first.map(|delta| StreamEvent::Delta { block, delta });
        std::iter::once(opened).chain(delta).collect()
    }

    fn place(&mut self, index: u64, body: Body) -> usize {
        let block = self.next_block;
        self.next_block += 1;
        self.skipped.retain(|skipped| *skipped != index);
        self.open.push((index, Open { block, body }));
        block
    }

    fn delta(&mut self, index: u64, delta: Delta<'_>) -> Result<Vec<StreamEvent>, ProviderError> {
        let failed = |error| malformed(&self.model, &error);
        let said = text(delta.text).map_err(failed)?;
        let thought = text(delta.thinking).map_err(failed)?;
        if self.skipped.contains(&index) {
            return Ok(Vec::new());
        }
        let mut events = Vec::with_capacity(1);
        if !self.open.iter().any(|(number, _)| *number == index) {
            // What begins without its beginning is kept all the same, as far as it says what it is.
            let body = if said.is_some() {
                Body::Text
            } else if thought.is_some() {
                Body::Thinking {
                    text: String::new(),
                    signature: String::new(),
                }
            } else if delta.partial_json.is_some() {
                let message = format!("`{}` sent a tool call without its start", self.model.provider);
                return Err(ProviderError::new(ProviderErrorKind::BadResponse, message));
            } else {
                return Ok(events);
            };
            events = self.open(index, body, None);
        }
        let Some((_, open)) = self.open.iter_mut().find(|(number, _)| *number == index) else {
            return Ok(events);
        };
        let block = open.block;
        let piece = match &mut open.body {
            Body::Text => said,
            Body::Thinking { text, signature } => {
                let piece = delta.signature.as_deref().unwrap_or_default();
                self.unsaid += piece.len();
                signature.push_str(piece);
                text.push_str(thought.as_deref().unwrap_or_default());
                thought
            }
            Body::Redacted(_) => None,
            Body::Call { whole } => {
                let piece = delta.partial_json.filter(|piece| !piece.is_empty());
                if piece.is_some() {
                    *whole = None;
                }
                piece
            }
        };
        events.extend(piece.map(|delta| StreamEvent::Delta { block, delta }));
        Ok(events)
    }

    fn close(&mut self, index: u64) -> Vec<StreamEvent> {
        let Some(place) = self.open.iter().position(|(number, _)| *number == index) else {
            return Vec::new();
        };
        let (_, Open { block, body }) = self.open.remove(place);
        let mut events = Vec::with_capacity(2);
        let native = match body {
            Body::Text => None,
            Body::Thinking { signature, .. } if signature.is_empty() => None,
            Body::Thinking { text, signature } => {
                Some(json!({ "type": "thinking", "thinking": text, "signature": signature }))
            }
            Body::Redacted(whole) => Some(whole),
            Body::Call { whole } => {
                events.extend(whole.map(|delta| StreamEvent::Delta { block, delta }));
                None
            }
        };
        let native = native.map(|json| Protocol::Anthropic.native(&self.model, json));
        events.push(StreamEvent::End { block, native });
        events
    }

    fn figures(&mut self, figures: Option<Figures>) -> Vec<StreamEvent> {
        let Some(figures) = figures else { return Vec::new() };
        let usage = &mut self.usage;
        usage.input = figures.input_tokens.unwrap_or(usage.input);
        usage.output = figures.output_tokens.unwrap_or(usage.output);
        usage.cache_read = figures.cache_read_input_tokens.unwrap_or(usage.cache_read);
        usage.cache_write = figures.cache_creation_input_tokens.unwrap_or(usage.cache_write);
        let thought = figures
            .output_tokens_details
            .and_then(|details| details.thinking_tokens);
        usage.reasoning = thought.unwrap_or(usage.reasoning);
        vec![StreamEvent::Usage(*usage)]
    }

    fn finish(&mut self) -> Vec<StreamEvent> {
        if std::mem::replace(&mut self.is_over, true) {
            return Vec::new();
        }
        let open: Vec<u64> = self.open.iter().map(|(index, _)| *index).collect();
        let mut events: Vec<_> = open.into_iter().flat_map(|index| self.close(index)).collect();
        let fallback = if self.has_calls {
            Stop::ToolCalls
        } else {
            Stop::End
        };
        events.push(StreamEvent::Stop(self.stop.unwrap_or(fallback)));
        events
    }
}

/// Reads why the model declined: a category and a sentence, where the provider gives them.
fn refusal(details: &Value) -> StreamEvent {
    let words = ["category", "explanation"].map(|key| details[key].as_str());
    let words: Vec<&str> = words.into_iter().flatten().collect();
    StreamEvent::Refusal(words.join(": "))
}

fn stop(reason: &str) -> Stop {
    match reason {
        "tool_use" => Stop::ToolCalls,
        "max_tokens" | "model_context_window_exceeded" => Stop::Length,
        "refusal" | "content_filter" | "sensitive" => Stop::Refusal,
        _ => Stop::End,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::sample::{decode, told};
    use super::*;

    macro_rules! vector {
        ($name:literal) => {
            told(&decode(
                Protocol::Anthropic,
                include_str!(concat!(
                    "../../../tests/it/vectors/sse/anthropic.",
                    $name,
                    ".sse"
                )),
            ))
        };
    }

    #[test]
    fn text_streams_into_one_block() {
        assert_eq!(
            vector!("text"),
            [
                "text: Hello, wörld: a list.\n\n- one\n- two\n |",
                "usage: in 1200 out 24 think 0 read 0 write 0",
                "stop: End",
            ]
        );
    }

    #[test]
    fn calls_stream_their_arguments() {
        assert_eq!(
            vector!("tools"),
            [
                "text: I will look. |",
                r#"call bash toolu_5ef527b8e27f43ef82fe: {"command": "printf 'a\\tb\\n'", "timeout": 120000} |"#,
                r#"call read toolu_037967e9fe96435e93be: {"file_path": "src/\u00fcn\u00ef.rs", "limit": 20} |"#,
                "usage: in 1300 out 80 think 0 read 0 write 0",
                "stop: ToolCalls",
            ]
        );
    }

    #[test]
    fn thinking_keeps_its_signature_and_redacted_thinking_its_data() {
        assert_eq!(
            vector!("reasoning"),
            [
                r#"reasoning: The test sleeps on the clock. | {"type":"thinking","thinking":"The test sleeps on the clock.","signature":"c2lnbmVk"}"#,
                r#"reasoning:  | {"type":"redacted_thinking","data":"cmVkYWN0ZWQ="}"#,
                "text: I will read it. |",
                r#"call read toolu_1: {"file_path": "src/a.rs"} |"#,
                "usage: in 12 out 57 think 0 read 2000 write 300",
                "stop: ToolCalls",
            ]
        );
    }

    #[test]
    fn an_error_in_mid_stream_is_ours() {
        assert_eq!(
            vector!("error"),
            [
                "reasoning: The test sleeps on the clock.",
                "usage: in 12 out 1 think 0 read 2000 write 300",
                "error: Overloaded: `p` is overloaded: Overloaded",
            ]
        );
    }

    #[test]
    fn a_garbled_event_is_a_bad_response() {
        let lines = vector!("malformed");
        assert_eq!(lines[0], "text: Hello, wörld: a list");
        assert!(
            lines[2].starts_with("error: BadResponse: `p` sent an event that cannot be read"),
            "{lines:?}"
        );
    }

    #[test]
    fn deltas_without_their_beginning_are_kept_or_an_error() {
        let delta = |delta: &str| {
            format!("data: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{delta}}}\n\n")
        };
        let stop = "data: {\"type\":\"message_stop\"}\n\n";
        let text = delta(r#"{"type":"text_delta","text":"Hi"}"#) + stop;
        assert_eq!(
            told(&decode(Protocol::Anthropic, &text)),
            ["text: Hi |", "stop: End"]
        );
        let call = delta(r#"{"type":"input_json_delta","partial_json":"{}"}"#) + stop;
        assert_eq!(
            told(&decode(Protocol::Anthropic, &call)),
            ["error: BadResponse: `p` sent a tool call without its start"]
        );
    }

    #[test]
    fn a_refusal_is_told_with_its_details() {
        let stream = concat!(
            "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"refusal\",\"stop_details\":",
            "{\"type\":\"refusal\",\"category\":\"cyber\",\"explanation\":\"No.\"}},",
            "\"usage\":{\"input_tokens\":\"7\",\"output_tokens\":2}}\n\n",
            "data: {\"type\":\"message_stop\"}\n\n",
        );
        assert_eq!(
            told(&decode(Protocol::Anthropic, stream)),
            [
                "usage: in 7 out 2 think 0 read 0 write 0",
                "refusal: cyber: No.",
                "stop: Refusal"
            ]
        );
    }

    #[test]
    fn unknown_blocks_of_any_shape_are_skipped() {
        let stream = concat!(
            "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":",
            "{\"type\":\"hologram\",\"id\":{\"x\":1},\"name\":[1],\"text\":{\"a\":7},\"input\":3}}\n\n",
            "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}\n\n",
            "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
            "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"ok\"}}\n\n",
            "data: {\"type\":\"message_stop\"}\n\n",
        );
        assert_eq!(
            told(&decode(Protocol::Anthropic, stream)),
            ["text: ok |", "stop: End"]
        );
    }

    #[test]
    fn unknown_blocks_and_whole_arguments_are_borne() {
        let stream = concat!(
            "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"server_tool_use\"}}\n\n",
            "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"partial_json\":\"{}\"}}\n\n",
            "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":",
            "{\"type\":\"tool_use\",\"name\":\"ls\",\"input\":{\"a\":1}}}\n\n",
            "data: {\"type\":\"content_block_stop\",\"index\":1}\n\n",
            "data: {\"type\":\"news\"}\n\n",
            "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":null}\n\n",
        );
        let lines = told(&decode(Protocol::Anthropic, stream));
        assert_eq!(lines, [r#"call ls -: {"a":1} |"#, "stop: ToolCalls"]);
    }
}
