//! What a person's message needs before it goes on its way: the text of a command it calls, and files that it mentions.
//! They are read as the `read` tool reads them. So the model sees line numbers, may edit what it was shown, and gets the beginning of what is too long.
//!
//! Messages keep their order: what is sent while files are read waits for them. A message whose file cannot be read goes
//! back to whoever wrote it. So does one that names a file which the model would have to ask for, as a text may come from
//! anywhere: it goes on its way when it is sent again, which is the person's word.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::Actor;
use super::commanding::{Call, takes_time};
use crate::agent::driver::CallSettings;
use crate::conversation::{CallId, CallResult, ErrorKind, FilePart};
use crate::project::commands::UserCommand;
use crate::session::{CalledCommand, Done, ErrorReport, Event, Input, MOST_FILES_BYTES, Mention, ReportKind};
use crate::tool::{ToolCx, ToolError, pipeline};

/// How a message is to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sent {
    Submitted,
    Queued,
}

/// Messages whose files are being read, and those behind them.
#[derive(Default)]
pub(super) struct Attaching {
    waiting: VecDeque<(Sent, Input)>,
    running: Option<JoinHandle<Result<Ready, Unread>>>,
    cancel: CancellationToken,
    /// Whether somebody was told of a turn that has not begun.
    is_told: bool,
}

/// What a message is to have beside its text.
#[derive(Debug)]
pub(super) struct Ready {
    files: Vec<FilePart>,
    /// What a command was made to.
    expanded: Option<String>,
}

/// Files that are to go with a message.
struct Named {
    mentions: Vec<Mention>,
    /// The paths that the person means, whatever would be asked.
    meant: Vec<String>,
}

/// `None` when reading failed inside lathe.
pub(super) type Attached = Option<Result<Ready, Unread>>;

/// Why a message goes back.
#[derive(Debug)]
pub(super) enum Unread {
    /// A file that the text names by its path.
    Named(ToolError),
    /// A file that stands in the text by a label of its own.
    Labelled(String, ToolError),
    /// Files that nobody but the person can allow.
    Asked(Vec<String>),
    TooMuch {
        bytes: usize,
    },
    Lost,
}

impl Unread {
    fn file(label: Option<String>, error: ToolError) -> Self {
        match label {
            Some(label) => Self::Labelled(label, error),
            None => Self::Named(error),
        }
    }

    fn message(&self) -> String {
        let why = match self {
            Self::Named(error) => error.to_string(),
            Self::Labelled(label, error) => format!("{label}: {error}"),
            Self::Asked(paths) => {
                let names: Vec<_> = paths.iter().map(|path| format!("`{path}`")).collect();
                let are = if names.len() == 1 { "is" } else { "are" };
                format!(
                    "it names {}, which {are} read only if you say so",
                    names.join(", ")
                )
            }
            Self::TooMuch { bytes } => {
                let mebibytes = |bytes: usize| bytes.div_ceil(1 << 20);
                let (bytes, most) = (mebibytes(*bytes), mebibytes(MOST_FILES_BYTES));
                format!("its files have {bytes} MiB together, and providers take no more than {most}")
            }
            Self::Lost => "the files could not be read; please report this".to_owned(),
        };
        format!("Your message was not sent: {why}.")
    }

    fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Named(_) => Some("Sent again as it is, it goes without the files."),
            Self::Labelled(..) => Some("Give the file again, or delete it from the message."),
            Self::Asked(_) => {
                Some("Sent again as it is, it takes along what it names; without the `@` it goes alone.")
            }
            Self::TooMuch { .. } => Some("Send them in several messages, or smaller."),
            Self::Lost => None,
        }
    }
}

impl Attaching {
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Waits for the files that are being read; forever when none are. Cancel safe.
    pub(super) async fn next(&mut self) -> Attached {
        match &mut self.running {
            Some(running) => {
                let done = running.await.ok();
                self.running = None;
                done
            }
            None => std::future::pending().await,
        }
    }
}

impl Actor {
    /// Has the files of a message read; says what is left to be sent at once.
    pub(super) fn attach(&mut self, sent: Sent, input: Input) -> Option<Input> {
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
                let mut mentions = input.mentions.clone();
                let called = self.called(input);
                let takes_time = called.is_some_and(takes_time);
                let call = called.map(|command| self.call(command, input));
                mentions.extend(call.iter().flat_map(Call::mentions));
                let work = make_ready(
                    self.parts.calls.clone(),
                    call,
                    Named {
                        mentions,
                        meant: input.meant.clone(),
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

    pub(super) fn on_attached(&mut self, attached: Attached) {
        let Some((sent, mut input)) = self.attaching.waiting.pop_front() else {
            return;
        };
        match attached.unwrap_or(Err(Unread::Lost)) {
            Ok(ready) => {
                self.attaching.is_told = false;
                self.follow_command(&input);
                input.files.extend(ready.files);
                input.mentions.clear();
                input.command = ready.expanded.map(CalledCommand::Expanded);
                self.take_input(sent, input);
            }
            Err(unread) => {
                let report = ErrorReport {
                    kind: ReportKind::BadRequest,
                    message: unread.message(),
                    hint: unread.hint().map(str::to_owned),
                };
                input.meant = match unread {
                    Unread::Asked(paths) => paths,
                    Unread::Named(_) | Unread::Labelled(..) | Unread::TooMuch { .. } | Unread::Lost => {
                        Vec::new()
                    }
                };
                let input = Arc::new(input);
                self.publish(Event::Unread { input, report });
                self.untell();
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
        self.untell();
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
    fn untell(&mut self) {
        if std::mem::take(&mut self.attaching.is_told) && !self.is_busy() {
            self.publish(Event::TurnEnded(Done::Cancelled));
        }
    }

    fn called(&self, input: &Input) -> Option<&UserCommand> {
        match &input.command {
            Some(CalledCommand::ByName { name, .. }) => self.parts.user_commands.find(name),
            Some(CalledCommand::Expanded(_)) | None => None,
        }
    }

    fn call(&self, command: &UserCommand, input: &Input) -> Call {
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
                let words = format!("`/{}` wants the model `{name}`, which is none here", command.name);
                self.publish(Event::Notice(words));
            }
            None => {}
        }
        if command.is_subtask {
            let words = format!(
                "`/{}` asks for a task of its own; it runs in this session",
                command.name
            );
            self.publish(Event::Notice(words));
        }
    }
}

/// Whether something of a message is still to be read or run.
fn is_unready(input: &Input) -> bool {
    !input.mentions.is_empty() || matches!(input.command, Some(CalledCommand::ByName { .. }))
}

async fn make_ready(
    calls: CallSettings,
    call: Option<Call>,
    named: Named,
    cancel: CancellationToken,
) -> Result<Ready, Unread> {
    let files = read_all(&calls, named, &cancel).await?;
    let expanded = match call {
        Some(call) => Some(call.expanded(&calls, &cancel).await),
        None => None,
    };
    Ok(Ready { files, expanded })
}

/// A call beside the turn, that nobody watches.
pub(super) fn context(calls: &CallSettings, cancel: &CancellationToken) -> ToolCx {
    let (updates, _) = mpsc::unbounded_channel();
    let session = calls.session.clone();
    let mut cx = ToolCx::new(Arc::clone(&calls.services), session, CallId::new(), updates);
    cx.agent.clone_from(&calls.agent);
    cx.abilities = calls.abilities;
    cx.edit_mode = calls.settings.edit_mode;
    cx.context = calls.context;
    cx.cancel = cancel.clone();
    cx
}

/// Every file is found before one is read: a message goes with all that it names, or comes back.
async fn read_all(
    calls: &CallSettings,
    named: Named,
    cancel: &CancellationToken,
) -> Result<Vec<FilePart>, Unread> {
    let Named { mentions, meant } = named;
    let (mut found, mut asked) = (Vec::new(), Vec::new());
    for mention in mentions {
        let cx = context(calls, cancel);
        match pipeline::find_own(&calls.registry, arguments(&mention), &cx).await {
            Ok(read) => {
                let is_meant = mention.label.is_some() || meant.contains(&mention.path);
                if is_meant || !read.would_ask(&cx) {
                    found.push((mention, read));
                } else if !asked.contains(&mention.path) {
                    asked.push(mention.path);
                }
            }
            Err(error) if !mention.is_sure && error.kind == ErrorKind::NotFound => {}
            Err(error) => return Err(Unread::file(mention.label, error)),
        }
    }
    if !asked.is_empty() {
        return Err(Unread::Asked(asked));
    }
    let mut files: Vec<FilePart> = Vec::new();
    for (mention, read) in found {
        match read.read(&context(calls, cancel)).await {
            Ok(result) => files.extend(parts(&mention, result)),
            Err(error) => return Err(Unread::file(mention.label, error)),
        }
        let bytes = files.iter().map(|file| file.data.len()).sum();
        if bytes > MOST_FILES_BYTES {
            return Err(Unread::TooMuch { bytes });
        }
    }
    Ok(files)
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

/// What a file is in a message: its text, or the picture that it is.
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
