//! A stretch of a conversation as it stands in the body of a request.

use serde_json::Value;

use super::history::{HistoryTurn, ReplyPiece};

/// One stretch of the conversation by one speaker, as JSON.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EncodedTurn {
    pub(crate) speaker: Speaker,
    /// Values with commas between them; empty where nothing of the turn is sent.
    pub(crate) json: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    User,
    /// `thinks`: it begins with the provider's own block of reasoning.
    Assistant {
        thinks: bool,
    },
    /// `attaches`: pictures or documents follow the results.
    Results {
        attaches: bool,
    },
}

impl EncodedTurn {
    /// Reads the values of the turn again.
    pub(super) fn values(&self) -> Vec<Value> {
        // They were written here as JSON.
        serde_json::from_str(&format!("[{}]", self.json)).unwrap_or_default()
    }
}

impl Speaker {
    pub(super) fn of(turn: &HistoryTurn<'_>) -> Self {
        match turn {
            HistoryTurn::User(_) => Self::User,
            HistoryTurn::Assistant(said) => Self::Assistant {
                thinks: matches!(said.first(), Some(ReplyPiece::Reasoning(Some(_)))),
            },
            HistoryTurn::Results(outcomes) => Self::Results {
                attaches: outcomes.iter().any(|outcome| !outcome.attachments.is_empty()),
            },
        }
    }
}

/// Adds a message to a list that is being written, or its items to the message before, where both begin with `head` and end
/// with `]}`: two of one speaker in a row are refused by some servers.
pub(crate) fn push_message(list: &mut String, json: &str, head: &str, is_same_speaker: bool) {
    match json.strip_prefix(head) {
        Some(items) if is_same_speaker && list.ends_with("]}") => {
            list.truncate(list.len() - "]}".len());
            list.push(',');
            list.push_str(items);
        }
        _ => push_item(list, json),
    }
}

/// Adds JSON to a list that is being written.
pub(crate) fn push_item(list: &mut String, json: &str) {
    if json.is_empty() {
        return;
    }
    if !list.ends_with('[') {
        list.push(',');
    }
    list.push_str(json);
}
