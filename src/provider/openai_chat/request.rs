//! The request body of Chat Completions.

use serde_json::{Value, json};

use super::super::adapter::Ask;
use super::super::encoded_turn::{EncodedTurn, push_item};
use super::super::history::{Content, HistoryTurn, ReplyPiece, SentResult, arguments_text};

pub(super) fn body(ask: &Ask<'_>) -> Value {
    let mut body = json!({
        "model": ask.request.model.model,
        "stream": true,
        "stream_options": { "include_usage": true },
    });
    if let Some(temperature) = ask.temperature() {
        body["temperature"] = Value::from(temperature);
    }
    let is_original = ask.is_openai();
    if let Some(limit) = ask.model.max_output {
        body[if is_original {
            "max_completion_tokens"
        } else {
            "max_tokens"
        }] = Value::from(limit);
    }
    if is_original {
        body["store"] = Value::from(false);
        body["prompt_cache_key"] = Value::from(ask.request.session.as_str());
    }
    if !ask.request.tools.is_empty() {
        let tools = ask.request.tools.iter().map(|tool| {
            let function =
                json!({ "name": tool.name, "description": tool.description, "parameters": tool.schema });
            json!({ "type": "function", "function": function })
        });
        body["tools"] = Value::Array(tools.collect());
    }
    body
}

pub(super) fn encode(turn: HistoryTurn<'_>) -> Vec<Value> {
    match turn {
        HistoryTurn::User(content) => vec![user(&content)],
        HistoryTurn::Assistant(said) => assistant(&said).into_iter().collect(),
        HistoryTurn::Results(outcomes) => results(&outcomes),
    }
}

/// The system prompt is the first message.
pub(super) fn write_conversation(ask: &Ask<'_>, turns: &[EncodedTurn], list: &mut String) {
    if !ask.request.system.trim().is_empty() {
        let system = json!({ "role": "system", "content": ask.request.system });
        push_item(list, &system.to_string());
    }
    for turn in turns {
        push_item(list, &turn.json);
    }
}

/// Plain text goes as a string, which every server takes.
fn user(content: &[Content<'_>]) -> Value {
    let content = match content {
        [Content::Text(text)] => Value::from(text.as_ref()),
        content => Value::Array(content.iter().map(content_part).collect()),
    };
    json!({ "role": "user", "content": content })
}

fn content_part(content: &Content<'_>) -> Value {
    match content {
        Content::Text(text) => json!({ "type": "text", "text": text }),
        Content::Image { mime, data } => {
            json!({ "type": "image_url", "image_url": { "url": format!("data:{mime};base64,{data}") } })
        }
        Content::Pdf { name, data } => {
            let data = format!("data:application/pdf;base64,{data}");
            json!({ "type": "file", "file": { "filename": name, "file_data": data } })
        }
    }
}

fn assistant(said: &[ReplyPiece<'_>]) -> Option<Value> {
    let mut texts = Vec::new();
    let mut calls = Vec::new();
    for said in said {
        match said {
            ReplyPiece::Text { text, .. } => texts.push(*text),
            ReplyPiece::Reasoning(_) => {}
            ReplyPiece::Call {
                id, name, raw_args, ..
            } => calls.push(json!({
                "id": id.as_str(),
                "type": "function",
                "function": { "name": name, "arguments": arguments_text(raw_args) },
            })),
        }
    }
    if texts.is_empty() && calls.is_empty() {
        return None;
    }
    let content = if texts.is_empty() {
        Value::Null
    } else {
        Value::from(texts.join("\n"))
    };
    let mut message = json!({ "role": "assistant", "content": content });
    if !calls.is_empty() {
        message["tool_calls"] = Value::Array(calls);
    }
    Some(message)
}

/// A tool's message holds text alone, so images follow all results in a message of the user's.
fn results(outcomes: &[SentResult<'_>]) -> Vec<Value> {
    let mut messages = Vec::with_capacity(outcomes.len());
    let mut attached = Vec::new();
    for outcome in outcomes {
        messages.push(json!({
            "role": "tool",
            "tool_call_id": outcome.id.as_str(),
            "content": outcome.marked_output(),
        }));
        if !outcome.attachments.is_empty() {
            attached.push(
                json!({ "type": "text", "text": format!("Attached to the result of {}:", outcome.name) }),
            );
            attached.extend(outcome.attachments.iter().map(content_part));
        }
    }
    if !attached.is_empty() {
        messages.push(json!({ "role": "user", "content": attached }));
    }
    messages
}

#[cfg(test)]
mod tests {
    use super::super::super::Protocol;
    use super::super::super::sample::{
        assistant, body as build, body_of, model, reasoning, request, settings, text, tool_part,
        two_parallel_calls, user, user_with_image,
    };
    use super::super::super::{ProviderSettings, Request};
    use super::*;
    use crate::conversation::{Attachment, PartBody};

    fn built(request: &Request) -> Value {
        build(Protocol::OpenAiChat, request, &model("local/m"))
    }

    #[test]
    fn parallel_calls_and_results_have_the_recorded_shape() {
        let body = built(&two_parallel_calls("local/m"));
        let recorded: Value = serde_json::from_str(include_str!(
            "../../../tests/it/vectors/sse/openai_chat_2.request.json"
        ))
        .unwrap();
        let (ours, theirs) = (
            body["messages"].as_array().unwrap(),
            recorded["messages"].as_array().unwrap(),
        );
        assert_eq!(ours.len(), theirs.len());
        for (mine, theirs) in ours.iter().zip(theirs) {
            let mut mine: Vec<_> = mine.as_object().unwrap().keys().collect();
            let mut theirs: Vec<_> = theirs.as_object().unwrap().keys().collect();
            mine.sort();
            theirs.sort();
            assert_eq!(mine, theirs);
        }
        assert_eq!(
            ours[2],
            json!({"role": "assistant", "content": "Looking.", "tool_calls": [
                {"id": "id_one", "type": "function",
                 "function": {"name": "bash", "arguments": "{\"command\":\"echo one\"}"}},
                {"id": "id_two", "type": "function",
                 "function": {"name": "bash", "arguments": "{\"command\":\"echo two\"}"}},
            ]})
        );
        assert_eq!(
            ours[4],
            json!({"role": "tool", "tool_call_id": "id_two", "content": "two"})
        );
        assert_eq!(body["stream_options"], recorded["stream_options"]);
        assert_eq!(body["tools"][0]["function"]["name"], "bash");
    }

    #[test]
    fn the_limit_is_named_as_the_server_knows_it() {
        let request = request("local/m", vec![user("x")]);
        let model = model("local/m");
        let named = |base_url: &str| {
            let settings = ProviderSettings {
                base_url: base_url.to_owned(),
                ..settings(Protocol::OpenAiChat)
            };
            let body = body_of(&Ask {
                request: &request,
                model: &model,
                settings: &settings,
            });
            (
                body.get("max_tokens").is_some(),
                body.get("max_completion_tokens").is_some(),
            )
        };
        assert_eq!(named("http://127.0.0.1:8080/v1"), (true, false));
        assert_eq!(named("https://api.openai.com/v1"), (false, true));
        assert_eq!(named("https://x.openai.azure.com/openai/v1"), (false, true));
        assert_eq!(named("https://api.openai.com.evil.example/v1"), (true, false));
    }

    #[test]
    fn images_and_documents_are_parts() {
        let body = built(&request("local/m", vec![user_with_image()]));
        let content = &body["messages"][1]["content"];
        assert_eq!(content[1]["image_url"]["url"], "data:image/png;base64,aW1n");
        assert_eq!(content[2]["file"]["filename"], "b.pdf");
    }

    #[test]
    fn errors_are_marked_in_words_and_images_of_results_follow_them() {
        let mut part = tool_part("read", "", None, "it failed");
        part.result.as_mut().unwrap().change(|result| {
            result.ok = false;
            result.attachments = vec![Attachment {
                mime: "image/png".to_owned(),
                data: "aW1n".to_owned(),
            }];
        });
        let reply = assistant(vec![
            reasoning("secret thoughts", None),
            PartBody::Tool(part.clone()),
            text("t"),
        ]);
        let body = built(&request("local/m", vec![user("x"), reply]));
        let messages = &body["messages"];
        assert_eq!(messages[2]["tool_calls"][0]["id"], part.call.as_str());
        assert_eq!(messages[2]["tool_calls"][0]["function"]["arguments"], "{}");
        assert_eq!(messages[3]["content"], "Error: it failed");
        assert_eq!(messages[4]["content"][1]["type"], "image_url");
        assert!(!body.to_string().contains("secret thoughts"));
    }
}
