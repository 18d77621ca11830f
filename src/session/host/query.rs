//! Queries of a front end about what is stored and what is open, and their answers.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{FoundText, ListedSession, OldSessions, Prompt, SessionMarks, TreeAnswer, TreeQuery};
use crate::conversation::SessionId;
use crate::session::ErrorReport;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostQuery {
    /// All sessions.
    List,
    /// Those that are open in this process, those of tasks too.
    Open,
    /// Those in which this was said.
    Search(String),
    /// Texts of one: those around the newest that holds the text, or its last where the text is empty or nowhere in it.
    Look {
        session: SessionId,
        searched: String,
    },
    /// The history of prompts, the oldest first.
    Prompts,
    /// Adds one to the history.
    KeepPrompt(Prompt),
    /// The process that has it, where it is another one.
    Holder(SessionId),
    /// The real directory that a session would be moved to, named as the person wrote it.
    Place {
        session: SessionId,
        directory: PathBuf,
    },
    Rename(SessionId, String),
    /// Lists it before others, and never removes it for its age; or no longer.
    Pin(SessionId, bool),
    /// Gives it the tags that stand in a text.
    Tag(SessionId, String),
    Delete(SessionId),
    /// Removes the sessions that are too old, after a notice.
    RemoveOld,
    /// The work trees of isolated tasks.
    Tree(TreeQuery),
}

/// The answer to a [`HostQuery`]; it names what was asked for.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostAnswer {
    Listed {
        /// The root of the project that the program was started in.
        project: PathBuf,
        sessions: Result<Vec<ListedSession>, ErrorReport>,
    },
    Open(Vec<SessionId>),
    Found {
        searched: String,
        /// Each with one line of what was said.
        sessions: Result<Vec<(SessionId, String)>, ErrorReport>,
    },
    Looked {
        session: SessionId,
        searched: String,
        words: Result<Vec<FoundText>, ErrorReport>,
    },
    Prompts(Vec<Prompt>),
    /// It is written before the sessions are closed.
    PromptKept,
    Holder {
        session: SessionId,
        /// `None` where nobody has it.
        holder: Option<String>,
    },
    Place {
        session: SessionId,
        place: Result<PathBuf, ErrorReport>,
    },
    Renamed {
        session: SessionId,
        title: Result<String, ErrorReport>,
    },
    Marked {
        session: SessionId,
        marks: Result<SessionMarks, ErrorReport>,
    },
    /// `None` where sessions are kept for ever.
    OldRemoved(Option<Result<OldSessions, ErrorReport>>),
    Deleted {
        session: SessionId,
        done: Result<(), ErrorReport>,
    },
    Tree(TreeAnswer),
}
