//! The answer to a question for permission, and how far an "always" reaches.

use crate::permission::PermissionKey;
use std::collections::BTreeMap;
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

/// The scopes that were chosen last, by permission key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChosenScopes(BTreeMap<PermissionKey, Scope>);

impl ChosenScopes {
    /// Notes that a scope was chosen for a key; *everywhere* is not remembered.
    pub fn choose(&mut self, key: &PermissionKey, scope: Scope) {
        if let Some(scope) = scope.remembered() {
            self.0.insert(key.clone(), scope);
        }
    }

    /// Takes over what is known for other keys.
    pub fn complete_from(&mut self, others: &Self) {
        for (key, scope) in &others.0 {
            self.0.entry(key.clone()).or_insert(*scope);
        }
    }

    /// Returns the scope that an "always" for these keys begins with: the narrowest of those of the single keys. Without a
    /// choice that is this session for edits and for input to terminals, and this project for the rest.
    pub fn first_for<'a>(&self, keys: impl IntoIterator<Item = &'a PermissionKey>) -> Scope {
        let scopes = keys.into_iter().map(|key| match self.0.get(key) {
            Some(scope) => *scope,
            None if matches!(key.as_str(), "edit" | "interactive_bash") => Scope::Session,
            None => Scope::Project,
        });
        if scopes.into_iter().any(|scope| scope == Scope::Session) {
            Scope::Session
        } else {
            Scope::Project
        }
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
