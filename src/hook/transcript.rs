//! The conversation as a file that hooks can read: one JSON object a line, in the form that hooks of other agents know.
//!
//! It is only ever appended to, so that what it costs does not depend on how long the conversation is, and it is gone
//! when the session ends: the database keeps what counts. A line that cannot be written is logged; no call fails over it.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use super::claude_name;
use crate::conversation::{CallId, CallResult, Json, Message, MessageState, PartBody, Role};
use crate::private_file;

/// A session writes to its file while it lives; one that was not written to for this long is nobody's.
const KEPT: Duration = Duration::from_hours(7 * 24);

/// The file, removed when this is dropped.
#[derive(Debug)]
pub struct Transcript {
    path: PathBuf,
    session: String,
    /// `None` where it could not be made.
    file: Option<File>,
}

impl Transcript {
    /// Makes the file, empty, in place of one from before, and removes what crashes left long ago.
    pub fn new(path: PathBuf, session: &str) -> Self {
        if let Some(dir) = path.parent() {
            remove_old(dir);
        }
        let file = match create(&path) {
            Ok(file) => Some(file),
            Err(error) => {
                warn(&path, &error);
                None
            }
        };
        Self {
            path,
            session: session.to_owned(),
            file,
        }
    }

    /// Adds a message that is whole, and the results that its calls have already.
    pub fn message(&mut self, message: &Message) {
        // Hooks hear nothing of what a person runs themselves.
        if message.state == MessageState::Void || message.own_command().is_some() {
            return;
        }
        let content: Vec<Value> = message
            .parts
            .iter()
            .filter_map(|part| block(&part.body))
            .collect();
        if !content.is_empty() {
            let role = match message.role {
                Role::User => "user",
                Role::Assistant => "assistant",
            };
            let mut said = json!({ "role": role, "content": content });
            if let Some(model) = &message.model {
                said["model"] = Value::from(model.to_string());
            }
            self.line(role, message.id.as_str(), message.created, &said);
        }
        for call in message.calls() {
            if let Some(result) = call.result() {
                self.result(&call.call, &result);
            }
        }
    }

    /// Adds the result of a call.
    pub fn result(&mut self, call: &CallId, result: &CallResult) {
        let content = json!([{
            "type": "tool_result",
            "tool_use_id": call,
            "content": result.output,
            "is_error": !result.ok,
        }]);
        let now = jiff::Timestamp::now().as_millisecond();
        self.line(
            "user",
            call.as_str(),
            now,
            &json!({ "role": "user", "content": content }),
        );
    }

    fn line(&mut self, kind: &str, id: &str, created: i64, message: &Value) {
        let line = json!({
            "type": kind,
            "uuid": id,
            "sessionId": self.session,
            "timestamp": jiff::Timestamp::from_millisecond(created).unwrap_or_default().to_string(),
            "message": message,
        });
        let Some(file) = &mut self.file else { return };
        if let Err(error) = file.write_all(format!("{line}\n").as_bytes()) {
            warn(&self.path, &error);
        }
    }
}

fn warn(path: &Path, error: &io::Error) {
    tracing::warn!(path = %path.display(), %error, "the transcript for hooks could not be written");
}

impl Drop for Transcript {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn remove_old(dir: &Path) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let age = entry
            .metadata()
            .ok()
            .and_then(|known| known.modified().ok()?.elapsed().ok());
        if age.is_some_and(|age| age > KEPT)
            && entry.path().extension().is_some_and(|ending| ending == "jsonl")
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Makes the file anew, for its owner alone.
fn create(path: &Path) -> io::Result<File> {
    if let Some(dir) = path.parent() {
        private_file::create_dir(dir)?;
    }
    let mut options = private_file::options();
    options.write(true).create(true).truncate(true).open(path)
}

fn block(body: &PartBody) -> Option<Value> {
    Some(match body {
        PartBody::Text(text) => json!({ "type": "text", "text": text.text }),
        PartBody::Reasoning(reasoning) => json!({ "type": "thinking", "thinking": reasoning.text }),
        PartBody::Tool(tool) => {
            let written = || serde_json::from_str(&tool.raw_args).unwrap_or_else(|_| json!(tool.raw_args));
            let input = tool.args.as_ref().map(Json::value);
            json!({
                "type": "tool_use",
                "id": tool.call,
                "name": claude_name(&tool.tool),
                "input": input.map_or_else(written, Cow::into_owned),
            })
        }
        PartBody::File(file) => json!({ "type": "text", "text": format!("[{} · {}]", file.path, file.mime) }),
        PartBody::Notice(_) | PartBody::Context(_) | PartBody::Unknown(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::conversation::{CallState, MessageId, Part, TextPart, ToolPart};

    #[test]
    fn each_line_is_a_message_or_a_result_and_the_file_goes_with_the_session() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("transcripts/ses_1.jsonl");
        let call = CallId::new();
        let parts = [
            PartBody::Text(TextPart {
                text: "Looking.".into(),
                native: None,
            }),
            PartBody::Tool(ToolPart {
                call: call.clone(),
                provider_id: None,
                tool: "read".into(),
                raw_args: r#"{"file_path":"a"}"#.into(),
                args: None,
                state: CallState::Pending,
                result: None,
                native: None,
                inner: Vec::new(),
            }),
        ];
        let message = Message {
            id: MessageId::new(),
            role: Role::Assistant,
            state: MessageState::Complete,
            agent: None,
            model: None,
            created: 0,
            parts: parts.into_iter().map(|body| Part { seq: 1, body }).collect(),
            stop: None,
            usage: None,
        };
        let mut transcript = Transcript::new(path.clone(), "ses_1");
        assert_eq!(fs::read(&path).unwrap(), b"");
        transcript.message(&message);
        let result = CallResult::error(crate::conversation::ErrorKind::NotFound, "no `a`", None);
        transcript.result(&call, &result);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0]["type"], "assistant");
        assert_eq!(lines[0]["timestamp"], "1970-01-01T00:00:00Z");
        let content = &lines[0]["message"]["content"];
        assert_eq!(content[0], json!({"type": "text", "text": "Looking."}));
        assert_eq!(
            content[1],
            json!({"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": "a"}})
        );
        assert_eq!(
            lines[1]["message"]["content"][0],
            json!({"type": "tool_result", "tool_use_id": call, "content": "Error: no `a`", "is_error": true})
        );
        drop(transcript);
        assert!(!path.exists());
    }
    #[test]
    fn what_a_crash_left_goes_after_a_week() {
        let dir = tempfile::tempdir().unwrap();
        let aged = |name: &str, days: u64| {
            let path = dir.path().join(name);
            let file = File::create(&path).unwrap();
            let then = std::time::SystemTime::now() - Duration::from_hours(24 * days);
            file.set_modified(then).unwrap();
            path
        };
        let (old, young, other) = (aged("old.jsonl", 8), aged("young.jsonl", 6), aged("other", 8));
        let _transcript = Transcript::new(dir.path().join("ses_1.jsonl"), "ses_1");
        assert_eq!([old, young, other].map(|path| path.exists()), [false, true, true]);
    }
}
