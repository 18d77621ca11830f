//! The keys of the page.

use crate::tui::keymap::{Action, KeyRow, LayerKeys};
use crate::tui::page;

pub(in crate::tui::page) static KEYS: LayerKeys = LayerKeys {
    name: "task-changes",
    title: "Changes of a task",
    takes_text: false,
    rows: &[
        KeyRow::new(&["space"], Action::Tick, "tick the hunk or the file"),
        KeyRow::new(&["a"], TICK_ALL, "tick all, or none"),
        KeyRow::new(&["enter"], APPLY, "apply the ticked hunks to the project"),
        KeyRow::new(&["down", "j"], Action::RowDown, "down"),
        KeyRow::new(&["up", "k"], Action::RowUp, "up"),
        KeyRow::new(&["]"], Action::NextHunk, "next hunk"),
        KeyRow::new(&["["], Action::PreviousHunk, "previous hunk"),
        KeyRow::new(&["n", "}"], NEXT_FILE, "next file"),
        KeyRow::new(&["p", "{"], PREVIOUS_FILE, "previous file"),
        KeyRow::new(&["g", "home"], Action::PageTop, "beginning"),
        KeyRow::new(&["G", "end"], Action::PageEnd, "end"),
        KeyRow::new(&["x"], DISCARD, "discard the tree"),
        KeyRow::new(&["r"], COMPARE, "compare again"),
        KeyRow::new(&["R"], RESOLVE, "let the agent resolve conflicts"),
        KeyRow::new(&["?"], Action::OpenPage(&page::KEYS), "keys"),
        KeyRow::new(&["q"], Action::ClosePage, "close"),
    ],
};

pub(in crate::tui::page) static QUESTION_KEYS: LayerKeys = LayerKeys {
    name: "task-changes-question",
    title: "Changes of a task, before they are applied or discarded",
    takes_text: false,
    rows: &[
        KeyRow::new(&["y"], CONFIRM, "apply, or discard"),
        KeyRow::new(&["n"], CANCEL, "change nothing"),
    ],
};

pub(super) const TICK_ALL: Action = Action::OfLayer("tick-all");
pub(super) const APPLY: Action = Action::OfLayer("apply");
pub(super) const NEXT_FILE: Action = Action::OfLayer("next-file");
pub(super) const PREVIOUS_FILE: Action = Action::OfLayer("previous-file");
pub(super) const DISCARD: Action = Action::OfLayer("discard");
pub(super) const COMPARE: Action = Action::OfLayer("compare");
pub(super) const RESOLVE: Action = Action::OfLayer("resolve");
pub(super) const CONFIRM: Action = Action::OfLayer("confirm");
pub(super) const CANCEL: Action = Action::OfLayer("cancel");
