//! The sign of a task's state. It stands still: what moves has changed.

use crate::conversation::{TaskActivity, TaskRow, TaskStatus};
use crate::view::Symbols;
use crate::view::theme::Meaning;

/// State of a task as rows and tiles show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskMark {
    Working,
    /// For the model, or for tasks of its own.
    Waiting,
    Asking,
    Queued,
    Stalled,
    Done,
    Failed,
    Cancelled,
    Interrupted,
}

impl TaskMark {
    /// `asks`: a question of it is open, whatever else it does.
    pub(crate) fn of(row: &TaskRow, asks: bool) -> Self {
        match row.status {
            TaskStatus::Queued => Self::Queued,
            TaskStatus::Completed => Self::Done,
            TaskStatus::Failed => Self::Failed,
            TaskStatus::Cancelled => Self::Cancelled,
            TaskStatus::Interrupted => Self::Interrupted,
            TaskStatus::Running if asks => Self::Asking,
            TaskStatus::Running => match row.activity {
                TaskActivity::Working => Self::Working,
                TaskActivity::WaitingForModel | TaskActivity::WaitingForTasks => Self::Waiting,
                TaskActivity::WaitingForPerson => Self::Asking,
                TaskActivity::Stalled => Self::Stalled,
            },
        }
    }

    pub(crate) fn sign(self, symbols: Symbols) -> &'static str {
        let (unicode, ascii) = match self {
            Self::Working => ("▸", ">"),
            Self::Waiting => ("◌", "o"),
            Self::Asking => ("?", "?"),
            Self::Queued => ("·", "."),
            Self::Stalled => ("~", "~"),
            Self::Done => ("✓", "+"),
            Self::Failed => ("✗", "x"),
            Self::Cancelled => ("⊘", "-"),
            Self::Interrupted => ("■", "#"),
        };
        symbols.pick(unicode, ascii)
    }

    pub(crate) fn meaning(self) -> Meaning {
        match self {
            Self::Working => Meaning::StateRunning,
            Self::Waiting | Self::Queued => Meaning::StateWaiting,
            Self::Asking => Meaning::StateAsking,
            Self::Stalled => Meaning::Warning,
            Self::Done => Meaning::Success,
            Self::Failed => Meaning::StateFailed,
            Self::Cancelled => Meaning::TextMuted,
            Self::Interrupted => Meaning::Warning,
        }
    }

    /// The state in words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Waiting => "waiting",
            Self::Asking => "asks",
            Self::Queued => "queued",
            Self::Stalled => "stalled",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Interrupted => "interrupted",
        }
    }
}
