//! A draft as it lies on disk: plain where it is text alone, else JSON behind a character that no draft holds.
//!
//! Front ends write it and read it. The session puts before it what was on its way when it was closed.

use serde::{Deserialize, Serialize};

use super::Input;

/// Begins a draft with pastes or files. Cleaned text has no control characters but tabs and line ends.
const WITH_CHIPS: char = '\u{1}';

/// A text with labels in it, and what these stand for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredDraft {
    pub text: String,
    pub pastes: Vec<StoredPaste>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<StoredFile>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredPaste {
    pub label: String,
    pub content: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredFile {
    pub label: String,
    pub path: String,
}

impl StoredDraft {
    /// Reads what [`Self::written`] wrote; anything else is text.
    pub fn read(stored: &str) -> Self {
        let plain = |text: &str| Self {
            text: text.to_owned(),
            ..Self::default()
        };
        match stored.strip_prefix(WITH_CHIPS) {
            Some(json) => serde_json::from_str(json).unwrap_or_else(|_| plain(json)),
            None => plain(stored),
        }
    }

    pub fn written(self) -> String {
        if self.pastes.is_empty() && self.files.is_empty() {
            return self.text;
        }
        let json = serde_json::to_string(&self).expect("strings become JSON");
        format!("{WITH_CHIPS}{json}")
    }

    /// Puts what was to be sent before what was begun after it.
    pub(super) fn put_before(&mut self, input: &Input) {
        self.text = if self.text.trim().is_empty() {
            input.text.clone()
        } else {
            format!("{}\n\n{}", input.text, self.text)
        };
        let unread = input.mentions.iter().map(|it| (&it.label, &it.path));
        let read = input.files.iter().map(|file| (&file.label, &file.path));
        let labelled = unread.chain(read).filter_map(|(label, path)| {
            Some(StoredFile {
                label: label.clone()?,
                path: path.clone(),
            })
        });
        self.files.splice(0..0, labelled.collect::<Vec<_>>());
    }
}
