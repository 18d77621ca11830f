//! Events that hooks run at, the data they receive, and the names that tools have in other agents' settings.

use std::borrow::Cow;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A moment at which hooks run.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, strum::Display, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
pub enum HookEvent {
    PreToolUse,
    PostToolUse,
    UserPromptSubmit,
    Stop,
    SubagentStop,
    PreCompact,
    SessionStart,
    SessionEnd,
    Notification,
}

impl HookEvent {
    /// As it stands in settings and in what a hook is told.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// How long a hook may take that does not say so itself.
    pub(super) fn timeout(self) -> Duration {
        match self {
            Self::UserPromptSubmit => Duration::from_secs(30),
            _ => Duration::from_mins(1),
        }
    }
}

/// Context of a hook run, which every hook receives.
#[derive(Debug, Clone, Copy)]
pub struct HookContext<'a> {
    pub session: &'a str,
    /// The session's directory.
    pub cwd: &'a Path,
    /// As `--permission-mode` takes it.
    pub mode: &'a str,
    pub agent: &'a str,
}

impl HookContext<'_> {
    /// Returns the JSON for a hook's standard input.
    pub(super) fn input(&self, event: HookEvent, transcript: Option<&Path>, more: Value) -> Vec<u8> {
        let mut fields = Map::new();
        let common = json!({
            "session_id": self.session,
            "transcript_path": transcript.map(Path::to_string_lossy),
            "cwd": self.cwd.to_string_lossy(),
            "permission_mode": self.mode,
            "hook_event_name": event.name(),
            "agent": self.agent,
        });
        for object in [common, more] {
            if let Value::Object(object) = object {
                fields.extend(object);
            }
        }
        Value::Object(fields).to_string().into_bytes()
    }
}

/// A call as hooks are told of it.
#[derive(Debug, Clone, Copy)]
pub struct CallFacts<'a> {
    /// Lathe's own name.
    pub tool: &'a str,
    pub call: &'a str,
}

impl CallFacts<'_> {
    pub(super) fn fields(&self, input: &Map<String, Value>) -> Value {
        json!({
            "tool_name": claude_name(self.tool),
            "lathe_tool": self.tool,
            "tool_input": input,
            "tool_use_id": self.call,
        })
    }
}

/// The name that settings of Claude Code have for a tool: the same thing where there is one, else the name in Pascal
/// case. Names of MCP tools are as they are.
pub fn claude_name(tool: &str) -> Cow<'_, str> {
    let known = match tool {
        "multiedit" => "MultiEdit",
        "list" => "LS",
        "webfetch" => "WebFetch",
        "websearch" => "WebSearch",
        "todowrite" => "TodoWrite",
        "todoread" => "TodoRead",
        _ if tool.starts_with("mcp__") => return Cow::Borrowed(tool),
        _ => return Cow::Owned(tool.split('_').map(capitalised).collect()),
    };
    Cow::Borrowed(known)
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_have_the_names_that_settings_know() {
        let names = [
            ("bash", "Bash"),
            ("read", "Read"),
            ("write", "Write"),
            ("edit", "Edit"),
            ("multiedit", "MultiEdit"),
            ("glob", "Glob"),
            ("grep", "Grep"),
            ("list", "LS"),
            ("task", "Task"),
            ("webfetch", "WebFetch"),
            ("websearch", "WebSearch"),
            ("todowrite", "TodoWrite"),
            ("apply_patch", "ApplyPatch"),
            ("lsp_goto_definition", "LspGotoDefinition"),
            ("mcp__server__tool", "mcp__server__tool"),
            ("", ""),
        ];
        for (own, theirs) in names {
            assert_eq!(claude_name(own), theirs);
        }
    }

    #[test]
    fn every_hook_is_told_where_it_is() {
        let scene = HookContext {
            session: "ses_1",
            cwd: Path::new("/p/sub"),
            mode: "ask",
            agent: "build",
        };
        let input = scene.input(
            HookEvent::Stop,
            Some(Path::new("/d/t.jsonl")),
            json!({"stop_hook_active": false}),
        );
        let told: Value = serde_json::from_slice(&input).unwrap();
        assert_eq!(
            told,
            json!({"session_id": "ses_1", "transcript_path": "/d/t.jsonl", "cwd": "/p/sub", "permission_mode": "ask",
                "hook_event_name": "Stop", "agent": "build", "stop_hook_active": false})
        );
    }
}
