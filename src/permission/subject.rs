//! Subjects of rules.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Something that is about to happen, as patterns see it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// A command's canonical text, a path, a URL, a name. Shown to the user.
    pub text: String,
    /// Other spellings of the same, equal in rank: the absolute path beside the project-relative one. A symlink's target
    /// is not one of them; it is a subject of its own.
    pub also: Vec<String>,
    /// Spellings that only rules which ask or deny are tried on.
    pub restrict_also: Vec<String>,
    /// How a command begins that nobody can say the rest of.
    pub may_begin_with: Option<String>,
    /// A command that pattern `@read-only` stands for.
    pub read_only: bool,
    /// A command that destroys something: only a stored rule with this very text covers it.
    pub destroys: bool,
    /// A command's words, without assignments; empty for anything else.
    #[serde(default)]
    pub words: Vec<CommandWord>,
    /// Programs that get what is typed: a stored answer covers it only if it was given for all of them, and none covers it
    /// where there is none. `None` for anything that an answer covers whatever it was given for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound_to: Option<BTreeSet<String>>,
}

impl Subject {
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    pub fn also(mut self, form: impl Into<String>) -> Self {
        self.also.push(form.into());
        self
    }
}

/// A word of a command as rules see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandWord {
    pub text: String,
    /// True if what the program gets begins as the text does, and is one word.
    pub is_certain: bool,
}
