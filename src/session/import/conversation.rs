//! The conversation that a reader puts together. A message that is complete is handed on, so that a long conversation is
//! never in memory as a whole.

use std::collections::{BTreeMap, HashMap, VecDeque};
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

/// Messages and their bytes that may wait for results. What waits longer gets none.
const WAITING: usize = 256;
const WAITING_BYTES: usize = 32 << 20;
/// Parts of one reply; further ones are another message.
const REPLY_PARTS: usize = 2000;
/// Parts of a conversation. An open session has them all in memory.
const PARTS: u64 = 200_000;

/// A conversation that is being read.
///
/// There is nothing in it that a session could be opened with: no directory, no rules, no agent, no mode. The model is taken
/// only if it is one of the user's own.
#[derive(Debug, Default)]
pub(in crate::session) struct ImportedConversation {
    title: String,
    /// The beginning of the person's first message.
    first_words: Option<String>,
    /// Where it took place, in the words of the file. It is only ever shown.
    took_place: String,
    /// The model that the session had.
    model: Option<ModelRef>,
    /// The messages that are not complete, and those behind them.
    waiting: VecDeque<Message>,
    /// Bytes of each of them.
    sizes: VecDeque<usize>,
    /// How many were handed on.
    handed_on: usize,
    /// What was not carried over, by name and number.
    left_out: BTreeMap<&'static str, usize>,
    /// The name that the other program gave the reply that is being put together.
    reply: Option<String>,
    /// Places of the calls that wait for their results, by the ids that the other program gave them: the number of the
    /// message, and of the part in it.
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
    pub(super) fn set_title(&mut self, title: &Value) {
        if let Some(title) = title.as_str() {
            self.title = beginning(title);
        }
    }

    /// Notes the first place that the file names.
    pub(super) fn note_place(&mut self, place: &Value) {
        if let Some(place) = place.as_str().filter(|_| self.took_place.is_empty()) {
            self.took_place = beginning(place);
        }
    }

    /// Notes the model that the session had. Only lathe's own exports name one.
    pub(super) fn set_model(&mut self, model: &Value) {
        self.model = model.as_str().and_then(|name| name.parse().ok());
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
        if self.first_words.is_none() {
            let words = parts.iter().find_map(|part| match part {
                PartBody::Text(text) => Some(beginning(&text.text)),
                _ => None,
            });
            self.first_words = words;
        }
        self.push(Role::User, created, None);
        for part in parts {
            self.part(part);
        }
    }

    /// Adds a part of a reply: to the last one, where that bears the same name.
    pub(super) fn assistant(&mut self, name: &str, created: i64, model: Option<ModelRef>, part: PartBody) {
        let is_full = self
            .waiting
            .back()
            .is_none_or(|last| last.parts.len() >= REPLY_PARTS);
        if is_full || self.reply.as_deref() != Some(name) {
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
        let part = self.waiting.back().map_or(0, |message| message.parts.len() - 1);
        let message = self.handed_on + self.waiting.len() - 1;
        self.calls.insert(id.to_owned(), (message, part));
    }

    /// Gives a call its result.
    pub(super) fn result(&mut self, id: &str, result: ImportedResult) {
        let Some((message, part)) = self.calls.remove(id) else {
            return self.leave_out("results of unknown calls");
        };
        let place = message - self.handed_on;
        self.sizes[place] += result.output.len();
        let PartBody::Tool(call) = &mut self.waiting[place].parts[part].body else {
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

    /// Returns the next message that is complete: nothing is added to it, and its calls have their results.
    pub(super) fn next_complete(&mut self) -> Option<Message> {
        let is_growing = self.waiting.len() <= 1;
        let waits = self
            .waiting
            .front()?
            .calls()
            .any(|call| call.state == CallState::Pending);
        let is_crowded = self.waiting.len() > WAITING || self.sizes.iter().sum::<usize>() > WAITING_BYTES;
        if is_growing || (waits && !is_crowded) {
            return None;
        }
        self.next_message()
    }

    /// Returns the next message once nothing more is read.
    pub(super) fn next_message(&mut self) -> Option<Message> {
        let mut message = self.waiting.pop_front()?;
        self.sizes.pop_front();
        self.handed_on += 1;
        let mut is_open = false;
        for part in &mut message.parts {
            if let PartBody::Tool(call) = &mut part.body
                && call.state == CallState::Pending
            {
                is_open = true;
                call.state = CallState::Interrupted;
                let said = "the session that was imported has no result of this call";
                call.result = Some(CallResult::error(ErrorKind::Interrupted, said, None).into());
            }
        }
        if is_open {
            let handed_on = self.handed_on;
            self.calls.retain(|_, (message, _)| *message >= handed_on);
        }
        Some(message)
    }

    /// Returns how many messages there were.
    pub(in crate::session) fn len(&self) -> usize {
        self.handed_on + self.waiting.len()
    }

    pub(super) fn is_too_long(&self) -> bool {
        self.parts > PARTS
    }

    /// Returns the title, or the person's first words where there is none.
    pub(in crate::session) fn title(&self) -> &str {
        match self.title.trim() {
            "" => self.first_words.as_deref().unwrap_or_default(),
            title => title,
        }
    }

    /// Returns where it took place, in the words of the file.
    pub(in crate::session) fn took_place(&self) -> Option<&str> {
        Some(self.took_place.as_str()).filter(|place| !place.is_empty())
    }

    pub(in crate::session) fn model(&self) -> Option<&ModelRef> {
        self.model.as_ref()
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
        self.sizes.push_back(0);
        self.waiting.push_back(Message {
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
        if let (Some(message), Some(size)) = (self.waiting.back_mut(), self.sizes.back_mut()) {
            *size += bytes(&body);
            message.parts.push(Part { seq, body });
        }
    }
}

/// Returns about how many bytes a part has.
fn bytes(body: &PartBody) -> usize {
    match body {
        PartBody::Text(text) => text.text.len(),
        PartBody::Reasoning(reasoning) => reasoning.text.len(),
        PartBody::Tool(call) => 2 * call.raw_args.len(),
        PartBody::File(file) => file.data.len(),
        PartBody::Notice(notice) => notice.text.len(),
        PartBody::Context(_) | PartBody::Unknown(_) => 0,
    }
}

/// Returns enough of a text for a title.
fn beginning(text: &str) -> String {
    text.chars().take(2000).collect()
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

/// A file whose bytes are there as base64. Of its path the name is kept: there is no such file here.
pub(super) fn file(path: &str, mime: &str, data: &str) -> PartBody {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    PartBody::File(FilePart {
        path: name.to_owned(),
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
