//! A text that is being written, with its chips: folded pastes, and files that go with it.
//!
//! A draft goes to disk with its chips. So a fold is still a fold, and whole, after a crash, and a file still goes with the
//! text. What comes back from disk is cleaned as if it had been pasted.

use super::chip::{AttachedFile, Chip, ChipContent, is_label};
use crate::session::{StoredDraft, StoredFile, StoredPaste};
use crate::text::sanitize;

/// A paste with more of either folds to a chip.
const FOLD_LINES: usize = 10;
const FOLD_BYTES: usize = 1024;
/// A text that comes back as a whole (a queued input, the history) folds only when editing it would be slow. A chip with
/// more is opened in the editor.
pub(super) const FOLD_WHOLE: usize = 64 * 1024;

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Draft {
    /// As it stands in the composer: chips are labels.
    pub(super) text: String,
    pub(super) chips: Vec<Chip>,
}

impl Draft {
    /// Takes over a text from elsewhere.
    pub(crate) fn from_text(text: impl AsRef<str>) -> Self {
        let text = clean(text.as_ref());
        if text.len() <= FOLD_WHOLE {
            return Self {
                text,
                chips: Vec::new(),
            };
        }
        let paste = Chip::paste(text, &[], &[]);
        Self {
            text: paste.label.clone(),
            chips: vec![paste],
        }
    }

    /// Gives labels in the text their files again.
    pub(crate) fn with_files(mut self, files: impl IntoIterator<Item = AttachedFile>) -> Self {
        for file in files {
            if !self.text.contains(&file.label) {
                continue;
            }
            if let Some(chip) = Chip::labelled(&file) {
                self.chips.retain(|other| other.label != chip.label);
                self.chips.push(chip);
            }
        }
        self
    }

    /// Takes over a text that was this draft before it went elsewhere: what is still there unchanged stays folded.
    pub(super) fn refolded(text: &str, before: &[Chip]) -> Self {
        let mut text = clean(text);
        let mut chips = Vec::new();
        for chip in before {
            let Some(pasted) = chip.pasted() else {
                if text.contains(&chip.label) {
                    chips.push(chip.clone());
                }
                continue;
            };
            // Editors end a file with one line end, and a paste may have brought its own.
            let content = pasted.trim_end_matches('\n');
            if let Some(start) = text.find(content).filter(|_| is_long(content)) {
                let whole = start..start + pasted.len();
                let is_whole = text.get(whole.clone()) == Some(pasted);
                let end = if is_whole {
                    whole.end
                } else {
                    start + content.len()
                };
                text.replace_range(start..end, &chip.label);
                chips.push(chip.clone());
            }
        }
        let draft = Self { text, chips };
        if draft.text.len() > FOLD_WHOLE {
            let files = draft.files();
            return Self::from_text(draft.expanded()).with_files(files);
        }
        draft
    }

    /// Takes over what [`Self::stored`] gave.
    pub(crate) fn from_stored(stored: &str) -> Self {
        let StoredDraft { text, pastes, files } = StoredDraft::read(stored);
        let paste = |paste: StoredPaste| Chip {
            label: clean(&paste.label),
            content: ChipContent::Paste(clean(&paste.content).into()),
        };
        let file = |file: StoredFile| AttachedFile {
            label: clean(&file.label),
            path: file.path,
        };
        let draft = Self {
            text: clean(&text),
            chips: pastes.into_iter().map(paste).collect(),
        };
        let is_chip = |chip: &Chip| is_label(&chip.label) && draft.text.contains(&chip.label);
        // Without its labels it is what a person reads all the same.
        let draft = if draft.text.len() <= FOLD_WHOLE && draft.chips.iter().all(is_chip) {
            draft
        } else {
            Self::from_text(draft.expanded())
        };
        draft.with_files(files.into_iter().map(file))
    }

    /// Returns it as it is stored.
    pub(crate) fn stored(&self) -> String {
        let paste = |chip: &Chip| {
            let content = chip.pasted()?.to_string();
            let label = chip.label.clone();
            Some(StoredPaste { label, content })
        };
        let file = |AttachedFile { label, path }: AttachedFile| StoredFile { label, path };
        let pastes: Vec<StoredPaste> = self.visible_chips().filter_map(paste).collect();
        let files: Vec<StoredFile> = self.files().into_iter().map(file).collect();
        let text = self.text.clone();
        StoredDraft { text, pastes, files }.written()
    }

    /// The chips whose label still stands in the text.
    fn visible_chips(&self) -> impl Iterator<Item = &Chip> {
        self.chips.iter().filter(|chip| self.text.contains(&chip.label))
    }

    /// Returns the files that go with it, in the order of the text.
    pub(crate) fn files(&self) -> Vec<AttachedFile> {
        let mut files: Vec<AttachedFile> = self.visible_chips().filter_map(Chip::attached_file).collect();
        files.sort_by_key(|file| self.text.find(&file.label));
        files
    }

    /// Returns what was typed: without chips.
    pub(crate) fn own_words(&self) -> String {
        let mut words = self.text.clone();
        for chip in &self.chips {
            words = words.replace(&chip.label, " ");
        }
        words
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Returns it so that it can stand in one text with these chips.
    pub(super) fn beside(self, others: &[Chip]) -> Self {
        self.relabelled(others, Chip::clashes_with)
    }

    /// Returns it so that it can take the place of a text with these chips, which undo brings back.
    pub(super) fn instead_of(self, others: &[Chip]) -> Self {
        self.relabelled(others, Chip::hides)
    }

    fn relabelled(mut self, others: &[Chip], clashes: fn(&Chip, &Chip) -> bool) -> Self {
        let mut known = others.to_vec();
        for chip in &mut self.chips {
            if known.iter().any(|other| clashes(other, chip)) {
                let own = [self.text.clone()];
                let fresh = chip.relabelled(&known, &own);
                self.text = self.text.replace(&chip.label, &fresh.label);
                *chip = fresh;
            }
            known.push(chip.clone());
        }
        self
    }

    /// Returns the text as a person would read it, with its pastes in full.
    pub(crate) fn expanded(&self) -> String {
        if self.chips.is_empty() {
            return self.text.clone();
        }
        let mut expanded = String::new();
        let mut rest = self.text.as_str();
        while let Some(start) = rest.find('[') {
            let (before, at) = rest.split_at(start);
            expanded.push_str(before);
            if let Some(chip) = self.chips.iter().find(|chip| at.starts_with(&chip.label)) {
                expanded.push_str(chip.pasted().map_or(&chip.label, |content| content));
                rest = &at[chip.label.len()..];
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn folded(before: &str, content: &str, after: &str) -> Draft {
        let paste = Chip::paste(content, &[], &[]);
        Draft {
            text: format!("{before}{}{after}", paste.label),
            chips: vec![paste],
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
        let other = folded("x ", &"b\n".repeat(12), "").beside(&one.chips);
        assert_eq!(other.text, "x [pasted 12 lines #2]");
        assert_eq!(other.expanded(), format!("x {}", "b\n".repeat(12)));
        assert_eq!(one.clone().beside(&one.chips), one);
    }

    #[test]
    fn what_the_editor_left_alone_stays_folded() {
        let content = "line\n".repeat(212);
        let draft = folded("see ", &content, "");
        let left = format!("look at {}", content.trim_end());
        let back = Draft::refolded(&left, &draft.chips);
        assert_eq!(back.text, "look at [pasted 212 lines]");
        let changed = left.replacen("line", "other", 1);
        let back = Draft::refolded(&changed, &draft.chips);
        assert_eq!((back.text.as_str(), back.chips.len()), (changed.as_str(), 0));
    }

    fn with_file(text: &str, label: &str, path: &str) -> Draft {
        let (label, path) = (label.to_owned(), path.to_owned());
        Draft::from_text(text).with_files([AttachedFile { label, path }])
    }

    #[test]
    fn a_file_goes_with_the_text_under_its_label_and_comes_back_from_disk() {
        let label = "[image 1: a.png 3×2]";
        let draft = with_file("see [image 1: a.png 3×2] or [this]", label, "/tmp/a.png");
        assert_eq!(draft.expanded(), "see [image 1: a.png 3×2] or [this]");
        assert_eq!(draft.own_words(), "see   or [this]");
        let back = Draft::from_stored(&draft.stored());
        assert_eq!(back, draft);
        assert_eq!(back.files()[0].path, "/tmp/a.png");
        assert_eq!(with_file("gone", label, "/tmp/a.png").files(), []);
        let evil = with_file("a b", "a", "/etc/passwd");
        assert_eq!(evil.files(), [], "only a label is one");
    }

    #[test]
    fn files_of_one_number_are_told_apart() {
        let one = with_file("[image 1: a.png 3×2]", "[image 1: a.png 3×2]", "/tmp/a.png");
        let other = with_file("[image 1: b.png 9×9]", "[image 1: b.png 9×9]", "/tmp/b.png");
        assert_eq!(other.beside(&one.chips).text, "[image 2: b.png 9×9]");
        assert_eq!(one.clone().beside(&one.chips), one);
    }

    #[test]
    fn a_file_stays_when_the_editor_leaves_its_label() {
        let draft = with_file("[pdf 1: a.pdf 1.0 kB] x", "[pdf 1: a.pdf 1.0 kB]", "/tmp/a.pdf");
        let back = Draft::refolded("read [pdf 1: a.pdf 1.0 kB]", &draft.chips);
        assert_eq!(back.files().len(), 1);
        assert_eq!(Draft::refolded("read", &draft.chips).files(), []);
    }

    proptest! {
        #[test]
        fn storing_loses_nothing(before in "[a-c\\[\\]\" \n世]{0,12}", content in "[a-z\n\\\\\"é]{0,40}", after in "[a-c\\[ ]{0,8}") {
            let draft = folded(&before, &content, &after);
            prop_assert_eq!(Draft::from_stored(&draft.stored()).expanded(), draft.expanded());
        }
    }
}
