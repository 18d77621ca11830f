//! A session whose model cannot be asked: its transcript is shown, and nothing is sent until another model is chosen.

use super::pickers::MODELS;
use super::session_view::SessionView;
use crate::tui::keymap::{Action, Keymap};

/// The command that opens the list of models.
const COMMAND: &str = "/model";

impl SessionView {
    /// Says that the model is not available and what chooses another one, if it is not.
    pub(super) fn missing_model_words(&self, keymap: &Keymap) -> Option<String> {
        if !self.lacks_model {
            return None;
        }
        let key = keymap.after_leader(Action::OpenList(&MODELS));
        let key = Some(key.as_str())
            .filter(|key| !key.is_empty())
            .unwrap_or(COMMAND);
        Some(format!("its model is not available: {key} chooses"))
    }
}
