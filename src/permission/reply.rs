//! The answer to a question for permission, and how far an "always" reaches.

use crate::permission::PermissionKey;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The reach of an "always": a session, a project, everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The whole tree of agents, until it is closed.
    Session,
    #[default]
    Project,
    Everywhere,
}

impl Scope {
    /// Returns the scope that the next "always" begins with once this one was chosen; *everywhere* has to be chosen each
    /// time.
    pub fn remembered(self) -> Option<Self> {
        (self != Self::Everywhere).then_some(self)
    }

    /// Returns it in words, as it is shown to a person.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Session => "this session",
            Self::Project => "this project",
            Self::Everywhere => "everywhere",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The end of a question for permission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PermissionReply {
    Once,
    /// This call, and key with pattern from now on.
    Always {
        patterns: Vec<(PermissionKey, String)>,
        scope: Scope,
    },
    /// The call with these arguments instead, which are judged like any.
    Revised(Map<String, Value>),
    /// No, with what the model should read. Without a text the session's other questions are rejected too.
    Reject(Option<String>),
    /// Nobody is there to answer.
    Nobody,
    /// The call was cancelled.
    Withdrawn,
}
