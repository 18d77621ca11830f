//! The keys of the terminals' pane: the leader, and what follows it.

use crate::tui::keymap::{Action, KeyRow, LayerKeys};
use crate::tui::page;

pub(super) const LEADER: Action = Action::OfLayer("leader");
pub(super) const LEAVE: Action = Action::OfLayer("leave");
pub(super) const STOP: Action = Action::OfLayer("stop");
pub(super) const SCROLL: Action = Action::OfLayer("scroll");
pub(super) const ZOOM: Action = Action::OfLayer("zoom");
pub(super) const CONTROL: Action = Action::OfLayer("control");
pub(super) const START: Action = Action::OfLayer("start");
pub(super) const HAND_OVER: Action = Action::OfLayer("hand-over");
pub(super) const NEXT: Action = Action::OfLayer("next");
pub(super) const COPY: Action = Action::OfLayer("copy");

/// While keys go to the program.
pub(super) static TYPING: LayerKeys = LayerKeys {
    name: "terminal",
    title: "Terminals",
    takes_text: false,
    rows: &[KeyRow::new(
        &["ctrl+]", "ctrl+5"],
        LEADER,
        "the next key is lathe's; twice: send it to the program",
    )],
};

/// After the leader.
pub(super) static AFTER_LEADER: LayerKeys = LayerKeys {
    name: "terminal-leader",
    title: "Terminals, after the leader",
    takes_text: false,
    rows: &[
        KeyRow::new(&["d"], LEAVE, "leave; programs go on"),
        KeyRow::new(&["n"], NEXT, "next terminal"),
        KeyRow::new(
            &["1", "2", "3", "4", "5", "6", "7", "8"],
            Action::FormPick,
            "terminal by number",
        ),
        KeyRow::new(&["z"], ZOOM, "one terminal or all of them"),
        KeyRow::new(&["["], SCROLL, "scroll back, search and copy"),
        KeyRow::new(&["y"], COPY, "copy the screen"),
        KeyRow::new(&["p"], CONTROL, "take control for yourself, or give it back"),
        KeyRow::new(&["c"], START, "start a terminal of your own"),
        KeyRow::new(&["h"], HAND_OVER, "hand your own terminal to the agents"),
        KeyRow::new(&["x"], STOP, "stop the program"),
        KeyRow::new(&["?"], Action::OpenPage(&page::KEYS), "keys"),
    ],
};
