//! The history as a model may see it: void replies left out, each call with its one result, old outputs masked and the
//! beginning summarised where that was decided.
//!
//! These decisions stand in the conversation as [`ContextChange`]s, so the same view comes out of it each time, byte for
//! byte, and a request begins with all of the one before until the next change.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::conversation::{
    CallResult, CallState, Compaction, ContextChange, ErrorKind, KeptKind, MaskedOutputs, Message, MessageId,
    MessageState, ModelRef, Part, PartBody, Role, ToolPart, WithheldKind, WithheldParts,
};
use crate::text::count::{grouped, plural};

/// The changes that hold for the requests of a conversation.
#[derive(Debug)]
pub struct HistoryView {
    /// Directory of the full outputs of calls.
    outputs: PathBuf,
    /// The message that the requests begin with, where the beginning was summarised.
    summary: Option<Arc<Message>>,
    /// The last `seq` that is not sent.
    covers_to: u64,
    /// Messages with calls whose outputs are masked, as they are sent.
    masked: HashMap<MessageId, Arc<Message>>,
    withheld: Vec<WithheldParts>,
}

impl HistoryView {
    /// Reads the changes that stand in `messages`.
    pub fn new(outputs: &Path, messages: &[Arc<Message>]) -> Self {
        let mut view = Self {
            outputs: outputs.to_owned(),
            summary: None,
            covers_to: 0,
            masked: HashMap::new(),
            withheld: Vec::new(),
        };
        for message in messages {
            for part in &message.parts {
                if let PartBody::Context(change) = &part.body {
                    view.apply(change, message.created, messages);
                }
            }
        }
        view
    }

    /// Takes in a change. `messages` is the conversation that it stands in.
    pub fn apply(&mut self, change: &ContextChange, created: i64, messages: &[Arc<Message>]) {
        match change {
            ContextChange::Masked(masked) => self.mask(masked, messages),
            ContextChange::Withheld(withheld) => self.withheld.push(withheld.clone()),
            ContextChange::SentAgain(again) => self.withheld.retain(|one| one.model != again.model),
            ContextChange::Compacted(compaction) => {
                self.covers_to = compaction.covers_to;
                self.summary = Some(Arc::new(summary_message(compaction, created)));
                let kept: HashSet<&MessageId> = self.kept(messages).map(|message| &message.id).collect();
                self.masked.retain(|id, _| kept.contains(id));
            }
        }
    }

    /// Returns the messages that are sent as they are, or with outputs masked.
    pub fn kept<'a>(
        &self,
        messages: &'a [Arc<Message>],
    ) -> impl DoubleEndedIterator<Item = &'a Arc<Message>> + use<'a> {
        let covers = |message: &Arc<Message>| {
            let last = message.parts.last();
            last.is_some_and(|part| part.seq <= self.covers_to)
        };
        let first = match self.covers_to {
            0 => 0,
            _ => messages.iter().rposition(covers).map_or(0, |last| last + 1),
        };
        messages[first..].iter()
    }

    /// The same as they are sent, without those that never are.
    pub fn kept_sent<'a>(&'a self, messages: &'a [Arc<Message>]) -> impl Iterator<Item = &'a Arc<Message>> {
        self.kept(messages)
            .filter(|message| is_sent(message))
            .map(|message| self.as_sent(message))
    }

    /// Returns a message with its outputs masked, where they are.
    pub fn as_sent<'a>(&'a self, message: &'a Arc<Message>) -> &'a Arc<Message> {
        if self.masked.is_empty() {
            return message;
        }
        self.masked.get(&message.id).unwrap_or(message)
    }

    /// Returns true if the output of a call is masked.
    pub fn is_masked(&self, message: &MessageId, call: &ToolPart) -> bool {
        let sent = self.masked.get(message);
        let sent = sent.and_then(|sent| sent.calls().find(|sent| sent.call == call.call));
        match (sent.and_then(|sent| sent.result.as_ref()), &call.result) {
            (Some(sent), Some(own)) => !sent.is_same(own),
            _ => false,
        }
    }

    /// Returns what the requests begin with, where the beginning was summarised.
    pub fn summary(&self) -> Option<&Arc<Message>> {
        self.summary.as_ref()
    }

    /// Returns the words with which the media of a message are withheld from a model.
    pub fn withheld_media(&self, message: &MessageId, model: &ModelRef) -> Option<&str> {
        let mut all = self.withheld_from(model, WithheldKind::Media);
        let found = all.find(|one| one.messages.contains(message));
        found.map(|withheld| &*withheld.reason)
    }

    /// Returns true if a model is not sent its own blocks of a message. After a second refusal it is sent none at all.
    pub fn withholds_signed(&self, message: &MessageId, model: &ModelRef) -> bool {
        let mut all = self.withheld_from(model, WithheldKind::Signed);
        let refusals = self.withheld_from(model, WithheldKind::Signed).count();
        refusals > 1 || all.any(|one| one.messages.contains(message))
    }

    /// Returns true if anything is withheld from a model.
    pub fn withholds_from(&self, model: &ModelRef) -> bool {
        self.withheld.iter().any(|one| one.model == *model)
    }

    fn withheld_from(&self, model: &ModelRef, kind: WithheldKind) -> impl Iterator<Item = &WithheldParts> {
        let all = self.withheld.iter();
        all.filter(move |one| one.model == *model && one.kind == kind)
    }

    /// Returns the messages to send to a model. What a crash or an abort left behind is repaired in the copy: a call without a result
    /// gets one that says so, and replies with nothing to send are left out, as is a command of the person's that still
    /// runs.
    pub fn sendable(&self, messages: &[Arc<Message>], model: &ModelRef) -> Vec<Arc<Message>> {
        let kept = self.kept_sent(messages);
        let mut sent: Vec<Arc<Message>> = self.summary.iter().cloned().collect();
        for message in kept {
            let refused_media = self.withheld_media(&message.id, model);
            let is_unsigned = self.withholds_signed(&message.id, model) && is_signed_by(message, model);
            if refused_media.is_some() || is_unsigned {
                let mut message = with_results(message);
                if let Some(reason) = refused_media {
                    leave_out_media(&mut message, reason);
                }
                if is_unsigned {
                    leave_out_signed(&mut message);
                }
                sent.push(Arc::new(message));
            } else if message.calls().all(|call| call.result.is_some()) {
                sent.push(Arc::clone(message));
            } else if message.role == Role::Assistant {
                sent.push(Arc::new(with_results(message)));
            }
        }
        sent
    }

    fn mask(&mut self, masked: &MaskedOutputs, messages: &[Arc<Message>]) {
        let calls: HashSet<_> = masked.calls.iter().collect();
        for message in self.kept(messages) {
            if !message.calls().any(|call| calls.contains(&call.call)) {
                continue;
            }
            let sent = self.masked.get(&message.id).unwrap_or(message);
            let mut sent = Message::clone(sent);
            for call in sent.calls_mut().filter(|call| calls.contains(&call.call)) {
                self.mask_output(call);
            }
            self.masked.insert(message.id.clone(), Arc::new(sent));
        }
    }

    /// Puts one line in place of the output, and leaves instructions that came with it.
    fn mask_output(&self, call: &mut ToolPart) {
        let Some(shared) = &mut call.result else { return };
        let result = shared.get();
        let file = match &result.output_path {
            Some(path) => PathBuf::from(path),
            None => self.outputs.join(format!("{}.txt", call.call)),
        };
        let mut line = format!(
            "[This output of {} bytes is not shown any more, to save room. Full output: {}",
            grouped(result.output.len() as u64),
            file.display()
        );
        if !result.attachments.is_empty() {
            let _ = write!(
                line,
                " · without its {}",
                plural(result.attachments.len(), "picture")
            );
        }
        line.push(']');
        for reminder in reminders(&result.output) {
            line.push_str("\n\n");
            line.push_str(reminder);
        }
        shared.change(|result| {
            result.output = line;
            result.attachments = Vec::new();
        });
    }
}

/// The size of the context that a conversation knows of last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownSize {
    Reported(u64),
    /// After a change that no reply has followed.
    Estimated(u64),
}

impl KnownSize {
    pub fn of(messages: &[Arc<Message>]) -> Option<Self> {
        messages.iter().rev().find_map(|message| {
            let change = message.parts.iter().find_map(|part| match &part.body {
                PartBody::Context(ContextChange::Masked(masked)) => Some(masked.after),
                PartBody::Context(ContextChange::Compacted(compaction)) => Some(compaction.after),
                PartBody::Context(ContextChange::Withheld(withheld)) => Some(withheld.after),
                PartBody::Context(ContextChange::SentAgain(again)) => Some(again.size),
                _ => None,
            });
            let reported = message.usage.map(|usage| Self::Reported(usage.context()));
            change.map(Self::Estimated).or(reported)
        })
    }

    pub fn tokens(self) -> u64 {
        match self {
            Self::Reported(tokens) | Self::Estimated(tokens) => tokens,
        }
    }
}

/// Returns the blocks at the end of an output in which lathe speaks to the model: instruction files of directories.
pub fn reminders(output: &str) -> Vec<&str> {
    const END: &str = "\n</system-reminder>";
    let mut rest = output.trim_end();
    let mut found = Vec::new();
    while rest.ends_with(END) {
        let Some(start) = rest.rfind(Message::REMINDER) else {
            break;
        };
        found.push(&rest[start..]);
        rest = rest[..start].trim_end();
    }
    found.reverse();
    found
}

/// Returns the message that stands for the beginning of a conversation.
fn summary_message(compaction: &Compaction, created: i64) -> Message {
    let mut text = format!(
        "{}{}\n\n<summary>\n{}\n</summary>\n",
        Message::REMINDER,
        include_str!("../../assets/prompts/compacted.md").trim(),
        compaction.summary.trim()
    );
    for kept in &compaction.kept {
        let name = match kept.kind {
            KeptKind::Instructions => "instructions",
            KeptKind::Words => "messages-of-the-person",
            KeptKind::Plan => "plan",
            KeptKind::Todos => "todos",
            KeptKind::Tasks => "tasks",
            KeptKind::File => "file",
        };
        let of = match kept.name.as_str() {
            "" => String::new(),
            path => format!(" name=\"{path}\""),
        };
        let _ = write!(text, "\n<{name}{of}>\n{}\n</{name}>\n", kept.text);
    }
    text.push_str("</system-reminder>");
    let part = Part {
        seq: compaction.covers_to,
        body: PartBody::text(text),
    };
    Message::new(Role::User, created, vec![part])
}

fn is_sent(message: &Message) -> bool {
    !matches!(message.state, MessageState::Void | MessageState::Streaming) && has_content(message)
}

fn has_content(message: &Message) -> bool {
    let has_text = |part: &Part| match &part.body {
        PartBody::Text(text) => !text.text.is_empty(),
        PartBody::Reasoning(_) | PartBody::Notice(_) | PartBody::Context(_) | PartBody::Unknown(_) => false,
        PartBody::Tool(_) | PartBody::File(_) => true,
    };
    message.role == Role::User || message.parts.iter().any(has_text)
}

/// Returns true for what a provider may be unable to read: a picture, a document.
fn is_media(mime: &str) -> bool {
    mime.starts_with("image/") || mime == "application/pdf"
}

/// Counts the pictures and documents of a message and of its results.
pub fn media(message: &Message) -> usize {
    let attached = |call: &ToolPart| {
        let result = call.result();
        let attachments = result.iter().flat_map(|result| &result.attachments);
        attachments
            .filter(|attachment| is_media(&attachment.mime))
            .count()
    };
    let count = |part: &Part| match &part.body {
        PartBody::File(file) => usize::from(is_media(&file.mime)),
        PartBody::Tool(call) => attached(call),
        _ => 0,
    };
    message.parts.iter().map(count).sum()
}

/// Returns true if a message has blocks of a model that only this model is sent.
pub fn is_signed_by(message: &Message, model: &ModelRef) -> bool {
    let model = model.to_string();
    message.parts.iter().any(|part| {
        let native = match &part.body {
            PartBody::Text(text) => text.native.as_ref(),
            PartBody::Reasoning(reasoning) => reasoning.native.as_ref(),
            PartBody::Tool(call) => call.native.as_ref(),
            _ => None,
        };
        native.is_some_and(|native| native.model == model)
    })
}

/// Leaves out what a provider wants back as it came; words and calls stay.
fn leave_out_signed(message: &mut Message) {
    for part in &mut message.parts {
        match &mut part.body {
            PartBody::Text(text) => text.native = None,
            PartBody::Reasoning(reasoning) => reasoning.native = None,
            PartBody::Tool(call) => call.native = None,
            _ => {}
        }
    }
}

/// Puts sentences in place of a message's pictures and documents.
fn leave_out_media(message: &mut Message, reason: &str) {
    for part in &mut message.parts {
        match &mut part.body {
            PartBody::File(file) if is_media(&file.mime) => {
                let words = format!("[{} was left out: the provider refused it: {reason}]", file.path);
                part.body = PartBody::text(words);
            }
            PartBody::Tool(call) => {
                let Some(shared) = &mut call.result else { continue };
                let count = shared
                    .get()
                    .attachments
                    .iter()
                    .filter(|one| is_media(&one.mime))
                    .count();
                if count == 0 {
                    continue;
                }
                shared.change(|result| {
                    result.attachments.retain(|one| !is_media(&one.mime));
                    let _ = write!(
                        result.output,
                        "\n[{} left out: the provider refused what was attached: {reason}]",
                        plural(count, "attachment")
                    );
                });
            }
            _ => {}
        }
    }
}

fn with_results(message: &Message) -> Message {
    let mut message = message.clone();
    for call in message.calls_mut().filter(|call| call.result.is_none()) {
        call.state = CallState::Interrupted;
        let message = "lathe was stopped before this call had a result; what it did is not known";
        call.result = Some(CallResult::error(ErrorKind::Interrupted, message, None).into());
    }
    message
}
