//! A text that is being written, with its folded pastes.
//!
//! A draft goes to disk as a string: plain where nothing is folded, else JSON behind a character that no draft holds. So
//! a fold is still a fold, and whole, after a crash. What comes back from disk is cleaned as if it had been pasted.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::text::sanitize;

/// A paste with more of either folds to a chip.
const FOLD_LINES: usize = 10;
const FOLD_BYTES: usize = 1024;
/// A text that comes back as a whole (a queued input, the history) folds only when editing it would be slow. A chip with
/// more is opened in the editor.
pub(super) const FOLD_WHOLE: usize = 64 * 1024;
/// Begins a stored draft with chips. Cleaned text has no control characters but tabs and line ends.
const WITH_CHIPS: char = '\u{1}';

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

/// A draft as it is stored.
#[derive(Serialize, Deserialize)]
struct Stored {
    text: String,
    pastes: Vec<StoredPaste>,
}

#[derive(Serialize, Deserialize)]
struct StoredPaste {
    label: String,
    content: String,
}

impl Paste {
    /// Folds a content, under a label that is neither one of the others' nor written in the text.
    pub(super) fn new(content: impl Into<Arc<str>>, others: &[Self], text: &[String]) -> Self {
        let content = content.into();
        let lines = content.lines().count();
        let noun = if lines == 1 { "line" } else { "lines" };
        let plain = format!("[pasted {lines} {noun}]");
        let is_free = |label: &String| {
            others.iter().all(|other| other.label != *label) && text.iter().all(|line| !line.contains(label))
        };
        let numbered = (2..).map(|number| format!("[pasted {lines} {noun} #{number}]"));
        let label = std::iter::once(plain).chain(numbered).find(is_free);
        Self {
            label: label.expect("there are more numbers than pastes"),
            content,
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
        let paste = Paste::new(text, &[], &[]);
        Self {
            text: paste.label.clone(),
            pastes: vec![paste],
        }
    }

    /// Takes over a text that was this draft before it went elsewhere: what is still there unchanged stays folded.
    pub(super) fn refolded(text: &str, before: &[Paste]) -> Self {
        let mut text = clean(text);
        let mut pastes = Vec::new();
        for paste in before {
            // Editors end a file with one line end, and a paste may have brought its own.
            let content = paste.content.trim_end_matches('\n');
            if let Some(start) = text.find(content).filter(|_| is_long(content)) {
                let whole = start..start + paste.content.len();
                let is_whole = text.get(whole.clone()) == Some(&paste.content);
                let end = if is_whole {
                    whole.end
                } else {
                    start + content.len()
                };
                text.replace_range(start..end, &paste.label);
                pastes.push(paste.clone());
            }
        }
        if text.len() > FOLD_WHOLE {
            let expanded = Self { text, pastes }.expanded();
            return Self::from_text(expanded);
        }
        Self { text, pastes }
    }

    /// Reads what [`Self::stored`] wrote.
    pub(crate) fn from_stored(stored: &str) -> Self {
        let Some(json) = stored.strip_prefix(WITH_CHIPS) else {
            return Self::from_text(stored);
        };
        let Ok(Stored { text, pastes }) = serde_json::from_str(json) else {
            return Self::from_text(json);
        };
        let paste = |paste: StoredPaste| Paste {
            label: clean(&paste.label),
            content: clean(&paste.content).into(),
        };
        let draft = Self {
            text: clean(&text),
            pastes: pastes.into_iter().map(paste).collect(),
        };
        let is_chip = |paste: &Paste| is_label(&paste.label) && draft.text.contains(&paste.label);
        // Without its labels it is what a person reads all the same.
        if draft.text.len() <= FOLD_WHOLE && draft.pastes.iter().all(is_chip) {
            draft
        } else {
            Self::from_text(draft.expanded())
        }
    }

    /// Returns it as it is stored.
    pub(crate) fn stored(&self) -> String {
        let shown = self
            .pastes
            .iter()
            .filter(|paste| self.text.contains(&paste.label));
        let stored = |paste: &Paste| StoredPaste {
            label: paste.label.clone(),
            content: paste.content.to_string(),
        };
        let pastes: Vec<StoredPaste> = shown.map(stored).collect();
        if pastes.is_empty() {
            return self.text.clone();
        }
        let text = self.text.clone();
        let json = serde_json::to_string(&Stored { text, pastes });
        format!("{WITH_CHIPS}{}", json.expect("strings become JSON"))
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Returns it with labels that none of these folds has, unless the fold is the same.
    pub(super) fn beside(mut self, others: &[Paste]) -> Self {
        let mut known = others.to_vec();
        for paste in &mut self.pastes {
            let clashes = |other: &Paste| other.label == paste.label && other.content != paste.content;
            if known.iter().any(clashes) {
                let own = [self.text.clone()];
                let fresh = Paste::new(Arc::clone(&paste.content), &known, &own);
                self.text = self.text.replace(&paste.label, &fresh.label);
                *paste = fresh;
            }
            known.push(paste.clone());
        }
        self
    }

    /// Returns the text as a person would read it, with its pastes in full.
    pub(crate) fn expanded(&self) -> String {
        if self.pastes.is_empty() {
            return self.text.clone();
        }
        let mut expanded = String::new();
        let mut rest = self.text.as_str();
        while let Some(start) = rest.find(LABEL) {
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

/// How every label begins.
const LABEL: &str = "[pasted ";

fn is_label(label: &str) -> bool {
    label.starts_with(LABEL) && label.ends_with(']') && !label.contains('\n')
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn folded(before: &str, content: &str, after: &str) -> Draft {
        let paste = Paste::new(content, &[], &[]);
        Draft {
            text: format!("{before}{}{after}", paste.label),
            pastes: vec![paste],
        }
    }

    #[test]
    fn what_is_stored_comes_back_with_its_folds() {
        let draft = folded("see ", &"line\n".repeat(212), " and \"that\"");
        assert_eq!(Draft::from_stored(&draft.stored()), draft);
        let plain = Draft::from_text("one\ntwo");
        assert_eq!(plain.stored(), "one\ntwo", "older lathes read it too");
        assert_eq!(Draft::from_stored("one\ntwo"), plain);
    }

    #[test]
    fn a_fold_that_was_deleted_is_not_stored() {
        let mut draft = folded("", &"line\n".repeat(212), "");
        draft.text = "gone".to_owned();
        assert_eq!(draft.stored(), "gone");
    }

    #[test]
    fn what_was_stored_badly_is_read_as_text_and_without_escapes() {
        assert_eq!(Draft::from_stored("\u{1}{\"text\":").text, "{\"text\":");
        let evil = "\u{1}{\"text\":\"a\\u001b[31mb\",\"pastes\":[{\"label\":\"b\",\"content\":\"x\"}]}";
        assert_eq!(Draft::from_stored(evil).text, "ab");
    }

    #[test]
    fn two_folds_of_one_label_are_told_apart() {
        let one = folded("", &"a\n".repeat(12), "");
        let other = folded("x ", &"b\n".repeat(12), "").beside(&one.pastes);
        assert_eq!(other.text, "x [pasted 12 lines #2]");
        assert_eq!(other.expanded(), format!("x {}", "b\n".repeat(12)));
        assert_eq!(one.clone().beside(&one.pastes), one);
    }

    #[test]
    fn what_the_editor_left_alone_stays_folded() {
        let content = "line\n".repeat(212);
        let draft = folded("see ", &content, "");
        let left = format!("look at {}", content.trim_end());
        let back = Draft::refolded(&left, &draft.pastes);
        assert_eq!(back.text, "look at [pasted 212 lines]");
        let changed = left.replacen("line", "other", 1);
        let back = Draft::refolded(&changed, &draft.pastes);
        assert_eq!((back.text.as_str(), back.pastes.len()), (changed.as_str(), 0));
    }

    proptest! {
        #[test]
        fn storing_loses_nothing(before in "[a-c\\[\\]\" \n世]{0,12}", content in "[a-z\n\\\\\"é]{0,40}", after in "[a-c\\[ ]{0,8}") {
            let draft = folded(&before, &content, &after);
            prop_assert_eq!(Draft::from_stored(&draft.stored()).expanded(), draft.expanded());
        }
    }
}
