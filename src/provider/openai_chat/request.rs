//! The request body of Chat Completions.

use serde_json::{Map, Value, json};

use super::super::adapter::Ask;
use super::super::adjustment::Adjustments;
use super::super::encoded_turn::{EncodedTurn, Speaker, push_item};
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
    if let Some(limit) = ask.max_output() {
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

pub(super) fn encode(ask: &Ask<'_>, turn: HistoryTurn<'_>) -> Vec<Value> {
    match turn {
        HistoryTurn::User(content) => vec![user(&content)],
        HistoryTurn::Assistant(said) => assistant(&said, ask.adjustments).into_iter().collect(),
        HistoryTurn::Results(outcomes) => results(&outcomes),
    }
}

/// Message of the model between results and what the user says after them: several chat templates take no user's message
/// there.
const BETWEEN: &str = r#"{"role":"assistant","content":"I have the results."}"#;

/// The system prompt is the first message. After it a user's message and one of the model follow each other: two of one
/// speaker are joined.
pub(super) fn write_conversation(ask: &Ask<'_>, turns: &[&EncodedTurn], list: &mut String) {
    if !ask.request.system.trim().is_empty() {
        let system = json!({ "role": "system", "content": ask.request.system });
        push_item(list, &system.to_string());
    }
    let speaks_on = |one: &&EncodedTurn, next: &&EncodedTurn| {
        last_role(one) == first_role(next) && first_role(next) != Role::Tool
    };
    let mut before = Role::User;
    for run in turns.chunk_by(speaks_on) {
        if before == Role::Tool && run.first().is_some_and(|first| first_role(first) == Role::User) {
            push_item(list, BETWEEN);
        }
        match run {
            [turn] => push_item(list, &turn.json),
            run => {
                for message in joined(run) {
                    push_item(list, &message.to_string());
                }
            }
        }
        before = run.last().map_or(before, |turn| last_role(turn));
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    User,
    Assistant,
    Tool,
}

fn first_role(turn: &EncodedTurn) -> Role {
    match turn.speaker {
        Speaker::User => Role::User,
        Speaker::Assistant { .. } => Role::Assistant,
        Speaker::Results { .. } => Role::Tool,
    }
}

/// Pictures of results are in a message of the user's after them.
fn last_role(turn: &EncodedTurn) -> Role {
    match turn.speaker {
        Speaker::Results { attaches: true } => Role::User,
        _ => first_role(turn),
    }
}

/// Returns the messages of turns of which each begins with the speaker that the one before ended with.
fn joined(run: &[&EncodedTurn]) -> Vec<Value> {
    let mut messages: Vec<Value> = Vec::new();
    for turn in run {
        let mut own = turn.values().into_iter();
        if let Some(last) = messages.last_mut() {
            own.by_ref().take(1).for_each(|first| join(last, first));
        }
        messages.extend(own);
    }
    messages
}

/// Adds a message to one of the same speaker.
fn join(message: &mut Value, more: Value) {
    let Value::Object(more) = more else { return };
    for (name, value) in more {
        match (&mut message[&name], value) {
            (_, Value::Null) => {}
            (whole @ Value::Null, value) => *whole = value,
            (Value::Array(whole), Value::Array(value)) => whole.extend(value),
            (Value::String(whole), Value::String(value)) if name == "content" => {
                whole.push_str("\n\n");
                whole.push_str(&value);
            }
            (whole, value) if name == "content" => {
                let parts = [std::mem::take(whole), value].into_iter().flat_map(content_parts);
                *whole = Value::Array(parts.collect());
            }
            // Of what the protocol does not name, the later reply's counts.
            (whole, value) => *whole = value,
        }
    }
}

fn content_parts(content: Value) -> Vec<Value> {
    match content {
        Value::Array(parts) => parts,
        content => vec![json!({ "type": "text", "text": content })],
    }
}

/// Plain text goes as a string, which every server takes.
fn user(content: &[Content<'_>]) -> Value {
    let texts: Option<Vec<&str>> = content.iter().map(plain_text).collect();
    let content = match texts {
        Some(texts) => Value::from(texts.join("\n\n")),
        None => Value::Array(content.iter().map(content_part).collect()),
    };
    json!({ "role": "user", "content": content })
}

fn plain_text<'a>(content: &'a Content<'_>) -> Option<&'a str> {
    match content {
        Content::Text(text) => Some(text),
        Content::Image { .. } | Content::Pdf { .. } => None,
    }
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

fn assistant(said: &[ReplyPiece<'_>], adjustments: &Adjustments) -> Option<Value> {
    let mut texts = Vec::new();
    let mut calls = Vec::new();
    let mut extras = Vec::new();
    for said in said {
        match said {
            ReplyPiece::Text { text, .. } => texts.push(*text),
            ReplyPiece::Reasoning(native) => extras.extend(native.and_then(Value::as_object)),
            ReplyPiece::Call {
                id,
                name,
                raw_args,
                native,
            } => {
                let mut call = json!({
                    "id": id.as_str(),
                    "type": "function",
                    "function": { "name": name, "arguments": arguments_text(raw_args) },
                });
                add_members(&mut call, native.and_then(Value::as_object), adjustments);
                calls.push(call);
            }
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
    for members in extras {
        add_members(&mut message, Some(members), adjustments);
    }
    Some(message)
}

/// Adds the members that came with a message or a call, without changing those that are there.
fn add_members(object: &mut Value, members: Option<&Map<String, Value>>, adjustments: &Adjustments) {
    for (name, value) in members.into_iter().flatten() {
        match (object.get_mut(name), value) {
            (Some(own @ Value::Object(_)), Value::Object(inner)) => {
                add_members(own, Some(inner), adjustments);
            }
            (None, value) if adjustments.sends(name) => object[name] = value.clone(),
            _ => {}
        }
    }
}

/// A tool's message holds text alone, so images follow all results in a message of the user's.
fn results(outcomes: &[SentResult<'_>]) -> Vec<Value> {
    let mut messages = Vec::with_capacity(outcomes.len());
    let mut attached: Vec<Content<'_>> = Vec::new();
    for outcome in outcomes {
        messages.push(json!({
            "role": "tool",
            "tool_call_id": outcome.id.as_str(),
            "content": outcome.marked_output(),
        }));
        if !outcome.attachments.is_empty() {
            let words = format!("Attached to the result of {}:", outcome.name);
            attached.push(Content::Text(words.into()));
            attached.extend(outcome.attachments.iter().cloned());
        }
    }
    if !attached.is_empty() {
        messages.extend(serde_json::from_str::<Value>(BETWEEN));
        messages.push(user(&attached));
    }
    messages
}

#[cfg(test)]
mod tests {
    use super::super::super::Protocol;
    use super::super::super::sample::{
        assistant, body as build, body_of, call, model, reasoning, request, settings, text, tool_part,
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

    fn roles(messages: &Value) -> Vec<&str> {
        let messages = messages.as_array().unwrap().iter();
        messages
            .map(|message| message["role"].as_str().unwrap())
            .collect()
    }

    #[test]
    fn speakers_alternate_whatever_the_conversation_is() {
        let call = || assistant(vec![call("bash", "{}", Some("c"), "done")]);
        let body = built(&request(
            "local/m",
            vec![
                user("one"),
                user_with_image(),
                user("two"),
                assistant(vec![text("a")]),
                assistant(vec![text("b")]),
                call(),
                user("three"),
                user("four"),
            ],
        ));
        let messages = &body["messages"];
        assert_eq!(
            roles(messages),
            ["system", "user", "assistant", "tool", "assistant", "user"]
        );
        assert_eq!(messages[1]["content"][0]["text"], "one");
        assert_eq!(messages[1]["content"][2]["type"], "image_url");
        assert_eq!(messages[1]["content"][5]["text"], "two");
        assert_eq!(messages[2]["content"], "a\n\nb");
        assert_eq!(messages[2]["tool_calls"].as_array().unwrap().len(), 1);
        assert_eq!(messages[5]["content"], "three\n\nfour");
        let body = built(&request(
            "local/m",
            vec![user(" "), assistant(vec![text("a")]), user("b")],
        ));
        assert_eq!(roles(&body["messages"]), ["system", "user", "assistant", "user"]);
    }

    #[test]
    fn members_of_a_reply_go_back_to_the_model_that_made_them() {
        let own = |json: Value| Protocol::OpenAiChat.native(&"local/m".parse().unwrap(), json);
        let mut part = tool_part("read", "{}", Some("c"), "ok");
        part.native = Some(own(
            json!({"extra_content": {"s": "x"}, "function": {"strict": true}, "id": "other"}),
        ));
        let members = json!({"reasoning_content": "hm", "role": "user", "content": "no"});
        let reply = assistant(vec![
            reasoning("hm", None),
            PartBody::Tool(part),
            reasoning("", Some(own(members))),
        ]);
        let sent = |name: &str| built(&request(name, vec![user("x"), reply.clone()]))["messages"][2].clone();
        let message = sent("local/m");
        assert_eq!(message["reasoning_content"], "hm");
        assert_eq!(
            (&message["role"], &message["content"]),
            (&json!("assistant"), &Value::Null)
        );
        assert_eq!(
            message["tool_calls"][0],
            json!({"id": "c", "type": "function", "function": {"name": "read", "arguments": "{}", "strict": true},
                   "extra_content": {"s": "x"}})
        );
        let other = sent("local/other");
        assert!(other.get("reasoning_content").is_none(), "{other}");
        assert!(other["tool_calls"][0].get("extra_content").is_none(), "{other}");
    }

    #[test]
    fn the_limit_leaves_room_for_the_prompt() {
        let mut model = model("local/m");
        (model.context, model.output, model.max_output) = (32_768, 32_768, Some(32_768));
        let limit = |prompt: u64| {
            let mut request = request("local/m", vec![user("x")]);
            request.prompt = prompt;
            build(Protocol::OpenAiChat, &request, &model)["max_tokens"]
                .as_u64()
                .unwrap()
        };
        for prompt in [0, 8_000, 20_000, 28_000] {
            assert!(
                limit(prompt) + prompt * 21 / 20 <= 32_768,
                "{prompt}: {}",
                limit(prompt)
            );
        }
        assert_eq!(limit(32_768), 1024);
        model.output = 4_096;
        model.max_output = Some(4_096);
        let request = request("local/m", vec![user("x")]);
        assert_eq!(build(Protocol::OpenAiChat, &request, &model)["max_tokens"], 4_096);
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
                adjustments: &Adjustments::default(),
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
        let id = messages[2]["tool_calls"][0]["id"].as_str().unwrap();
        assert!(part.call.as_str().ends_with(id) && id.len() == 9, "{id}");
        assert_eq!(messages[2]["tool_calls"][0]["function"]["arguments"], "{}");
        assert_eq!(messages[3]["content"], "Error: it failed");
        assert_eq!(messages[4]["role"], "assistant");
        assert_eq!(messages[5]["content"][1]["type"], "image_url");
        assert!(!body.to_string().contains("secret thoughts"));
    }
}
