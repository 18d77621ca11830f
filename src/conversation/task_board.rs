//! The task board of a project: work items that outlive sessions.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::SessionId;

const PREFIX: &str = "T-";
/// Hexadecimal digits behind the prefix.
const DIGITS: usize = 8;

/// A string that is not the id of an item.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the id of an item of the task board; it would look like `T-1a2b3c4d`")]
pub struct BoardIdError(String);

/// One item of the task board of a project: `T-` and eight hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BoardItemId(String);

impl BoardItemId {
    /// Makes one at random. Another item of the project may have it already.
    pub fn random() -> Self {
        // The last digits of such an id are random, its first ones are the time.
        let bits = uuid::Uuid::now_v7().as_u128() as u32;
        Self(format!("{PREFIX}{bits:08x}"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BoardItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for BoardItemId {
    type Err = BoardIdError;

    /// Accepts any letter case.
    fn from_str(given: &str) -> Result<Self, BoardIdError> {
        let lower = given.trim().to_ascii_lowercase();
        let digits = lower.strip_prefix("t-").unwrap_or_default();
        if digits.len() != DIGITS || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(BoardIdError(given.to_owned()));
        }
        Ok(Self(format!("{PREFIX}{digits}")))
    }
}

/// Progress of the work on an item.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    JsonSchema,
    strum::IntoStaticStr,
    strum::EnumString,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum BoardStatus {
    #[default]
    Pending,
    InProgress,
    Completed,
    Deleted,
}

impl BoardStatus {
    /// As tools and the database write it.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// An item of the board.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BoardItem {
    pub id: BoardItemId,
    pub subject: String,
    pub description: String,
    pub status: BoardStatus,
    /// Wording while the item is in progress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_form: Option<String>,
    /// Items that wait for this one.
    pub blocks: Vec<BoardItemId>,
    /// Items that this one waits for, also those that are completed.
    pub blocked_by: Vec<BoardItemId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    pub metadata: Map<String, Value>,
    /// The session that created it.
    pub session: SessionId,
    /// Milliseconds since the Unix epoch, like `updated`.
    pub created: i64,
    pub updated: i64,
}

/// An item as lists have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardRow {
    pub id: BoardItemId,
    pub subject: String,
    pub status: BoardStatus,
    pub owner: Option<String>,
    /// Items that this one waits for and that are not completed.
    pub blocked_by: Vec<BoardItemId>,
}

impl BoardRow {
    /// Returns true if the work on it can begin.
    pub fn is_ready(&self) -> bool {
        self.status == BoardStatus::Pending && self.blocked_by.is_empty()
    }
}

/// An item by its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardItemName {
    pub id: BoardItemId,
    pub subject: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_random_id_is_read_back_in_any_letter_case() {
        for _ in 0..100 {
            let id = BoardItemId::random();
            assert_eq!(id.as_str().len(), 10);
            assert_eq!(id.as_str().parse(), Ok(id.clone()));
            assert_eq!(id.as_str().to_uppercase().parse(), Ok(id));
        }
    }

    #[test]
    fn what_is_no_id_of_an_item_is_refused() {
        for given in [
            "",
            "T-",
            "T-1234567",
            "T-123456789",
            "T-1234567g",
            "1a2b3c4d",
            "tsk_1a2b3c4d",
        ] {
            let error = given.parse::<BoardItemId>().unwrap_err();
            assert!(error.to_string().contains("T-1a2b3c4d"), "{error}");
        }
    }
}
