//! The chunks of Gemini: each holds parts, and parts of one kind in a row are one block.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::super::adapter::Decode;
use super::super::budget::Untold;
use super::super::error::{broken_off, malformed};
use super::super::lenient::{count, list, some_name, some_object, text};
use super::super::{Protocol, ProviderError, ProviderErrorKind};
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
    #[serde(default, deserialize_with = "some_object")]
    usage_metadata: Option<Figures>,
    #[serde(default, deserialize_with = "some_object")]
    prompt_feedback: Option<Feedback>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate<'a> {
    #[serde(borrow, default)]
    content: Option<ContentOf<'a>>,
    #[serde(default, deserialize_with = "some_name")]
    finish_reason: Option<String>,
    #[serde(default, deserialize_with = "some_name")]
    finish_message: Option<String>,
}

#[derive(Deserialize)]
struct ContentOf<'a> {
    #[serde(borrow, default, deserialize_with = "list")]
    parts: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContentPart<'a> {
    #[serde(borrow, default)]
    text: Option<&'a RawValue>,
    #[serde(default)]
    thought: Option<bool>,
    #[serde(default, deserialize_with = "some_name")]
    thought_signature: Option<String>,
    #[serde(borrow, default)]
    function_call: Option<Call<'a>>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(default, deserialize_with = "some_name")]
    id: Option<String>,
    #[serde(default, deserialize_with = "some_name")]
    name: Option<String>,
    #[serde(borrow, default)]
    args: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    #[serde(default, deserialize_with = "some_name")]
    block_reason: Option<String>,
    #[serde(default, deserialize_with = "some_name")]
    block_reason_message: Option<String>,
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
        let mut events = Vec::with_capacity(2);
        let mut finish = None;
        for candidate in chunk.candidates.into_iter().flatten().take(1) {
            for raw in candidate.content.map(|content| content.parts).unwrap_or_default() {
                self.part(raw, &mut events)?;
            }
            let message = candidate.finish_message.unwrap_or_default();
            finish = candidate.finish_reason.map(|reason| (reason, message));
        }
        events.extend(
            chunk
                .usage_metadata
                .map(|figures| StreamEvent::Usage(usage(&figures))),
        );
        let blocked = chunk.prompt_feedback.and_then(|feedback| {
            let message = feedback.block_reason_message.unwrap_or_default();
            Some((feedback.block_reason?, message))
        });
        if let Some((reason, message)) = blocked {
            events.push(refusal(&reason, &message));
            self.finish(Stop::Refusal, &mut events);
        } else if let Some((reason, message)) = finish.filter(|(reason, _)| !reason.is_empty()) {
            let stop = self.stop_for(&reason, &message)?;
            events.extend((stop == Stop::Refusal).then(|| refusal(&reason, &message)));
            self.finish(stop, &mut events);
        }
        Ok(events)
    }

    /// A part is told when it comes; the copy of the open text is as long as what was told of it.
    fn untold(&self) -> Untold {
        Untold::default()
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
        let part: ContentPart<'_> = self.parse(raw.get())?;
        if let Some(call) = part.function_call {
            let native = self.parse(raw.get())?;
            self.call(call, native, events);
            return Ok(());
        }
        let is_thought = part.thought.unwrap_or(false);
        let said = text(part.text).map_err(|error| malformed(&self.model, &error))?;
        if let Some(delta) = said {
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

    fn stop_for(&self, reason: &str, message: &str) -> Result<Stop, ProviderError> {
        let is_empty = self.next_block == 0;
        Ok(match reason {
            "MAX_TOKENS" => Stop::Length,
            "SAFETY"
            | "RECITATION"
            | "LANGUAGE"
            | "BLOCKLIST"
            | "PROHIBITED_CONTENT"
            | "SPII"
            | "MODEL_ARMOR"
            | "IMAGE_SAFETY"
            | "IMAGE_PROHIBITED_CONTENT"
            | "IMAGE_RECITATION" => Stop::Refusal,
            // The model wrote something that is no call and no text; the next try is likely to be sound.
            "MALFORMED_FUNCTION_CALL"
            | "MALFORMED_RESPONSE"
            | "UNEXPECTED_TOOL_CALL"
            | "TOO_MANY_TOOL_CALLS" => {
                let colon = if message.is_empty() { "" } else { ": " };
                let words = format!("{reason}{colon}{message}");
                return Err(broken_off(&self.model, ProviderErrorKind::BadResponse, &words));
            }
            "OTHER" | "FINISH_REASON_UNSPECIFIED" if is_empty => {
                return Err(broken_off(&self.model, ProviderErrorKind::BadResponse, reason));
            }
            _ if self.has_calls => Stop::ToolCalls,
            _ => Stop::End,
        })
    }
}

/// Tells the reason of a refusal, and the sentence that came with it.
fn refusal(reason: &str, message: &str) -> StreamEvent {
    let colon = if message.is_empty() { "" } else { ": " };
    StreamEvent::Refusal(format!("`{reason}`{colon}{message}"))
}

fn usage(figures: &Figures) -> Usage {
    let input = figures
        .prompt_token_count
        .saturating_add(figures.tool_use_prompt_token_count);
    Usage {
        input: input.saturating_sub(figures.cached_content_token_count),
        output: figures
            .candidates_token_count
            .saturating_add(figures.thoughts_token_count),
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
        assert_eq!(
            told(&decode(Protocol::Gemini, stream)),
            ["refusal: `SAFETY`", "stop: Refusal"]
        );
    }

    #[test]
    fn a_call_that_the_model_could_not_write_is_a_bad_response() {
        let stream = "data: {\"candidates\":[{\"finishReason\":\"MALFORMED_FUNCTION_CALL\",\"finishMessage\":\"print(x\"}]}\n\n";
        assert_eq!(
            told(&decode(Protocol::Gemini, stream)),
            ["error: BadResponse: `p` cut the reply short: `MALFORMED_FUNCTION_CALL: print(x`"]
        );
    }
}
