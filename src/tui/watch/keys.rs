//! The keys of the grid.

use crate::tui::keymap::{Action, KeyRow, LayerKeys};
use crate::tui::page;

pub(super) const ENTER: Action = Action::OfLayer("enter");
pub(super) const LEFT: Action = Action::OfLayer("left");
pub(super) const RIGHT: Action = Action::OfLayer("right");
pub(super) const PREVIOUS_PAGE: Action = Action::OfLayer("previous-page");
pub(super) const NEXT_PAGE: Action = Action::OfLayer("next-page");
pub(super) const MESSAGE: Action = Action::OfLayer("message");
pub(super) const STOP: Action = Action::OfLayer("stop");
pub(super) const STOP_ALL: Action = Action::OfLayer("stop-all");
pub(super) const TO_BACKGROUND: Action = Action::OfLayer("to-background");
pub(super) const CHANGES: Action = Action::OfLayer("changes");
pub(super) const RESUME: Action = Action::OfLayer("resume");
pub(super) const SORT: Action = Action::OfLayer("sort");

/// While tiles are looked at.
pub(super) static TILES: LayerKeys = LayerKeys {
    name: "watch",
    title: "Watch",
    takes_text: false,
    rows: &[
        KeyRow::new(&["enter"], ENTER, "go into the agent"),
        KeyRow::new(&["left"], LEFT, "tile to the left"),
        KeyRow::new(&["right"], RIGHT, "tile to the right"),
        KeyRow::new(&["up"], Action::RowUp, "tile above"),
        KeyRow::new(&["down"], Action::RowDown, "tile below"),
        KeyRow::new(
            &["1", "2", "3", "4", "5", "6", "7", "8", "9"],
            Action::FormPick,
            "tile by number",
        ),
        KeyRow::new(&["<"], PREVIOUS_PAGE, "previous page"),
        KeyRow::new(&[">"], NEXT_PAGE, "next page"),
        KeyRow::new(&["tab"], Action::AnotherAsk, "next agent that asks"),
        KeyRow::new(&["y"], Action::AllowOnce, "answer: once"),
        KeyRow::new(&["n"], Action::Reject, "answer: no"),
        KeyRow::new(&["N"], Action::RejectBecause, "answer: no, because…"),
        KeyRow::new(
            &["a"],
            Action::AllowAlways,
            "answer: always, in the agent's own dialog",
        ),
        KeyRow::new(&["m"], MESSAGE, "message to the agent"),
        KeyRow::new(&["x"], STOP, "stop the agent"),
        KeyRow::new(&["X"], STOP_ALL, "stop all"),
        KeyRow::new(&["b"], TO_BACKGROUND, "move it to the background"),
        KeyRow::new(&["r"], RESUME, "resume an ended agent"),
        KeyRow::new(&["c"], CHANGES, "review the changes in its work tree"),
        KeyRow::new(&["s"], SORT, "sort: who asks first"),
        KeyRow::new(&["/"], Action::Search, "filter"),
        KeyRow::new(&["?"], Action::OpenPage(&page::KEYS), "keys"),
    ],
};

/// While the filter, a message or a reason is written.
pub(super) static TEXT: LayerKeys = LayerKeys {
    name: "watch-text",
    title: "Watch, while writing",
    takes_text: true,
    rows: &[KeyRow::new(&["enter"], Action::FinishText, "confirm the text")],
};
