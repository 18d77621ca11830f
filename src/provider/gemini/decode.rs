//! The chunks of Gemini: each holds parts, and parts of one kind in a row are one block.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::super::error::{Reported, malformed};
use super::super::protocol::Decode;
use super::super::tolerant::count;
use super::super::{Protocol, ProviderError};
use crate::conversation::{ModelRef, Stop, StreamEvent, Usage};

pub(crate) struct Decoder {
    model: ModelRef,
    prose: Option<Prose>,
    next_block: usize,
    has_calls: bool,
    is_over: bool,
}

/// The text or thought that is open; its whole text is kept for the block that goes back with a signature.
struct Prose {
    block: usize,
    is_thought: bool,
    text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk<'a> {
    #[serde(borrow, default)]
    candidates: Option<Vec<Candidate<'a>>>,
    #[serde(default)]
    usage_metadata: Option<Figures>,
    #[serde(default)]
    prompt_feedback: Option<Feedback>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate<'a> {
    #[serde(borrow, default)]
    content: Option<ContentOf<'a>>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct ContentOf<'a> {
    #[serde(borrow, default)]
    parts: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    thought: Option<bool>,
    #[serde(default)]
    thought_signature: Option<String>,
    #[serde(borrow, default)]
    function_call: Option<Call<'a>>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(borrow, default)]
    args: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    #[serde(default)]
    block_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
// These are the names on the wire.
#[allow(clippy::struct_field_names)]
struct Figures {
    #[serde(default, deserialize_with = "count")]
    prompt_token_count: u64,
    #[serde(default, deserialize_with = "count")]
    cached_content_token_count: u64,
    #[serde(default, deserialize_with = "count")]
    candidates_token_count: u64,
    #[serde(default, deserialize_with = "count")]
    thoughts_token_count: u64,
    #[serde(default, deserialize_with = "count")]
    tool_use_prompt_token_count: u64,
}

impl Decode for Decoder {
    fn event(&mut self, _name: &str, data: &str) -> Result<Vec<StreamEvent>, ProviderError> {
        if self.is_over {
            return Ok(Vec::new());
        }
        let chunk: Chunk<'_> = self.parse(data)?;
        if let Some(error) = chunk.error {
            let value = serde_json::from_str::<Value>(error.get()).unwrap_or_default();
            return Err(Reported::from_value(&value).in_stream(&self.model));
        }
        let mut events = Vec::with_capacity(2);
        let mut reason = None;
        for candidate in chunk.candidates.into_iter().flatten().take(1) {
            for raw in candidate
                .content
                .and_then(|content| content.parts)
                .into_iter()
                .flatten()
            {
                self.part(raw, &mut events)?;
            }
            reason = candidate.finish_reason;
        }
        events.extend(
            chunk
                .usage_metadata
                .map(|figures| StreamEvent::Usage(usage(&figures))),
        );
        let is_blocked = chunk
            .prompt_feedback
            .is_some_and(|feedback| feedback.block_reason.is_some());
        if is_blocked {
            self.finish(Stop::Refusal, &mut events);
        } else if let Some(reason) = reason {
            let stop = self.stop_for(&reason);
            self.finish(stop, &mut events);
        }
        Ok(events)
    }
}

impl Decoder {
    pub(crate) fn new(model: &ModelRef) -> Self {
        Self {
            model: model.clone(),
            prose: None,
            next_block: 0,
            has_calls: false,
            is_over: false,
        }
    }

    fn parse<'a, T: Deserialize<'a>>(&self, json: &'a str) -> Result<T, ProviderError> {
        serde_json::from_str(json).map_err(|error| malformed(&self.model, &error))
    }

    fn part(&mut self, raw: &RawValue, events: &mut Vec<StreamEvent>) -> Result<(), ProviderError> {
        let part: Part<'_> = self.parse(raw.get())?;
        if let Some(call) = part.function_call {
            let native = self.parse(raw.get())?;
            self.call(call, native, events);
            return Ok(());
        }
        let is_thought = part.thought.unwrap_or(false);
        if let Some(delta) = part.text.filter(|text| !text.is_empty()) {
            self.prose(is_thought, delta, events);
        }
        if let Some(signature) = part.thought_signature {
            self.close_prose(Some(signature), events);
        }
        Ok(())
    }

    fn prose(&mut self, is_thought: bool, delta: String, events: &mut Vec<StreamEvent>) {
        if self
            .prose
            .as_ref()
            .is_some_and(|prose| prose.is_thought != is_thought)
        {
            self.close_prose(None, events);
        }
        let next_block = &mut self.next_block;
        let prose = self.prose.get_or_insert_with(|| {
            let block = *next_block;
            *next_block += 1;
            events.push(if is_thought {
                StreamEvent::ReasoningStart { block }
            } else {
                StreamEvent::TextStart { block }
            });
            Prose {
                block,
                is_thought,
                text: String::new(),
            }
        });
        prose.text.push_str(&delta);
        events.push(StreamEvent::Delta {
            block: prose.block,
            delta,
        });
    }

    /// Closes the open block. With a signature the block goes back as one part, as far as its pieces can be one.
    fn close_prose(&mut self, signature: Option<String>, events: &mut Vec<StreamEvent>) {
        let Some(Prose {
            block,
            is_thought,
            text,
        }) = self.prose.take()
        else {
            return;
        };
        let native = signature.map(|signature| {
            let mut part = json!({ "text": text });
            if is_thought {
                part["thought"] = Value::from(true);
            }
            part["thoughtSignature"] = Value::from(signature);
            Protocol::Gemini.native(&self.model, part)
        });
        events.push(StreamEvent::End { block, native });
    }

    fn call(&mut self, call: Call<'_>, native: Value, events: &mut Vec<StreamEvent>) {
        self.close_prose(None, events);
        self.has_calls = true;
        let block = self.next_block;
        self.next_block += 1;
        let provider_id = call.id.filter(|id| !id.is_empty());
        events.push(StreamEvent::CallStart {
            block,
            provider_id,
            name: call.name.unwrap_or_default(),
        });
        let delta = call.args.map_or("{}", RawValue::get).to_owned();
        events.push(StreamEvent::Delta { block, delta });
        events.push(StreamEvent::End {
            block,
            native: Some(Protocol::Gemini.native(&self.model, native)),
        });
    }

    fn finish(&mut self, stop: Stop, events: &mut Vec<StreamEvent>) {
        self.close_prose(None, events);
        self.is_over = true;
        events.push(StreamEvent::Stop(stop));
    }

    fn stop_for(&self, reason: &str) -> Stop {
        match reason {
            "MAX_TOKENS" => Stop::Length,
            "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" => {
                Stop::Refusal
            }
            _ if self.has_calls => Stop::ToolCalls,
            _ => Stop::End,
        }
    }
}

fn usage(figures: &Figures) -> Usage {
    let input = figures.prompt_token_count + figures.tool_use_prompt_token_count;
    Usage {
        input: input.saturating_sub(figures.cached_content_token_count),
        output: figures.candidates_token_count + figures.thoughts_token_count,
        reasoning: figures.thoughts_token_count,
        cache_read: figures.cached_content_token_count,
        cache_write: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::sample::{decode, told};
    use super::*;

    macro_rules! vector {
        ($name:literal) => {
            told(&decode(
                Protocol::Gemini,
                include_str!(concat!(
                    "../../../tests/it/vectors/sse/gemini.",
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
    fn calls_come_whole() {
        assert_eq!(
            vector!("tools"),
            [
                "text: I will look. |",
                r#"call bash -: {"command":"printf 'a\\tb\\n'","timeout":120000} | {"functionCall":{"name":"bash","args":{"command":"printf 'a\\tb\\n'","timeout":120000}}}"#,
                r#"call read -: {"file_path":"src/\u00fcn\u00ef.rs","limit":20} | {"functionCall":{"name":"read","args":{"file_path":"src/ünï.rs","limit":20}}}"#,
                "usage: in 1300 out 80 think 0 read 0 write 0",
                "stop: ToolCalls",
            ]
        );
    }

    #[test]
    fn a_signature_stays_on_its_part() {
        assert_eq!(
            vector!("reasoning"),
            [
                "reasoning: The test sleeps on the clock. |",
                "text: I will read it. |",
                r#"call read -: {"file_path":"src/a.rs"} | {"functionCall":{"name":"read","args":{"file_path":"src/a.rs"}},"thoughtSignature":"c2lnbmVk"}"#,
                r#"call grep -: {"pattern":"sleep"} | {"functionCall":{"name":"grep","args":{"pattern":"sleep"}}}"#,
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
                "error: Overloaded: `p` is overloaded: The model is overloaded"
            ]
        );
    }

    #[test]
    fn a_garbled_event_is_a_bad_response() {
        let lines = vector!("malformed");
        assert_eq!(lines[0], "text: Hello, wörld: a list");
        assert!(
            lines.last().unwrap().starts_with("error: BadResponse"),
            "{lines:?}"
        );
    }

    #[test]
    fn a_signature_after_text_closes_its_block() {
        let stream = concat!(
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]}}]}\n\n",
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"\",\"thoughtSignature\":\"s\"}]},",
            "\"finishReason\":\"MAX_TOKENS\"}]}\n\n",
        );
        let lines = told(&decode(Protocol::Gemini, stream));
        assert_eq!(
            lines,
            [r#"text: a | {"text":"a","thoughtSignature":"s"}"#, "stop: Length"]
        );
    }

    #[test]
    fn a_blocked_prompt_is_a_refusal() {
        let stream = "data: {\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}\n\n";
        assert_eq!(told(&decode(Protocol::Gemini, stream)), ["stop: Refusal"]);
    }
}
