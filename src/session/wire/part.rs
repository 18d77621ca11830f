//! Things of a project that need trust.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The key of a part that is a file from its beginning to its end.
pub(super) const WHOLE: &str = "whole file";

/// One thing that needs trust.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Relative to the project's root.
    pub file: String,
    /// The names of the keys that lead to it, with dots between.
    pub key: String,
    pub value: Value,
}

impl Part {
    pub(super) fn new(file: &Path, root: &Path, key: &str, value: Value) -> Self {
        let file = file.strip_prefix(root).unwrap_or(file);
        Self {
            file: file.to_string_lossy().into_owned(),
            key: key.to_owned(),
            value,
        }
    }

    /// The value as people read it.
    pub fn text(&self) -> String {
        match &self.value {
            Value::String(text) if self.key == WHOLE => text.clone(),
            value => serde_json::to_string_pretty(value).unwrap_or_default(),
        }
    }
}
