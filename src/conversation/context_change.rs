//! Changes of what the model is sent of a conversation. The conversation itself keeps everything.

use serde::{Deserialize, Serialize};

use super::{CallId, MessageId, ModelRef};
use crate::text::count::plural;
use crate::text::size::short_count;

/// A change that holds for every request after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum ContextChange {
    Masked(MaskedOutputs),
    Compacted(Compaction),
    Withheld(WithheldMedia),
}

/// The outputs of old calls are sent as one line each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaskedOutputs {
    pub calls: Vec<CallId>,
    /// Estimated tokens in the context before and after.
    pub before: u64,
    pub after: u64,
}

/// The pictures and documents of messages are not sent to a model any more: its provider refused a request with them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WithheldMedia {
    pub messages: Vec<MessageId>,
    /// Other models are sent them.
    pub model: ModelRef,
    /// The provider's own words.
    pub reason: String,
    /// Number of pictures and documents that are left out.
    pub count: usize,
    /// Estimated tokens in the context before and after.
    pub before: u64,
    pub after: u64,
}

/// The beginning of the conversation is sent as a summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compaction {
    /// The `seq` of the last part that the summary stands for.
    pub covers_to: u64,
    /// Markdown.
    pub summary: String,
    /// Sent after the summary, byte for byte.
    pub kept: Vec<KeptText>,
    /// Estimated tokens in the context before and after.
    pub before: u64,
    pub after: u64,
}

/// A text that no summary stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptText {
    pub kind: KeptKind,
    /// `src/a.rs`, `AGENTS.md`; empty where the kind says it all.
    pub name: String,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeptKind {
    /// An instruction file that a tool showed.
    Instructions,
    /// Messages of the person, or the beginning of a long one.
    Words,
    /// The plan that was made last.
    Plan,
    Todos,
    /// Tasks that had not ended.
    Tasks,
    /// A file that was worked on, as it was at the time.
    File,
}

impl ContextChange {
    /// `12 old outputs masked: from 120.0k to 64.0k tokens`.
    pub fn sentence(&self) -> String {
        match self {
            Self::Masked(masked) => format!(
                "{} masked: {}",
                plural(masked.calls.len(), "old output"),
                sizes(masked.before, masked.after)
            ),
            Self::Compacted(compaction) => format!(
                "conversation compacted {}",
                sizes(compaction.before, compaction.after)
            ),
            Self::Withheld(withheld) => format!(
                "{} not sent to `{}` any more, which refused {} ({}); another model gets {}",
                plural(withheld.count, "attachment"),
                withheld.model,
                if withheld.count == 1 { "it" } else { "them" },
                withheld.reason,
                if withheld.count == 1 { "it" } else { "them" },
            ),
        }
    }

    /// The same with the summary below it.
    pub fn text(&self) -> String {
        match self {
            Self::Masked(_) | Self::Withheld(_) => self.sentence(),
            Self::Compacted(compaction) => format!("{}\n{}", self.sentence(), compaction.summary.trim()),
        }
    }
}

fn sizes(before: u64, after: u64) -> String {
    format!("from {} to {} tokens", short_count(before), short_count(after))
}
