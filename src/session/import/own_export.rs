//! Lathe's own export. What a provider alone can read (signatures of thoughts) is not in it.

use serde_json::Value;

use super::conversation::{ImportedConversation, ImportedResult, file, moment, notice, reasoning};
use crate::conversation::{ModelRef, PartBody};

/// Reads what is said of the session. Its directory, agent and rules are another session's.
pub(super) fn read_session(session: &Value, conversation: &mut ImportedConversation) {
    conversation.set_title(&session["title"]);
    conversation.note_place(&session["directory"]);
    conversation.set_model(&session["model"]);
}

/// Reads a message.
pub(super) fn read(message: &Value, conversation: &mut ImportedConversation) {
    let created = moment(&message["created"]);
    let parts = message["parts"].as_array().into_iter().flatten();
    let id = message["id"].as_str().unwrap_or_default();
    let model: Option<ModelRef> = message["model"].as_str().and_then(|name| name.parse().ok());
    conversation.end_reply();
    if message["role"] == "user" {
        return user(created, parts, conversation);
    }
    for part in parts {
        match part["type"].as_str().unwrap_or_default() {
            "tool" => call((id, created, model.clone()), part, conversation),
            _ => {
                if let Some(body) = body(part, conversation) {
                    conversation.assistant(id, created, model.clone(), body);
                }
            }
        }
    }
}

fn user<'a>(created: i64, parts: impl Iterator<Item = &'a Value>, conversation: &mut ImportedConversation) {
    let mut bodies = Vec::new();
    for part in parts {
        if part["type"] == "tool" {
            // A command of the person's own.
            let command = part["args"]["command"].as_str().unwrap_or_default();
            bodies.push(PartBody::text(format!(
                "!{command}\n{}",
                part["output"].as_str().unwrap_or_default()
            )));
        } else {
            bodies.extend(body(part, conversation));
        }
    }
    conversation.user(created, bodies);
}

fn body(part: &Value, conversation: &mut ImportedConversation) -> Option<PartBody> {
    let words = || part["text"].as_str().unwrap_or_default();
    match part["type"].as_str().unwrap_or_default() {
        "text" => Some(PartBody::text(words())),
        "reasoning" => Some(reasoning(words())),
        "notice" => Some(notice(words().to_owned())),
        "file" => {
            let field = |name: &str| part[name].as_str().unwrap_or_default();
            Some(file(field("path"), field("mime"), field("data")))
        }
        "context" => {
            conversation.leave_out("marks of compactions");
            None
        }
        _ => {
            conversation.leave_out("parts of unknown kinds");
            None
        }
    }
}

fn call(reply: (&str, i64, Option<ModelRef>), part: &Value, conversation: &mut ImportedConversation) {
    let id = part["call"].as_str().unwrap_or_default();
    let tool = part["tool"].as_str().unwrap_or_default();
    conversation.call(reply, id, tool, part["args"].clone());
    if part["calls"].is_array() {
        conversation.leave_out("calls inside others");
    }
    if part["state"] == "running" {
        return;
    }
    let result = ImportedResult {
        ok: part["ok"] == true,
        output: part["output"].as_str().unwrap_or_default().to_owned(),
        title: part["title"].as_str().map(str::to_owned),
        details: part["details"].clone(),
        duration_ms: part["duration_ms"].as_u64().unwrap_or(0),
    };
    conversation.result(id, result);
}
