//! Keys of the list of what waits to be sent.

use super::{ContextRows, row};
use crate::tui::keymap::{Action, Context};
use crate::tui::page;

pub(super) const ROWS: &[ContextRows] = &[
    (
        Context::Queue,
        &[
            row(&["enter"], Action::QueueEdit, "take back to edit"),
            row(
                &["x", "delete"],
                Action::QueueRemove,
                "remove; stays in the history",
            ),
            row(
                &["K", "shift+up"],
                Action::QueueSooner,
                "send before the one above",
            ),
            row(
                &["J", "shift+down"],
                Action::QueueLater,
                "send after the one below",
            ),
            row(&["tab"], Action::QueueRedirect, "switch between steer and queue"),
            row(&["up", "k"], Action::RowUp, "up; on the first row: history"),
            row(&["down", "j"], Action::RowDown, "down; on the last row: composer"),
            row(&["i"], Action::FocusComposer, "composer"),
            row(&["?"], Action::OpenPage(&page::KEYS), "keys"),
        ],
    ),
    (
        Context::Palette,
        &[row(&[], Action::FocusQueue, "show the pending messages")],
    ),
];
