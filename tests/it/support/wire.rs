//! A turn of the script as the events of each wire protocol.
//!
//! Every delta of text, reasoning or arguments is one frame, so that a test can count them, pace them and stand
//! between two of them.

use serde_json::{Value, json};

use super::script::{Ending, Part, Protocol, Turn};

/// One server-sent event, ready for the wire.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    pub(super) kind: FrameKind,
    pub(super) bytes: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrameKind {
    /// Text, reasoning or arguments: counted.
    Delta,
    /// The events around them.
    Frame,
}

/// The reply that is written. The number of its request is part of every id, so that no two replies share one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reply<'a> {
    pub(super) number: usize,
    pub(super) model: &'a str,
}

impl Reply<'_> {
    fn id(self, prefix: &str, part: usize) -> String {
        format!("{prefix}_{:04}_{part}", self.number)
    }
}

pub(super) fn frames(protocol: Protocol, turn: &Turn, reply: Reply<'_>) -> Vec<Frame> {
    let mut writer = Writer::default();
    match protocol {
        Protocol::OpenAiChat => chat(&mut writer, turn, reply),
        Protocol::OpenAiResponses => responses(&mut writer, turn, reply),
        Protocol::Anthropic => anthropic(&mut writer, turn, reply),
        Protocol::Gemini => gemini(&mut writer, turn, reply),
    }
    writer.frames
}

/// The event by which a protocol tells of an error in the middle of a stream.
pub(super) fn error_event(protocol: Protocol, message: &str) -> Vec<u8> {
    match protocol {
        Protocol::OpenAiChat => event(
            None,
            &json!({"error": {"message": message, "type": "server_error", "code": 500}}),
        ),
        Protocol::OpenAiResponses => event(
            Some("response.failed"),
            &json!({"type": "response.failed", "sequence_number": 9999, "response": {
                "id": "resp_failed", "object": "response", "status": "failed", "output": [],
                "error": {"code": "server_error", "message": message}}}),
        ),
        Protocol::Anthropic => event(
            Some("error"),
            &json!({"type": "error", "error": {"type": "overloaded_error", "message": message}}),
        ),
        Protocol::Gemini => event(
            None,
            &json!({"error": {"code": 503, "message": message, "status": "UNAVAILABLE"}}),
        ),
    }
}

/// The body of an answer that is no stream.
pub(super) fn error_body(protocol: Protocol, status: u16, message: &str) -> Value {
    let kind = match status {
        401 | 403 => "authentication_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        400..=499 => "invalid_request_error",
        _ => "api_error",
    };
    match protocol {
        Protocol::Gemini => json!({"error": {"code": status, "message": message, "status": "UNKNOWN"}}),
        Protocol::Anthropic => json!({"type": "error", "error": {"type": kind, "message": message}}),
        Protocol::OpenAiChat | Protocol::OpenAiResponses => {
            json!({"error": {"type": kind, "message": message, "code": null, "param": null}})
        }
    }
}

#[derive(Default)]
struct Writer {
    frames: Vec<Frame>,
}

impl Writer {
    fn push(&mut self, kind: FrameKind, name: Option<&str>, data: &Value) {
        self.frames.push(Frame {
            kind,
            bytes: event(name, data),
        });
    }

    fn frame(&mut self, data: &Value) {
        self.push(FrameKind::Frame, None, data);
    }

    fn delta(&mut self, data: &Value) {
        self.push(FrameKind::Delta, None, data);
    }

    /// An event that carries its type as its name too.
    fn named(&mut self, kind: FrameKind, data: &Value) {
        let name = data["type"].as_str().unwrap();
        self.push(kind, Some(name), data);
    }
}

fn event(name: Option<&str>, data: &Value) -> Vec<u8> {
    let name = name.map(|name| format!("event: {name}\n")).unwrap_or_default();
    format!("{name}data: {data}\n\n").into_bytes()
}

fn pieces(text: &str, size: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters
        .chunks(size)
        .map(|chunk| chunk.iter().collect())
        .collect()
}

fn chat(writer: &mut Writer, turn: &Turn, reply: Reply<'_>) {
    let id = reply.id("chatcmpl", 0);
    let base = json!({"id": id, "object": "chat.completion.chunk", "created": 1, "model": reply.model});
    let chunk = |choices: Value| {
        let mut chunk = base.clone();
        chunk["choices"] = choices;
        chunk
    };
    let choice =
        |delta: Value, finish: Value| chunk(json!([{"index": 0, "delta": delta, "finish_reason": finish}]));

    writer.frame(&choice(json!({"role": "assistant", "content": ""}), Value::Null));
    let mut call = 0;
    for (index, part) in turn.parts.iter().enumerate() {
        match part {
            Part::Text(text) => {
                for piece in pieces(text, turn.piece) {
                    writer.delta(&choice(json!({"content": piece}), Value::Null));
                }
            }
            Part::Reasoning(text) => {
                for piece in pieces(text, turn.piece) {
                    writer.delta(&choice(json!({"reasoning_content": piece}), Value::Null));
                }
            }
            Part::Call { name, arguments } => {
                let start = json!({"index": call, "id": reply.id("call", index), "type": "function",
                                   "function": {"name": name, "arguments": ""}});
                writer.frame(&choice(json!({"tool_calls": [start]}), Value::Null));
                for piece in pieces(arguments, turn.argument_piece) {
                    let fragment = json!({"index": call, "function": {"arguments": piece}});
                    writer.delta(&choice(json!({"tool_calls": [fragment]}), Value::Null));
                }
                call += 1;
            }
        }
    }
    let finish = match (turn.ending, turn.has_calls()) {
        (Ending::Length, _) => "length",
        (Ending::Natural, true) => "tool_calls",
        (Ending::Natural, false) => "stop",
    };
    writer.frame(&choice(json!({}), json!(finish)));
    let usage = turn.usage;
    let prompt = usage.input + usage.cache_read + usage.cache_write;
    let mut last = chunk(json!([]));
    last["usage"] = json!({
        "prompt_tokens": prompt, "completion_tokens": usage.output, "total_tokens": prompt + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning}
    });
    writer.frame(&last);
    writer.frames.push(Frame {
        kind: FrameKind::Frame,
        bytes: b"data: [DONE]\n\n".to_vec(),
    });
}

/// Numbers the events of the Responses protocol.
struct Sequence<'a> {
    writer: &'a mut Writer,
    number: u64,
}

impl Sequence<'_> {
    fn put(&mut self, kind: FrameKind, name: &str, mut fields: Value) {
        fields["type"] = json!(name);
        fields["sequence_number"] = json!(self.number);
        self.number += 1;
        self.writer.named(kind, &fields);
    }

    fn frame(&mut self, name: &str, fields: Value) {
        self.put(FrameKind::Frame, name, fields);
    }

    fn delta(&mut self, name: &str, fields: Value) {
        self.put(FrameKind::Delta, name, fields);
    }
}

fn responses(writer: &mut Writer, turn: &Turn, reply: Reply<'_>) {
    let mut sequence = Sequence { writer, number: 0 };
    let mut response = json!({"id": reply.id("resp", 0), "object": "response", "created_at": 1,
                              "model": reply.model, "status": "in_progress", "output": []});
    sequence.frame("response.created", json!({"response": response}));
    sequence.frame("response.in_progress", json!({"response": response}));
    let mut output = Vec::new();
    for (index, part) in turn.parts.iter().enumerate() {
        output.push(match part {
            Part::Text(text) => responses_text(&mut sequence, index, text, turn, reply),
            Part::Reasoning(text) => responses_reasoning(&mut sequence, index, text, turn, reply),
            Part::Call { name, arguments } => {
                responses_call(&mut sequence, index, (name, arguments), turn, reply)
            }
        });
    }
    let usage = turn.usage;
    let prompt = usage.input + usage.cache_read + usage.cache_write;
    response["output"] = json!(output);
    response["usage"] = json!({
        "input_tokens": prompt, "input_tokens_details": {"cached_tokens": usage.cache_read},
        "output_tokens": usage.output, "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": prompt + usage.output
    });
    let name = if turn.ending == Ending::Length {
        response["status"] = json!("incomplete");
        response["incomplete_details"] = json!({"reason": "max_output_tokens"});
        "response.incomplete"
    } else {
        response["status"] = json!("completed");
        "response.completed"
    };
    sequence.frame(name, json!({"response": response}));
}

fn responses_text(
    sequence: &mut Sequence<'_>,
    index: usize,
    text: &str,
    turn: &Turn,
    reply: Reply<'_>,
) -> Value {
    let id = reply.id("msg", index);
    let place = json!({"item_id": id, "output_index": index, "content_index": 0});
    let at = |more: Value| with(&place, more);
    let item =
        json!({"type": "message", "id": id, "role": "assistant", "status": "in_progress", "content": []});
    sequence.frame(
        "response.output_item.added",
        json!({"output_index": index, "item": item}),
    );
    let empty = json!({"type": "output_text", "text": "", "annotations": []});
    sequence.frame("response.content_part.added", at(json!({"part": empty})));
    for piece in pieces(text, turn.piece) {
        sequence.delta("response.output_text.delta", at(json!({"delta": piece})));
    }
    let part = json!({"type": "output_text", "text": text, "annotations": []});
    sequence.frame("response.output_text.done", at(json!({"text": text})));
    sequence.frame("response.content_part.done", at(json!({"part": part})));
    let item = with(&item, json!({"status": "completed", "content": [part]}));
    sequence.frame(
        "response.output_item.done",
        json!({"output_index": index, "item": item}),
    );
    item
}

fn responses_reasoning(
    sequence: &mut Sequence<'_>,
    index: usize,
    text: &str,
    turn: &Turn,
    reply: Reply<'_>,
) -> Value {
    let id = reply.id("rs", index);
    let place = json!({"item_id": id, "output_index": index, "summary_index": 0});
    let at = |more: Value| with(&place, more);
    let item = json!({"type": "reasoning", "id": id, "summary": []});
    sequence.frame(
        "response.output_item.added",
        json!({"output_index": index, "item": item}),
    );
    let empty = json!({"type": "summary_text", "text": ""});
    sequence.frame(
        "response.reasoning_summary_part.added",
        at(json!({"part": empty})),
    );
    for piece in pieces(text, turn.piece) {
        sequence.delta(
            "response.reasoning_summary_text.delta",
            at(json!({"delta": piece})),
        );
    }
    let part = json!({"type": "summary_text", "text": text});
    sequence.frame("response.reasoning_summary_text.done", at(json!({"text": text})));
    sequence.frame("response.reasoning_summary_part.done", at(json!({"part": part})));
    let encrypted = format!("ZW5jcnlwdGVk{:04}", reply.number);
    let item = with(&item, json!({"summary": [part], "encrypted_content": encrypted}));
    sequence.frame(
        "response.output_item.done",
        json!({"output_index": index, "item": item}),
    );
    item
}

fn responses_call(
    sequence: &mut Sequence<'_>,
    index: usize,
    (name, arguments): (&str, &str),
    turn: &Turn,
    reply: Reply<'_>,
) -> Value {
    let id = reply.id("fc", index);
    let at = |more: Value| with(&json!({"item_id": id, "output_index": index}), more);
    let item = json!({"type": "function_call", "id": id, "call_id": reply.id("call", index), "name": name,
                      "arguments": "", "status": "in_progress"});
    sequence.frame(
        "response.output_item.added",
        json!({"output_index": index, "item": item}),
    );
    for piece in pieces(arguments, turn.argument_piece) {
        sequence.delta(
            "response.function_call_arguments.delta",
            at(json!({"delta": piece})),
        );
    }
    sequence.frame(
        "response.function_call_arguments.done",
        at(json!({"arguments": arguments})),
    );
    let item = with(&item, json!({"arguments": arguments, "status": "completed"}));
    sequence.frame(
        "response.output_item.done",
        json!({"output_index": index, "item": item}),
    );
    item
}

fn with(base: &Value, more: Value) -> Value {
    let mut result = base.clone();
    let (Value::Object(fields), Value::Object(more)) = (&mut result, more) else {
        panic!("two objects");
    };
    fields.extend(more);
    result
}

fn anthropic(writer: &mut Writer, turn: &Turn, reply: Reply<'_>) {
    let usage = turn.usage;
    let message = json!({
        "id": reply.id("msg", 0), "type": "message", "role": "assistant", "model": reply.model, "content": [],
        "stop_reason": null, "stop_sequence": null,
        "usage": {"input_tokens": usage.input, "cache_creation_input_tokens": usage.cache_write,
                  "cache_read_input_tokens": usage.cache_read, "output_tokens": 1}
    });
    writer.named(
        FrameKind::Frame,
        &json!({"type": "message_start", "message": message}),
    );
    writer.named(FrameKind::Frame, &json!({"type": "ping"}));
    for (index, part) in turn.parts.iter().enumerate() {
        let (block, deltas) = anthropic_block(index, part, turn, reply);
        let start = json!({"type": "content_block_start", "index": index, "content_block": block});
        writer.named(FrameKind::Frame, &start);
        for delta in deltas {
            let kind = match delta["type"].as_str() {
                Some("signature_delta") => FrameKind::Frame,
                _ => FrameKind::Delta,
            };
            writer.named(
                kind,
                &json!({"type": "content_block_delta", "index": index, "delta": delta}),
            );
        }
        writer.named(
            FrameKind::Frame,
            &json!({"type": "content_block_stop", "index": index}),
        );
    }
    let reason = match (turn.ending, turn.has_calls()) {
        (Ending::Length, _) => "max_tokens",
        (Ending::Natural, true) => "tool_use",
        (Ending::Natural, false) => "end_turn",
    };
    let last = json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null},
                      "usage": {"output_tokens": usage.output}});
    writer.named(FrameKind::Frame, &last);
    writer.named(FrameKind::Frame, &json!({"type": "message_stop"}));
}

fn anthropic_block(index: usize, part: &Part, turn: &Turn, reply: Reply<'_>) -> (Value, Vec<Value>) {
    match part {
        Part::Text(text) => {
            let delta = |piece| json!({"type": "text_delta", "text": piece});
            let deltas = pieces(text, turn.piece).into_iter().map(delta).collect();
            (json!({"type": "text", "text": ""}), deltas)
        }
        Part::Reasoning(text) => {
            let delta = |piece| json!({"type": "thinking_delta", "thinking": piece});
            let mut deltas: Vec<Value> = pieces(text, turn.piece).into_iter().map(delta).collect();
            let signature = format!("c2lnbmVk{:04}", reply.number);
            deltas.push(json!({"type": "signature_delta", "signature": signature}));
            (
                json!({"type": "thinking", "thinking": "", "signature": ""}),
                deltas,
            )
        }
        Part::Call { name, arguments } => {
            let delta = |piece| json!({"type": "input_json_delta", "partial_json": piece});
            let deltas = pieces(arguments, turn.argument_piece)
                .into_iter()
                .map(delta)
                .collect();
            (
                json!({"type": "tool_use", "id": reply.id("toolu", index), "name": name, "input": {}}),
                deltas,
            )
        }
    }
}

fn gemini(writer: &mut Writer, turn: &Turn, reply: Reply<'_>) {
    let chunk = |part: Value| {
        json!({"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}],
               "modelVersion": reply.model, "responseId": reply.id("r", 0)})
    };
    for part in &turn.parts {
        match part {
            Part::Text(text) => {
                for piece in pieces(text, turn.piece) {
                    writer.delta(&chunk(json!({"text": piece})));
                }
            }
            Part::Reasoning(text) => {
                for piece in pieces(text, turn.piece) {
                    writer.delta(&chunk(json!({"text": piece, "thought": true})));
                }
            }
            Part::Call { name, arguments } => {
                let arguments =
                    serde_json::from_str(arguments).unwrap_or_else(|_| json!({"_raw": arguments}));
                writer.delta(&chunk(json!({"functionCall": {"name": name, "args": arguments}})));
            }
        }
    }
    let usage = turn.usage;
    let prompt = usage.input + usage.cache_read + usage.cache_write;
    let mut last = chunk(json!({"text": ""}));
    last["candidates"][0]["finishReason"] = json!(if turn.ending == Ending::Length {
        "MAX_TOKENS"
    } else {
        "STOP"
    });
    last["usageMetadata"] = json!({
        "promptTokenCount": prompt, "cachedContentTokenCount": usage.cache_read,
        "candidatesTokenCount": usage.output - usage.reasoning, "thoughtsTokenCount": usage.reasoning,
        "totalTokenCount": prompt + usage.output
    });
    writer.frame(&last);
}
