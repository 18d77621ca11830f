//! Replies as models send them, with all that may be odd about them.

use serde_json::{Value, json};

use crate::conversation::{Attachment, CallResult, ErrorKind, Json, ModelRef, Native, Stop, StreamEvent};
use crate::provider::Protocol;
use crate::provider::sdk_tests::{ARGUMENTS, IDS, NAMES, Numbers};

const TEXTS: [&str; 6] = ["Well.", "", " ", "a\u{fffd}\n", "Two\n\nparagraphs.", "🦀"];

/// Makes the events of a reply. `protocol` is that of the model that sends it.
pub(super) fn events(numbers: &mut Numbers, protocol: Protocol, model: &ModelRef) -> Vec<StreamEvent> {
    let mut events = Vec::new();
    for block in 0..numbers.below(5) {
        match numbers.below(4) {
            0 => reasoning(numbers, protocol, model, block, &mut events),
            1 => text(numbers, protocol, model, block, &mut events),
            _ => call(numbers, protocol, model, block, &mut events),
        }
    }
    // Some servers end without saying so.
    if numbers.below(8) > 0 {
        let stop = numbers.one_of(&[Stop::End, Stop::End, Stop::ToolCalls, Stop::Length, Stop::Refusal]);
        events.push(StreamEvent::Stop(stop));
    }
    events
}

fn delta(block: usize, text: &str) -> StreamEvent {
    StreamEvent::Delta {
        block,
        delta: text.to_owned(),
    }
}

fn reasoning(
    numbers: &mut Numbers,
    protocol: Protocol,
    model: &ModelRef,
    block: usize,
    events: &mut Vec<StreamEvent>,
) {
    let json = match protocol {
        Protocol::Anthropic if numbers.below(4) == 0 => json!({"type": "redacted_thinking", "data": "c2ln"}),
        Protocol::Anthropic => json!({"type": "thinking", "thinking": "hm", "signature": "c2ln"}),
        Protocol::OpenAiChat => json!({"reasoning_content": "hm"}),
        Protocol::OpenAiResponses => {
            json!({"id": format!("rs_{block}"), "type": "reasoning", "summary": [], "encrypted_content": "x"})
        }
        Protocol::Gemini => json!({"text": "hm", "thought": true, "thoughtSignature": "c2ln"}),
    };
    let native = (numbers.below(4) > 0).then(|| protocol.native(model, json));
    events.extend([
        StreamEvent::ReasoningStart { block },
        delta(block, "hm"),
        StreamEvent::End { block, native },
    ]);
}

fn text(
    numbers: &mut Numbers,
    protocol: Protocol,
    model: &ModelRef,
    block: usize,
    events: &mut Vec<StreamEvent>,
) {
    let text = numbers.one_of(&TEXTS);
    let json = match protocol {
        Protocol::Anthropic | Protocol::OpenAiChat => None,
        Protocol::OpenAiResponses => Some(json!({
            "id": format!("msg_{block}"), "type": "message", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        })),
        Protocol::Gemini => Some(json!({"text": text, "thoughtSignature": "c2ln"})),
    };
    let native = json
        .filter(|_| numbers.below(2) == 0)
        .map(|json| protocol.native(model, json));
    events.extend([
        StreamEvent::TextStart { block },
        delta(block, text),
        StreamEvent::End { block, native },
    ]);
}

fn call(
    numbers: &mut Numbers,
    protocol: Protocol,
    model: &ModelRef,
    block: usize,
    events: &mut Vec<StreamEvent>,
) {
    let (name, arguments) = (numbers.one_of(&NAMES), numbers.one_of(&ARGUMENTS));
    let provider_id = numbers.one_of(&IDS).map(str::to_owned);
    let native = native_call(numbers, protocol, name, provider_id.as_deref(), arguments);
    let native: Option<Native> = native.map(|json| protocol.native(model, json));
    events.extend([
        StreamEvent::CallStart {
            block,
            provider_id,
            name: name.to_owned(),
        },
        delta(block, arguments),
        StreamEvent::End { block, native },
    ]);
}

/// Returns a call as the provider's own block, with a namespace before its name or arguments of another kind at times.
fn native_call(
    numbers: &mut Numbers,
    protocol: Protocol,
    name: &str,
    id: Option<&str>,
    arguments: &str,
) -> Option<Value> {
    let name = match numbers.below(4) {
        0 => format!("default_api:{name}"),
        _ => name.to_owned(),
    };
    match protocol {
        Protocol::Anthropic | Protocol::OpenAiChat => None,
        Protocol::OpenAiResponses => Some(json!({
            "id": "fc_1", "type": "function_call", "status": "completed", "name": name, "call_id": id,
            "arguments": arguments,
        })),
        Protocol::Gemini => {
            let args = serde_json::from_str(arguments).unwrap_or_else(|_| Value::from(arguments));
            let mut call = json!({"name": name, "args": args});
            if let Some(id) = id.filter(|id| !id.is_empty()) {
                call["id"] = Value::from(id);
            }
            Some(json!({"functionCall": call, "thoughtSignature": "c2ln"}))
        }
    }
}

/// Makes the result of a call.
pub(super) fn result(numbers: &mut Numbers) -> CallResult {
    match numbers.below(6) {
        0 => return CallResult::error(ErrorKind::UnknownTool, "no such tool", None),
        1 => return CallResult::error(ErrorKind::Denied, "the user said no", None),
        _ => {}
    }
    let mut attachments = Vec::new();
    if numbers.below(5) == 0 {
        let (mime, data) = numbers.one_of(&[
            ("image/png", "aW1n"),
            ("application/pdf", "cGRm"),
            ("text/plain", "more"),
            ("text/plain", " "),
        ]);
        attachments.push(Attachment {
            mime: mime.to_owned(),
            data: data.to_owned(),
        });
    }
    CallResult {
        ok: numbers.below(5) > 0,
        title: String::new(),
        output: numbers.one_of(&["done", "", " \n", "Error: no"]).to_owned(),
        details: Json::default(),
        truncated: false,
        output_path: None,
        duration_ms: 0,
        attachments,
    }
}
