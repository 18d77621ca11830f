//! Keys of the pages that are read.

use super::{ContextRows, row};
use crate::tui::keymap::{Action, Context};
use crate::tui::page;

pub(super) const ROWS: &[ContextRows] = &[(
    Context::Page,
    &[
        row(&["q"], Action::ClosePage, "close"),
        row(&["down", "j"], Action::ScrollDown, "down"),
        row(&["up", "k"], Action::ScrollUp, "up"),
        row(&["g", "home"], Action::PageTop, "beginning"),
        row(&["G", "end"], Action::PageEnd, "end"),
        row(&["o", "space"], Action::ToggleFold, "show or hide the details"),
        row(&["/"], Action::Search, "search"),
        row(&["n"], Action::NextMatch, "next match"),
        row(&["N"], Action::PreviousMatch, "previous match"),
        row(&["?"], Action::OpenPage(&page::KEYS), "keys"),
    ],
)];
