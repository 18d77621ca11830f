//! Requests of varied conversations, held against the types of the providers' own SDKs.
//!
//! The SDKs are Python's: `tests/run` installs them below `target/sdk`, and `tests/sdk/validate.py` knows how to ask them.
//! Without them the test says that it was skipped.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use serde_json::{Value, json};

use super::sample::{
    assistant, body, decode, message, model, reasoning, request, text, tool_part, user, user_with_image,
};
use super::{Protocol, Thinking};
use crate::conversation::{
    Attachment, CallResult, ErrorKind, Message, PartBody, ReasoningPart, Role, StreamEvent, TextPart,
};

const PROTOCOLS: [Protocol; 4] = [
    Protocol::Anthropic,
    Protocol::OpenAiChat,
    Protocol::OpenAiResponses,
    Protocol::Gemini,
];

/// Names and ids as models really write them.
pub(crate) const NAMES: [&str; 9] = [
    "read",
    "bash",
    "multi_tool_use.parallel",
    "read file",
    "",
    "lésen",
    "9lives",
    "functions.read",
    "a_very_long_name_that_goes_on_and_on_and_on_until_no_provider_would_take_it_any_more",
];
pub(crate) const IDS: [Option<&str>; 8] = [
    None,
    Some(""),
    Some("call_1"),
    Some("call_1"),
    Some("functions.read:0"),
    Some("toolu_01ABCdefGHIjklMNOpqrSTUv"),
    Some("chatcmpl-tool-0123456789abcdef0123456789abcdef"),
    Some("äöü with spaces\n"),
];
pub(crate) const ARGUMENTS: [&str; 7] = [
    "",
    "{}",
    r#"{"file_path":"a.rs"}"#,
    r#"{"broken": "#,
    "[1]",
    "null",
    r#"{"content":"\ud83d"}"#,
];

/// The next of a row of numbers that is the same each time.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    pub(crate) fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// A reply of the model `origin`, which may be another than the one that is asked.
fn reply(numbers: &mut Numbers, origin: &str, protocol: Protocol) -> Arc<Message> {
    let own = |json: Value| Some(protocol.native(&origin.parse().unwrap(), json));
    let mut parts = Vec::new();
    if numbers.below(3) == 0 {
        let native = match protocol {
            Protocol::Anthropic => own(json!({"type": "thinking", "thinking": "hm", "signature": "c2ln"})),
            Protocol::OpenAiResponses => {
                own(json!({"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "x"}))
            }
            Protocol::OpenAiChat | Protocol::Gemini => None,
        };
        parts.push(PartBody::Reasoning(ReasoningPart {
            text: "hm".to_owned(),
            native: native.filter(|_| numbers.below(4) > 0),
        }));
    }
    if numbers.below(2) == 0 {
        parts.push(text(numbers.one_of(&["Well.", " ", "a\u{fffd}\n"])));
    }
    for _ in 0..numbers.below(4) {
        let (name, arguments) = (numbers.one_of(&NAMES), numbers.one_of(&ARGUMENTS));
        let mut part = tool_part(
            name,
            arguments,
            numbers.one_of(&IDS),
            numbers.one_of(&["ok", "", " ", "Error: no"]),
        );
        let result = part.result.as_mut().unwrap();
        match numbers.below(5) {
            0 => {
                let mime = numbers.one_of(&["image/png", "application/pdf", "text/plain"]);
                result.change(|result| {
                    result.attachments.push(Attachment {
                        mime: mime.to_owned(),
                        data: "aW1n".to_owned(),
                    });
                });
            }
            1 => *result = CallResult::error(ErrorKind::UnknownTool, "no such tool", None).into(),
            2 if protocol == Protocol::Gemini => {
                let args = super::history::arguments_object(arguments);
                let mut call = json!({"name": name, "args": args});
                if let Some(id) = part.provider_id.as_deref().filter(|id| !id.is_empty()) {
                    call["id"] = json!(id);
                }
                part.native = own(json!({"functionCall": call, "thoughtSignature": "c2ln"}));
            }
            _ => {}
        }
        parts.push(PartBody::Tool(part));
    }
    assistant(parts)
}

fn conversation(seed: u64, own: &str, protocol: Protocol) -> Vec<Arc<Message>> {
    let mut numbers = Numbers(seed);
    let mut messages = vec![if numbers.below(3) == 0 {
        user_with_image()
    } else {
        user("Hello.")
    }];
    for _ in 0..=numbers.below(4) {
        let origin = numbers.one_of(&[own, "other/m"]);
        let spoken = numbers.one_of(&PROTOCOLS);
        let spoken = if origin == own { protocol } else { spoken };
        messages.push(reply(&mut numbers, origin, spoken));
        if numbers.below(2) == 0 {
            messages.push(user("Go on."));
        }
    }
    messages.push(user("And now?"));
    messages
}

/// The conversation that follows the protocol's own recorded replies.
fn after_recorded(protocol: Protocol) -> Vec<Arc<Message>> {
    let streams = match protocol {
        Protocol::Anthropic => include_str!("../../tests/it/vectors/sse/anthropic.reasoning.sse"),
        Protocol::OpenAiChat => include_str!("../../tests/it/vectors/sse/openai_chat.reasoning.sse"),
        Protocol::OpenAiResponses => include_str!("../../tests/it/vectors/sse/openai_responses.tools.sse"),
        Protocol::Gemini => include_str!("../../tests/it/vectors/sse/gemini.reasoning.sse"),
    };
    let mut parts: Vec<PartBody> = Vec::new();
    for event in decode(protocol, streams).0 {
        match event {
            StreamEvent::TextStart { .. } => parts.push(PartBody::Text(TextPart::default())),
            StreamEvent::ReasoningStart { .. } => parts.push(reasoning("", None)),
            StreamEvent::CallStart {
                provider_id, name, ..
            } => {
                parts.push(PartBody::Tool(tool_part(&name, "", provider_id.as_deref(), "ok")));
            }
            StreamEvent::Delta { block, delta } => match &mut parts[block] {
                PartBody::Text(text) => text.text.push_str(&delta),
                PartBody::Reasoning(reasoning) => reasoning.text.push_str(&delta),
                PartBody::Tool(call) => call.raw_args.push_str(&delta),
                _ => {}
            },
            StreamEvent::End { block, native } => match &mut parts[block] {
                PartBody::Text(text) => text.native = native,
                PartBody::Reasoning(reasoning) => reasoning.native = native,
                PartBody::Tool(call) => call.native = native,
                _ => {}
            },
            StreamEvent::Usage(_) | StreamEvent::Refusal(_) | StreamEvent::Stop(_) => {}
        }
    }
    vec![user("Hello."), message(Role::Assistant, parts), user("And now?")]
}

fn requests() -> String {
    let mut lines = String::new();
    let mut put = |name: &str, protocol: Protocol, body: &Value| {
        let line = json!({"name": name, "protocol": protocol.name(), "body": body});
        lines.push_str(&line.to_string());
        lines.push('\n');
    };
    for protocol in PROTOCOLS {
        let own = if protocol == Protocol::Gemini {
            "p/gemini-3-pro"
        } else {
            "p/m"
        };
        let mut asked = model(own);
        asked.reasoning = true;
        let recorded = request("p/m", after_recorded(protocol));
        put(
            "after a recorded reply",
            protocol,
            &body(protocol, &recorded, &model("p/m")),
        );
        for seed in 0..150 {
            asked.thinking = if seed % 2 == 0 {
                Thinking::Adaptive
            } else {
                Thinking::Budget
            };
            let mut asking = request(own, conversation(seed, own, protocol));
            asking.temperature = (seed % 3 == 0).then_some(0.5);
            put(
                &format!("conversation {seed}"),
                protocol,
                &body(protocol, &asking, &asked),
            );
        }
    }
    lines
}

/// Hands lines to a script that asks the SDKs, and returns what it prints; nothing where the SDKs are not installed.
pub(crate) fn asked(script: &str, lines: String, test: &str) -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = root.join("target/sdk/bin/python");
    if !root.join("target/sdk/requirements.txt").exists() {
        println!(
            "skipped: {test}: no SDKs at {}; tests/run installs them",
            python.display()
        );
        return None;
    }
    let mut child = Command::new(&python)
        .arg(root.join("tests/sdk").join(script))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writing = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{told}");
    Some(told)
}

#[test]
fn requests_fit_the_types_of_the_providers_own_sdks() {
    let test = "requests_fit_the_types_of_the_providers_own_sdks";
    let Some(told) = asked("validate.py", requests(), test) else {
        return;
    };
    let last = told.lines().last();
    let some: Vec<&str> = told.lines().take(30).collect();
    assert_eq!(last, Some("604 requests"), "{}", some.join("\n"));
    assert_eq!(told.lines().count(), 1, "{}", some.join("\n"));
}
