//! The entries of a session's check list, and how a person changes one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::text::sanitize::sanitize_line;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Todo {
    pub content: String,
    #[serde(default)]
    pub status: TodoStatus,
    #[serde(default)]
    pub priority: TodoPriority,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Wording while the todo is in progress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_form: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    #[default]
    Pending,
    InProgress,
    Completed,
    Cancelled,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TodoPriority {
    High,
    #[default]
    Medium,
    Low,
}

/// A person's change to one entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TodoEdit {
    /// The entry as they saw it.
    pub seen: Todo,
    pub change: TodoChange,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TodoChange {
    Content(String),
    Status(TodoStatus),
}

impl TodoStatus {
    pub fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::InProgress)
    }

    /// As lists in text have it.
    pub fn mark(self) -> &'static str {
        match self {
            Self::Pending => "[ ]",
            Self::InProgress => "[~]",
            Self::Completed => "[x]",
            Self::Cancelled => "[-]",
        }
    }

    /// Returns its name in a sentence.
    pub fn label(self) -> &'static str {
        match self {
            Self::Pending => "open",
            Self::InProgress => "in progress",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl Todo {
    /// Returns true if both are the same entry, whatever its state.
    pub fn is_same_entry(&self, other: &Self) -> bool {
        (&self.id, &self.content) == (&other.id, &other.content)
    }

    /// Reads a stored list; what is no entry is left out.
    pub fn list(rows: &[Value]) -> Vec<Self> {
        rows.iter()
            .filter_map(|row| serde_json::from_value(row.clone()).ok())
            .collect()
    }

    /// Returns a list as it is stored.
    pub fn rows(list: &[Self]) -> Vec<Value> {
        list.iter()
            .filter_map(|todo| serde_json::to_value(todo).ok())
            .collect()
    }

    /// Returns one line for each entry, as the model reads them.
    pub fn lines(list: &[Self]) -> String {
        let line = |todo: &Self| format!("{} {}", todo.status.mark(), sanitize_line(&todo.content));
        list.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

impl TodoEdit {
    /// Changes the entry that was meant; says whether it is still there. It is known by its id where it has one, else by
    /// its words: the list may have been written anew since the person looked.
    pub fn apply(&self, list: &mut [Todo]) -> bool {
        let by_id = self.seen.id.as_ref().and_then(|id| {
            let is_it = |todo: &Todo| todo.id.as_ref() == Some(id);
            list.iter().position(is_it)
        });
        let by_words = || list.iter().position(|todo| todo.content == self.seen.content);
        let Some(place) = by_id.or_else(by_words) else {
            return false;
        };
        let todo = &mut list[place];
        match &self.change {
            TodoChange::Content(content) => {
                todo.content.clone_from(content);
                // It said the same in other words.
                todo.active_form = None;
            }
            TodoChange::Status(status) => todo.status = *status,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn todo(id: Option<&str>, content: &str) -> Todo {
        Todo {
            content: content.to_owned(),
            id: id.map(str::to_owned),
            ..Todo::default()
        }
    }

    fn done(seen: Todo) -> TodoEdit {
        let change = TodoChange::Status(TodoStatus::Completed);
        TodoEdit { seen, change }
    }

    #[test]
    fn an_edit_finds_its_entry_by_id_and_then_by_words() {
        let mut list = [todo(Some("1"), "find it well"), todo(Some("2"), "fix it")];
        assert!(done(todo(Some("1"), "find it")).apply(&mut list));
        assert!(done(todo(Some("9"), "fix it")).apply(&mut list));
        assert_eq!(Todo::lines(&list), "[x] find it well\n[x] fix it");
    }

    #[test]
    fn an_entry_that_is_gone_is_not_changed() {
        let mut list = [todo(None, "fix it")];
        assert!(!done(todo(None, "find it")).apply(&mut list));
        assert_eq!(Todo::lines(&list), "[ ] fix it");
    }

    #[test]
    fn other_words_take_the_old_ones_for_it_away() {
        let mut list = [Todo {
            active_form: Some("Fixing it".to_owned()),
            ..todo(None, "fix it")
        }];
        let edit = TodoEdit {
            seen: list[0].clone(),
            change: TodoChange::Content("fix it well".to_owned()),
        };
        assert!(edit.apply(&mut list));
        assert_eq!(list[0], todo(None, "fix it well"));
    }
}
