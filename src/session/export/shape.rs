//! A session as a JSON value. What a retry replaced is left out, as it is in the count of messages.

use serde_json::{Value, json};

use crate::conversation::{CallState, Message, MessageState, Part, PartBody, ToolPart};
use crate::store::SessionRow;
use crate::tool::Registry;

/// Returns `{session, messages}`.
pub(super) fn json(session: &SessionRow, messages: &[Message]) -> Value {
    let registry = Registry::builtin();
    let valid = messages
        .iter()
        .filter(|message| message.state != MessageState::Void);
    let messages: Vec<_> = valid.map(|message| self::message(message, &registry)).collect();
    json!({ "session": session, "messages": messages })
}

fn message(message: &Message, registry: &Registry) -> Value {
    let mut value = json!({ "id": message.id, "role": message.role });
    if let Some(agent) = &message.agent {
        value["agent"] = Value::from(agent.as_str());
    }
    if let Some(model) = &message.model {
        value["model"] = Value::from(model.to_string());
    }
    value["created"] = Value::from(message.created);
    value["state"] = json!(message.state);
    let parts = message.parts.iter().map(|part| self::part(part, registry));
    value["parts"] = parts.collect();
    value
}

fn part(part: &Part, registry: &Registry) -> Value {
    match &part.body {
        PartBody::Text(text) => json!({ "type": "text", "text": text.text }),
        PartBody::Reasoning(reasoning) => json!({ "type": "reasoning", "text": reasoning.text }),
        PartBody::Tool(call) => tool(call, registry),
        PartBody::File(file) => {
            json!({ "type": "file", "path": file.path, "mime": file.mime, "data": file.data })
        }
        PartBody::Notice(notice) => json!({ "type": "notice", "kind": notice.kind, "text": notice.text }),
        PartBody::Context(change) => {
            let mut value = json!(change);
            value["type"] = Value::from("context");
            value
        }
        PartBody::Unknown(value) => value.clone(),
    }
}

fn tool(part: &ToolPart, registry: &Registry) -> Value {
    let args = part
        .args
        .as_ref()
        .map_or_else(|| as_written(&part.raw_args), |args| args.value().into_owned());
    let name = registry.advertised_name(&part.tool, &args);
    let result = part.result();
    let result = result.as_deref();
    let mut value = json!({
        "type": "tool",
        "call": part.call,
        "tool": name,
        "args": args,
        "state": state(part.state),
        "ok": result.is_some_and(|result| result.ok),
        "title": result.map_or("", |result| &result.title),
        "output": result.map_or("", |result| &result.output),
        "details": result.map(|result| &result.details),
        "duration_ms": result.map_or(0, |result| result.duration_ms),
    });
    if !part.inner.is_empty() {
        value["calls"] = part.inner.iter().map(|inner| tool(inner, registry)).collect();
    }
    value
}

/// The interface knows no waiting call: it is one that is under way.
fn state(state: CallState) -> &'static str {
    match state {
        CallState::Pending | CallState::Running => "running",
        CallState::Done => "done",
        CallState::Failed => "failed",
        CallState::Denied => "denied",
        CallState::Cancelled => "cancelled",
        CallState::Interrupted => "interrupted",
    }
}

/// Arguments that never became an object are told as the model wrote them.
fn as_written(raw: &str) -> Value {
    serde_json::from_str(raw).unwrap_or_else(|_| Value::from(raw))
}

#[cfg(test)]
pub(crate) mod fixture {
    use crate::conversation::{
        CallId, CallResult, ErrorKind, Message, MessageId, MessageState, Part, PartBody, ReasoningPart, Role,
        TextPart, ToolPart, Usage,
    };
    use crate::store::{SessionMarks, SessionRow};

    pub(crate) fn row() -> SessionRow {
        SessionRow {
            id: "ses_1".parse().unwrap(),
            title: "fix \x1b[2Jit".into(),
            project: "/p".into(),
            directory: "/p".into(),
            agent: "build".into(),
            model: Some("local/x".parse().unwrap()),
            parent: None,
            created: 1,
            updated: 2,
            messages: 2,
            cost: Some(0.5),
            usage: Usage::default(),
            marks: SessionMarks::default(),
        }
    }

    fn message(role: Role, state: MessageState, bodies: Vec<PartBody>) -> Message {
        let parts = bodies
            .into_iter()
            .zip(1..)
            .map(|(body, seq)| Part { seq, body })
            .collect();
        let id = MessageId::new();
        Message {
            id,
            role,
            state,
            agent: None,
            model: None,
            created: 3,
            parts,
            stop: None,
            usage: None,
        }
    }

    pub(crate) fn call(raw_args: &str, result: Option<CallResult>) -> ToolPart {
        ToolPart {
            call: CallId::new(),
            provider_id: None,
            tool: "no_such_tool".into(),
            raw_args: raw_args.into(),
            args: None,
            state: result
                .as_ref()
                .map_or(crate::conversation::CallState::Pending, CallResult::state),
            result: result.map(Into::into),
            native: None,
            inner: Vec::new(),
        }
    }

    pub(crate) fn messages() -> Vec<Message> {
        let text = |text: &str| {
            PartBody::Text(TextPart {
                text: text.into(),
                native: None,
            })
        };
        let reasoning = PartBody::Reasoning(ReasoningPart {
            text: "hm".into(),
            native: None,
        });
        let denied = CallResult::error(ErrorKind::Denied, "not allowed", None);
        let denied = PartBody::Tool(call(r#"{"a": 1}"#, Some(denied)));
        vec![
            message(Role::User, MessageState::Complete, vec![text("do it")]),
            message(Role::Assistant, MessageState::Void, vec![text("void")]),
            message(
                Role::Assistant,
                MessageState::Complete,
                vec![reasoning, text("done"), denied],
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_the_shape_of_the_interface_and_void_ones_are_left_out() {
        let value = json(&fixture::row(), &fixture::messages());
        assert_eq!(value["session"]["model"], "local/x");
        assert_eq!(value["session"]["cost"], 0.5);
        let messages = value["messages"].as_array().unwrap();
        assert_eq!(messages.len(), 2);
        assert_eq!(messages[0]["role"], "user");
        assert_eq!(messages[0]["parts"], json!([{ "type": "text", "text": "do it" }]));
        assert_eq!(
            messages[1]["parts"][0],
            json!({ "type": "reasoning", "text": "hm" })
        );
        let mut call = messages[1]["parts"][2].clone();
        assert!(call["call"].as_str().unwrap().starts_with("call_"));
        call["call"] = Value::Null;
        assert_eq!(
            call,
            json!({
                "type": "tool", "call": null, "tool": "no_such_tool", "args": { "a": 1 }, "state": "denied", "ok": false,
                "title": "not allowed", "output": "Error: not allowed", "details": { "error": { "kind": "denied" } },
                "duration_ms": 0,
            })
        );
    }

    #[test]
    fn a_call_under_way_runs_and_broken_arguments_are_text() {
        let value = tool(&fixture::call("{\"a\": ", None), &Registry::builtin());
        assert_eq!(
            (&value["state"], &value["args"]),
            (&json!("running"), &json!("{\"a\": "))
        );
    }
}
