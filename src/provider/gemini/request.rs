//! The request body of Gemini.

use serde_json::{Value, json};

use super::super::adapter::Ask;
use super::super::encoded_turn::{EncodedTurn, Speaker, push_message};
use super::super::history::{
    Content, HistoryTurn, ReplyPiece, SentResult, WireId, arguments_object, without_loose_reasoning,
};

/// Stands in for the signature of a call that another model made; newer models refuse a first call without one.
const FOREIGN_SIGNATURE: &str = "skip_thought_signature_validator";

pub(super) fn body(ask: &Ask<'_>) -> Value {
    let mut body = json!({});
    if !ask.request.system.trim().is_empty() {
        body["systemInstruction"] = json!({ "parts": [{ "text": ask.request.system }] });
    }
    if !ask.request.tools.is_empty() {
        let tools = ask.request.tools.iter().map(|tool| {
            json!({ "name": tool.name, "description": tool.description, "parametersJsonSchema": tool.schema })
        });
        body["tools"] = json!([{ "functionDeclarations": tools.collect::<Vec<_>>() }]);
    }
    let mut generation = json!({});
    if let Some(limit) = ask.max_output() {
        generation["maxOutputTokens"] = Value::from(limit);
    }
    if let Some(temperature) = ask.temperature() {
        generation["temperature"] = Value::from(temperature);
    }
    if ask.wants_reasoning() {
        generation["thinkingConfig"] = json!({ "includeThoughts": true });
    }
    if generation
        .as_object()
        .is_some_and(|settings| !settings.is_empty())
    {
        body["generationConfig"] = generation;
    }
    body
}

pub(super) fn encode(ask: &Ask<'_>, turn: HistoryTurn<'_>) -> Vec<Value> {
    let signs = wants_signatures(&ask.request.model.model);
    let (role, parts): (_, Vec<Value>) = match turn {
        HistoryTurn::User(content) => ("user", content.iter().map(content_part).collect()),
        HistoryTurn::Assistant(said) => ("model", model_parts(&without_loose_reasoning(said), signs)),
        HistoryTurn::Results(outcomes) => ("user", results(&outcomes)),
    };
    let content = (!parts.is_empty()).then(|| json!({ "role": role, "parts": parts }));
    content.into_iter().collect()
}

/// Contents of one role in a row become one.
pub(super) fn write_conversation(turns: &[&EncodedTurn], list: &mut String) {
    let mut before = "";
    for turn in turns {
        let head = match turn.speaker {
            Speaker::User | Speaker::Results { .. } => r#"{"role":"user","parts":["#,
            Speaker::Assistant { .. } => r#"{"role":"model","parts":["#,
        };
        push_message(list, &turn.json, head, before == head);
        before = head;
    }
}

/// Signatures are checked from Gemini 3 on.
fn wants_signatures(model: &str) -> bool {
    let version = model.split_once("gemini-").map_or("", |(_, version)| version);
    let major: String = version.chars().take_while(char::is_ascii_digit).collect();
    major.parse::<u32>().is_ok_and(|major| major >= 3)
}

fn model_parts(said: &[ReplyPiece<'_>], signs: bool) -> Vec<Value> {
    let mut has_call = false;
    let parts = said.iter().filter_map(|said| {
        let part = match said {
            ReplyPiece::Reasoning(native) => (*native)?.clone(),
            ReplyPiece::Text {
                native: Some(native), ..
            } => (*native).clone(),
            ReplyPiece::Text { text, native: None } => json!({ "text": text }),
            ReplyPiece::Call {
                id,
                name,
                raw_args,
                native: Some(native),
            } => {
                has_call = true;
                own_call(native, *id, name, raw_args)
            }
            ReplyPiece::Call {
                id,
                name,
                raw_args,
                native: None,
            } => {
                let mut part = new_call(*id, name, raw_args);
                if signs && !has_call {
                    part["thoughtSignature"] = Value::from(FOREIGN_SIGNATURE);
                }
                has_call = true;
                part
            }
        };
        Some(part)
    });
    parts.collect()
}

/// Returns the model's own part. What the API takes back in no other form is written anew: arguments that are no object, a
/// name with a namespace before it, an id that came twice, a signature that is no text.
fn own_call(native: &Value, id: WireId<'_>, name: &str, raw_args: &str) -> Value {
    let mut part = native.clone();
    if let Some(members) = part.as_object_mut() {
        members.retain(|key, value| key != "thoughtSignature" || value.is_string());
    }
    let Some(call) = part.get_mut("functionCall").and_then(Value::as_object_mut) else {
        return new_call(id, name, raw_args);
    };
    if call.get("name").is_none_or(|own| own != name) {
        call.insert("name".to_owned(), Value::from(name));
    }
    if call.get("args").is_some_and(|args| !args.is_object()) {
        call.insert("args".to_owned(), arguments_object(raw_args));
    }
    call.retain(|key, value| key != "id" || value.is_string());
    if let WireId::Given(id) | WireId::Replaced(id) = id {
        call.insert("id".to_owned(), Value::from(id));
    }
    part
}

fn new_call(id: WireId<'_>, name: &str, raw_args: &str) -> Value {
    let mut call = json!({ "name": name, "args": arguments_object(raw_args) });
    put_id(&mut call, id);
    json!({ "functionCall": call })
}

fn results(outcomes: &[SentResult<'_>]) -> Vec<Value> {
    let responses = outcomes.iter().map(|outcome| {
        let key = if outcome.ok { "output" } else { "error" };
        let mut response = json!({ "name": outcome.name, "response": { key: outcome.output } });
        put_id(&mut response, outcome.id);
        json!({ "functionResponse": response })
    });
    let attached = outcomes
        .iter()
        .flat_map(|outcome| outcome.attachments.iter().map(content_part));
    responses.chain(attached).collect()
}

/// Names an id only where the model gave one, be it one that had to be replaced: it knows no others.
fn put_id(object: &mut Value, id: WireId<'_>) {
    if let WireId::Given(id) | WireId::Replaced(id) = id {
        object["id"] = Value::from(id);
    }
}

fn content_part(content: &Content<'_>) -> Value {
    match content {
        Content::Text(text) => json!({ "text": text }),
        Content::Image { mime, data } => json!({ "inlineData": { "mimeType": mime, "data": data } }),
        Content::Pdf { data, .. } => json!({ "inlineData": { "mimeType": "application/pdf", "data": data } }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Protocol;
    use super::super::super::Request;
    use super::super::super::sample::{
        assistant, body as build, call, model, request, tool_part, two_parallel_calls, user, user_with_image,
    };
    use super::*;
    use crate::conversation::PartBody;

    fn built(name: &str, request: &Request) -> Value {
        build(Protocol::Gemini, request, &model(name))
    }

    #[test]
    fn parallel_calls_and_results_have_the_recorded_shape() {
        let body = built("gemini/gemini-3-pro", &two_parallel_calls("gemini/gemini-3-pro"));
        let recorded: Value =
            serde_json::from_str(include_str!("../../../tests/it/vectors/sse/gemini.request.json")).unwrap();
        assert_eq!(body["contents"].as_array().unwrap().len(), 3);
        assert_eq!(
            body["contents"][0],
            json!({"role": "user", "parts": [{"text": "say hello please"}]})
        );
        let signature = &recorded["contents"][1]["parts"][1]["thoughtSignature"];
        assert_eq!(
            body["contents"][1],
            json!({"role": "model", "parts": [
                {"text": "Looking."},
                {"functionCall": {"id": "id_one", "name": "bash", "args": {"command": "echo one"}},
                 "thoughtSignature": signature},
                {"functionCall": {"id": "id_two", "name": "bash", "args": {"command": "echo two"}}},
            ]})
        );
        let response = |id: &str, output: &str| json!({"functionResponse": {"name": "bash", "response": {"output": output}, "id": id}});
        assert_eq!(
            body["contents"][2],
            json!({"role": "user", "parts": [response("id_one", "one"), response("id_two", "two")]})
        );
        let tool_keys = |body: &Value| {
            let tool = body["tools"][0]["functionDeclarations"][0].as_object().unwrap();
            tool.keys().cloned().collect::<Vec<_>>()
        };
        assert_eq!(tool_keys(&body), tool_keys(&recorded));
    }

    #[test]
    fn a_call_without_an_id_stays_without_one_and_its_part_goes_back_whole() {
        let part = json!({"functionCall": {"name": "read", "args": {}}, "thoughtSignature": "c2ln"});
        let mut own = tool_part("read", "{}", None, "Error: no");
        own.native = Some(Protocol::Gemini.native(&"gemini/m".parse().unwrap(), part.clone()));
        let reply = assistant(vec![PartBody::Tool(own), call("read", "", None, "ok")]);
        let body = built("gemini/m", &request("gemini/m", vec![user("x"), reply]));
        assert_eq!(body["contents"][1]["parts"][0], part);
        assert_eq!(
            body["contents"][1]["parts"][1],
            json!({"functionCall": {"name": "read", "args": {}}})
        );
        let results = &body["contents"][2]["parts"];
        assert_eq!(
            results[0]["functionResponse"],
            json!({"name": "read", "response": {"error": "Error: no"}})
        );
    }

    #[test]
    fn two_calls_with_one_id_get_two() {
        let part =
            |path: &str| json!({"functionCall": {"id": "same", "name": "read", "args": {"file_path": path}}});
        let calls = ["a", "b"].map(|path| {
            let mut own = tool_part("read", "{}", Some("same"), "ok");
            own.native = Some(Protocol::Gemini.native(&"gemini/m".parse().unwrap(), part(path)));
            PartBody::Tool(own)
        });
        let body = built(
            "gemini/m",
            &request("gemini/m", vec![user("x"), assistant(calls.into())]),
        );
        let ids = |content: &Value, key: &str| -> Vec<String> {
            let parts = content["parts"].as_array().unwrap().iter();
            parts
                .map(|part| part[key]["id"].as_str().unwrap().to_owned())
                .collect()
        };
        let calls = ids(&body["contents"][1], "functionCall");
        assert_eq!(calls, ids(&body["contents"][2], "functionResponse"));
        assert_eq!(calls[0], "same");
        assert_ne!(calls[0], calls[1]);
        assert_eq!(
            body["contents"][1]["parts"][1]["functionCall"]["args"],
            json!({"file_path": "b"})
        );
    }

    #[test]
    fn a_call_that_the_api_would_not_take_back_is_written_anew() {
        for (call, expected) in [
            (
                json!({"name": "read", "args": "{\"a\": "}),
                json!({"name": "read", "args": {"invalid_json": "\"{\\\"a\\\": \""}}),
            ),
            (
                json!({"name": "read", "args": [1]}),
                json!({"name": "read", "args": {"invalid_json": "[1]"}}),
            ),
            (
                json!({"name": "read", "args": null}),
                json!({"name": "read", "args": {"invalid_json": "null"}}),
            ),
            (
                json!({"id": 5, "name": "default_api:read", "args": {"a": 1}}),
                json!({"name": "read", "args": {"a": 1}}),
            ),
        ] {
            let raw_args = call["args"].to_string();
            let mut own = tool_part("read", &raw_args, None, "Error: no");
            let part = json!({"functionCall": call, "thoughtSignature": "c2ln"});
            own.native = Some(Protocol::Gemini.native(&"gemini/m".parse().unwrap(), part));
            let reply = assistant(vec![PartBody::Tool(own)]);
            let body = built("gemini/m", &request("gemini/m", vec![user("x"), reply]));
            assert_eq!(
                body["contents"][1]["parts"][0],
                json!({"functionCall": expected, "thoughtSignature": "c2ln"})
            );
        }
    }

    #[test]
    fn images_and_documents_are_inline_data() {
        let body = built("gemini/m", &request("gemini/m", vec![user_with_image()]));
        let parts = &body["contents"][0]["parts"];
        assert_eq!(
            parts[1],
            json!({"inlineData": {"mimeType": "image/png", "data": "aW1n"}})
        );
        assert_eq!(parts[2]["inlineData"]["mimeType"], "application/pdf");
    }

    #[test]
    fn signatures_are_for_the_models_that_check_them() {
        assert!(wants_signatures("gemini-3.1-pro-preview") && wants_signatures("models/gemini-12"));
        assert!(!wants_signatures("gemini-2.5-pro") && !wants_signatures("gemma"));
    }
}
