//! Commands of the user's own that a message calls: their text is made whole before the message goes on its way.
//!
//! Shell commands in it are calls of `bash` like any other, with their permissions and questions; what did not run is said
//! in its place. Those of a project that is not trusted never run.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::conversation::{CallId, ErrorKind, Message};
use crate::project::commands::{CommandOwner, Piece, UserCommand, shell_commands};
use crate::session::{CommandChoice, Mention, mention};
use crate::tool::pipeline::{self, LoopGuard, Progress};
use crate::tool::{CallSettings, ToolCx};

/// The commands of a session, as they were when it was opened.
pub(in crate::session) struct UserCommands {
    pub(in crate::session) list: Arc<[UserCommand]>,
    /// True if the shell commands of the project's own may run.
    pub(in crate::session) is_trusted: bool,
}

/// A command with its arguments.
#[derive(Debug, Clone)]
pub(super) struct CommandCall {
    name: String,
    pieces: Vec<Piece>,
    may_run: bool,
    /// Paths that its text names by themselves, where that is the person's word: in every project they lead to the same.
    own_words: Vec<String>,
}

impl UserCommands {
    pub(in crate::session) fn choices(&self) -> Vec<CommandChoice> {
        let choice = |command: &UserCommand| CommandChoice {
            name: command.name.clone(),
            description: command.description.clone(),
            argument_hint: command.argument_hint.clone(),
            text: command.body.as_str().into(),
        };
        self.list.iter().map(choice).collect()
    }

    pub(super) fn find(&self, name: &str) -> Option<&UserCommand> {
        self.list.iter().find(|command| command.name == name)
    }

    pub(super) fn call(&self, command: &UserCommand, arguments: &str) -> CommandCall {
        let own_words = match command.owner {
            CommandOwner::User => mentions(&command.expand("")),
            // Whoever can write to the project wrote it.
            CommandOwner::Project => Vec::new(),
        };
        let is_absolute = |path: &String| path.starts_with('/') || path.starts_with("~/");
        CommandCall {
            name: command.name.clone(),
            pieces: command.expand(arguments),
            may_run: command.owner == CommandOwner::User || self.is_trusted,
            own_words: own_words
                .into_iter()
                .map(|mention| mention.path)
                .filter(is_absolute)
                .collect(),
        }
    }
}

/// Returns true if a command's text waits for something that may take its time.
pub(super) fn takes_time(command: &UserCommand) -> bool {
    !shell_commands(&command.body).is_empty()
}

impl CommandCall {
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns true if the person wants this file by having written the command.
    pub(super) fn is_own_word(&self, path: &str) -> bool {
        self.own_words.iter().any(|own| own == path)
    }

    /// Returns the files that the text names.
    pub(super) fn mentions(&self) -> Vec<Mention> {
        mentions(&self.pieces)
    }

    /// Has its shell commands run, and returns the text as the model is sent it.
    pub(super) async fn expanded(self, calls: &CallSettings, cancel: &CancellationToken) -> String {
        let mut text = String::new();
        for piece in self.pieces {
            match piece {
                Piece::Text(piece) => text.push_str(&piece),
                Piece::Shell(_) if !self.may_run => {
                    text.push_str("[not run: the project is not trusted]");
                }
                Piece::Shell(command) => text.push_str(run(calls, &command, cancel).await.trim_end()),
            }
        }
        let mut whole = String::new();
        let _ = write!(whole, "{}{}\">\n{text}\n</command>", Message::COMMAND, self.name);
        whole
    }
}

/// Returns the files that pieces of a text name, each once.
fn mentions(pieces: &[Piece]) -> Vec<Mention> {
    let texts = pieces.iter().filter_map(|piece| match piece {
        Piece::Text(text) => Some(text.as_str()),
        Piece::Shell(_) => None,
    });
    let mut found: Vec<Mention> = Vec::new();
    for mention in texts.flat_map(mention::mentions) {
        // Whoever wrote the command may have meant a word.
        let mention = Mention {
            is_sure: false,
            ..mention
        };
        if !found.contains(&mention) {
            found.push(mention);
        }
    }
    found
}

async fn run(calls: &CallSettings, command: &str, cancel: &CancellationToken) -> String {
    let args = json!({ "command": command }).to_string();
    let resolved = pipeline::resolve(calls.known(), &mut LoopGuard::default(), "bash", &args);
    let result = match resolved.outcome {
        Ok(ready) => {
            let cx = context(calls, cancel);
            pipeline::run(ready, &cx, &NoProgress).await
        }
        Err(result) => *result,
    };
    let never_ran = [
        ErrorKind::Denied,
        ErrorKind::Rejected,
        ErrorKind::Refused,
        ErrorKind::Hook,
        ErrorKind::Unavailable,
        ErrorKind::UnknownTool,
        ErrorKind::Cancelled,
    ];
    match result.error_kind() {
        Some(kind) if never_ran.contains(&kind) => {
            let why = result.output.lines().next().unwrap_or_default();
            format!("[not run: {why}]")
        }
        _ => result.output,
    }
}

/// A call beside the turn, that nobody watches.
pub(super) fn context(calls: &CallSettings, cancel: &CancellationToken) -> ToolCx {
    let (updates, _) = mpsc::unbounded_channel();
    ToolCx::new(calls, CallId::new(), cancel.clone(), updates)
}

struct NoProgress;

impl Progress for NoProgress {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_a_text_names_are_found() {
        let text = "see @src/a.rs, (x@y.z) @b.md. and @dataclass (@c.rs:10-40) @\"d e.md\"";
        let found = mentions(&[Piece::Text(text.to_owned()), Piece::Shell("cat @f".to_owned())]);
        let found: Vec<_> = found
            .iter()
            .map(|mention| (mention.path.as_str(), mention.lines, mention.is_sure))
            .collect();
        let file = |path| (path, None, false);
        assert_eq!(
            found,
            [
                file("src/a.rs"),
                file("b.md"),
                file("dataclass"),
                ("c.rs", Some((10, 40)), false),
                file("d e.md"),
            ]
        );
    }
}
