//! Sessions of Codex: the lines of a rollout, `{timestamp, type, payload}`. The items that went to the model are the
//! conversation; the events beside them say the same once more.

use serde_json::{Value, json};

use super::conversation::{ImportedConversation, ImportedResult, file, model, moment, notice, reasoning};
use crate::conversation::PartBody;

/// Texts that Codex puts before the person's words.
const MACHINE: [&str; 6] = [
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<turn_aborted>",
    "# AGENTS.md instructions",
    "<skills_instructions>",
];

/// The state between two lines.
#[derive(Default)]
pub(super) struct Rollout {
    model: Value,
    replies: usize,
}

impl Rollout {
    /// Reads a line.
    pub(super) fn read(&mut self, line: &Value, conversation: &mut ImportedConversation) {
        let payload = &line["payload"];
        let created = moment(&line["timestamp"]);
        match line["type"].as_str().unwrap_or_default() {
            "session_meta" => conversation.note_place(&payload["cwd"]),
            "turn_context" => {
                self.model = payload["model"].clone();
                conversation.note_place(&payload["cwd"]);
            }
            "compacted" => {
                let summary = payload["message"].as_str().unwrap_or_default();
                conversation.user(
                    created,
                    vec![notice(format!("summary of what was said before: {summary}"))],
                );
            }
            "response_item" => item(payload, created, &self.model, &mut self.replies, conversation),
            _ => {}
        }
    }
}

fn item(
    payload: &Value,
    created: i64,
    model_name: &Value,
    replies: &mut usize,
    conversation: &mut ImportedConversation,
) {
    let name = |replies: usize| format!("reply {replies}");
    let model = || model("openai", model_name);
    let id = payload["call_id"].as_str().unwrap_or_default();
    match payload["type"].as_str().unwrap_or_default() {
        "message" if payload["role"] == "assistant" => {
            for block in payload["content"].as_array().into_iter().flatten() {
                let words = block["text"].as_str().unwrap_or_default();
                conversation.assistant(&name(*replies), created, model(), PartBody::text(words));
            }
        }
        "message" if payload["role"] == "user" => {
            *replies += 1;
            user(payload, created, conversation);
        }
        "message" => conversation.leave_out("texts of the program itself"),
        "reasoning" => {
            let summary = payload["summary"].as_array().into_iter().flatten();
            let words: Vec<&str> = summary.filter_map(|part| part["text"].as_str()).collect();
            if words.is_empty() {
                return conversation.leave_out("encrypted thoughts");
            }
            conversation.assistant(&name(*replies), created, model(), reasoning(&words.join("\n\n")));
        }
        "function_call" => {
            let args = payload["arguments"].as_str().unwrap_or("{}");
            let args = serde_json::from_str(args).unwrap_or_else(|_| json!({ "arguments": args }));
            let (tool, args) = own_call(payload["name"].as_str().unwrap_or_default(), args);
            conversation.call((&name(*replies), created, model()), id, &tool, args);
        }
        "custom_tool_call" => {
            let tool = payload["name"].as_str().unwrap_or_default();
            let input = payload["input"].as_str().unwrap_or_default();
            let args = if tool == "apply_patch" {
                json!({ "patch": input })
            } else {
                json!({ "input": input })
            };
            conversation.call((&name(*replies), created, model()), id, tool, args);
        }
        "local_shell_call" => {
            let args = json!({ "command": command(&payload["action"]["command"]) });
            conversation.call((&name(*replies), created, model()), id, "bash", args);
        }
        "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
            *replies += 1;
            conversation.result(id, result(&payload["output"]));
        }
        _ => conversation.leave_out("items of unknown kinds"),
    }
}

fn user(payload: &Value, created: i64, conversation: &mut ImportedConversation) {
    let mut parts = Vec::new();
    for block in payload["content"].as_array().into_iter().flatten() {
        if let Some(words) = block["text"].as_str() {
            if MACHINE.iter().any(|begin| words.trim_start().starts_with(begin)) {
                conversation.leave_out("texts of the program itself");
            } else if !words.trim().is_empty() {
                parts.push(PartBody::text(words));
            }
            continue;
        }
        let url = block["image_url"].as_str().unwrap_or_default();
        match url
            .strip_prefix("data:")
            .and_then(|rest| rest.split_once(";base64,"))
        {
            Some((mime, data)) => parts.push(file("attached", mime, data)),
            None => conversation.leave_out("images"),
        }
    }
    conversation.user(created, parts);
}

/// A call as lathe's own tools have it, where one does the same.
fn own_call(name: &str, args: Value) -> (String, Value) {
    let shell = match name {
        "shell" | "shell_command" | "container.exec" => Some(&args["command"]),
        "exec_command" => Some(&args["cmd"]),
        _ => None,
    };
    match shell {
        Some(given) => ("bash".to_owned(), json!({ "command": command(given) })),
        None => (name.to_owned(), args),
    }
}

/// The text of a command that is given as words: of `bash -lc TEXT` the text.
fn command(given: &Value) -> String {
    let Some(words) = given.as_array() else {
        return given.as_str().unwrap_or_default().to_owned();
    };
    let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
    match words.as_slice() {
        [shell, "-lc" | "-c", text] if shell.ends_with("sh") => (*text).to_owned(),
        words => words.join(" "),
    }
}

/// Output is a text, JSON in a text, or an object, each of which may have the exit status.
fn result(output: &Value) -> ImportedResult {
    let parsed = output
        .as_str()
        .and_then(|text| serde_json::from_str::<Value>(text).ok());
    let value = parsed.filter(Value::is_object).unwrap_or_else(|| output.clone());
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let said = text(&value["output"])
        .or_else(|| text(&value["content"]))
        .or_else(|| text(output))
        .unwrap_or_default();
    let exit = value["metadata"]["exit_code"].as_i64();
    let ok = exit.is_none_or(|exit| exit == 0) && value["success"] != false;
    ImportedResult::new(ok, said)
}
