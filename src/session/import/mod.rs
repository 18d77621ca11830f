//! Sessions of other programs, and lathe's own exports, as sessions of lathe.
//!
//! A reader makes messages of a file, in their order, and counts by name what it cannot carry over: thoughts are kept to be
//! read and are never sent, since their signatures are another program's. Calls keep their arguments and results; those of
//! tools that lathe has under the same name are drawn by them.

mod claude;
mod codex;
mod conversation;
mod opencode;
mod own_export;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(in crate::session) use conversation::ImportedConversation;

use super::{ErrorReport, ReportKind};
use crate::regular_file::RegularFile;
use crate::store::opencode_session;

/// Largest file in bytes that is read.
const MAX_BYTES: u64 = 512 << 20;

/// The program that wrote a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportSource {
    Lathe,
    Claude,
    Codex,
    Opencode,
}

/// A session that was imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedSession {
    pub session: crate::conversation::SessionId,
    pub title: String,
    pub messages: usize,
    /// Sentences about what was not carried over.
    pub notes: Vec<String>,
}

/// Reads a session out of a file; `from` is found out where it is not said.
pub(in crate::session) fn read(
    given: &str,
    from: Option<ImportSource>,
) -> Result<ImportedConversation, ErrorReport> {
    let conversation = match database(given) {
        Some((path, id)) if from.is_none_or(|from| from == ImportSource::Opencode) => {
            let session = opencode_session(&path, id)?;
            let session = session.ok_or_else(|| failed(given, &format!("it has no session `{id}`")))?;
            opencode::read(&session)
        }
        _ => read_file(given, from)?,
    };
    if conversation.messages.is_empty() {
        return Err(failed(given, "there is no message in it"));
    }
    Ok(conversation)
}

/// `opencode.db#SESSION`.
fn database(given: &str) -> Option<(PathBuf, &str)> {
    let (path, id) = given.rsplit_once('#')?;
    let path = PathBuf::from(path);
    (!Path::new(given).exists() && path.is_file()).then_some((path, id))
}

fn read_file(given: &str, from: Option<ImportSource>) -> Result<ImportedConversation, ErrorReport> {
    let bytes = RegularFile::open(Path::new(given))
        .and_then(|file| file.read(MAX_BYTES))
        .map_err(|error| failed(given, &error.to_string()))?;
    if bytes.starts_with(b"SQLite format 3\0") {
        return Err(failed(
            given,
            "it is a database; name a session in it: `opencode.db#ses_…`",
        ));
    }
    let text = String::from_utf8_lossy(&bytes);
    let whole: Option<Value> = serde_json::from_str(&text).ok();
    let from = from.or_else(|| source(&text, whole.as_ref())).ok_or_else(|| {
        failed(
            given,
            "the program that wrote it is unknown; name it with `--from`",
        )
    })?;
    let not_read = || failed(given, "it is not a JSON object");
    match from {
        ImportSource::Lathe => Ok(own_export::read(&whole.ok_or_else(not_read)?)),
        ImportSource::Opencode => Ok(opencode::read(&whole.ok_or_else(not_read)?)),
        ImportSource::Claude => Ok(claude::read(&lines(&text))),
        ImportSource::Codex => Ok(codex::read(&lines(&text))),
    }
}

/// Finds out which program wrote a text.
fn source(text: &str, whole: Option<&Value>) -> Option<ImportSource> {
    if let Some(whole) = whole {
        if whole["format"]
            .as_str()
            .is_some_and(|format| format.starts_with("lathe-session"))
        {
            return Some(ImportSource::Lathe);
        }
        if whole["info"].is_object() && whole["messages"].is_array() {
            return Some(ImportSource::Opencode);
        }
        if whole["session"].is_object() && whole["messages"].is_array() {
            return Some(ImportSource::Lathe);
        }
    }
    let first = lines(text);
    let mut first = first.iter().take(50);
    first.find_map(|line| {
        let kind = line["type"].as_str()?;
        if line["payload"].is_object() {
            return Some(ImportSource::Codex);
        }
        let is_claude = line.get("sessionId").is_some() || line.get("uuid").is_some() || kind == "summary";
        is_claude.then_some(ImportSource::Claude)
    })
}

/// The lines that are JSON objects; a torn last one is none.
fn lines(text: &str) -> Vec<Value> {
    let lines = text.lines().filter_map(|line| serde_json::from_str(line).ok());
    lines.filter(Value::is_object).collect()
}

fn failed(given: &str, why: &str) -> ErrorReport {
    ErrorReport::new(
        ReportKind::BadRequest,
        format!("`{given}` was not imported: {why}"),
    )
}
