//! Conversations, models and recorded streams for the tests of this folder.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::{Value, json};

use super::sse::Splitter;
use super::{
    EditMode, Model, Protocol, ProviderError, ProviderSettings, Purpose, Request, Thinking, ToolSpec,
};
use crate::conversation::{
    CallId, CallResult, CallState, FilePart, Json, Message, MessageId, MessageState, Native, Part, PartBody,
    ReasoningPart, Role, SessionId, StreamEvent, TextPart, ToolPart,
};
use crate::swap::Swappable;

pub(crate) fn model(name: &str) -> Model {
    Model {
        reference: name.parse().unwrap(),
        context: 200_000,
        output: 32_000,
        max_output: Some(32_000),
        images: true,
        pdf: true,
        reasoning: false,
        thinking: Thinking::Adaptive,
        cost: None,
        long_cost: None,
        edit_mode: EditMode::Replace,
        edit_mode_is_set: false,
    }
}

pub(crate) fn settings(protocol: Protocol) -> ProviderSettings {
    ProviderSettings::new(protocol, "http://127.0.0.1:1/v1")
}

pub(crate) fn request(model: &str, messages: Vec<Arc<Message>>) -> Request {
    let tool = |name: &str| ToolSpec {
        name: name.to_owned(),
        description: format!("Runs {name}."),
        schema: json!({"type": "object", "properties": {"command": {"type": "string"}}}),
    };
    Request {
        session: SessionId::new(),
        agent: "build".to_owned(),
        purpose: Purpose::Turn,
        model: model.parse().unwrap(),
        system: "Be brief.".to_owned(),
        tools: vec![tool("bash"), tool("read")].into(),
        messages,
        temperature: None,
        prompt: 0,
    }
}

/// Returns the conversation of the recorded requests: a prompt, a reply with two parallel calls, their results.
pub(crate) fn two_parallel_calls(model: &str) -> Request {
    let reply = assistant(vec![
        text("Looking."),
        call("bash", r#"{"command":"echo one"}"#, Some("id_one"), "one"),
        call("bash", r#"{"command":"echo two"}"#, Some("id_two"), "two"),
    ]);
    request(model, vec![user("say hello please"), reply])
}

pub(crate) fn message(role: Role, bodies: Vec<PartBody>) -> Arc<Message> {
    let parts = bodies.into_iter().enumerate().map(|(seq, body)| Part {
        seq: seq as u64,
        body,
    });
    Arc::new(Message {
        id: MessageId::new(),
        role,
        state: MessageState::Complete,
        agent: None,
        model: None,
        created: 0,
        parts: parts.collect(),
        stop: None,
        usage: None,
    })
}

pub(crate) fn user(text_: &str) -> Arc<Message> {
    message(Role::User, vec![text(text_)])
}

pub(crate) fn user_with_image() -> Arc<Message> {
    let file = |path: &str, mime: &str, data: &str| {
        PartBody::File(FilePart {
            path: path.to_owned(),
            mime: mime.to_owned(),
            data: data.to_owned(),
            label: None,
        })
    };
    let parts = vec![
        text("look"),
        file("a.png", "image/png", "aW1n"),
        file("b.pdf", "application/pdf", "cGRm"),
        file("c.rs", "text/rust", "fn c() {}"),
    ];
    message(Role::User, parts)
}

pub(crate) fn assistant(parts: Vec<PartBody>) -> Arc<Message> {
    message(Role::Assistant, parts)
}

pub(crate) fn text(text: &str) -> PartBody {
    PartBody::Text(TextPart {
        text: text.to_owned(),
        native: None,
    })
}

pub(crate) fn reasoning(text: &str, native: Option<Native>) -> PartBody {
    PartBody::Reasoning(ReasoningPart {
        text: text.to_owned(),
        native,
    })
}

pub(crate) fn call(tool: &str, raw_args: &str, provider_id: Option<&str>, output: &str) -> PartBody {
    PartBody::Tool(tool_part(tool, raw_args, provider_id, output))
}

pub(crate) fn tool_part(tool: &str, raw_args: &str, provider_id: Option<&str>, output: &str) -> ToolPart {
    ToolPart {
        call: CallId::new(),
        provider_id: provider_id.map(str::to_owned),
        tool: tool.to_owned(),
        raw_args: raw_args.to_owned(),
        args: None,
        state: CallState::Done,
        result: Some(Swappable::new(CallResult {
            ok: !output.starts_with("Error"),
            title: String::new(),
            output: output.to_owned(),
            details: Json::default(),
            truncated: false,
            output_path: None,
            duration_ms: 0,
            attachments: Vec::new(),
        })),
        native: None,
        inner: Vec::new(),
    }
}

/// Builds the body that a request would be sent with.
pub(crate) fn body(protocol: Protocol, request: &Request, model: &Model) -> Value {
    let settings = settings(protocol);
    body_of(&super::adapter::Ask {
        request,
        model,
        settings: &settings,
        adjustments: &super::adjustment::Adjustments::default(),
    })
}

/// Requests of one client, which keeps the JSON of what it sent before.
#[derive(Default)]
pub(crate) struct SampleClient(super::encoding::RequestEncoder);

impl SampleClient {
    pub(crate) fn body(&self, protocol: Protocol, request: &Request, model: &Model) -> Value {
        let settings = settings(protocol);
        let ask = super::adapter::Ask {
            request,
            model,
            settings: &settings,
            adjustments: &super::adjustment::Adjustments::default(),
        };
        serde_json::from_slice(&self.0.body(&ask).unwrap().0).unwrap()
    }
}

/// Makes the error of a server that refuses a request in these words.
pub(crate) fn refused(words: &str) -> ProviderError {
    let body = json!({"error": {"message": words}}).to_string();
    super::error::ReportedError::from_body(&body).with_status(&"p/m".parse().unwrap(), 400)
}

pub(crate) fn body_of(ask: &super::adapter::Ask<'_>) -> Value {
    let body = super::encoding::RequestEncoder::default().body(ask).unwrap().0;
    serde_json::from_slice(&body).unwrap()
}

/// Reads a stream that arrives in `pieces`, as the client does.
pub(crate) fn decode_pieces<'a>(
    protocol: Protocol,
    pieces: impl Iterator<Item = &'a [u8]>,
) -> (Vec<StreamEvent>, Option<ProviderError>) {
    let mut splitter = Splitter::default();
    let mut decoder = protocol.decoder(&"p/m".parse().unwrap());
    let mut events = VecDeque::new();
    let mut reply = Vec::new();
    for piece in pieces {
        splitter.push(piece, &mut events).unwrap();
        for event in events.drain(..) {
            match decoder.event(&event.name, &event.data) {
                Ok(some) => reply.extend(some),
                Err(error) => return (reply, Some(error)),
            }
        }
    }
    reply.extend(decoder.end());
    (reply, None)
}

pub(crate) fn decode(protocol: Protocol, stream: &str) -> (Vec<StreamEvent>, Option<ProviderError>) {
    decode_pieces(protocol, std::iter::once(stream.as_bytes()))
}

/// Writes a reply down, a line for each block, the last usage, the stop and the error, so that a test shows it whole.
pub(crate) fn told(reply: &(Vec<StreamEvent>, Option<ProviderError>)) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut usage = None;
    let mut rest = Vec::new();
    let open = |blocks: &mut Vec<String>, block: usize, line: String| {
        assert_eq!(block, blocks.len(), "blocks are numbered in wire order");
        blocks.push(line);
    };
    for event in &reply.0 {
        match event {
            StreamEvent::TextStart { block } => open(&mut blocks, *block, "text: ".to_owned()),
            StreamEvent::ReasoningStart { block } => open(&mut blocks, *block, "reasoning: ".to_owned()),
            StreamEvent::CallStart {
                block,
                provider_id,
                name,
            } => {
                let id = provider_id.as_deref().unwrap_or("-");
                open(&mut blocks, *block, format!("call {name} {id}: "));
            }
            StreamEvent::Delta { block, delta } => blocks[*block].push_str(delta),
            StreamEvent::End { block, native: None } => blocks[*block].push_str(" |"),
            StreamEvent::End {
                block,
                native: Some(native),
            } => {
                blocks[*block].push_str(" | ");
                blocks[*block].push_str(&native.json.to_string());
            }
            StreamEvent::Usage(figures) => {
                usage = Some(format!(
                    "usage: in {} out {} think {} read {} write {}",
                    figures.input, figures.output, figures.reasoning, figures.cache_read, figures.cache_write
                ));
            }
            StreamEvent::Refusal(words) => rest.push(format!("refusal: {words}")),
            StreamEvent::Stop(stop) => rest.push(format!("stop: {stop:?}")),
        }
    }
    let error = reply
        .1
        .as_ref()
        .map(|error| format!("error: {:?}: {}", error.kind, error.message));
    blocks.into_iter().chain(usage).chain(rest).chain(error).collect()
}
