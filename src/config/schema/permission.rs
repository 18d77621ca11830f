//! Rules as a file writes them. What they mean is `permission`'s business; here they are only checked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Table;

/// One action for every key, or settings by key (a tool's name, a permission key or a wildcard).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum PermissionSetting {
    Every(Action),
    Keys(Table<KeySetting>),
}

/// One action for everything under a key, or actions by pattern, of which the last matching one wins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum KeySetting {
    Every(Action),
    Patterns(Table<Action>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    Allow,
    Ask,
    Deny,
}
