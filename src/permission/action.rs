//! The action of a rule, and the one key whose rules are about names.

use serde::{Deserialize, Serialize};

/// The action of a rule. The order is that of strictness.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, strum::Display,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Action {
    Allow,
    Ask,
    Deny,
}

/// The key under which writes to special paths are judged.
pub(super) const PROTECTED: &str = "protected";
