//! Keys of the list of what waits to be sent.

use super::bind;
use crate::tui::keymap::{Action, Binding, Context};
use crate::tui::page;

pub(super) const ROWS: &[Binding] = &[
    bind(Context::Queue, &["enter"], Action::QueueEdit, "take back to edit"),
    bind(
        Context::Queue,
        &["x", "delete"],
        Action::QueueRemove,
        "remove; the history keeps it",
    ),
    bind(
        Context::Queue,
        &["K", "shift+up"],
        Action::QueueSooner,
        "send before the one above",
    ),
    bind(
        Context::Queue,
        &["J", "shift+down"],
        Action::QueueLater,
        "send after the one below",
    ),
    bind(
        Context::Queue,
        &["tab"],
        Action::QueueRedirect,
        "steer with it, or queue it",
    ),
    bind(
        Context::Queue,
        &["up", "k"],
        Action::RowUp,
        "up; on the first row: history",
    ),
    bind(
        Context::Queue,
        &["down", "j"],
        Action::RowDown,
        "down; on the last row: composer",
    ),
    bind(Context::Queue, &["i"], Action::FocusComposer, "composer"),
    bind(Context::Queue, &["?"], Action::OpenPage(&page::KEYS), "keys"),
    bind(Context::Palette, &[], Action::FocusQueue, "what waits to be sent"),
];
