//! A terminal of a session tree as front ends show it.

use serde::{Deserialize, Serialize};

/// State of one terminal besides what stands on its screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalRow {
    /// Unique in the tree.
    pub name: String,
    /// The command line that was started.
    pub command: String,
    pub owner: TerminalOwner,
    pub status: TerminalStatus,
    /// Input that the program waits for, where the kernel tells.
    pub waits_for: Option<TerminalInput>,
    /// Whoever typed last.
    pub typed_by: Option<Typist>,
    /// Only the person types.
    pub is_exclusive: bool,
    /// Title that the program has set.
    pub title: Option<String>,
}

/// Whoever a terminal was started by and for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TerminalOwner {
    /// An agent started it, or the person handed it over: both type.
    Shared,
    /// The person's own, of which agents know nothing.
    Person,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TerminalStatus {
    Running,
    /// Ended with this status.
    Exited(i32),
    /// Ended by this signal.
    Killed(i32),
    /// Ended, and nobody knows how.
    Ended,
}

/// Input that a program waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TerminalInput {
    Line,
    /// A secret, which only the person types.
    Hidden,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Typist {
    Agent,
    Person,
}

impl TerminalStatus {
    /// As the model and the person read it.
    pub fn words(self) -> String {
        match self {
            Self::Running => "running".to_owned(),
            Self::Exited(code) => format!("exited {code}"),
            Self::Killed(signal) => format!("killed by signal {signal}"),
            Self::Ended => "ended".to_owned(),
        }
    }

    pub fn is_running(self) -> bool {
        self == Self::Running
    }
}
