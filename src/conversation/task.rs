//! Tasks: sessions in which an agent works on a prompt of another session's.

use serde::{Deserialize, Serialize};

use super::{ErrorKind, ModelRef, SessionId, TaskId, Usage};

/// State of a task.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr, strum::EnumString,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum TaskStatus {
    /// Waits for a slot of its model or provider.
    Queued,
    Running,
    Completed,
    Failed,
    Cancelled,
    /// Found unfinished after a restart.
    Interrupted,
}

impl TaskStatus {
    /// As events and tools write it.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns true if nothing more comes of it, unless it is resumed.
    pub fn is_ended(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }
}

/// Work of a running task at the moment. Known from its session's own events, never guessed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskActivity {
    /// A reply comes in, or calls run.
    Working,
    /// A request is on its way and nothing of the reply has come; also while it waits to be sent.
    #[default]
    WaitingForModel,
    /// A question of its own is open, and no other call of it runs.
    WaitingForPerson,
    /// Tasks that it started run, and it has nothing else to do.
    WaitingForTasks,
    /// No event for a minute while no request and no call of it is open.
    Stalled,
}

/// Limits of a turn or a task and everything it starts; none where a field is empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Budget {
    /// Uncached input, what is written to the cache, and output.
    pub tokens: Option<u64>,
    /// In US dollars.
    pub cost: Option<f64>,
    /// Time of work, without waiting for a person.
    pub minutes: Option<f64>,
}

/// Place of a task's work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// In the directory of the session that started it.
    #[default]
    None,
    /// In a repository of its own.
    Worktree,
}

/// The work tree of an isolated task, and what is changed in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorktreeChanges {
    /// Absolute.
    pub path: String,
    pub additions: u64,
    pub deletions: u64,
    /// Changed files.
    pub files: u64,
    /// Paths of the project's submodules, whose files are not in the tree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub submodules: Vec<String>,
}

impl WorktreeChanges {
    /// Says that the files of submodules are not in the tree, if there are any.
    pub fn missing_submodules(&self) -> Option<String> {
        let noun = match self.submodules.len() {
            0 => return None,
            1 => "submodule",
            _ => "submodules",
        };
        let named: Vec<String> = self.submodules.iter().map(|path| format!("`{path}`")).collect();
        Some(format!(
            "the files of the {noun} {} are not in the tree",
            named.join(", ")
        ))
    }
}

/// One task as lists show it. Times are milliseconds since the Unix epoch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskRow {
    pub task: TaskId,
    /// The session that it runs in.
    pub session: SessionId,
    /// The session that started it.
    pub parent: SessionId,
    /// Name of the tool that started it.
    pub started_by: String,
    /// 1 for a task that a root session started.
    pub depth: u32,
    pub agent: String,
    pub category: Option<String>,
    /// Three to five words.
    pub description: String,
    pub model: ModelRef,
    /// False while the call that started it waits for its end.
    pub is_background: bool,
    pub status: TaskStatus,
    /// Only of a running task.
    pub activity: TaskActivity,
    /// When the status or the activity became what it is.
    pub since: i64,
    /// Its current or last work in a line: a call's title, the question that it asks; of one that is completed the
    /// beginning of its result, empty where it gave none.
    pub now: String,
    /// Calls so far.
    pub calls: u64,
    pub usage: Usage,
    /// US dollars; `None` when a price is unknown.
    pub cost: Option<f64>,
    pub created: i64,
    /// When it left the queue.
    pub started: Option<i64>,
    pub ended: Option<i64>,
    /// Why it failed or was cancelled.
    pub error: Option<String>,
    /// The kind of failure, where it failed.
    pub failure: Option<ErrorKind>,
    pub worktree: Option<WorktreeChanges>,
}

impl TaskRow {
    /// Milliseconds that it has worked so far, the queue left out.
    pub fn elapsed(&self, now: i64) -> i64 {
        let end = self.ended.unwrap_or(now);
        self.started.map_or(0, |started| (end - started).max(0))
    }
}
