//! The budget of one reply: how much of it is read before it is given up.
//!
//! A server, or a model that repeats itself, may send without end, and what it sends is kept several times over: in the
//! conversation, in the store, on the screen. The longest reply that a known model may write has 128,000 tokens
//! (`assets/models.json`), which is about 0.6 MB of text. Each limit is several times what such a reply can need.

use std::collections::HashSet;

use serde_json::Value;

use super::{ProviderError, ProviderErrorKind};
use crate::conversation::{ModelRef, StreamEvent};

/// Bytes of text and reasoning, and of names and ids.
const TEXT: usize = 8 << 20;
/// Bytes of the arguments of all calls. Parsed, they take up to thirty times as much memory.
const ARGUMENTS: usize = 4 << 20;
/// Memory of the provider's own blocks: signatures, and texts and arguments once more.
const NATIVE: usize = 32 << 20;
/// Bytes of the stream. Servers that wrap each token need up to 1 kB for it.
const STREAM: usize = 144 << 20;
/// Tool calls. A reply that reads all files of a large project makes about a hundred.
const CALLS: usize = 512;
/// Blocks of all kinds: the calls, and the text and reasoning around them.
pub(crate) const BLOCKS: usize = 2048;

/// Memory of a JSON value without its text.
const VALUE: usize = size_of::<Value>();

/// What a protocol's reader keeps of a reply without having told it in an event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Untold {
    /// Calls that wait for their names.
    pub(crate) calls: usize,
    /// Blocks that are skipped.
    pub(crate) blocks: usize,
    /// Bytes that are kept for a later event.
    pub(crate) bytes: usize,
}

/// What was read of a reply so far.
#[derive(Debug, Default)]
pub(crate) struct ReplyBudget {
    stream: usize,
    text: usize,
    arguments: usize,
    native: usize,
    blocks: usize,
    /// The numbers of the blocks that are calls.
    calls: HashSet<usize>,
}

impl ReplyBudget {
    /// Counts an event of the server's before it is read.
    pub(crate) fn take_data(&mut self, data: &str, model: &ModelRef) -> Result<(), ProviderError> {
        self.stream += data.len();
        bytes(self.stream, STREAM, "").map_err(|excess| given_up(model, &excess))
    }

    /// Counts what an event was read as.
    pub(crate) fn take(
        &mut self,
        events: &[StreamEvent],
        untold: Untold,
        model: &ModelRef,
    ) -> Result<(), ProviderError> {
        for event in events {
            self.count(event);
        }
        self.check(untold).map_err(|excess| given_up(model, &excess))
    }

    fn count(&mut self, event: &StreamEvent) {
        match event {
            StreamEvent::TextStart { .. } | StreamEvent::ReasoningStart { .. } => self.blocks += 1,
            StreamEvent::CallStart {
                block,
                provider_id,
                name,
            } => {
                self.blocks += 1;
                self.calls.insert(*block);
                self.text += name.len() + provider_id.as_ref().map_or(0, String::len);
            }
            StreamEvent::Delta { block, delta } if self.calls.contains(block) => {
                self.arguments += delta.len();
            }
            StreamEvent::Delta { delta: text, .. } | StreamEvent::Refusal(text) => self.text += text.len(),
            StreamEvent::End { native, .. } => {
                self.native += native.as_ref().map_or(0, |native| memory(&native.json));
            }
            StreamEvent::Usage(_) | StreamEvent::Stop(_) => {}
        }
    }

    fn check(&self, untold: Untold) -> Result<(), String> {
        let calls = self.calls.len() + untold.calls;
        count(calls, CALLS, "tool calls")?;
        count(self.blocks + untold.calls + untold.blocks, BLOCKS, "blocks")?;
        bytes(self.arguments, ARGUMENTS, " of tool arguments")?;
        bytes(self.text + untold.bytes, TEXT, " of text")?;
        bytes(self.native, NATIVE, " of signed blocks")
    }
}

fn count(count: usize, limit: usize, what: &str) -> Result<(), String> {
    if count <= limit {
        return Ok(());
    }
    Err(format!("more than {limit} {what}"))
}

fn bytes(bytes: usize, limit: usize, what: &str) -> Result<(), String> {
    if bytes <= limit {
        return Ok(());
    }
    Err(format!("more than {} MiB{what}", limit >> 20))
}

/// Asking again would most likely bring the same once more, at the same price.
fn given_up(model: &ModelRef, excess: &str) -> ProviderError {
    let message = format!(
        "`{}` sent {excess} in one reply, which was given up; nothing that it asked for was done",
        model.provider
    );
    ProviderError::new(ProviderErrorKind::BadResponse, message)
        .hinted("ask for smaller steps, or choose another model")
        .with_most_retries(0)
        .voiding_reply()
}

/// Returns about how many bytes of memory a value takes.
fn memory(value: &Value) -> usize {
    let inner = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(memory).sum(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| VALUE + name.len() + memory(value))
            .sum(),
    };
    VALUE + inner
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Protocol;
    use super::super::sample::{decode, told};
    use super::*;

    const PROTOCOLS: [Protocol; 4] = [
        Protocol::Anthropic,
        Protocol::OpenAiChat,
        Protocol::OpenAiResponses,
        Protocol::Gemini,
    ];

    fn stream(events: impl Iterator<Item = Value>) -> String {
        let events: Vec<String> = events.map(|event| format!("data: {event}\n\n")).collect();
        events.concat()
    }

    fn stop(protocol: Protocol) -> Value {
        match protocol {
            Protocol::Anthropic => json!({"type": "message_stop"}),
            Protocol::OpenAiChat => json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}),
            Protocol::OpenAiResponses => json!({"type": "response.completed", "response": {}}),
            Protocol::Gemini => json!({"candidates": [{"finishReason": "STOP"}]}),
        }
    }

    /// The events of one call.
    fn call(protocol: Protocol, nth: usize, arguments: &str) -> Vec<Value> {
        let id = format!("c{nth}");
        match protocol {
            Protocol::Anthropic => vec![
                json!({"type": "content_block_start", "index": nth,
                    "content_block": {"type": "tool_use", "id": id, "name": "read", "input": {}}}),
                json!({"type": "content_block_delta", "index": nth,
                    "delta": {"type": "input_json_delta", "partial_json": arguments}}),
                json!({"type": "content_block_stop", "index": nth}),
            ],
            Protocol::OpenAiChat => vec![json!({"choices": [{"delta": {"tool_calls": [
                {"index": nth, "id": id, "function": {"name": "read", "arguments": arguments}}]}}]})],
            Protocol::OpenAiResponses => vec![
                json!({"type": "response.output_item.added", "output_index": nth,
                    "item": {"type": "function_call", "call_id": id, "name": "read"}}),
                json!({"type": "response.function_call_arguments.delta", "output_index": nth,
                    "delta": arguments}),
            ],
            Protocol::Gemini => {
                let args: Value = serde_json::from_str(arguments).unwrap();
                vec![json!({"candidates": [{"content": {"parts": [{"functionCall":
                    {"name": "read", "args": args}}]}}]})]
            }
        }
    }

    /// Returns the last line of a reply that is read, and the number of blocks.
    fn end_of(protocol: Protocol, events: Vec<Value>) -> (String, usize) {
        let events = events.into_iter().chain([stop(protocol)]);
        let lines = told(&decode(protocol, &stream(events)));
        (lines.last().cloned().unwrap_or_default(), lines.len() - 1)
    }

    fn assert_given_up(protocol: Protocol, events: Vec<Value>, excess: &str) {
        let (end, _) = end_of(protocol, events);
        let expected = format!(
            "error: BadResponse: `p` sent {excess} in one reply, which was given up; nothing that it asked for was done"
        );
        assert_eq!(end, expected, "{protocol}");
    }

    #[test]
    fn five_hundred_and_twelve_calls_are_a_reply_and_one_more_is_not() {
        for protocol in PROTOCOLS {
            let calls = |count: usize| (0..count).flat_map(|nth| call(protocol, nth, "{}")).collect();
            let (end, blocks) = end_of(protocol, calls(CALLS));
            assert!(end.starts_with("stop: "), "{protocol}: {end}");
            assert_eq!(blocks, CALLS, "{protocol}");
            assert_given_up(protocol, calls(CALLS + 1), "more than 512 tool calls");
        }
    }

    fn delta(block: usize, bytes: usize) -> StreamEvent {
        StreamEvent::Delta {
            block,
            delta: "a".repeat(bytes),
        }
    }

    /// Returns what is wrong with a reply of these events.
    fn excess(events: &[StreamEvent], untold: Untold) -> Option<String> {
        let model = "p/m".parse().unwrap();
        let mut budget = ReplyBudget::default();
        let taken = budget.take(events, untold, &model);
        taken.err().map(|error| error.message)
    }

    #[test]
    fn bytes_have_a_limit_for_all_blocks_together() {
        let call = |block| StreamEvent::CallStart {
            block,
            provider_id: None,
            name: "read".to_owned(),
        };
        let mut events = vec![call(0), call(1), delta(0, 3 << 20), delta(1, 1 << 20)];
        events.extend([delta(2, 5 << 20), delta(3, 2 << 20)]);
        assert_eq!(excess(&events, Untold::default()), None);
        let bytes = |bytes| Untold {
            bytes,
            ..Untold::default()
        };
        let said = excess(&events, bytes(1 << 20)).unwrap();
        assert!(said.contains("more than 8 MiB of text"), "{said}");
        events.push(delta(0, 1));
        let said = excess(&events, Untold::default()).unwrap();
        assert!(said.contains("more than 4 MiB of tool arguments"), "{said}");
        let said = excess(&[StreamEvent::Refusal("a".repeat(9 << 20))], Untold::default()).unwrap();
        assert!(said.contains("more than 8 MiB of text"), "{said}");
    }

    #[test]
    fn a_reply_has_so_many_blocks_and_no_more() {
        let thinking = |nth: usize| {
            [
                json!({"choices": [{"delta": {"reasoning": format!("{nth}")}}]}),
                json!({"choices": [{"delta": {"content": "."}}]}),
            ]
        };
        let blocks = |count: usize| (0..count / 2).flat_map(thinking).collect::<Vec<_>>();
        let (end, _) = end_of(Protocol::OpenAiChat, blocks(BLOCKS));
        assert!(end.starts_with("stop: "), "{end}");
        assert_given_up(Protocol::OpenAiChat, blocks(BLOCKS + 2), "more than 2048 blocks");
    }

    #[test]
    fn what_is_told_late_or_never_counts() {
        // Calls without a name.
        let nameless = (0..600).map(|nth| {
            json!({"choices": [{"delta": {"tool_calls": [{"index": nth, "function": {"arguments": "{"}}]}}]})
        });
        assert_given_up(
            Protocol::OpenAiChat,
            nameless.collect(),
            "more than 512 tool calls",
        );
        let untold = |protocol: Protocol, events: &[Value]| {
            let mut decoder = protocol.decoder(&"p/m".parse().unwrap());
            for event in events {
                decoder.event("message", &event.to_string()).unwrap();
            }
            decoder.untold()
        };
        let early = json!({"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": "waits"}}]}}]});
        let named =
            json!({"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"name": "ls"}}]}}]});
        let waiting = untold(Protocol::OpenAiChat, &[early.clone(), early.clone()]);
        assert_eq!((waiting.calls, waiting.bytes), (1, 10));
        assert_eq!(untold(Protocol::OpenAiChat, &[early, named]), Untold::default());
        let thinking = json!({"type": "content_block_start", "index": 0,
            "content_block": {"type": "thinking", "thinking": ""}});
        let signature = json!({"type": "content_block_delta", "index": 0,
            "delta": {"type": "signature_delta", "signature": "signed"}});
        let signed = untold(Protocol::Anthropic, &[thinking, signature.clone(), signature]);
        assert_eq!(signed.bytes, 12);
        // Blocks of kinds that are skipped.
        let skipped = (0..=BLOCKS).map(
            |nth| json!({"type": "content_block_start", "index": nth, "content_block": {"type": "new"}}),
        );
        assert_given_up(Protocol::Anthropic, skipped.collect(), "more than 2048 blocks");
        let skipped = (0..=BLOCKS).map(
            |nth| json!({"type": "response.output_item.added", "output_index": nth, "item": {"type": "new"}}),
        );
        assert_given_up(
            Protocol::OpenAiResponses,
            skipped.collect(),
            "more than 2048 blocks",
        );
    }

    #[test]
    fn signed_blocks_count_by_the_memory_that_they_take() {
        let deep: Vec<Value> = vec![json!([]); 250_000];
        let part = json!({"candidates": [{"content": {"parts": [{"functionCall": {"name": "read", "args": {"x": deep}}}]}}]});
        assert_given_up(
            Protocol::Gemini,
            vec![part.clone(), part],
            "more than 32 MiB of signed blocks",
        );
    }

    #[test]
    fn one_event_with_very_many_parts_is_refused_before_they_are_read() {
        let call = |nth: usize| json!({"index": nth, "function": {"name": "x", "arguments": "{}"}});
        let calls: Vec<Value> = (0..20_000).map(call).collect();
        let part = json!({"functionCall": {"name": "x"}});
        let parts: Vec<Value> = vec![part; 20_000];
        let item = json!({"type": "function_call", "call_id": "c", "name": "x", "arguments": "{}"});
        let output: Vec<Value> = vec![item; 20_000];
        for (protocol, event) in [
            (
                Protocol::OpenAiChat,
                json!({"choices": [{"delta": {"tool_calls": calls}}]}),
            ),
            (
                Protocol::Gemini,
                json!({"candidates": [{"content": {"parts": parts}}]}),
            ),
            (
                Protocol::OpenAiResponses,
                json!({"type": "response.completed", "response": {"output": output}}),
            ),
        ] {
            let reply = decode(protocol, &stream([event].into_iter()));
            assert!(reply.0.is_empty(), "{protocol}");
            let error = reply.1.unwrap();
            assert_eq!(error.kind, ProviderErrorKind::BadResponse, "{protocol}");
            assert!(error.message.contains("2048"), "{protocol}: {error}");
        }
    }

    #[test]
    fn the_stream_itself_has_a_limit() {
        let model = "p/m".parse().unwrap();
        let mut budget = ReplyBudget::default();
        let data = "a".repeat(4 << 20);
        for _ in 0..36 {
            budget.take_data(&data, &model).unwrap();
        }
        let error = budget.take_data(".", &model).unwrap_err();
        assert!(
            error.message.contains("more than 144 MiB in one reply"),
            "{error}"
        );
        assert_eq!((error.most_retries, error.voids_reply), (Some(0), true));
    }
}
