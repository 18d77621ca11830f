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
    Withheld(WithheldParts),
    SentAgain(SentAgain),
}

/// The outputs of old calls are sent as one line each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaskedOutputs {
    pub calls: Vec<CallId>,
    /// Estimated tokens in the context before and after.
    pub before: u64,
    pub after: u64,
}

/// Parts of messages are not sent to a model any more: its provider refused a request with them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WithheldParts {
    #[serde(default)]
    pub kind: WithheldKind,
    pub messages: Vec<MessageId>,
    /// Other models are sent them.
    pub model: ModelRef,
    /// The provider's own words.
    pub reason: String,
    /// Number of pictures and documents that are left out, or of replies without their signed blocks.
    pub count: usize,
    /// Estimated tokens in the context before and after.
    pub before: u64,
    pub after: u64,
}

/// The parts that a provider may refuse.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WithheldKind {
    /// Pictures and documents.
    #[default]
    Media,
    /// The provider's own blocks of a reply: reasoning and signatures.
    Signed,
}

/// Parts that were left out for a model are sent to it again, because the person asked for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentAgain {
    pub model: ModelRef,
    /// Estimated tokens in the context.
    pub size: u64,
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
            Self::Withheld(withheld) => withheld.sentence(),
            Self::SentAgain(again) => {
                format!("what `{}` refused is sent to it again", again.model)
            }
        }
    }

    /// The same with the summary below it.
    pub fn text(&self) -> String {
        match self {
            Self::Masked(_) | Self::Withheld(_) | Self::SentAgain(_) => self.sentence(),
            Self::Compacted(compaction) => format!("{}\n{}", self.sentence(), compaction.summary.trim()),
        }
    }
}

impl WithheldParts {
    /// The way back stands in front: a narrow screen cuts the provider's words.
    fn sentence(&self) -> String {
        let (what, it) = match (self.kind, self.count) {
            (WithheldKind::Media, 1) => ("1 attachment".to_owned(), "it"),
            (WithheldKind::Media, count) => (plural(count, "attachment"), "them"),
            (WithheldKind::Signed, 1) => ("reasoning of 1 reply".to_owned(), "it"),
            (WithheldKind::Signed, count) => (format!("reasoning of {count} replies"), "it"),
        };
        format!(
            "{what} left out, `/resend` sends {it} again: `{}` refused {it} ({})",
            self.model, self.reason
        )
    }
}

fn sizes(before: u64, after: u64) -> String {
    format!("from {} to {} tokens", short_count(before), short_count(after))
}
