//! The sign of a task's state.
use crate::conversation::{TaskActivity, TaskRow, TaskStatus};
use crate::view::Symbols;
use crate::view::theme::Meaning;

/// The state of a task, one for each mark. In the order in which tiles are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TaskMark {
    /// A question of its own is open.
    Asking,
    Working,
    /// Waits for the model, or for tasks of its own.
    Waiting,
    Stalled,
    Queued,
    Failed,
    Interrupted,
    Done,
    Cancelled,
}

impl TaskMark {
    /// `has_question` is true while a question of its session waits, also beside calls that run.
    pub(super) fn of(row: &TaskRow, has_question: bool) -> Self {
        match row.status {
            TaskStatus::Queued => Self::Queued,
            TaskStatus::Running if has_question => Self::Asking,
            TaskStatus::Running => match row.activity {
                TaskActivity::Working => Self::Working,
                TaskActivity::WaitingForModel | TaskActivity::WaitingForTasks => Self::Waiting,
                TaskActivity::WaitingForPerson => Self::Asking,
                TaskActivity::Stalled => Self::Stalled,
            },
            TaskStatus::Completed => Self::Done,
            TaskStatus::Failed => Self::Failed,
            TaskStatus::Cancelled => Self::Cancelled,
            TaskStatus::Interrupted => Self::Interrupted,
        }
    }

    pub(super) fn sign(self, symbols: Symbols) -> &'static str {
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
        match symbols {
            Symbols::Unicode => unicode,
            Symbols::Ascii => ascii,
        }
    }

    pub(super) fn meaning(self) -> Meaning {
        match self {
            Self::Asking => Meaning::StateAsking,
            Self::Working => Meaning::StateRunning,
            Self::Waiting | Self::Queued => Meaning::StateWaiting,
            Self::Stalled => Meaning::StateLook,
            Self::Done => Meaning::StateDone,
            Self::Failed => Meaning::StateFailed,
            Self::Cancelled => Meaning::StateDenied,
            Self::Interrupted => Meaning::StateInterrupted,
        }
    }

    pub(super) fn words(self) -> &'static str {
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
