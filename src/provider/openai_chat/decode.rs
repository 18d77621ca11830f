//! The chunks of Chat Completions.
//!
//! Calls of one reply may interleave; they are told apart by their index, or by their id where a server forgets the
//! index or gives all of them the same one.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::super::adapter::Decode;
use super::super::budget::Untold;
use super::super::error::{ReportedError, broken_off, malformed};
use super::super::lenient::{
    ReplyText, count, reply_text, short_list, some_count, some_name, some_object, text, text_or_json,
};
use super::super::{Protocol, ProviderError, ProviderErrorKind};
use super::members::ExtraMembers;
use crate::conversation::{ModelRef, Stop, StreamEvent, Usage};

pub(crate) struct Decoder {
    model: ModelRef,
    prose: Option<Prose>,
    calls: Vec<Call>,
    /// Calls before this one are closed.
    first_open_call: usize,
    /// Calls that no event has told, since their names are missing, and the arguments that wait in them.
    nameless: Untold,
    next_block: usize,
    /// Members of the message that go back with it.
    extras: ExtraMembers,
    stop: Option<Stop>,
    /// The model said no in the field that is made for it.
    is_refused: bool,
    is_over: bool,
}

/// The text or reasoning block that is open.
#[derive(Clone, Copy)]
struct Prose {
    block: usize,
    kind: ProseKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ProseKind {
    Text,
    Reasoning,
}

struct Call {
    index: Option<u64>,
    id: Option<String>,
    /// Missing as long as the name is.
    block: Option<usize>,
    /// Arguments that came before the name.
    waiting: String,
    /// Members of the call that go back with it.
    extras: ExtraMembers,
    /// The same of its `function`.
    function_extras: ExtraMembers,
}

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow, default)]
    choices: Option<Vec<Choice<'a>>>,
    #[serde(default, deserialize_with = "some_object")]
    usage: Option<Figures>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow, default)]
    delta: Option<Delta<'a>>,
    /// Some servers end with the whole message in place of a delta that would be empty.
    #[serde(borrow, default)]
    message: Option<Delta<'a>>,
    #[serde(default, deserialize_with = "some_name")]
    finish_reason: Option<String>,
    #[serde(default)]
    error: Value,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    refusal: Option<&'a RawValue>,
    #[serde(borrow, default)]
    reasoning_content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    reasoning: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "short_list")]
    tool_calls: Vec<CallPiece<'a>>,
    /// How calls came before there were several.
    #[serde(borrow, default)]
    function_call: Option<Function<'a>>,
    #[serde(default, rename = "role")]
    _role: IgnoredAny,
    #[serde(flatten)]
    extras: Map<String, Value>,
}

#[derive(Deserialize)]
struct CallPiece<'a> {
    #[serde(default, deserialize_with = "some_count")]
    index: Option<u64>,
    #[serde(default, deserialize_with = "some_name")]
    id: Option<String>,
    #[serde(borrow, default)]
    function: Option<Function<'a>>,
    #[serde(default, rename = "type")]
    _type: IgnoredAny,
    #[serde(flatten)]
    extras: Map<String, Value>,
}

#[derive(Deserialize)]
struct Function<'a> {
    #[serde(default, deserialize_with = "some_name")]
    name: Option<String>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(flatten)]
    extras: Map<String, Value>,
}

#[derive(Deserialize)]
struct Figures {
    #[serde(default, deserialize_with = "count")]
    prompt_tokens: u64,
    #[serde(default, deserialize_with = "count")]
    completion_tokens: u64,
    #[serde(default, deserialize_with = "some_object")]
    prompt_tokens_details: Option<PromptDetails>,
    #[serde(default, deserialize_with = "some_object")]
    completion_tokens_details: Option<CompletionDetails>,
    /// `DeepSeek`'s name for it.
    #[serde(default, deserialize_with = "some_count")]
    prompt_cache_hit_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct PromptDetails {
    #[serde(default, deserialize_with = "some_count")]
    cached_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    cache_write_tokens: u64,
}

#[derive(Deserialize)]
struct CompletionDetails {
    #[serde(default, deserialize_with = "count")]
    reasoning_tokens: u64,
}

impl Decode for Decoder {
    fn event(&mut self, _name: &str, data: &str) -> Result<Vec<StreamEvent>, ProviderError> {
        if data.trim() == "[DONE]" {
            if self.stop.is_none() && self.next_block == 0 && self.calls.is_empty() {
                return Err(empty_reply(&self.model));
            }
            return Ok(self.finish());
        }
        let chunk: Chunk<'_> = serde_json::from_str(data).map_err(|error| malformed(&self.model, &error))?;
        let mut events = Vec::with_capacity(1);
        for choice in chunk.choices.into_iter().flatten().take(1) {
            self.choice(choice, &mut events)?;
        }
        events.extend(chunk.usage.map(|figures| StreamEvent::Usage(usage(&figures))));
        Ok(events)
    }

    fn untold(&self) -> Untold {
        let calls = self.calls[self.first_open_call..].iter();
        let of_calls: usize = calls
            .map(|call| call.extras.size() + call.function_extras.size())
            .sum();
        Untold {
            bytes: self.nameless.bytes + self.extras.size() + of_calls,
            ..self.nameless
        }
    }

    /// A server may close the stream without `[DONE]`; the reason says that the reply was whole.
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
            prose: None,
            calls: Vec::new(),
            first_open_call: 0,
            nameless: Untold::default(),
            next_block: 0,
            extras: ExtraMembers::default(),
            stop: None,
            is_refused: false,
            is_over: false,
        }
    }

    fn choice(&mut self, choice: Choice<'_>, events: &mut Vec<StreamEvent>) -> Result<(), ProviderError> {
        if choice.error.is_object() || choice.error.is_string() {
            return Err(ReportedError::from_event(&choice.error).in_stream(&self.model));
        }
        let is_empty = self.next_block == 0 && self.calls.is_empty();
        let message = choice.message.filter(|_| is_empty);
        for delta in choice.delta.into_iter().chain(message) {
            let read = self.delta(delta, events);
            read.map_err(|error| malformed(&self.model, &error))?;
        }
        if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
            let stop = self.stop_for(&reason)?;
            self.stop = Some(stop);
            self.close_all(events);
            if stop == Stop::Refusal && !self.is_refused {
                events.push(StreamEvent::Refusal(format!("`{reason}`")));
            }
        }
        Ok(())
    }

    fn delta(&mut self, delta: Delta<'_>, events: &mut Vec<StreamEvent>) -> Result<(), serde_json::Error> {
        let content = reply_text(delta.content)?;
        self.extras.add(delta.extras);
        for (name, raw) in [
            ("reasoning_content", delta.reasoning_content),
            ("reasoning", delta.reasoning),
        ] {
            if let Some(raw) = raw {
                self.extras.add(Map::from_iter([(
                    name.to_owned(),
                    serde_json::from_str(raw.get())?,
                )]));
            }
        }
        let refusal = text(delta.refusal)?.unwrap_or_default() + &content.refusal;
        let reasoning = match text(delta.reasoning_content)? {
            Some(reasoning) => Some(reasoning),
            None => text(delta.reasoning)?,
        };
        let ReplyText {
            text,
            reasoning: part,
            ..
        } = content;
        self.is_refused |= !refusal.is_empty();
        self.prose(ProseKind::Reasoning, reasoning.unwrap_or(part), events);
        self.prose(ProseKind::Text, text + &refusal, events);
        let single = delta.function_call.map(|function| CallPiece {
            index: None,
            id: None,
            function: Some(function),
            _type: IgnoredAny,
            extras: Map::new(),
        });
        for piece in delta.tool_calls.into_iter().chain(single) {
            self.call(piece, events)?;
        }
        Ok(())
    }

    fn prose(&mut self, kind: ProseKind, delta: String, events: &mut Vec<StreamEvent>) {
        if delta.is_empty() {
            return;
        }
        let block = match self.prose {
            Some(prose) if prose.kind == kind => prose.block,
            _ => {
                self.close_prose(events);
                let block = self.take_block();
                self.prose = Some(Prose { block, kind });
                events.push(match kind {
                    ProseKind::Text => StreamEvent::TextStart { block },
                    ProseKind::Reasoning => StreamEvent::ReasoningStart { block },
                });
                block
            }
        };
        events.push(StreamEvent::Delta { block, delta });
    }

    fn call(&mut self, piece: CallPiece<'_>, events: &mut Vec<StreamEvent>) -> Result<(), serde_json::Error> {
        let id = piece.id.filter(|id| !id.is_empty());
        let (name, arguments, function_extras) = match piece.function {
            Some(function) => (
                function.name.filter(|name| !name.is_empty()),
                text_or_json(function.arguments)?,
                function.extras,
            ),
            None => (None, None, Map::new()),
        };
        let place = self.place_of(piece.index, id.as_deref(), name.is_some());
        let place = place.unwrap_or_else(|| {
            self.nameless.calls += 1;
            self.calls.push(Call {
                index: piece.index,
                id: None,
                block: None,
                waiting: String::new(),
                extras: ExtraMembers::default(),
                function_extras: ExtraMembers::default(),
            });
            self.calls.len() - 1
        });
        if self.calls[place].id.is_none() {
            self.calls[place].id = id;
        }
        if let (None, Some(name)) = (self.calls[place].block, name) {
            self.open_call(place, name, events);
        }
        let call = &mut self.calls[place];
        call.extras.add(piece.extras);
        call.function_extras.add(function_extras);
        match (call.block, arguments) {
            (Some(block), Some(delta)) => events.push(StreamEvent::Delta { block, delta }),
            (None, Some(early)) => {
                self.nameless.bytes += early.len();
                call.waiting.push_str(&early);
            }
            (_, None) => {}
        }
        Ok(())
    }

    /// Finds the open call that a piece belongs to. A piece with another id and a name begins a new one, whatever its
    /// index says.
    fn place_of(&self, index: Option<u64>, id: Option<&str>, has_name: bool) -> Option<usize> {
        let open = &self.calls[self.first_open_call..];
        let is_mine = |call: &Call| match (index, id) {
            (Some(index), _) => call.index == Some(index),
            (None, Some(id)) => call.id.as_deref() == Some(id),
            (None, None) => !has_name,
        };
        let place = open.iter().rposition(is_mine)? + self.first_open_call;
        let known = self.calls[place].id.as_deref();
        let is_another = has_name && matches!((id, known), (Some(id), Some(known)) if id != known);
        (!is_another).then_some(place)
    }

    fn open_call(&mut self, place: usize, name: String, events: &mut Vec<StreamEvent>) {
        self.close_prose(events);
        let block = self.take_block();
        let call = &mut self.calls[place];
        call.block = Some(block);
        events.push(StreamEvent::CallStart {
            block,
            provider_id: call.id.clone(),
            name,
        });
        let delta = std::mem::take(&mut call.waiting);
        self.nameless.calls -= 1;
        self.nameless.bytes -= delta.len();
        if !delta.is_empty() {
            events.push(StreamEvent::Delta { block, delta });
        }
    }

    fn take_block(&mut self) -> usize {
        self.next_block += 1;
        self.next_block - 1
    }

    fn close_prose(&mut self, events: &mut Vec<StreamEvent>) {
        events.extend(self.prose.take().map(|prose| StreamEvent::End {
            block: prose.block,
            native: None,
        }));
    }

    fn close_all(&mut self, events: &mut Vec<StreamEvent>) {
        for place in self.first_open_call..self.calls.len() {
            if self.calls[place].block.is_none() {
                self.open_call(place, String::new(), events);
            }
        }
        self.close_prose(events);
        for call in &mut self.calls[self.first_open_call..] {
            let Some(block) = call.block else { continue };
            let native = call.take_extras();
            let native = native.map(|json| Protocol::OpenAiChat.native(&self.model, json));
            events.push(StreamEvent::End { block, native });
        }
        self.first_open_call = self.calls.len();
    }

    fn finish(&mut self) -> Vec<StreamEvent> {
        if std::mem::replace(&mut self.is_over, true) {
            return Vec::new();
        }
        let mut events = Vec::new();
        self.close_all(&mut events);
        self.tell_extras(&mut events);
        let stop = self.stop.unwrap_or_else(|| self.ordinary_stop());
        events.push(StreamEvent::Stop(stop));
        events
    }

    /// Members of the message are in a block of reasoning without text: they belong to no other.
    fn tell_extras(&mut self, events: &mut Vec<StreamEvent>) {
        if let Some(json) = self.extras.take() {
            let block = self.take_block();
            let native = Some(Protocol::OpenAiChat.native(&self.model, json));
            events.push(StreamEvent::ReasoningStart { block });
            events.push(StreamEvent::End { block, native });
        }
    }

    /// Reads the reason in the words of OpenAI and of those who speak its protocol.
    fn stop_for(&self, reason: &str) -> Result<Stop, ProviderError> {
        Ok(match reason.to_lowercase().as_str() {
            "length" | "max_tokens" | "model_length" | "incomplete" => Stop::Length,
            "content_filter" | "refusal" | "safety" | "sensitive" => Stop::Refusal,
            "error" | "network_error" | "abort" => {
                return Err(broken_off(&self.model, ProviderErrorKind::BadResponse, reason));
            }
            "insufficient_system_resource" => {
                return Err(broken_off(&self.model, ProviderErrorKind::Overloaded, reason));
            }
            _ => self.ordinary_stop(),
        })
    }

    /// Not every server says `tool_calls` when there are some, or only then.
    fn ordinary_stop(&self) -> Stop {
        if self.is_refused {
            Stop::Refusal
        } else if self.calls.is_empty() {
            Stop::End
        } else {
            Stop::ToolCalls
        }
    }
}

impl Call {
    fn take_extras(&mut self) -> Option<Value> {
        let function = self.function_extras.take();
        let function = function.map(|members| Map::from_iter([("function".to_owned(), members)]));
        self.extras.add(function.unwrap_or_default());
        self.extras.take()
    }
}

/// Makes the error of a stream that ended without a choice, a reason or a word.
fn empty_reply(model: &ModelRef) -> ProviderError {
    let message = format!("`{}` ended its reply without sending anything", model.provider);
    ProviderError::new(ProviderErrorKind::BadResponse, message)
}

fn usage(figures: &Figures) -> Usage {
    let details = figures.prompt_tokens_details.as_ref();
    let cache_read = details
        .and_then(|details| details.cached_tokens)
        .or(figures.prompt_cache_hit_tokens);
    let cache_read = cache_read.unwrap_or(0);
    let cache_write = details.map_or(0, |details| details.cache_write_tokens);
    Usage {
        input: figures
            .prompt_tokens
            .saturating_sub(cache_read)
            .saturating_sub(cache_write),
        output: figures.completion_tokens,
        reasoning: figures
            .completion_tokens_details
            .as_ref()
            .map_or(0, |details| details.reasoning_tokens),
        cache_read,
        cache_write,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Protocol;
    use super::super::super::sample::{decode, told};

    macro_rules! vector {
        ($name:literal) => {
            told(&decode(
                Protocol::OpenAiChat,
                include_str!(concat!(
                    "../../../tests/it/vectors/sse/openai_chat.",
                    $name,
                    ".sse"
                )),
            ))
        };
    }

    fn chunks(chunks: &[&str]) -> Vec<String> {
        let events: Vec<String> = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
        let stream = events.concat();
        told(&decode(Protocol::OpenAiChat, &stream))
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
                r#"call bash call_bfbebf4b0d204840: {"command": "printf 'a\\tb\\n'", "timeout": 120000} |"#,
                r#"call read call_02b74c2aff1f485c: {"file_path": "src/\u00fcn\u00ef.rs", "limit": 20} |"#,
                "usage: in 1300 out 80 think 0 read 0 write 0",
                "stop: ToolCalls",
            ]
        );
    }

    #[test]
    fn reasoning_and_interleaved_calls_are_kept_apart() {
        assert_eq!(
            vector!("reasoning"),
            [
                "reasoning: The test sleeps on the clock. |",
                "text: I will read it. |",
                r#"call read call_1: {"file_path":"src/a.rs"} |"#,
                r#"call grep call_2: {"pattern":"sleep"} |"#,
                r#"reasoning:  | {"reasoning_content":"The test sleeps on the clock."}"#,
                "usage: in 312 out 57 think 30 read 2000 write 0",
                "stop: ToolCalls",
            ]
        );
    }

    #[test]
    fn an_error_in_mid_stream_is_ours() {
        assert_eq!(
            vector!("error"),
            [
                "text: I wi",
                "error: BadResponse: `p` failed: The server had an error"
            ]
        );
    }

    #[test]
    fn a_garbled_event_is_a_bad_response() {
        let lines = vector!("malformed");
        assert_eq!(lines[0], "text: Hello, wörld: a list");
        assert!(lines[1].starts_with("error: BadResponse"), "{lines:?}");
    }

    #[test]
    fn what_the_protocol_does_not_name_is_kept() {
        let lines = chunks(&[
            r#"{"choices":[{"delta":{"role":"assistant","reasoning_content":"I sh","provider_note":{"a":1.50}}}]}"#,
            r#"{"choices":[{"delta":{"reasoning_content":"ould","audio":null}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","extra_content":{"google":{"thought_signature":"AY"}},"function":{"name":"ls","arguments":"{","strict":true}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
            "[DONE]",
        ]);
        assert_eq!(
            lines,
            [
                "reasoning: I should |",
                r#"call ls a: {} | {"extra_content":{"google":{"thought_signature":"AY"}},"function":{"strict":true}}"#,
                r#"reasoning:  | {"provider_note":{"a":1.5},"reasoning_content":"I should"}"#,
                "stop: ToolCalls",
            ]
        );
    }

    #[test]
    fn an_end_before_anything_was_sent_is_an_error() {
        let lines = chunks(&["[DONE]"]);
        assert_eq!(
            lines,
            ["error: BadResponse: `p` ended its reply without sending anything"]
        );
        // A model may have nothing to say.
        let lines = chunks(&[r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#, "[DONE]"]);
        assert_eq!(lines, ["stop: End"]);
        let keep_alive = "data:\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
        assert_eq!(told(&decode(Protocol::OpenAiChat, keep_alive)), ["stop: End"]);
    }

    #[test]
    fn calls_without_an_index_and_with_whole_arguments_are_read() {
        let lines = chunks(&[
            r#"{"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"ls","arguments":{"x":1}}},{"id":"b","function":{"name":"cat","arguments":"{}"}}]}}]}"#,
            r#"{"choices":[{"delta":{"content":null},"finish_reason":"stop"}],"usage":null}"#,
        ]);
        assert_eq!(
            lines,
            [r#"call ls a: {"x":1} |"#, "call cat b: {} |", "stop: ToolCalls"]
        );
    }

    #[test]
    fn two_calls_with_the_same_index_are_two() {
        let lines = chunks(&[
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{"}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"ls","arguments":"{}"}}]}}]}"#,
            "[DONE]",
        ]);
        assert_eq!(lines, ["call ls a: {} |", "call ls b: {} |", "stop: ToolCalls"]);
    }

    #[test]
    fn arguments_may_come_before_the_name() {
        let lines = chunks(&[
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"{\"x\""}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"ls","arguments":":1}"}}]}}]}"#,
            "[DONE]",
        ]);
        assert_eq!(lines, [r#"call ls a: {"x":1} |"#, "stop: ToolCalls"]);
    }

    #[test]
    fn content_may_come_in_parts_and_counts_as_strings() {
        let lines = chunks(&[
            r#"{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}}]}"#,
            r#"{"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":"12","completion_tokens":"3"}}"#,
            "[DONE]",
        ]);
        assert_eq!(
            lines,
            [
                "reasoning: hm |",
                "text: ab |",
                "usage: in 12 out 3 think 0 read 0 write 0",
                "stop: End"
            ]
        );
    }

    #[test]
    fn a_refusal_is_told_and_shown() {
        let lines = chunks(&[
            r#"{"choices":[{"delta":{"refusal":"I can"}}]}"#,
            r#"{"choices":[{"delta":{"refusal":"not."},"finish_reason":"stop"}]}"#,
            "[DONE]",
        ]);
        assert_eq!(lines, ["text: I cannot. |", "stop: Refusal"]);
        let lines = chunks(&[
            r#"{"choices":[{"delta":{"content":"I"},"finish_reason":"content_filter"}]}"#,
            "[DONE]",
        ]);
        assert_eq!(lines, ["text: I |", "refusal: `content_filter`", "stop: Refusal"]);
    }

    #[test]
    fn a_whole_message_and_the_older_form_of_calls_are_read() {
        let lines = chunks(&[r#"{"choices":[{"message":{"content":"whole"},"finish_reason":"stop"}]}"#]);
        assert_eq!(lines, ["text: whole |", "stop: End"]);
        let lines = chunks(&[
            r#"{"choices":[{"delta":{"function_call":{"name":"ls","arguments":"{\"a\""}}}]}"#,
            r#"{"choices":[{"delta":{"function_call":{"arguments":":1}"}},"finish_reason":"function_call"}]}"#,
        ]);
        assert_eq!(lines, [r#"call ls -: {"a":1} |"#, "stop: ToolCalls"]);
    }

    #[test]
    fn a_reply_that_just_ends_was_cut_unless_it_gave_a_reason() {
        let piece = r#"{"choices":[{"delta":{"content":"hi"}}]}"#;
        assert_eq!(chunks(&[piece]), ["text: hi"]);
        let reason = r#"{"choices":[{"delta":{},"finish_reason":"length"}]}"#;
        assert_eq!(chunks(&[piece, reason]), ["text: hi |", "stop: Length"]);
    }
}
