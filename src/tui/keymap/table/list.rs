//! Keys of lists to pick from.

use super::{ContextRows, row};
use crate::tui::keymap::{Action, Context};

pub(super) const ROWS: &[ContextRows] = &[(
    Context::Picker,
    &[
        row(&["enter"], Action::PickRow, "choose"),
        row(&["up", "ctrl+p"], Action::RowUp, "up"),
        row(&["down", "ctrl+n"], Action::RowDown, "down"),
        row(
            &["tab"],
            Action::WidenList,
            "sessions: all projects or only this one",
        ),
        row(&["ctrl+r"], Action::RenameRow, "sessions: rename"),
        row(&["ctrl+d"], Action::DeleteRow, "sessions, twice: delete"),
        row(&["alt+k"], Action::PinRow, "sessions: pin or unpin"),
        row(&["alt+g"], Action::TagRow, "sessions: tags"),
    ],
)];
