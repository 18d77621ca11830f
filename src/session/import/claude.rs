//! Sessions of Claude Code: a line of JSON for each block, linked by `parentUuid`. The branch that ends last is the
//! conversation; others were left by going back.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

use super::conversation::{ImportedConversation, ImportedResult, file, model, moment, notice, reasoning};
use crate::conversation::PartBody;

/// Texts that Claude Code puts into the conversation beside the person's words.
const MACHINE: [&str; 5] = [
    "<local-command-stdout>",
    "<local-command-caveat>",
    "<command-name>",
    "<command-message>",
    "Caveat: The messages below were generated",
];

/// Reads a line of the conversation that ends last.
pub(super) fn read(line: &Value, branch: &Branch, conversation: &mut ImportedConversation) {
    match line["type"].as_str().unwrap_or_default() {
        "summary" => conversation.set_title(&line["summary"]),
        "custom-title" | "ai-title" => {
            conversation.set_title(&line["customTitle"]);
            conversation.set_title(&line["aiTitle"]);
        }
        "user" | "assistant" if line["isSidechain"] == true => {
            conversation.leave_out("messages of subagents");
        }
        "user" | "assistant" if !branch.contains(line) => {
            conversation.leave_out("messages of other branches");
        }
        "user" => user(line, conversation),
        "assistant" => assistant(line, conversation),
        "file-history-snapshot" => conversation.leave_out("snapshots of files"),
        _ => {}
    }
    conversation.note_place(&line["cwd"]);
}

fn id(line: &Value) -> &str {
    line["uuid"].as_str().unwrap_or_default()
}

/// The lines that lead to the last one, by hashes of their ids. Where nothing is linked all of them do.
pub(super) struct Branch(Option<HashSet<u64>>);

impl Branch {
    /// Follows the links of all lines.
    pub(super) fn of<E>(lines: impl Iterator<Item = Result<Value, E>>) -> Result<Self, E> {
        let mut parents: HashMap<u64, Option<u64>> = HashMap::new();
        let mut at = None;
        for line in lines {
            let line = line?;
            let own = hash(id(&line));
            parents.insert(own, parent(&line).map(hash));
            if matches!(line["type"].as_str(), Some("user" | "assistant")) && line["isSidechain"] != true {
                at = Some(own);
            }
        }
        if parents.values().all(Option::is_none) {
            return Ok(Self(None));
        }
        let mut branch = HashSet::new();
        while let Some(id) = at.filter(|id| branch.insert(*id)) {
            at = parents.get(&id).copied().flatten();
        }
        Ok(Self(Some(branch)))
    }

    fn contains(&self, line: &Value) -> bool {
        self.0
            .as_ref()
            .is_none_or(|branch| branch.contains(&hash(id(line))))
    }
}

fn hash(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

/// The line before it; behind a compaction the last one before that.
fn parent(line: &Value) -> Option<&str> {
    let parent = line["parentUuid"].as_str();
    parent.or_else(|| line["logicalParentUuid"].as_str())
}

fn user(line: &Value, conversation: &mut ImportedConversation) {
    let created = moment(&line["timestamp"]);
    if line["isMeta"] == true {
        return conversation.leave_out("texts of the program itself");
    }
    if line["isCompactSummary"] == true {
        let summary = line["message"]["content"].as_str().unwrap_or_default();
        conversation.end_reply();
        return conversation.user(
            created,
            vec![notice(format!("summary of what was said before: {summary}"))],
        );
    }
    let mut parts = Vec::new();
    match &line["message"]["content"] {
        Value::String(words) => said(words, &mut parts, conversation),
        Value::Array(blocks) => {
            for block in blocks {
                match block["type"].as_str().unwrap_or_default() {
                    "text" => said(
                        block["text"].as_str().unwrap_or_default(),
                        &mut parts,
                        conversation,
                    ),
                    "tool_result" => {
                        let id = block["tool_use_id"].as_str().unwrap_or_default();
                        let output = output(&block["content"], conversation);
                        let ok = block["is_error"] != true;
                        conversation.result(id, ImportedResult::new(ok, output));
                    }
                    "image" | "document" => match (
                        block["source"]["media_type"].as_str(),
                        block["source"]["data"].as_str(),
                    ) {
                        (Some(mime), Some(data)) => parts.push(file("attached", mime, data)),
                        _ => conversation.leave_out("images"),
                    },
                    _ => conversation.leave_out("blocks of unknown kinds"),
                }
            }
        }
        _ => {}
    }
    conversation.user(created, parts);
}

fn said(words: &str, parts: &mut Vec<PartBody>, conversation: &mut ImportedConversation) {
    if MACHINE.iter().any(|begin| words.trim_start().starts_with(begin)) {
        return conversation.leave_out("texts of the program itself");
    }
    // What it reminded its model of is not what the person said.
    if words.trim_start().starts_with("<system-reminder>") {
        return conversation.leave_out("reminders");
    }
    if !words.trim().is_empty() {
        parts.push(PartBody::text(words));
    }
}

fn output(content: &Value, conversation: &mut ImportedConversation) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let mut output = Vec::new();
            for block in blocks {
                match block["text"].as_str() {
                    Some(text) => output.push(text),
                    None => conversation.leave_out("images"),
                }
            }
            output.join("\n")
        }
        _ => String::new(),
    }
}

fn assistant(line: &Value, conversation: &mut ImportedConversation) {
    let message = &line["message"];
    let created = moment(&line["timestamp"]);
    let name = message["id"].as_str().unwrap_or_else(|| id(line)).to_owned();
    let model = || model("anthropic", &message["model"]);
    for block in message["content"].as_array().into_iter().flatten() {
        match block["type"].as_str().unwrap_or_default() {
            "text" => {
                let words = block["text"].as_str().unwrap_or_default();
                conversation.assistant(&name, created, model(), PartBody::text(words));
            }
            "thinking" => {
                let words = block["thinking"].as_str().unwrap_or_default();
                conversation.assistant(&name, created, model(), reasoning(words));
            }
            "redacted_thinking" => conversation.leave_out("encrypted thoughts"),
            "tool_use" => conversation.call(
                (&name, created, model()),
                block["id"].as_str().unwrap_or_default(),
                block["name"].as_str().unwrap_or_default(),
                block["input"].clone(),
            ),
            _ => conversation.leave_out("blocks of unknown kinds"),
        }
    }
}
