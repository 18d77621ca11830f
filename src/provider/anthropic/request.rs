//! The request body of Anthropic Messages.

use serde_json::{Value, json};

use super::super::adapter::Ask;
use super::super::encoded_turn::{EncodedTurn, Speaker, push_item};
use super::super::history::{
    Content, HistoryTurn, ReplyPiece, SentResult, arguments_object, without_loose_reasoning,
};
use super::super::{Thinking, ToolSpec};

/// Tokens an older model may think, where its output has room for it.
const THINKING_BUDGET: u64 = 8192;

pub(super) fn body(ask: &Ask<'_>, conversation: &[&EncodedTurn]) -> Value {
    let mut body = json!({
        "model": ask.request.model.model,
        "max_tokens": ask.output(),
        "stream": true,
    });
    if let Some(thinking) = thinking(ask, conversation) {
        body["thinking"] = thinking;
    } else if let Some(temperature) = ask.temperature() {
        // A reply that is thought about has none.
        body["temperature"] = Value::from(temperature.min(1.0));
    }
    if !ask.request.system.trim().is_empty() {
        body["system"] = json!([marked(json!({ "type": "text", "text": ask.request.system }))]);
    }
    if !ask.request.tools.is_empty() {
        body["tools"] = tools(&ask.request.tools);
    }
    body
}

fn thinking(ask: &Ask<'_>, turns: &[&EncodedTurn]) -> Option<Value> {
    if !ask.wants_reasoning() {
        return None;
    }
    if ask.model.thinking == Thinking::Adaptive {
        // Newer models leave the text of their thinking out unless it is asked for.
        return Some(json!({ "type": "adaptive", "display": "summarized" }));
    }
    let budget = THINKING_BUDGET.min(ask.output() / 2);
    let is_possible = budget >= 1024 && !is_within_unthinking_steps(turns);
    is_possible.then(|| json!({ "type": "enabled", "budget_tokens": budget }))
}

/// Returns true if the reply goes on with calls that were made without thinking: with a budget, the first step of a
/// turn has to begin with a thinking block, which another model's or a cut reply's lacks.
fn is_within_unthinking_steps(turns: &[&EncodedTurn]) -> bool {
    let mut steps = turns
        .iter()
        .rev()
        .take_while(|turn| turn.speaker != Speaker::User);
    steps.any(|turn| turn.speaker == Speaker::Assistant { thinks: false })
}

fn tools(tools: &[ToolSpec]) -> Value {
    let last = tools.len() - 1;
    let tools = tools.iter().enumerate().map(|(place, tool)| {
        let tool = json!({ "name": tool.name, "description": tool.description, "input_schema": tool.schema });
        if place == last { marked(tool) } else { tool }
    });
    Value::Array(tools.collect())
}

pub(super) fn encode(turn: HistoryTurn<'_>) -> Vec<Value> {
    match turn {
        HistoryTurn::User(content) => content.iter().map(content_block).collect(),
        HistoryTurn::Results(outcomes) => outcomes.iter().map(result_block).collect(),
        HistoryTurn::Assistant(said) => without_loose_reasoning(said)
            .iter()
            .filter_map(reply_block)
            .collect(),
    }
}

/// Puts blocks together to messages. What the user says after results belongs into the message of the results. The last
/// two messages of the user's are marked.
pub(super) fn write_conversation(turns: &[&EncodedTurn], list: &mut String) {
    let mut messages: Vec<(&'static str, Vec<&str>)> = Vec::new();
    for turn in turns {
        let role = match turn.speaker {
            Speaker::User | Speaker::Results { .. } => "user",
            Speaker::Assistant { .. } => "assistant",
        };
        match messages.last_mut() {
            Some((before, blocks)) if *before == role => blocks.push(&turn.json),
            _ => messages.push((role, vec![&turn.json])),
        }
    }
    let users = messages.iter().filter(|(role, _)| *role == "user").count();
    let mut seen = 0;
    for (role, blocks) in messages {
        let is_user = role == "user";
        seen += usize::from(is_user);
        list.push_str(if list.ends_with('[') { "" } else { "," });
        list.push_str("{\"role\":\"");
        list.push_str(role);
        list.push_str("\",\"content\":[");
        for block in blocks {
            push_item(list, block);
        }
        if is_user && seen + 2 > users {
            // The last block is an object.
            list.pop();
            list.push_str(",\"cache_control\":{\"type\":\"ephemeral\"}}");
        }
        list.push_str("]}");
    }
}

fn reply_block(said: &ReplyPiece<'_>) -> Option<Value> {
    let block = match said {
        ReplyPiece::Text { text, .. } => json!({ "type": "text", "text": text }),
        ReplyPiece::Reasoning(native) => (*native)?.clone(),
        ReplyPiece::Call {
            id, name, raw_args, ..
        } => {
            json!({ "type": "tool_use", "id": id.as_str(), "name": name, "input": arguments_object(raw_args) })
        }
    };
    Some(block)
}

fn result_block(outcome: &SentResult<'_>) -> Value {
    let mut block = json!({ "type": "tool_result", "tool_use_id": outcome.id.as_str() });
    if !outcome.attachments.is_empty() {
        let output =
            (!outcome.output.trim().is_empty()).then(|| json!({ "type": "text", "text": outcome.output }));
        let blocks = output
            .into_iter()
            .chain(outcome.attachments.iter().map(content_block));
        block["content"] = Value::Array(blocks.collect());
    } else if !outcome.output.trim().is_empty() {
        block["content"] = Value::from(outcome.output);
    }
    block["is_error"] = Value::from(!outcome.ok);
    block
}

fn content_block(content: &Content<'_>) -> Value {
    let source = |mime: &str, data: &str| json!({ "type": "base64", "media_type": mime, "data": data });
    match content {
        Content::Text(text) => json!({ "type": "text", "text": text }),
        Content::Image { mime, data } => json!({ "type": "image", "source": source(mime, data) }),
        Content::Pdf { data, .. } => json!({ "type": "document", "source": source("application/pdf", data) }),
    }
}

fn marked(mut block: Value) -> Value {
    block["cache_control"] = json!({ "type": "ephemeral" });
    block
}

#[cfg(test)]
mod tests {
    use super::super::super::Protocol;
    use super::super::super::sample::{
        assistant, body as build, call, model, reasoning, request, text, tool_part, two_parallel_calls, user,
        user_with_image,
    };
    use super::*;
    use crate::conversation::{Attachment, PartBody};

    fn built(request: &super::super::super::Request) -> Value {
        build(Protocol::Anthropic, request, &model("anthropic/m"))
    }

    #[test]
    fn parallel_calls_and_results_have_the_recorded_shape() {
        let body = built(&two_parallel_calls("anthropic/m"));
        let recorded: Value = serde_json::from_str(include_str!(
            "../../../tests/it/vectors/sse/anthropic.request.json"
        ))
        .unwrap();
        let ours = &body["messages"];
        assert_eq!(ours.as_array().unwrap().len(), 3);
        let keys = |value: &Value| {
            let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
            keys.sort();
            keys
        };
        for (mine, theirs) in [
            (&ours[1], &recorded["messages"][2]),
            (&ours[2], &recorded["messages"][3]),
        ] {
            assert_eq!(mine["role"], theirs["role"]);
            let (mine, theirs) = (
                mine["content"].as_array().unwrap(),
                theirs["content"].as_array().unwrap(),
            );
            assert_eq!(mine.len(), theirs.len());
            for (mine, theirs) in mine.iter().zip(theirs) {
                assert_eq!((keys(mine), &mine["type"]), (keys(theirs), &theirs["type"]));
            }
        }
        assert_eq!(
            ours[2]["content"],
            json!([
                {"type": "tool_result", "tool_use_id": "id_one", "content": "one", "is_error": false},
                {"type": "tool_result", "tool_use_id": "id_two", "content": "two", "is_error": false,
                 "cache_control": {"type": "ephemeral"}},
            ])
        );
        assert_eq!(ours[1]["content"][1]["input"], json!({"command": "echo one"}));
    }

    #[test]
    fn marks_stand_at_tools_system_and_the_last_two_user_messages() {
        let mut messages = vec![user("first"), assistant(vec![text("ok")])];
        messages.extend([
            user("second"),
            assistant(vec![call("bash", "{}", Some("a"), "done")]),
            user("third"),
        ]);
        let body = built(&request("anthropic/m", messages));
        let is_marked = |value: &Value| value.get("cache_control").is_some();
        assert!(
            is_marked(&body["tools"][1]) && !is_marked(&body["tools"][0]) && is_marked(&body["system"][0])
        );
        let messages = body["messages"].as_array().unwrap();
        assert_eq!(messages.len(), 5);
        let marked = messages
            .iter()
            .map(|message| is_marked(message["content"].as_array().unwrap().last().unwrap()));
        assert_eq!(marked.collect::<Vec<_>>(), [false, false, true, false, true]);
        // The third prompt joined the results.
        assert_eq!(messages[4]["content"][0]["type"], "tool_result");
        assert_eq!(body.to_string().matches("cache_control").count(), 4);
    }

    #[test]
    fn signed_thinking_goes_back_byte_for_byte_and_the_rest_is_left_out() {
        let block = json!({"type": "thinking", "thinking": "hm", "signature": "c2ln"});
        let native = Protocol::Anthropic.native(&"anthropic/m".parse().unwrap(), block.clone());
        let signed = assistant(vec![
            reasoning("hm", Some(native)),
            text("a"),
            reasoning("lost", None),
        ]);
        let body = built(&request("anthropic/m", vec![user("x"), signed, user("y")]));
        assert_eq!(
            body["messages"][1]["content"],
            json!([block, {"type": "text", "text": "a"}])
        );
    }

    #[test]
    fn images_documents_and_files_are_blocks() {
        let body = built(&request("anthropic/m", vec![user_with_image()]));
        let content = &body["messages"][0]["content"];
        assert_eq!(
            content[1]["source"],
            json!({"type": "base64", "media_type": "image/png", "data": "aW1n"})
        );
        assert_eq!(content[2]["type"], "document");
        assert_eq!(content[3]["text"], "<file path=\"c.rs\">\nfn c() {}\n</file>");
    }

    #[test]
    fn a_failed_result_with_an_image_is_marked_and_holds_both() {
        let mut part = tool_part("read", "{broken", Some("a"), "Error: no");
        let attachment = Attachment {
            mime: "image/png".to_owned(),
            data: "aW1n".to_owned(),
        };
        part.result
            .as_mut()
            .unwrap()
            .change(|result| result.attachments.push(attachment));
        let body = built(&request(
            "anthropic/m",
            vec![user("x"), assistant(vec![PartBody::Tool(part)])],
        ));
        let result = &body["messages"][2]["content"][0];
        assert_eq!(
            (&result["is_error"], &result["content"][1]["type"]),
            (&json!(true), &json!("image"))
        );
        assert_eq!(
            body["messages"][1]["content"][0]["input"],
            json!({"invalid_json": "{broken"})
        );
    }

    #[test]
    fn thinking_is_asked_for_as_the_model_wants_it() {
        let mut model = model("anthropic/m");
        let plain = two_parallel_calls("anthropic/m");
        assert!(
            build(Protocol::Anthropic, &plain, &model)
                .get("thinking")
                .is_none()
        );
        model.reasoning = true;
        assert_eq!(
            build(Protocol::Anthropic, &plain, &model)["thinking"]["type"],
            "adaptive"
        );
        model.thinking = Thinking::Budget;
        // The calls were made without thinking.
        assert!(
            build(Protocol::Anthropic, &plain, &model)
                .get("thinking")
                .is_none()
        );
        let fresh = request("anthropic/m", vec![user("hi")]);
        assert_eq!(
            build(Protocol::Anthropic, &fresh, &model)["thinking"]["budget_tokens"],
            8192
        );
    }
}
