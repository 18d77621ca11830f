//! The question before a letter of the transcript does something that lasts: whoever thinks they are writing a message is
//! asked first, and what they go on to write answers nothing.

use std::time::Instant;

use super::choice::{Choice, ChoiceDialog};
use super::type_ahead_guard::TypeAheadGuard;
use crate::text::sanitize::Revealed;
use crate::tui::keymap::{Action, KeyRow, LayerKeys};
use crate::tui::layer::LayerRequest;

pub(super) static KEYS: LayerKeys = LayerKeys {
    name: "confirming",
    title: "Transcript, confirming",
    takes_text: false,
    rows: &[
        KeyRow::new(&["y"], CONFIRM, "do it"),
        KeyRow::new(&["n"], LEAVE, "cancel"),
    ],
};

const CONFIRM: Action = Action::OfLayer("confirm");
const LEAVE: Action = Action::OfLayer("leave");

/// Asks before an action, where it is one to ask about.
pub(crate) fn before(action: Action, now: Instant) -> Option<ChoiceDialog> {
    let (question, effect) = match action {
        Action::Fork => (
            "Continue from here in a new session? This one stays unchanged.",
            "forks the session",
        ),
        Action::ViewBlock => ("Show this block in your editor?", "opens the editor"),
        _ => return None,
    };
    let answers = [(CONFIRM, effect), (LEAVE, "cancels")];
    let choice = Choice::new(Revealed::own(question), Vec::new(), &KEYS, answers);
    Some(ChoiceDialog {
        guard: Some(TypeAheadGuard::begin(now)),
        ..ChoiceDialog::new(choice, [Some(LayerRequest::Perform(action)), None], "cancels")
    })
}
