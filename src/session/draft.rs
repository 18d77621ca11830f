//! A draft as it lies on disk: plain where it is text alone, else JSON behind a character that no draft holds.
//!
//! Front ends write it and read it. The session puts before it what was on its way when it was closed or killed.

use serde::{Deserialize, Serialize};

use super::mention::mentions;
use super::{Input, Mention};

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

    /// Returns it as a message: whole, with the files that it names, and those that stand in it by labels.
    pub(crate) fn into_input(self) -> Input {
        let (mut text, mut own_words) = (self.text.clone(), self.text);
        for paste in &self.pastes {
            text = text.replace(&paste.label, &paste.content);
            own_words = own_words.replace(&paste.label, " ");
        }
        let mut named = Vec::new();
        for file in self.files {
            if own_words.contains(&file.label) {
                own_words = own_words.replace(&file.label, " ");
                named.push(Mention {
                    path: file.path,
                    lines: None,
                    is_sure: true,
                    label: Some(file.label),
                });
            }
        }
        named.extend(mentions(&own_words));
        Input {
            text,
            mentions: named,
            ..Input::default()
        }
    }

    /// Puts what was to be sent before what was begun after it.
    pub(crate) fn put_before(&mut self, input: &Input) {
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

    /// Returns messages that were to be sent, in their order, as one draft.
    pub(crate) fn of_inputs<'a>(inputs: impl DoubleEndedIterator<Item = &'a Input>) -> Self {
        let mut draft = Self::default();
        for input in inputs.rev() {
            draft.put_before(input);
        }
        draft
    }

    /// Adds what was begun after it.
    pub(crate) fn append(&mut self, later: Self) {
        if self.text.trim().is_empty() {
            self.text = later.text;
        } else if !later.text.trim().is_empty() {
            self.text = format!("{}\n\n{}", self.text, later.text);
        }
        self.pastes.extend(later.pastes);
        self.files.extend(later.files);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_to_be_sent_stands_before_what_was_begun_after_it() {
        let input = |text: &str| Input {
            text: text.to_owned(),
            ..Input::default()
        };
        let mut draft = StoredDraft::of_inputs([input("one"), input("two")].iter());
        draft.append(StoredDraft::read("three"));
        assert_eq!(draft.text, "one\n\ntwo\n\nthree");
        draft.append(StoredDraft::default());
        assert_eq!(draft.text, "one\n\ntwo\n\nthree");
        let mut nothing = StoredDraft::default();
        nothing.append(StoredDraft::read("alone"));
        assert_eq!(nothing.text, "alone");
    }

    #[test]
    fn a_draft_is_sent_whole_and_a_paste_names_nothing() {
        let (label, content) = ("[pasted 2 lines]".to_owned(), "see @other.rs:1".to_owned());
        let file = |label: &str| StoredFile {
            label: label.to_owned(),
            path: "/a.png".to_owned(),
        };
        let draft = StoredDraft {
            text: "look at @src/a.rs and [a.png 3×2]: [pasted 2 lines]".to_owned(),
            pastes: vec![StoredPaste { label, content }],
            files: vec![file("[a.png 3×2]"), file("[gone.png]")],
        };
        let input = draft.into_input();
        assert_eq!(input.text, "look at @src/a.rs and [a.png 3×2]: see @other.rs:1");
        let paths: Vec<&str> = input.mentions.iter().map(|it| it.path.as_str()).collect();
        assert_eq!(paths, ["/a.png", "src/a.rs"]);
        assert_eq!(input.mentions[0].label.as_deref(), Some("[a.png 3×2]"));
    }
}
