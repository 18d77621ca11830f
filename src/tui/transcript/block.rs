//! Blocks of the list: one for each thing that happened, in order.
//!
//! A block knows its content and how it is folded, and keeps the rows it was laid out to until its content, the width,
//! the theme or the fold changes. Content that came with a snapshot stays in the message it came in; only what streams
//! is kept here.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::conversation::{ContextChange, FilePart, Message, NoticeKind, PartBody, SessionId, TaskId};
use crate::session::{ErrorReport, TurnEndReason};
use crate::text::size::size_words;

use crate::view::card::{CardStatus, FileTarget};

use super::call::CallBlock;
use super::layout::BlockLayout;
use super::turn::PendingRetry;

pub(super) struct Block {
    pub(super) body: Body,
    /// Rises with every change of the content.
    pub(super) revision: u32,
    /// The person's choice; `None` leaves it to the kind.
    pub(super) unfolded: Option<bool>,
    /// Belongs to a reply that a retry replaced.
    pub(super) is_void: bool,
    /// How many blocks were shown before this one when it came; counts what is new.
    pub(super) ordinal: usize,
    /// True if the last frame showed some of it.
    pub(super) is_on_screen: bool,
    pub(super) cached_layout: Option<BlockLayout>,
}

pub(super) enum Body {
    User(UserBlock),
    Text(TextBlock),
    Reasoning(ReasoningBlock),
    Call(Box<CallBlock>),
    Mark(Mark),
}

pub(super) struct UserBlock {
    pub(super) text: String,
    /// It joined a turn under way.
    pub(super) joins_turn: bool,
    pub(super) files: Vec<UserFile>,
    /// The message, where pictures are among its files.
    pub(super) pictures: Option<Arc<Message>>,
}

/// A file that is attached to a message.
pub(super) struct UserFile {
    /// Its path, and the facts about a picture or a PDF.
    pub(super) words: String,
    pub(super) target: FileTarget,
}

pub(super) struct TextBlock {
    pub(super) source: BlockSource,
    pub(super) is_open: bool,
}

pub(super) struct ReasoningBlock {
    pub(super) source: BlockSource,
    pub(super) phase: Phase,
}

/// Phase of something that takes time. Moments are unknown for what came with a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Open { since: Option<Instant> },
    Ended { took: Option<Duration> },
}

/// A line about the conversation itself.
pub(super) enum Mark {
    Notice {
        kind: NoticeKind,
        text: String,
    },
    /// What is told of the setup when the session opens.
    Standing(Vec<String>),
    Error(ErrorReport),
    Interrupted,
    /// Old outputs were masked, or the conversation compacted.
    Context(Arc<ContextChange>),
    /// A request that failed and is sent again: one row, however often.
    Retry {
        attempt: u32,
        most: u32,
        reason: String,
        state: RetryState,
    },
    Model(String),
    Agent(String),
    TurnEnd {
        done: TurnEndReason,
        /// Without the time for which the person was waited for.
        took: Option<Duration>,
        calls: usize,
        /// The files that it changed, in words.
        changes: Option<String>,
    },
    /// A part of a kind that a newer lathe wrote.
    Unknown {
        kind: String,
    },
}

/// Progress of the retries of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RetryState {
    /// The request is, or will be, sent again.
    Pending,
    Recovered,
    GaveUp,
    /// The turn ended before.
    Stopped,
}

impl RetryState {
    /// Returns how retries ended that an error follows.
    pub(super) fn gave_up(retry: PendingRetry) -> Self {
        if retry.attempt >= retry.most {
            Self::GaveUp
        } else {
            Self::Stopped
        }
    }
}

impl Mark {
    /// Tells of what lathe said to the model, by its first sentence.
    pub(super) fn reminder(text: &str) -> Self {
        let said = text.trim_start_matches(Message::REMINDER);
        let end = said.find(". ").map_or(said.len(), |end| end + 1);
        let first = said[..end].lines().next().unwrap_or_default();
        Self::info(format!("to the model: {}", without_ids(first)))
    }

    pub(super) fn info(text: String) -> Self {
        let kind = NoticeKind::Info;
        Self::Notice { kind, text }
    }
}

/// Text that is either growing here or stands in a stored message.
pub(super) enum BlockSource {
    Own(String),
    Stored { message: Arc<Message>, part: usize },
}

impl BlockSource {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Own(text) => text,
            Self::Stored { message, part } => match message.parts.get(*part).map(|part| &part.body) {
                Some(PartBody::Text(text)) => &text.text,
                Some(PartBody::Reasoning(reasoning)) => &reasoning.text,
                _ => "",
            },
        }
    }

    pub(super) fn push_str(&mut self, more: &str) {
        if let Self::Stored { .. } = self {
            *self = Self::Own(self.text().to_owned());
        }
        if let Self::Own(text) = self {
            text.push_str(more);
        }
    }
}

/// Leaves out ids of tasks and sessions, which the model needs and which say nothing to a person.
fn without_ids(text: &str) -> String {
    let is_id = |word: &&str| {
        let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        word.parse::<TaskId>().is_ok() || word.parse::<SessionId>().is_ok()
    };
    let kept: Vec<&str> = text.split(' ').filter(|word| !is_id(word)).collect();
    kept.join(" ")
}

impl Phase {
    pub(super) fn is_open(self) -> bool {
        matches!(self, Self::Open { .. })
    }

    pub(super) fn end(&mut self, now: Instant) {
        if let Self::Open { since } = self {
            let took = since.map(|since| now.saturating_duration_since(since));
            *self = Self::Ended { took };
        }
    }
}

impl UserBlock {
    pub(super) fn new(message: &Arc<Message>, joins_turn: bool) -> Self {
        let has_pictures = message.files().any(|file| file.mime.starts_with("image/"));
        let text = if let Some((command, _)) = message.own_command() {
            format!("!{command}")
        } else {
            let made = message.made_of_commands().map(str::to_owned);
            let shown = std::iter::once(message.shown());
            shown.chain(made).collect::<Vec<_>>().join("\n")
        };
        Self {
            text,
            joins_turn,
            files: message.files().map(UserFile::new).collect(),
            pictures: has_pictures.then(|| Arc::clone(message)),
        }
    }
}

impl UserFile {
    fn new(file: &FilePart) -> Self {
        let target = file.path.rsplit_once(':').and_then(|(path, lines)| {
            let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
            last.parse::<usize>().ok()?;
            Some(FileTarget::given(path).at(Some(first.parse().ok()?)))
        });
        Self {
            words: described(file),
            target: target.unwrap_or_else(|| FileTarget::given(&file.path)),
        }
    }
}

/// Names a file; of what is no text it tells more.
fn described(file: &FilePart) -> String {
    let kind = match file.mime.strip_prefix("image/") {
        Some(format) => format.to_uppercase(),
        None if file.mime == "application/pdf" => "PDF".to_owned(),
        None => return file.path.clone(),
    };
    // Four characters of base64 are three bytes.
    let bytes = file.data.len() as u64 / 4 * 3;
    format!("{} ({kind}, {})", file.path, size_words(bytes))
}

impl Block {
    pub(super) fn new(body: Body) -> Self {
        Self {
            body,
            revision: 0,
            unfolded: None,
            is_void: false,
            ordinal: 0,
            is_on_screen: false,
            cached_layout: None,
        }
    }

    /// Returns the call that it shows.
    pub(super) fn call(&self) -> Option<&CallBlock> {
        match &self.body {
            Body::Call(call) => Some(call),
            _ => None,
        }
    }

    pub(super) fn changed(&mut self) {
        self.revision = self.revision.wrapping_add(1);
    }

    /// Returns true if there is anything to draw.
    pub(super) fn is_shown(&self) -> bool {
        match &self.body {
            Body::Text(text) => !text.source.text().trim().is_empty(),
            Body::Reasoning(reasoning) => {
                reasoning.phase.is_open() || !reasoning.source.text().trim().is_empty()
            }
            Body::Call(call) => !call.is_absorbed(),
            Body::User(_) | Body::Mark(_) => true,
        }
    }

    /// Returns true if it stands close to a neighbour of the same sort, without an empty row between.
    pub(super) fn is_compact(&self) -> bool {
        self.is_thought() || matches!(self.body, Body::Call(_))
    }

    pub(super) fn is_thought(&self) -> bool {
        matches!(self.body, Body::Reasoning(_))
    }

    /// Returns true if something in it moves with the clock.
    pub(super) fn is_live(&self) -> bool {
        match &self.body {
            Body::Reasoning(reasoning) => reasoning.phase.is_open(),
            Body::Call(call) => {
                let face = self.cached_layout.as_ref().and_then(BlockLayout::face);
                match face.and_then(|face| face.shared) {
                    Some(status) => status == CardStatus::Running,
                    None => call.is_running() || call.is_written(),
                }
            }
            _ => false,
        }
    }

    /// Returns true if it has a folded and an unfolded form.
    pub(super) fn folds(&self) -> bool {
        match &self.body {
            Body::User(_) | Body::Reasoning(_) | Body::Call(_) => true,
            Body::Text(_) => self.is_void,
            Body::Mark(Mark::Context(change)) => matches!(**change, ContextChange::Compacted(_)),
            Body::Mark(Mark::Standing(_)) => true,
            Body::Mark(_) => false,
        }
    }

    pub(super) fn is_unfolded(&self, reasoning: bool) -> bool {
        let by_kind = match self.body {
            Body::Reasoning(_) => reasoning,
            Body::Text(_) => true,
            Body::User(_) | Body::Call(_) | Body::Mark(_) => false,
        };
        self.unfolded.unwrap_or(by_kind)
    }

    /// Folds or unfolds it, as the person asked.
    pub(super) fn fold(&mut self, unfolded: bool) {
        self.unfolded = Some(unfolded);
    }

    /// Returns the source text, as it came.
    pub(super) fn source(&self) -> String {
        match &self.body {
            Body::User(user) => user.text.clone(),
            Body::Text(text) => text.source.text().to_owned(),
            Body::Reasoning(reasoning) => reasoning.source.text().to_owned(),
            Body::Call(call) => call.source(),
            Body::Mark(mark) => mark.source(),
        }
    }
}

impl Mark {
    pub(super) fn is_problem(&self) -> bool {
        match self {
            Self::Error(_) => true,
            Self::Notice { kind, .. } => *kind == NoticeKind::Error,
            _ => false,
        }
    }

    pub(super) fn source(&self) -> String {
        match self {
            Self::Notice { text, .. } => text.clone(),
            Self::Standing(notes) => notes.join("\n"),
            Self::Error(report) => match &report.hint {
                Some(hint) => format!("{}\n{hint}", report.message),
                None => report.message.clone(),
            },
            Self::Interrupted => "interrupted".to_owned(),
            Self::Context(change) => change.text(),
            Self::Retry { reason, .. } => reason.clone(),
            Self::Model(name) | Self::Agent(name) => name.clone(),
            Self::TurnEnd { .. } => String::new(),
            Self::Unknown { kind } => kind.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reminder_is_told_without_ids() {
        let task = TaskId::of(&SessionId::new());
        let text = format!(
            "{}Task {task} (who calls it, agent explore) is completed after 41s. Use background_output.",
            Message::REMINDER
        );
        let Mark::Notice { text, .. } = Mark::reminder(&text) else {
            panic!("it is a notice");
        };
        assert_eq!(
            text,
            "to the model: Task (who calls it, agent explore) is completed after 41s."
        );
        assert_eq!(
            without_ids("the session of a task is open"),
            "the session of a task is open"
        );
    }
}
