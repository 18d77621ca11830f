//! Reads everything that a person's message needs before it goes on its way: the text of a command it calls, and files
//! that it mentions. They are read as the `read` tool reads them. So the model sees line numbers, may edit what it was
//! shown, and gets the beginning of what is too long.
//!
//! Messages keep their order: what is sent while files are read waits for them. A message whose file cannot be read goes
//! back to whoever wrote it, and goes without that file when it is sent again. So does one that names a file which the model
//! would have to ask for, as a text may come from anywhere: it takes the file along when it is sent again, which is the
//! person's word. What a command of the person's own names outside of the project is their word already; in it anything may
//! stand under a name. A command of the project's may be written by anybody, so what it names is asked about at each call.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::unread_files::{UnapprovedFile, UnreadFile, UnreadFiles};
use super::user_commands::{CommandCall, context, takes_time};
use super::{Actor, finished};
use crate::conversation::{CallResult, ErrorKind, FilePart};
use crate::project::commands::UserCommand;
use crate::session::{CalledCommand, Event, Input, MOST_FILES_BYTES, Mention, TurnEndReason};
use crate::tool::{CallSettings, NoteTime, SeenFiles, ToolCx, ToolError, pipeline};

/// How a message is to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MessageRoute {
    Submitted,
    Queued,
}

/// Messages whose files are being read, and those behind them.
#[derive(Default)]
pub(super) struct AttachmentReads {
    waiting: VecDeque<(MessageRoute, Input)>,
    running: Option<JoinHandle<Result<PreparedMessage, UnreadFiles>>>,
    cancel: CancellationToken,
    /// True if somebody was told of a turn that has not begun.
    is_told: bool,
}

/// Everything that was read for a message.
#[derive(Debug)]
pub(super) struct PreparedMessage {
    files: Vec<FilePart>,
    seen: SeenFiles,
    /// The text that a command expanded to.
    expanded: Option<String>,
}

/// Files that are to go with a message.
struct MessageFiles {
    /// By the person.
    mentions: Vec<Mention>,
    /// The paths that the person means, whatever would be asked.
    meant: Vec<String>,
    /// Those that are left out.
    without: Vec<String>,
}

/// `None` when reading failed inside lathe.
pub(super) type AttachmentOutcome = Option<Result<PreparedMessage, UnreadFiles>>;

impl AttachmentReads {
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Returns the messages that wait for their files.
    pub(super) fn inputs(&self) -> impl DoubleEndedIterator<Item = &Input> {
        self.waiting.iter().map(|(_, input)| input)
    }

    /// Waits for the files that are being read; forever when none are. Cancel safe.
    pub(super) async fn next(&mut self) -> AttachmentOutcome {
        finished(&mut self.running).await
    }
}

impl Actor {
    /// Has the files of a message read; says what is left to be sent at once.
    pub(super) fn attach(&mut self, sent: MessageRoute, input: Input) -> Option<Input> {
        if !is_unready(&input) && self.attaching.is_empty() {
            return Some(input);
        }
        // What was read is kept with the session, so that has to be there.
        let begun = self.parts.recorder.begin();
        self.check(begun);
        self.attaching.waiting.push_back((sent, input));
        self.attach_next();
        None
    }

    fn attach_next(&mut self) {
        if self.attaching.running.is_some() {
            return;
        }
        while let Some((sent, input)) = self.attaching.waiting.front() {
            if is_unready(input) {
                let called = self.called(input);
                let takes_time = called.is_some_and(takes_time);
                let call = called.map(|command| self.call(command, input));
                let work = make_ready(
                    self.parts.calls.clone(),
                    call,
                    MessageFiles {
                        mentions: input.mentions.clone(),
                        meant: input.meant.clone(),
                        without: input.without.clone(),
                    },
                    self.attaching.cancel.child_token(),
                );
                self.attaching.running = Some(tokio::spawn(work));
                if takes_time && !self.is_busy() {
                    self.attaching.is_told = true;
                    self.publish(Event::Preparing);
                }
                return;
            }
            let sent = *sent;
            if let Some((_, input)) = self.attaching.waiting.pop_front() {
                self.take_input(sent, input);
            }
        }
    }

    pub(super) fn on_attached(&mut self, attached: AttachmentOutcome) {
        let Some((sent, mut input)) = self.attaching.waiting.pop_front() else {
            return;
        };
        match attached.unwrap_or(Err(UnreadFiles::Lost)) {
            Ok(ready) => {
                self.attaching.is_told = false;
                self.follow_command(&input);
                input.files.extend(ready.files);
                input.seen = Arc::new(ready.seen);
                input.mentions.clear();
                input.command = ready.expanded.map(CalledCommand::Expanded);
                self.take_input(sent, input);
            }
            Err(unread) => {
                let report = unread.report();
                let why = unread.why();
                input.meant = unread.approved_if_resent();
                input.without.extend(unread.left_out_if_resent());
                let input = Arc::new(input);
                self.publish(Event::Unread { input, report, why });
                self.hide_progress();
            }
        }
        self.attach_next();
    }

    /// Gives back what waits for its files.
    pub(super) fn interrupt_attaching(&mut self) {
        if self.attaching.is_empty() {
            return;
        }
        for input in self.take_attaching() {
            self.publish(Event::Refused(Arc::new(input)));
        }
        self.hide_progress();
    }

    /// Has no file read any more, and returns what waited for one.
    pub(super) fn take_attaching(&mut self) -> Vec<Input> {
        std::mem::take(&mut self.attaching.cancel).cancel();
        if let Some(running) = self.attaching.running.take() {
            running.abort();
        }
        let waiting = std::mem::take(&mut self.attaching.waiting);
        waiting.into_iter().map(|(_, input)| input).collect()
    }

    /// The turn that somebody was told of does not begin.
    fn hide_progress(&mut self) {
        if std::mem::take(&mut self.attaching.is_told) && !self.is_busy() {
            self.publish(Event::TurnEnded(TurnEndReason::Cancelled));
        }
    }

    fn called(&self, input: &Input) -> Option<&UserCommand> {
        match &input.command {
            Some(CalledCommand::ByName { name, .. }) => self.parts.user_commands.find(name),
            Some(CalledCommand::Expanded(_)) | None => None,
        }
    }

    fn call(&self, command: &UserCommand, input: &Input) -> CommandCall {
        let arguments = match &input.command {
            Some(CalledCommand::ByName { arguments, .. }) => arguments.as_str(),
            Some(CalledCommand::Expanded(_)) | None => "",
        };
        self.parts.user_commands.call(command, arguments)
    }

    /// Does what a command's front matter says of the session.
    fn follow_command(&mut self, input: &Input) {
        let Some(command) = self.called(input).cloned() else {
            return;
        };
        if let Some(agent) = &command.agent {
            self.change_agent(agent);
        }
        match command.model.as_deref().map(str::parse) {
            Some(Ok(model)) => self.change_model(model),
            // Other programs know names of their own.
            Some(Err(_)) => {
                let name = command.model.unwrap_or_default();
                let words = format!(
                    "`/{}` names the model `{name}`, which is not available here",
                    command.name
                );
                self.publish(Event::Notice(words));
            }
            None => {}
        }
        if command.is_subtask {
            let words = format!(
                "`/{}` asks to run as a task; it runs in this session instead",
                command.name
            );
            self.publish(Event::Notice(words));
        }
    }
}

/// Returns true if something of a message is still to be read or run.
fn is_unready(input: &Input) -> bool {
    !input.mentions.is_empty() || matches!(input.command, Some(CalledCommand::ByName { .. }))
}

async fn make_ready(
    calls: CallSettings,
    call: Option<CommandCall>,
    named: MessageFiles,
    cancel: CancellationToken,
) -> Result<PreparedMessage, UnreadFiles> {
    let (files, seen) = read_all(&calls, call.as_ref(), named, &cancel).await?;
    let expanded = match call {
        Some(call) => Some(call.expanded(&calls, &cancel).await),
        None => None,
    };
    Ok(PreparedMessage {
        files,
        seen,
        expanded,
    })
}

/// Every file is found before one is read: a message goes with all that it names, or comes back.
async fn read_all(
    calls: &CallSettings,
    call: Option<&CommandCall>,
    named: MessageFiles,
    cancel: &CancellationToken,
) -> Result<(Vec<FilePart>, SeenFiles), UnreadFiles> {
    let (mut found, mut asked, mut faults) = (Vec::new(), Vec::<UnapprovedFile>::new(), Vec::new());
    for (mention, by) in named.all(call) {
        let cx = context(calls, cancel);
        let command = by.map(|call| call.name().to_owned());
        match pipeline::find_own(&calls.registry, arguments(&mention), &cx).await {
            Ok(read) if named.is_meant(&mention, by, &cx) || !read.would_ask(&cx) => {
                found.push((mention, command, read));
            }
            Ok(_) if asked.iter().any(|asked| asked.path == mention.path) => {}
            Ok(_) => asked.push(UnapprovedFile {
                path: mention.path,
                command,
            }),
            Err(error) if !mention.is_sure && error.kind == ErrorKind::NotFound => {}
            Err(error) => faults.push(fault(mention, command, error)?),
        }
    }
    if !faults.is_empty() {
        return Err(UnreadFiles::Faults(faults));
    }
    if !asked.is_empty() {
        return Err(UnreadFiles::Asked(asked));
    }
    let mut files: Vec<FilePart> = Vec::new();
    let noting = NoteTime::later();
    for (mention, command, read) in found {
        let mut cx = context(calls, cancel);
        cx.noting = noting.clone();
        match read.read(&cx).await {
            Ok(result) => files.extend(parts(&mention, result)),
            Err(error) => return Err(UnreadFiles::Faults(vec![fault(mention, command, error)?])),
        }
        let bytes = files.iter().map(|file| file.data.len()).sum();
        if bytes > MOST_FILES_BYTES {
            return Err(UnreadFiles::TooMuch { bytes });
        }
    }
    Ok((files, noting.take()))
}

/// A file that stands in the text by a label is not left out.
fn fault(mention: Mention, command: Option<String>, error: ToolError) -> Result<UnreadFile, UnreadFiles> {
    match mention.label {
        Some(label) => Err(UnreadFiles::Labelled(label, error)),
        None => Ok(UnreadFile {
            path: mention.path,
            command,
            why: error.to_string(),
        }),
    }
}

impl MessageFiles {
    /// Returns every file once, and the command whose text names it.
    fn all<'a>(&self, call: Option<&'a CommandCall>) -> Vec<(Mention, Option<&'a CommandCall>)> {
        let mut all: Vec<(Mention, Option<&CommandCall>)> = Vec::new();
        let own = self.mentions.iter().cloned().map(|mention| (mention, None));
        all.extend(own);
        for mention in call.iter().flat_map(|call| call.mentions()) {
            let is_named = all.iter().any(|(named, _)| {
                named.label.is_none() && (&named.path, named.lines) == (&mention.path, mention.lines)
            });
            if !is_named {
                all.push((mention, call));
            }
        }
        all.retain(|(mention, _)| mention.label.is_some() || !self.without.contains(&mention.path));
        all
    }

    /// Returns true if the person means the file, whatever would be asked.
    fn is_meant(&self, mention: &Mention, by: Option<&CommandCall>, cx: &ToolCx) -> bool {
        if mention.label.is_some() || self.meant.contains(&mention.path) {
            return true;
        }
        let is_own_word = by.is_some_and(|call| call.is_own_word(&mention.path));
        is_own_word && is_outside(&mention.path, cx)
    }
}

/// Returns true if a path leads out of the project by its letters.
fn is_outside(path: &str, cx: &ToolCx) -> bool {
    let roots = &cx.services.roots;
    let resolved = roots.resolve(path);
    resolved.is_ok_and(|path| Path::new(&roots.display(&path.absolute)).is_absolute())
}

fn arguments(mention: &Mention) -> Map<String, Value> {
    let mut args = Map::new();
    args.insert("file_path".to_owned(), json!(mention.path));
    if let Some((from, to)) = mention.lines {
        args.insert("offset".to_owned(), json!(from));
        args.insert("limit".to_owned(), json!(to - from + 1));
    }
    args
}

/// Returns the parts of a message for a file: its text, or the picture that it is.
fn parts(mention: &Mention, result: CallResult) -> Vec<FilePart> {
    let path = match mention.lines {
        Some((from, to)) if from == to => format!("{}:{from}", mention.path),
        Some((from, to)) => format!("{}:{from}-{to}", mention.path),
        None => mention.path.clone(),
    };
    if result.attachments.is_empty() {
        return vec![FilePart {
            path,
            mime: "text/plain".to_owned(),
            data: result.output,
            label: mention.label.clone(),
        }];
    }
    let media = result.attachments.into_iter().map(|attachment| FilePart {
        path: path.clone(),
        mime: attachment.mime,
        data: attachment.data,
        label: mention.label.clone(),
    });
    media.collect()
}
