//! Keys of lists to pick from.

use super::bind;
use crate::tui::keymap::{Action, Binding, Context};

pub(super) const ROWS: &[Binding] = &[
    bind(Context::Picker, &["enter"], Action::PickRow, "take it"),
    bind(Context::Picker, &["up", "ctrl+p"], Action::RowUp, "up"),
    bind(Context::Picker, &["down", "ctrl+n"], Action::RowDown, "down"),
    bind(
        Context::Picker,
        &["tab"],
        Action::WidenList,
        "sessions: of all projects, or of this one",
    ),
    bind(
        Context::Picker,
        &["ctrl+r"],
        Action::RenameRow,
        "sessions: rename",
    ),
    bind(
        Context::Picker,
        &["ctrl+d"],
        Action::DeleteRow,
        "sessions, twice: delete",
    ),
];
