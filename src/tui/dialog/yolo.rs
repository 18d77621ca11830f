//! The question before the permission mode becomes `yolo`: it says what runs at once.

use std::time::Instant;

use super::choice::{Choice, ChoiceDialog};
use super::type_ahead_guard::TypeAheadGuard;
use crate::permission::Mode;
use crate::text::count::plural;
use crate::text::sanitize::{Revealed, reveal_line};
use crate::tui::keymap::{Action, KeyRow, LayerKeys};
use crate::tui::layer::LayerRequest;

pub(super) static KEYS: LayerKeys = LayerKeys {
    name: "yolo",
    title: "Changing to mode yolo",
    takes_text: false,
    rows: &[
        KeyRow::new(&["y"], CHANGE, "change to yolo"),
        KeyRow::new(&["n"], STAY, "stay in this mode"),
    ],
};

const CHANGE: Action = Action::OfLayer("change");
const STAY: Action = Action::OfLayer("stay");
/// Questions that are named one by one.
const NAMED: usize = 5;

/// Asks before the mode becomes `yolo`, while these questions for permission wait.
pub(crate) fn change_to_yolo(waiting: &[Revealed], now: Instant) -> ChoiceDialog {
    let mut details = vec![Revealed::own(
        "Every command and edit then runs without a question. Denies still hold.",
    )];
    if !waiting.is_empty() {
        details.push(Revealed::own(match waiting.len() {
            1 => "This waits for an answer and runs at once:",
            _ => "These wait for an answer and run at once:",
        }));
        let named = waiting.iter().take(NAMED);
        details.extend(named.map(|words| Revealed::own("  ").and(words)));
    }
    if let Some(more) = waiting.len().checked_sub(NAMED).filter(|more| *more > 0) {
        let more = plural(more, "other");
        details.push(Revealed::own("  and ").and(reveal_line(&more)));
    }
    let answers = [(CHANGE, "changes to yolo"), (STAY, "stays in this mode")];
    let choice = Choice::new(
        "Answer everything with yes from now on?".into(),
        details,
        &KEYS,
        answers,
    );
    ChoiceDialog {
        guard: Some(TypeAheadGuard::begin(now)),
        ..ChoiceDialog::new(
            choice,
            [Some(LayerRequest::ChangeMode(Mode::Yolo)), None],
            "stays",
        )
    }
}
