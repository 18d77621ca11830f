//! A message of the person's as a draft: its words, with what was attached as far as it is still there.

use std::path::Path;

use super::{StoredDraft, StoredFile};
use crate::conversation::Message;

/// A message of a person, to be written again.
#[derive(Default)]
pub(super) struct RestoredPrompt {
    pub(super) draft: StoredDraft,
    /// Files that it is without.
    pub(super) gone: Vec<String>,
}

impl RestoredPrompt {
    pub(super) fn new(message: &Message, directory: &Path) -> Self {
        let mut again = Self::default();
        if let Some((command, _)) = message.own_command() {
            again.draft.text = format!("!{command}");
            return again;
        }
        let mut text = message.typed();
        let labelled = message
            .files()
            .filter_map(|file| Some((file.label.as_ref()?, &file.path)));
        for (label, path) in labelled {
            if again.draft.files.iter().any(|file| file.label == *label) {
                continue;
            }
            if is_there(directory, path) {
                again.draft.files.push(StoredFile {
                    label: label.clone(),
                    path: path.clone(),
                });
            } else {
                text = text.replace(&format!("{label} "), "").replace(label.as_str(), "");
                again.gone.push(format!("`{path}`"));
            }
        }
        text.trim_end().clone_into(&mut again.draft.text);
        again
    }
}

/// Returns true if a file may still be attached. One that is named from home on is looked for when it is sent.
fn is_there(directory: &Path, path: &str) -> bool {
    path.starts_with("~/") || directory.join(path).exists()
}
