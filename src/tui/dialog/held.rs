//! The question what to do with a session that another process has.

use super::choice::{Choice, ChoiceDialog};
use super::type_ahead_guard::TypeAheadGuard;
use crate::text::sanitize::{Revealed, reveal_line};
use crate::tui::keymap::{Action, KeyRow, LayerKeys};
use crate::tui::layer::LayerRequest;

pub(super) static KEYS: LayerKeys = LayerKeys {
    name: "open-elsewhere",
    title: "Session open elsewhere",
    takes_text: false,
    rows: &[
        KeyRow::new(&["f"], FORK, "fork it into a new session"),
        KeyRow::new(&["w"], WAIT, "wait until it is free"),
    ],
};

const FORK: Action = Action::OfLayer("fork");
const WAIT: Action = Action::OfLayer("wait");

/// Asks what to do with a session that `holder` has open.
pub(crate) fn held_session(holder: &str, guard: TypeAheadGuard) -> ChoiceDialog {
    let question = Revealed::own("This session is open in ")
        .and(reveal_line(holder))
        .and(".");
    let answers = [
        (FORK, "forks it into a new session"),
        (WAIT, "waits until it is free"),
    ];
    let choice = Choice::new(question, Vec::new(), &KEYS, answers);
    let requests = [LayerRequest::Perform(Action::Fork), LayerRequest::WaitForSession].map(Some);
    ChoiceDialog {
        guard: Some(guard),
        ..ChoiceDialog::new(choice, requests, "stays read-only")
    }
}
