//! The question what to do with a session whose directory is gone.

use std::path::Path;

use super::choice::{Choice, ChoiceDialog};
use super::type_ahead_guard::TypeAheadGuard;
use crate::text::sanitize::{Revealed, reveal_line};
use crate::tui::keymap::{Action, KeyRow, LayerKeys};
use crate::tui::layer::LayerRequest;

pub(super) static KEYS: LayerKeys = LayerKeys {
    name: "directory-gone",
    title: "Session whose directory is gone",
    takes_text: false,
    rows: &[
        KeyRow::new(&["h"], HERE, "continue here"),
        KeyRow::new(&["r"], READ, "only read it"),
    ],
};

const HERE: Action = Action::OfLayer("here");
const READ: Action = Action::OfLayer("read");

/// Asks whether a session goes on in `here`, as its own directory is gone.
pub(crate) fn directory_gone(gone: &Path, here: &str, guard: TypeAheadGuard) -> ChoiceDialog {
    let question = Revealed::own("The session's directory is gone. Continue in ")
        .and(reveal_line(here))
        .and("?");
    let details = vec![reveal_line(&gone.to_string_lossy())];
    let answers = [(HERE, "continues here"), (READ, "only reads it")];
    let choice = Choice::new(question, details, &KEYS, answers);
    let requests = [Some(LayerRequest::Perform(Action::ChangeDirectory)), None];
    ChoiceDialog {
        guard: Some(guard),
        ..ChoiceDialog::new(choice, requests, "stays read-only")
    }
}
