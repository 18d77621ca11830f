//! Surroundings of a session: its branch, its instruction files and the session before it.

use serde::{Deserialize, Serialize};

/// Surroundings of a session, as they were when it was opened.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surroundings {
    /// The branch, or the first digits of a commit; none without a repository.
    pub branch: Option<String>,
    /// The instruction files that are part of the prompt, outermost first.
    pub instructions: Vec<InstructionFile>,
    /// The session of the project that was used last before this one.
    pub newest: Option<EarlierSession>,
}

/// An instruction file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstructionFile {
    /// As it is displayed: from the project's root, or from `~`.
    pub path: String,
    /// Estimated, as the context page does.
    pub tokens: u64,
}

/// A session of before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierSession {
    pub title: String,
    /// Milliseconds since the Unix epoch.
    pub updated: i64,
}
