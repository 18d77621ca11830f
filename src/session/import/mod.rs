//! Sessions of other programs, and lathe's own exports, as sessions of lathe.
//!
//! A file is read record by record ([`records`]), and each message is handed on when it is complete, so that a long file
//! takes no more memory than its largest record. What a file says of directories, rules, agents and modes is never a setting of
//! the session: see [`ImportDirectory`]. The model of lathe's own export is, if the user has its provider.
//!
//! A reader makes messages of a file, in their order, and counts by name what it cannot carry over: thoughts are kept to be
//! read and are never sent, since their signatures are another program's. Calls keep their arguments and results; those of
//! tools that lathe has under the same name are drawn by them.

mod claude;
mod codex;
mod conversation;
mod directory;
mod opencode;
mod own_export;
mod records;
mod source;

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub(in crate::session) use conversation::ImportedConversation;
pub use directory::ImportDirectory;

use super::{ErrorReport, ReportKind};
use crate::conversation::Message;
use crate::regular_file::{ReadError, RegularFile};
use crate::store::{OpencodeRow, read_opencode_session};
use records::{LineRecord, Lines, ObjectError, ObjectRecord, RECORD_BYTES, ValueLimit};

/// Largest file in bytes that is read.
const MAX_BYTES: u64 = 256 << 20;

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

/// A session to import.
pub(in crate::session) struct Import<'a> {
    /// The file as it was given, for messages.
    given: &'a str,
    from: ImportFrom<'a>,
}

enum ImportFrom<'a> {
    File(File, ImportSource),
    /// OpenCode's database, and the session in it.
    Database(PathBuf, &'a str),
}

/// Takes the messages of a session in their order.
type MessageSink<'a> = dyn FnMut(Message) -> Result<(), ErrorReport> + 'a;

impl<'a> Import<'a> {
    /// Opens a file; `from` is found out where it is not said.
    pub(in crate::session) fn open(given: &'a str, from: Option<ImportSource>) -> Result<Self, ErrorReport> {
        let from = match database(given) {
            Some((path, id)) if from.is_none_or(|from| from == ImportSource::Opencode) => {
                ImportFrom::Database(path, id)
            }
            _ => {
                let file = open_file(given)?;
                let from = from.or_else(|| source::detect(&file, MAX_BYTES)).ok_or_else(|| {
                    failed(
                        given,
                        "the program that wrote it is unknown; name it with `--from`",
                    )
                })?;
                ImportFrom::File(file, from)
            }
        };
        Ok(Self { given, from })
    }

    /// Reads the session. Each message goes to `sink`; what is returned has the rest.
    pub(in crate::session) fn read(
        &self,
        sink: &mut MessageSink<'_>,
    ) -> Result<ImportedConversation, ErrorReport> {
        let mut reading = Reading {
            given: self.given,
            conversation: ImportedConversation::default(),
            sink,
        };
        match &self.from {
            ImportFrom::Database(path, id) => reading.database(path, id)?,
            ImportFrom::File(file, ImportSource::Lathe) => {
                reading.object(file, "session", own_export::read_session, own_export::read)?;
            }
            ImportFrom::File(file, ImportSource::Opencode) => {
                reading.object(file, "info", opencode::read_info, opencode::read)?;
            }
            ImportFrom::File(file, ImportSource::Claude) => {
                let objects = Lines::of(file, MAX_BYTES).map_err(|error| reading.unread(&error))?;
                let objects = objects.filter_map(|line| match line {
                    Ok(LineRecord::Object(line)) => Some(Ok(line)),
                    Ok(LineRecord::TooLarge) => None,
                    Err(error) => Some(Err(error)),
                });
                let branch = claude::Branch::of(objects).map_err(|error| reading.unread(&error))?;
                reading.lines(file, |line, conversation| {
                    claude::read(line, &branch, conversation);
                })?;
            }
            ImportFrom::File(file, ImportSource::Codex) => {
                let mut rollout = codex::Rollout::default();
                reading.lines(file, |line, conversation| rollout.read(line, conversation))?;
            }
        }
        reading.end()
    }
}

/// A session that is being read.
struct Reading<'a, 'b> {
    given: &'a str,
    conversation: ImportedConversation,
    sink: &'a mut MessageSink<'b>,
}

impl Reading<'_, '_> {
    /// Hands on what is complete.
    fn hand_on(&mut self) -> Result<(), ErrorReport> {
        if self.conversation.is_too_long() {
            return Err(failed(self.given, "it has more than 200,000 parts"));
        }
        while let Some(message) = self.conversation.next_complete() {
            (self.sink)(message)?;
        }
        Ok(())
    }

    fn end(mut self) -> Result<ImportedConversation, ErrorReport> {
        while let Some(message) = self.conversation.next_message() {
            (self.sink)(message)?;
        }
        if self.conversation.len() == 0 {
            return Err(failed(self.given, "there is no message in it"));
        }
        Ok(self.conversation)
    }

    fn lines(
        &mut self,
        file: &File,
        mut read: impl FnMut(&Value, &mut ImportedConversation),
    ) -> Result<(), ErrorReport> {
        let lines = Lines::of(file, MAX_BYTES).map_err(|error| self.unread(&error))?;
        for line in lines {
            match line.map_err(|error| self.unread(&error))? {
                LineRecord::Object(line) => read(&line, &mut self.conversation),
                LineRecord::TooLarge => self.conversation.leave_out("lines that are too large"),
            }
            self.hand_on()?;
        }
        Ok(())
    }

    /// Reads a JSON object, in which the field `about` tells of the session.
    fn object(
        &mut self,
        file: &File,
        about: &str,
        read_about: fn(&Value, &mut ImportedConversation),
        read: fn(&Value, &mut ImportedConversation),
    ) -> Result<(), ErrorReport> {
        let outcome = records::read_object(file, MAX_BYTES, about, |record| {
            match record {
                ObjectRecord::About(value) => read_about(&value, &mut self.conversation),
                ObjectRecord::Message(message) => read(&message, &mut self.conversation),
            }
            self.hand_on()
        });
        outcome.map_err(|error| match error {
            ObjectError::Io(error) => self.unread(&error),
            ObjectError::Json(error) => failed(self.given, &format!("it is not a JSON object: {error}")),
            ObjectError::Record(report) => report,
        })
    }

    fn database(&mut self, path: &Path, id: &str) -> Result<(), ErrorReport> {
        let mut message = MessageRows::default();
        let found = read_opencode_session(path, id, RECORD_BYTES, &mut |row| {
            match row {
                OpencodeRow::Session { title, directory } => {
                    let info = json!({ "title": title, "directory": directory });
                    opencode::read_info(&info, &mut self.conversation);
                }
                OpencodeRow::Message(data) => {
                    std::mem::take(&mut message).read(&mut self.conversation);
                    message.begin(&data);
                }
                OpencodeRow::Part(data) => message.add(&data, &mut self.conversation),
            }
            self.hand_on()
        })?;
        message.read(&mut self.conversation);
        if !found {
            return Err(failed(self.given, &format!("it has no session `{id}`")));
        }
        Ok(())
    }

    fn unread(&self, error: &io::Error) -> ErrorReport {
        failed(self.given, &error.to_string())
    }
}

/// A message of OpenCode's database, of which a row has come after the other.
#[derive(Default)]
struct MessageRows {
    info: Option<Value>,
    parts: Vec<Value>,
    limit: ValueLimit,
    bytes: u64,
}

impl MessageRows {
    fn begin(&mut self, data: &str) {
        self.bytes = data.len() as u64;
        self.info = Some(self.limit.read(data).unwrap_or_default());
    }

    fn add(&mut self, data: &str, conversation: &mut ImportedConversation) {
        self.bytes += data.len() as u64;
        if self.bytes <= RECORD_BYTES
            && let Some(part) = self.limit.read(data)
        {
            self.parts.push(part);
        } else if self.bytes > RECORD_BYTES || self.limit.is_exceeded() {
            conversation.leave_out("parts that are too large");
        }
    }

    fn read(self, conversation: &mut ImportedConversation) {
        if let Some(info) = self.info {
            opencode::read(&json!({ "info": info, "parts": self.parts }), conversation);
        }
    }
}

/// `opencode.db#SESSION`.
fn database(given: &str) -> Option<(PathBuf, &str)> {
    let (path, id) = given.rsplit_once('#')?;
    let path = PathBuf::from(path);
    (!Path::new(given).exists() && path.is_file()).then_some((path, id))
}

fn open_file(given: &str) -> Result<File, ErrorReport> {
    let file = RegularFile::open(Path::new(given)).map_err(|error| failed(given, &error.to_string()))?;
    if file.metadata().len() > MAX_BYTES {
        let error = ReadError::TooLarge { limit: MAX_BYTES };
        return Err(failed(given, &error.to_string()));
    }
    let mut file = file.into_file();
    let mut beginning = Vec::new();
    let read = file.by_ref().take(16).read_to_end(&mut beginning);
    read.and_then(|_| file.rewind())
        .map_err(|error| failed(given, &error.to_string()))?;
    if beginning == b"SQLite format 3\0" {
        return Err(failed(
            given,
            "it is a database; name a session in it: `opencode.db#ses_…`",
        ));
    }
    Ok(file)
}

fn failed(given: &str, why: &str) -> ErrorReport {
    ErrorReport::new(
        ReportKind::BadRequest,
        format!("`{given}` was not imported: {why}"),
    )
}
