//! The request body of OpenAI Responses.

use serde_json::{Value, json};

use super::super::adapter::Ask;
use super::super::encoded_turn::{EncodedTurn, Speaker, push_item};
use super::super::history::{
    Content, HistoryTurn, ReplyPiece, SentResult, arguments_text, without_loose_reasoning,
};

pub(super) fn body(ask: &Ask<'_>) -> Value {
    let mut body = json!({
        "model": ask.request.model.model,
        "stream": true,
        "store": false,
        "prompt_cache_key": ask.request.session.as_str(),
    });
    if !ask.request.system.trim().is_empty() {
        body["instructions"] = Value::from(ask.request.system.as_str());
    }
    if let Some(temperature) = ask.temperature() {
        body["temperature"] = Value::from(temperature);
    }
    if let Some(limit) = ask.max_output() {
        body["max_output_tokens"] = Value::from(limit);
    }
    // OpenAI's own models that do not reason refuse to be asked for it; other servers do not mind.
    if ask.model.reasoning || !ask.is_openai() {
        body["include"] = json!(["reasoning.encrypted_content"]);
    }
    if ask.wants_reasoning() {
        body["reasoning"] = json!({ "summary": "auto" });
    }
    if !ask.request.tools.is_empty() {
        let tools = ask.request.tools.iter().map(|tool| {
            json!({
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "strict": false,
                "parameters": tool.schema,
            })
        });
        body["tools"] = Value::Array(tools.collect());
        body["parallel_tool_calls"] = Value::from(true);
    }
    body
}

pub(super) fn encode(turn: HistoryTurn<'_>) -> Vec<Value> {
    match turn {
        HistoryTurn::User(content) => vec![message("user", content.iter().map(content_part))],
        HistoryTurn::Assistant(said) => assistant(said),
        HistoryTurn::Results(outcomes) => outcomes.iter().map(result).collect(),
    }
}

/// Messages of one speaker in a row become one.
pub(super) fn write_conversation(turns: &[&EncodedTurn], list: &mut String) {
    let speaks_on = |one: &&EncodedTurn, next: &&EncodedTurn| match one.speaker {
        Speaker::User => next.speaker == Speaker::User,
        Speaker::Assistant { .. } => matches!(next.speaker, Speaker::Assistant { .. }),
        Speaker::Results { .. } => false,
    };
    for run in turns.chunk_by(speaks_on) {
        match run {
            [turn] => push_item(list, &turn.json),
            run => {
                for item in joined(run) {
                    push_item(list, &item.to_string());
                }
            }
        }
    }
}

/// Returns the items of turns by one speaker.
fn joined(run: &[&EncodedTurn]) -> Vec<Value> {
    let mut items: Vec<Value> = Vec::new();
    for item in run.iter().flat_map(|turn| turn.values()) {
        let is_joined = items.last_mut().is_some_and(|last| join(last, &item));
        if !is_joined {
            items.push(item);
        }
    }
    items
}

/// Adds a message to one before it, and returns false where either is something else: one with an id is the server's own.
fn join(message: &mut Value, more: &Value) -> bool {
    let is_ours = |item: &Value| item["type"] == "message" && item.get("id").is_none();
    if !is_ours(message) || !is_ours(more) {
        return false;
    }
    match (message.get_mut("content"), &more["content"]) {
        (Some(Value::Array(whole)), Value::Array(parts)) => whole.extend(parts.iter().cloned()),
        (Some(Value::String(whole)), Value::String(text)) => {
            whole.push_str("\n\n");
            whole.push_str(text);
        }
        _ => return false,
    }
    true
}

fn message(role: &str, content: impl Iterator<Item = Value>) -> Value {
    json!({ "type": "message", "role": role, "content": content.collect::<Vec<_>>() })
}

fn content_part(content: &Content<'_>) -> Value {
    match content {
        Content::Text(text) => json!({ "type": "input_text", "text": text }),
        Content::Image { mime, data } => {
            let url = format!("data:{mime};base64,{data}");
            json!({ "type": "input_image", "detail": "auto", "image_url": url })
        }
        Content::Pdf { name, data } => {
            let data = format!("data:application/pdf;base64,{data}");
            json!({ "type": "input_file", "filename": name, "file_data": data })
        }
    }
}

fn assistant(mut said: Vec<ReplyPiece<'_>>) -> Vec<Value> {
    let mut input: Vec<Value> = Vec::with_capacity(said.len());
    let lost_reasoning = said.iter().any(|said| match said {
        ReplyPiece::Reasoning(native) => !native.is_some_and(is_whole),
        ReplyPiece::Text { .. } | ReplyPiece::Call { .. } => false,
    });
    let goes_back = |native: Option<&Value>| !lost_reasoning && native.is_some_and(is_whole);
    said.retain(|said| match said {
        ReplyPiece::Text { text, native } => goes_back(*native) || !text.trim().is_empty(),
        ReplyPiece::Reasoning(_) | ReplyPiece::Call { .. } => true,
    });
    for said in without_loose_reasoning(said) {
        let item = match said {
            ReplyPiece::Reasoning(Some(_)) if lost_reasoning => continue,
            ReplyPiece::Reasoning(None) => continue,
            ReplyPiece::Reasoning(Some(native)) => native.clone(),
            ReplyPiece::Text {
                native: Some(native), ..
            } if !lost_reasoning && is_whole(native) => native.clone(),
            // An output message would need the id of an item that the server made.
            ReplyPiece::Text { text, .. } => {
                json!({ "type": "message", "role": "assistant", "content": text })
            }
            ReplyPiece::Call {
                id,
                name,
                raw_args,
                native,
            } => match native.filter(|native| !lost_reasoning && is_whole(native)) {
                // The id may have been replaced, and the result names it; the name may have had a namespace before it.
                Some(native) if native["call_id"] == id.as_str() && native["name"] == name => native.clone(),
                _ => json!({
                    "type": "function_call",
                    "call_id": id.as_str(),
                    "name": name,
                    "arguments": arguments_text(&raw_args),
                }),
            },
        };
        let is_joined = input.last_mut().is_some_and(|last| join(last, &item));
        if !is_joined {
            input.push(item);
        }
    }
    input
}

/// Returns true if an item has all that the server wants back: imitations of the protocol leave fields out.
fn is_whole(item: &Value) -> bool {
    let has_id = item["id"].as_str().is_some_and(|id| !id.is_empty());
    match item["type"].as_str() {
        Some("reasoning") => has_id && item["summary"].is_array(),
        Some("message") => {
            let is_part = |part: &Value| match part["type"].as_str() {
                Some("output_text") => part["text"].is_string() && part["annotations"].is_array(),
                Some("refusal") => part["refusal"].is_string(),
                _ => false,
            };
            has_id
                && item["role"] == "assistant"
                && ["in_progress", "completed", "incomplete"]
                    .contains(&item["status"].as_str().unwrap_or_default())
                && item["content"]
                    .as_array()
                    .is_some_and(|parts| parts.iter().all(is_part))
        }
        // The arguments have to be an object.
        Some("function_call") => {
            let arguments = item["arguments"].as_str().unwrap_or_default();
            (has_id || item.get("id").is_none())
                && item["call_id"].is_string()
                && item["name"].is_string()
                && arguments_text(arguments) == arguments
        }
        _ => false,
    }
}

fn result(outcome: &SentResult<'_>) -> Value {
    let text = outcome.marked_output();
    let output = if outcome.attachments.is_empty() {
        Value::from(text.as_ref())
    } else {
        let text = (!text.trim().is_empty()).then(|| json!({ "type": "input_text", "text": text }));
        Value::Array(
            text.into_iter()
                .chain(outcome.attachments.iter().map(content_part))
                .collect(),
        )
    };
    json!({ "type": "function_call_output", "call_id": outcome.id.as_str(), "output": output })
}

#[cfg(test)]
mod tests {
    use super::super::super::Protocol;
    use super::super::super::sample::{
        assistant as reply, body as build, body_of, model, reasoning, request, text, tool_part,
        two_parallel_calls, user, user_with_image,
    };
    use super::super::super::{ProviderSettings, Request};
    use super::*;
    use crate::conversation::PartBody;

    fn built(request: &Request) -> Value {
        let mut model = model("openai/m");
        model.reasoning = true;
        build(Protocol::OpenAiResponses, request, &model)
    }

    #[test]
    fn parallel_calls_and_results_have_the_recorded_shape() {
        let body = built(&two_parallel_calls("openai/m"));
        let recorded: Value = serde_json::from_str(include_str!(
            "../../../tests/it/vectors/sse/openai_responses.request.json"
        ))
        .unwrap();
        let kinds = |input: &Value| -> Vec<(String, String)> {
            let items = input.as_array().unwrap().iter().rev().take(6);
            let kind = |item: &Value, key: &str| item[key].as_str().unwrap_or_default().to_owned();
            items
                .map(|item| (kind(item, "type"), kind(item, "role")))
                .collect()
        };
        assert_eq!(kinds(&body["input"]), kinds(&recorded["input"]));
        for key in ["store", "include", "reasoning", "parallel_tool_calls", "stream"] {
            assert_eq!(body[key], recorded[key], "{key}");
        }
        assert_eq!(
            body["input"][2],
            json!({"type": "function_call", "call_id": "id_one", "name": "bash",
                   "arguments": "{\"command\":\"echo one\"}"})
        );
        assert_eq!(
            body["input"][5],
            json!({"type": "function_call_output", "call_id": "id_two", "output": "two"})
        );
        let tool_keys = |tool: &Value| {
            let mut keys: Vec<String> = tool.as_object().unwrap().keys().cloned().collect();
            keys.sort();
            keys
        };
        assert_eq!(tool_keys(&body["tools"][0]), tool_keys(&recorded["tools"][0]));
    }

    fn with_items(reasoning_item: Option<Value>) -> (Value, Value) {
        let own = |json: Value| Protocol::OpenAiResponses.native(&"openai/m".parse().unwrap(), json);
        let call_item = json!({"id": "fc_1", "type": "function_call", "status": "completed", "name": "read",
                               "call_id": "call_1", "arguments": "{\"a\": 1}"});
        let mut part = tool_part("read", "{\"a\": 1}", Some("call_1"), "out");
        part.native = Some(own(call_item.clone()));
        let parts = vec![reasoning("hm", reasoning_item.map(own)), PartBody::Tool(part)];
        (
            built(&request("openai/m", vec![user("x"), reply(parts)])),
            call_item,
        )
    }

    #[test]
    fn items_go_back_as_they_came() {
        let item = json!({"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "x"});
        let (body, call_item) = with_items(Some(item.clone()));
        assert_eq!(body["input"][1], item);
        assert_eq!(body["input"][2], call_item);
    }

    #[test]
    fn a_call_whose_reasoning_is_lost_is_written_anew() {
        let (body, _) = with_items(None);
        assert_eq!(body["input"][1]["type"], "function_call");
        assert!(body["input"][1].get("id").is_none());
    }

    #[test]
    fn messages_of_one_speaker_in_a_row_become_one() {
        let native = Protocol::OpenAiResponses.native(
            &"openai/m".parse().unwrap(),
            json!({"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
                   "content": [{"type": "output_text", "text": "own", "annotations": []}]}),
        );
        let own = reply(vec![PartBody::Text(crate::conversation::TextPart {
            text: "own".to_owned(),
            native: Some(native),
        })]);
        let body = built(&request(
            "openai/m",
            vec![
                user("x"),
                user("y"),
                reply(vec![text("a")]),
                reply(vec![text("b")]),
                own,
                user("z"),
            ],
        ));
        let input = body["input"].as_array().unwrap();
        assert_eq!(input.len(), 4);
        assert_eq!(input[0]["content"].as_array().unwrap().len(), 2);
        assert_eq!(
            input[1],
            json!({"type": "message", "role": "assistant", "content": "a\n\nb"})
        );
        assert_eq!(input[2]["id"], "msg_1");
    }

    #[test]
    fn a_call_with_a_decorated_name_goes_back_under_the_name_of_its_tool() {
        let item = json!({"id": "fc_1", "type": "function_call", "status": "completed", "name": "functions.read",
                          "call_id": "call_1", "arguments": "{}"});
        let mut part = tool_part("read", "{}", Some("call_1"), "out");
        part.native = Some(Protocol::OpenAiResponses.native(&"openai/m".parse().unwrap(), item));
        let body = built(&request(
            "openai/m",
            vec![user("x"), reply(vec![PartBody::Tool(part)])],
        ));
        assert_eq!(body["input"][1]["name"], "read");
    }

    #[test]
    fn images_and_documents_are_parts() {
        let body = built(&request("openai/m", vec![user_with_image()]));
        let content = &body["input"][0]["content"];
        assert_eq!(content[1]["image_url"], "data:image/png;base64,aW1n");
        assert_eq!(content[1]["detail"], "auto");
        assert_eq!(content[2]["filename"], "b.pdf");
    }

    #[test]
    fn a_model_that_does_not_reason_is_not_asked_to() {
        let request = request("openai/m", vec![user("x"), reply(vec![text("y")]), user("z")]);
        let settings = ProviderSettings::new(Protocol::OpenAiResponses, "https://api.openai.com/v1");
        let body = body_of(&Ask {
            request: &request,
            model: &model("openai/m"),
            settings: &settings,
            adjustments: &crate::provider::adjustment::Adjustments::default(),
        });
        assert!(body.get("reasoning").is_none() && body.get("include").is_none());
        assert_eq!(
            body["input"][1],
            json!({"type": "message", "role": "assistant", "content": "y"})
        );
    }
}
