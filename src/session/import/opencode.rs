//! Sessions of OpenCode: its export, and the same out of its database.

use serde_json::Value;

use super::conversation::{ImportedConversation, ImportedResult, file, model, moment, notice, reasoning};
use crate::conversation::PartBody;

/// Reads what is said of the session.
pub(super) fn read_info(info: &Value, conversation: &mut ImportedConversation) {
    conversation.set_title(&info["title"]);
    conversation.note_place(&info["directory"]);
}

/// Reads a message.
pub(super) fn read(message: &Value, conversation: &mut ImportedConversation) {
    let info = &message["info"];
    let parts = message["parts"].as_array().into_iter().flatten();
    if info["role"] == "user" {
        let parts = parts.filter_map(|part| user_part(part, conversation)).collect();
        conversation.user(moment(&info["time"]["created"]), parts);
    } else {
        conversation.end_reply();
        for part in parts {
            assistant_part(info, part, conversation);
        }
    }
}

fn user_part(part: &Value, conversation: &mut ImportedConversation) -> Option<PartBody> {
    match part["type"].as_str().unwrap_or_default() {
        "text" if part["synthetic"] == true || part["ignored"] == true => {
            conversation.leave_out("texts of the program itself");
            None
        }
        "text" => {
            let words = part["text"].as_str().filter(|words| !words.trim().is_empty())?;
            Some(PartBody::text(words))
        }
        "file" => {
            let url = part["url"].as_str().unwrap_or_default();
            let data = url
                .strip_prefix("data:")
                .and_then(|rest| rest.split_once(";base64,"));
            let Some((mime, data)) = data else {
                conversation.leave_out("files that are named by their paths");
                return None;
            };
            let name = part["filename"].as_str().unwrap_or("attached");
            Some(file(name, part["mime"].as_str().unwrap_or(mime), data))
        }
        "compaction" => None,
        _ => {
            conversation.leave_out("parts of unknown kinds");
            None
        }
    }
}

fn assistant_part(info: &Value, part: &Value, conversation: &mut ImportedConversation) {
    let name = info["id"].as_str().unwrap_or_default();
    let created = moment(&info["time"]["created"]);
    let model = || {
        model(
            info["providerID"].as_str().unwrap_or("opencode"),
            &info["modelID"],
        )
    };
    match part["type"].as_str().unwrap_or_default() {
        "text" => {
            let words = part["text"].as_str().unwrap_or_default();
            conversation.assistant(name, created, model(), PartBody::text(words));
        }
        "reasoning" => {
            let words = part["text"].as_str().unwrap_or_default();
            conversation.assistant(name, created, model(), reasoning(words));
        }
        "tool" => {
            let state = &part["state"];
            let id = part["callID"].as_str().unwrap_or_default();
            let tool = part["tool"].as_str().unwrap_or_default();
            conversation.call(
                (name, created, model()),
                id,
                tool,
                renamed(state["input"].clone()),
            );
            let ended = match state["status"].as_str() {
                Some("completed") => Some((true, &state["output"])),
                Some("error") => Some((false, &state["error"])),
                _ => None,
            };
            if let Some((ok, output)) = ended {
                let output = output.as_str().unwrap_or_default().to_owned();
                let time = &state["time"];
                let duration = moment(&time["end"]) - moment(&time["start"]);
                let result = ImportedResult {
                    title: state["title"].as_str().map(str::to_owned),
                    duration_ms: u64::try_from(duration).unwrap_or(0),
                    ..ImportedResult::new(ok, output)
                };
                conversation.result(id, result);
            }
        }
        "retry" => {
            let why = part["error"]["data"]["message"].as_str().unwrap_or("an error");
            conversation.assistant(
                name,
                created,
                model(),
                notice(format!("asked again after: {why}")),
            );
        }
        "step-start" | "step-finish" => {}
        "snapshot" | "patch" => conversation.leave_out("snapshots of files"),
        "subtask" | "agent" => conversation.leave_out("orders to subagents"),
        _ => conversation.leave_out("parts of unknown kinds"),
    }
}

/// OpenCode's own tools call the file `filePath`.
fn renamed(mut args: Value) -> Value {
    let names = [
        ("filePath", "file_path"),
        ("oldString", "old_string"),
        ("newString", "new_string"),
        ("replaceAll", "replace_all"),
    ];
    if let Some(args) = args.as_object_mut() {
        for (theirs, own) in names {
            if let Some(value) = args.remove(theirs) {
                args.insert(own.to_owned(), value);
            }
        }
    }
    args
}
