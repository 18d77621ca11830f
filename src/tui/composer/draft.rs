//! A text that is being written, with its folded pastes.

use std::sync::Arc;

use crate::text::sanitize;

/// A paste with more of either folds to a chip.
const FOLD_LINES: usize = 10;
const FOLD_BYTES: usize = 1024;
/// A text that comes back as a whole (a queued input, the history) folds only when editing it would be slow.
const FOLD_WHOLE: usize = 64 * 1024;

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Draft {
    /// As it stands in the composer: pastes are labels.
    pub(super) text: String,
    pub(super) pastes: Vec<Paste>,
}

/// A folded paste. Its label stands in the text, and is unlike any other label there.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Paste {
    pub(super) label: String,
    pub(super) content: Arc<str>,
}

impl Paste {
    pub(super) fn new(content: String, others: &[Self]) -> Self {
        let lines = content.lines().count();
        let noun = if lines == 1 { "line" } else { "lines" };
        let plain = format!("[pasted {lines} {noun}]");
        let is_free = |label: &String| others.iter().all(|other| other.label != *label);
        let numbered = (2..).map(|number| format!("[pasted {lines} {noun} #{number}]"));
        let label = std::iter::once(plain).chain(numbered).find(is_free);
        Self {
            label: label.expect("there are more numbers than pastes"),
            content: content.into(),
        }
    }
}

impl Draft {
    /// Takes over a text from elsewhere.
    pub(crate) fn from_text(text: impl AsRef<str>) -> Self {
        let text = clean(text.as_ref());
        if text.len() <= FOLD_WHOLE {
            return Self {
                text,
                pastes: Vec::new(),
            };
        }
        let paste = Paste::new(text, &[]);
        Self {
            text: paste.label.clone(),
            pastes: vec![paste],
        }
    }

    /// Returns the text with its pastes in full.
    pub(super) fn expanded(&self) -> String {
        if self.pastes.is_empty() {
            return self.text.clone();
        }
        let mut expanded = String::new();
        let mut rest = self.text.as_str();
        while let Some(start) = rest.find("[pasted ") {
            let (before, at) = rest.split_at(start);
            expanded.push_str(before);
            if let Some(paste) = self.pastes.iter().find(|paste| at.starts_with(&paste.label)) {
                expanded.push_str(&paste.content);
                rest = &at[paste.label.len()..];
            } else {
                expanded.push('[');
                rest = &at[1..];
            }
        }
        expanded + rest
    }
}

pub(super) fn is_long(text: &str) -> bool {
    text.len() > FOLD_BYTES || text.lines().count() > FOLD_LINES
}

/// Makes a text from outside safe to show and to send: one kind of line end, no control characters.
pub(super) fn clean(text: &str) -> String {
    let text = if text.contains('\r') {
        text.replace("\r\n", "\n").replace('\r', "\n")
    } else {
        text.to_owned()
    };
    sanitize::sanitize(&text).into_owned()
}
