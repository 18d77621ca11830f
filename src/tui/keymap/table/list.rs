//! Keys of lists to pick from and of the help screen.

use super::bind;
use crate::tui::keymap::{Action, Binding, Context};

pub(super) const ROWS: &[Binding] = &[
    // Lists.
    bind(Context::Picker, &["enter"], Action::PickRow, "take it"),
    bind(Context::Picker, &["up", "ctrl+p"], Action::RowUp, "up"),
    bind(Context::Picker, &["down", "ctrl+n"], Action::RowDown, "down"),
    // Help.
    bind(Context::Help, &["?", "q", "enter"], Action::CloseHelp, "close"),
    bind(Context::Help, &["up", "k"], Action::ScrollUp, "up"),
    bind(Context::Help, &["down", "j"], Action::ScrollDown, "down"),
];
