//! The conversation that a reader puts together.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::LazyLock;

use serde_json::Value;

use crate::conversation::{
    CallId, CallResult, CallState, ErrorKind, FilePart, Message, MessageId, MessageState, ModelRef, Notice,
    NoticeKind, Part, PartBody, ReasoningPart, Role, ToolPart,
};
use crate::text::width::truncate;
use crate::tool::Registry;

/// Columns of a call's title.
const TITLE: usize = 80;

/// A conversation that was read.
#[derive(Debug, Default)]
pub(in crate::session) struct ImportedConversation {
    pub(in crate::session) title: String,
    /// Where it took place, as the file says.
    pub(in crate::session) directory: Option<PathBuf>,
    pub(in crate::session) messages: Vec<Message>,
    /// What was not carried over, by name and number.
    left_out: BTreeMap<&'static str, usize>,
    /// The name that the other program gave the reply that is being put together.
    reply: Option<String>,
    /// Places of the calls that wait for their results, by the ids that the other program gave them.
    calls: HashMap<String, (usize, usize)>,
    /// How many parts there are.
    parts: u64,
}

/// The end of a call.
pub(super) struct ImportedResult {
    pub(super) ok: bool,
    pub(super) output: String,
    pub(super) title: Option<String>,
    pub(super) details: Value,
    pub(super) duration_ms: u64,
}

impl ImportedResult {
    pub(super) fn new(ok: bool, output: String) -> Self {
        Self {
            ok,
            output,
            title: None,
            details: Value::Null,
            duration_ms: 0,
        }
    }
}

impl ImportedConversation {
    pub(super) fn new(title: &Value, directory: &Value) -> Self {
        Self {
            title: title.as_str().unwrap_or_default().to_owned(),
            directory: directory.as_str().map(Into::into),
            ..Self::default()
        }
    }

    pub(super) fn leave_out(&mut self, what: &'static str) {
        *self.left_out.entry(what).or_default() += 1;
    }

    /// Adds words of the person.
    pub(super) fn user(&mut self, created: i64, parts: Vec<PartBody>) {
        if parts.is_empty() {
            return;
        }
        self.reply = None;
        self.push(Role::User, created, None);
        for part in parts {
            self.part(part);
        }
    }

    /// Adds a part of a reply: to the last one, where that bears the same name.
    pub(super) fn assistant(&mut self, name: &str, created: i64, model: Option<ModelRef>, part: PartBody) {
        if self.reply.as_deref() != Some(name) {
            self.push(Role::Assistant, created, model);
            self.reply = Some(name.to_owned());
        }
        self.part(part);
    }

    /// Adds a call to the reply of a name. `id` is what its result will name.
    pub(super) fn call(&mut self, reply: (&str, i64, Option<ModelRef>), id: &str, tool: &str, args: Value) {
        let (name, created, model) = reply;
        let call = ToolPart {
            call: CallId::new(),
            provider_id: None,
            tool: own_name(tool),
            raw_args: args.to_string(),
            args: Some(args.into()),
            state: CallState::Pending,
            result: None,
            native: None,
            inner: Vec::new(),
        };
        self.assistant(name, created, model, PartBody::Tool(call));
        let message = self.messages.len() - 1;
        let part = self.messages[message].parts.len() - 1;
        self.calls.insert(id.to_owned(), (message, part));
    }

    /// Gives a call its result.
    pub(super) fn result(&mut self, id: &str, result: ImportedResult) {
        let Some((message, part)) = self.calls.remove(id) else {
            return self.leave_out("results of unknown calls");
        };
        let PartBody::Tool(call) = &mut self.messages[message].parts[part].body else {
            return;
        };
        let title = result.title.unwrap_or_else(|| title(call));
        let ended = CallResult {
            ok: result.ok,
            title: truncate(&title, TITLE).into_owned(),
            output: result.output,
            details: result.details.into(),
            truncated: false,
            output_path: None,
            duration_ms: result.duration_ms,
            attachments: Vec::new(),
        };
        call.result = Some(ended.into());
        call.state = if result.ok {
            CallState::Done
        } else {
            CallState::Failed
        };
    }

    /// Ends the reply that is being put together: what follows is another one, whatever it is called.
    pub(super) fn end_reply(&mut self) {
        self.reply = None;
    }

    /// Gives calls without a result one that says so, and the title where there is none.
    pub(super) fn finish(mut self) -> Self {
        let open: Vec<(usize, usize)> = self.calls.drain().map(|(_, place)| place).collect();
        for (message, part) in open {
            if let PartBody::Tool(call) = &mut self.messages[message].parts[part].body {
                call.state = CallState::Interrupted;
                let said = "the session that was imported has no result of this call";
                call.result = Some(CallResult::error(ErrorKind::Interrupted, said, None).into());
            }
        }
        if self.title.trim().is_empty() {
            let first = self.messages.iter().find(|message| message.role == Role::User);
            self.title = first.map(Message::typed).unwrap_or_default();
        }
        self
    }

    /// Sentences about what was not carried over.
    pub(in crate::session) fn notes(&self) -> Vec<String> {
        let counts: Vec<String> = self
            .left_out
            .iter()
            .map(|(what, count)| format!("{what} ({count})"))
            .collect();
        if counts.is_empty() {
            return Vec::new();
        }
        vec![format!("left out: {}", counts.join(", "))]
    }

    fn push(&mut self, role: Role, created: i64, model: Option<ModelRef>) {
        self.messages.push(Message {
            id: MessageId::new(),
            role,
            state: MessageState::Complete,
            agent: Some("build".to_owned()),
            model,
            created,
            parts: Vec::new(),
            stop: None,
            usage: None,
        });
    }

    fn part(&mut self, body: PartBody) {
        self.parts += 1;
        let seq = self.parts;
        if let Some(message) = self.messages.last_mut() {
            message.parts.push(Part { seq, body });
        }
    }
}

/// Returns the name that lathe's own tool has, where there is one.
fn own_name(tool: &str) -> String {
    static TOOLS: LazyLock<Registry> = LazyLock::new(Registry::builtin);
    let lower = tool.to_lowercase();
    if TOOLS.get(&lower).is_some() {
        return lower;
    }
    tool.to_owned()
}

/// What a call was about, in a line: its command, file or pattern.
fn title(call: &ToolPart) -> String {
    let subject = [
        "command",
        "file_path",
        "filePath",
        "path",
        "pattern",
        "description",
        "query",
        "url",
    ];
    let args = call.args.as_ref().map(|args| args.value().into_owned());
    let found = subject
        .iter()
        .find_map(|name| args.as_ref()?.get(name)?.as_str().map(str::to_owned));
    let line = found.unwrap_or_default();
    line.lines().next().unwrap_or_default().to_owned()
}

pub(super) fn reasoning(text: &str) -> PartBody {
    PartBody::Reasoning(ReasoningPart {
        text: text.to_owned(),
        native: None,
    })
}

pub(super) fn notice(text: String) -> PartBody {
    PartBody::Notice(Notice {
        kind: NoticeKind::Info,
        text,
    })
}

/// A file whose bytes are there as base64.
pub(super) fn file(path: &str, mime: &str, data: &str) -> PartBody {
    PartBody::File(FilePart {
        path: path.to_owned(),
        mime: mime.to_owned(),
        data: data.to_owned(),
        label: None,
    })
}

/// Reads a moment as programs write it: `2026-11-24T09:00:00.000Z`, in milliseconds since the Unix epoch.
pub(super) fn moment(value: &Value) -> i64 {
    if let Some(number) = value.as_i64() {
        return number;
    }
    let parsed = value
        .as_str()
        .and_then(|text| text.parse::<jiff::Timestamp>().ok());
    parsed.map_or(0, jiff::Timestamp::as_millisecond)
}

/// The model that another program names, at its provider.
pub(super) fn model(provider: &str, name: &Value) -> Option<ModelRef> {
    let name = name
        .as_str()
        .filter(|name| !name.is_empty() && !name.starts_with('<'))?;
    Some(ModelRef {
        provider: provider.to_owned(),
        model: name.to_owned(),
    })
}
