//! The event stream of OpenAI Responses.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::error::{Reported, malformed};
use super::super::protocol::Decode;
use super::super::tolerant::count;
use super::super::{Protocol, ProviderError};
use crate::conversation::{ModelRef, Stop, StreamEvent, Usage};

pub(crate) struct Decoder {
    model: ModelRef,
    open: Vec<(u64, Open)>,
    next_block: usize,
    has_calls: bool,
    is_over: bool,
}

struct Open {
    block: usize,
    kind: ItemKind,
    /// Whether any piece of it has come; else the finished item is shown whole.
    has_pieces: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemKind {
    Message,
    Reasoning,
    Call,
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Cow<'a, str>,
    #[serde(default, deserialize_with = "count")]
    output_index: u64,
    #[serde(default, deserialize_with = "count")]
    summary_index: u64,
    #[serde(default)]
    delta: Option<String>,
    #[serde(borrow, default)]
    item: Option<&'a RawValue>,
    #[serde(borrow, default)]
    response: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    call_id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<String>,
    #[serde(default)]
    content: Option<Vec<Part>>,
    #[serde(default)]
    summary: Option<Vec<Part>>,
    #[serde(default)]
    encrypted_content: Option<String>,
}

#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(default)]
    usage: Option<Figures>,
    #[serde(default)]
    incomplete_details: Option<Incomplete>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Incomplete {
    #[serde(default)]
    reason: Option<String>,
}

#[derive(Deserialize)]
struct Figures {
    #[serde(default, deserialize_with = "count")]
    input_tokens: u64,
    #[serde(default, deserialize_with = "count")]
    output_tokens: u64,
    #[serde(default)]
    input_tokens_details: Option<InputDetails>,
    #[serde(default)]
    output_tokens_details: Option<OutputDetails>,
}

#[derive(Deserialize, Default, Clone, Copy)]
struct InputDetails {
    #[serde(default, deserialize_with = "count")]
    cached_tokens: u64,
    #[serde(default, deserialize_with = "count")]
    cache_write_tokens: u64,
}

#[derive(Deserialize)]
struct OutputDetails {
    #[serde(default, deserialize_with = "count")]
    reasoning_tokens: u64,
}

impl Decode for Decoder {
    fn event(&mut self, _name: &str, data: &str) -> Result<Vec<StreamEvent>, ProviderError> {
        if data.trim() == "[DONE]" {
            return Ok(Vec::new());
        }
        let event: Event<'_> = self.parse(data)?;
        match &*event.kind {
            "response.output_text.delta"
            | "response.refusal.delta"
            | "response.reasoning_summary_text.delta"
            | "response.reasoning_text.delta"
            | "response.function_call_arguments.delta" => {
                Ok(self.piece(event.output_index, event.delta.unwrap_or_default()))
            }
            // Paragraphs of the summary are parts of their own.
            "response.reasoning_summary_part.added" if event.summary_index > 0 => {
                Ok(self.piece(event.output_index, "\n\n".to_owned()))
            }
            "response.output_item.added" => {
                let Some(raw) = event.item else {
                    return Ok(Vec::new());
                };
                let item: Item = self.parse(raw.get())?;
                Ok(self.start(event.output_index, &item))
            }
            "response.output_item.done" => match event.item {
                Some(raw) => self.done(event.output_index, raw),
                None => Ok(Vec::new()),
            },
            "response.completed" | "response.incomplete" => self.finish(event.response),
            "response.failed" => Err(self.failure(event.response)),
            "error" => {
                let value = serde_json::from_str::<Value>(data).unwrap_or_default();
                Err(Reported::from_value(&without_kind(value)).in_stream(&self.model))
            }
            _ => Ok(Vec::new()),
        }
    }
}

impl Decoder {
    pub(crate) fn new(model: &ModelRef) -> Self {
        Self {
            model: model.clone(),
            open: Vec::new(),
            next_block: 0,
            has_calls: false,
            is_over: false,
        }
    }

    fn parse<'a, T: Deserialize<'a>>(&self, json: &'a str) -> Result<T, ProviderError> {
        serde_json::from_str(json).map_err(|error| malformed(&self.model, &error))
    }

    fn piece(&mut self, index: u64, delta: String) -> Vec<StreamEvent> {
        let Some((_, open)) = self.open.iter_mut().find(|(number, _)| *number == index) else {
            return Vec::new();
        };
        if delta.is_empty() {
            return Vec::new();
        }
        open.has_pieces = true;
        vec![StreamEvent::Delta {
            block: open.block,
            delta,
        }]
    }

    fn start(&mut self, index: u64, item: &Item) -> Vec<StreamEvent> {
        let block = self.next_block;
        let (kind, event) = match &*item.kind {
            "message" => (ItemKind::Message, StreamEvent::TextStart { block }),
            "reasoning" => (ItemKind::Reasoning, StreamEvent::ReasoningStart { block }),
            "function_call" => {
                self.has_calls = true;
                let name = item.name.clone().unwrap_or_default();
                (
                    ItemKind::Call,
                    StreamEvent::CallStart {
                        block,
                        provider_id: item.call_id.clone(),
                        name,
                    },
                )
            }
            _ => return Vec::new(),
        };
        self.next_block += 1;
        self.open.push((
            index,
            Open {
                block,
                kind,
                has_pieces: false,
            },
        ));
        vec![event]
    }

    fn done(&mut self, index: u64, raw: &RawValue) -> Result<Vec<StreamEvent>, ProviderError> {
        let item: Item = self.parse(raw.get())?;
        let mut events = Vec::new();
        if !self.open.iter().any(|(number, _)| *number == index) {
            events = self.start(index, &item);
        }
        let Some(place) = self.open.iter().position(|(number, _)| *number == index) else {
            return Ok(events);
        };
        let (_, open) = self.open.remove(place);
        if !open.has_pieces {
            let delta = whole(open.kind, &item);
            events.extend((!delta.is_empty()).then_some(StreamEvent::Delta {
                block: open.block,
                delta,
            }));
        }
        // Without its encrypted content the server could not find reasoning again: nothing is stored there.
        let is_kept =
            open.kind != ItemKind::Reasoning || item.encrypted_content.is_some_and(|text| !text.is_empty());
        let native = if is_kept {
            Some(Protocol::OpenAiResponses.native(&self.model, self.parse(raw.get())?))
        } else {
            None
        };
        events.push(StreamEvent::End {
            block: open.block,
            native,
        });
        Ok(events)
    }

    fn finish(&mut self, response: Option<&RawValue>) -> Result<Vec<StreamEvent>, ProviderError> {
        if std::mem::replace(&mut self.is_over, true) {
            return Ok(Vec::new());
        }
        let response: Option<Response<'_>> = response.map(|raw| self.parse(raw.get())).transpose()?;
        let ends = self.open.drain(..).map(|(_, open)| StreamEvent::End {
            block: open.block,
            native: None,
        });
        let mut events: Vec<_> = ends.collect();
        let mut stop = if self.has_calls {
            Stop::ToolCalls
        } else {
            Stop::End
        };
        if let Some(response) = response {
            events.extend(response.usage.map(|figures| StreamEvent::Usage(usage(&figures))));
            match response
                .incomplete_details
                .and_then(|details| details.reason)
                .as_deref()
            {
                Some("max_output_tokens") => stop = Stop::Length,
                Some("content_filter") => stop = Stop::Refusal,
                _ => {}
            }
        }
        events.push(StreamEvent::Stop(stop));
        Ok(events)
    }

    fn failure(&self, response: Option<&RawValue>) -> ProviderError {
        let response = response.and_then(|raw| serde_json::from_str::<Response<'_>>(raw.get()).ok());
        let error = response.and_then(|response| serde_json::from_str(response.error?.get()).ok());
        Reported::from_value(&error.unwrap_or(Value::Null)).in_stream(&self.model)
    }
}

/// The `type` of an `error` event says only that it is one.
fn without_kind(mut value: Value) -> Value {
    if let Some(object) = value.as_object_mut() {
        object.shift_remove("type");
    }
    value
}

fn whole(kind: ItemKind, item: &Item) -> String {
    let texts = |parts: &Option<Vec<Part>>, joint: &str| {
        let parts = parts.iter().flatten();
        let texts = parts.filter_map(|part| part.text.as_deref().or(part.refusal.as_deref()));
        texts.collect::<Vec<_>>().join(joint)
    };
    match kind {
        ItemKind::Message => texts(&item.content, ""),
        ItemKind::Reasoning => texts(&item.summary, "\n\n"),
        ItemKind::Call => item.arguments.clone().unwrap_or_default(),
    }
}

fn usage(figures: &Figures) -> Usage {
    let cache = figures.input_tokens_details.unwrap_or_default();
    Usage {
        input: figures
            .input_tokens
            .saturating_sub(cache.cached_tokens)
            .saturating_sub(cache.cache_write_tokens),
        output: figures.output_tokens,
        reasoning: figures
            .output_tokens_details
            .as_ref()
            .map_or(0, |details| details.reasoning_tokens),
        cache_read: cache.cached_tokens,
        cache_write: cache.cache_write_tokens,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::sample::{decode, told};
    use super::*;

    macro_rules! vector {
        ($name:literal) => {
            told(&decode(
                Protocol::OpenAiResponses,
                include_str!(concat!(
                    "../../../tests/it/vectors/sse/openai_responses.",
                    $name,
                    ".sse"
                )),
            ))
        };
    }

    #[test]
    fn text_streams_into_one_block_and_keeps_its_item() {
        let lines = vector!("text");
        assert!(
            lines[0].starts_with("text: Hello, wörld: a list.\n\n- one\n- two\n | {\"type\":\"message\""),
            "{lines:?}"
        );
        assert_eq!(
            lines[1..],
            ["usage: in 1200 out 24 think 0 read 0 write 0", "stop: End"]
        );
    }

    #[test]
    fn calls_stream_their_arguments() {
        let lines = vector!("tools");
        let call = r#"call bash call_3d89388ec8244572: {"command": "printf 'a\\tb\\n'", "timeout": 120000} | {"type":"function_call","id":"fc_e23fbfc73a4a49488219""#;
        assert!(lines[1].starts_with(call), "{lines:?}");
        let call =
            r#"call read call_766b460de814466a: {"file_path": "src/\u00fcn\u00ef.rs", "limit": 20} | {"#;
        assert!(lines[2].starts_with(call), "{lines:?}");
        assert_eq!(
            lines[3..],
            ["usage: in 1300 out 80 think 0 read 0 write 0", "stop: ToolCalls"]
        );
    }

    #[test]
    fn reasoning_keeps_its_encrypted_item() {
        assert_eq!(
            vector!("reasoning"),
            [
                r#"reasoning: The test sleeps on the clock. | {"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"The test sleeps on the clock."}],"encrypted_content":"ZW5jcnlwdGVk"}"#,
                r#"call read call_1: {"file_path":"src/a.rs"} | {"id":"fc_1","type":"function_call","status":"completed","name":"read","call_id":"call_1","arguments":"{\"file_path\":\"src/a.rs\"}"}"#,
                "usage: in 312 out 57 think 30 read 2000 write 0",
                "stop: ToolCalls",
            ]
        );
    }

    #[test]
    fn a_failed_response_is_an_error() {
        assert_eq!(
            vector!("error"),
            [
                "reasoning: The test sleeps on the clock.",
                "error: Overloaded: `p` is overloaded: The server had an error"
            ]
        );
        let stream = "event: error\ndata: {\"type\":\"error\",\"code\":\"rate_limit_exceeded\",\"message\":\"slow\"}\n\n";
        let lines = told(&decode(Protocol::OpenAiResponses, stream));
        assert_eq!(lines, ["error: RateLimit: `p` limits the rate of requests: slow"]);
    }

    #[test]
    fn a_garbled_event_is_a_bad_response() {
        let lines = vector!("malformed");
        assert_eq!(lines[0], "text: Hello, wörld: a list");
        assert!(lines[1].starts_with("error: BadResponse"), "{lines:?}");
    }

    #[test]
    fn an_item_without_pieces_is_shown_whole() {
        let stream = concat!(
            "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"message\",",
            "\"content\":[{\"type\":\"output_text\",\"text\":\"whole\"}]}}\n\n",
            "data: {\"type\":\"response.incomplete\",\"response\":{\"incomplete_details\":",
            "{\"reason\":\"max_output_tokens\"}}}\n\n",
        );
        let lines = told(&decode(Protocol::OpenAiResponses, stream));
        assert!(lines[0].starts_with("text: whole | "), "{lines:?}");
        assert_eq!(lines[1], "stop: Length");
    }
}
