//! The action of a rule, and the one key whose rules are about names.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The action of a rule. The order is that of strictness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    Allow,
    Ask,
    Deny,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        })
    }
}

/// The key under which writes to special paths are judged.
pub(super) const PROTECTED: &str = "protected";
