//! Keys of the pages that are read.

use super::bind;
use crate::tui::keymap::{Action, Binding, Context};
use crate::tui::page;

pub(super) const ROWS: &[Binding] = &[
    bind(Context::Page, &["q"], Action::ClosePage, "close"),
    bind(Context::Page, &["down", "j"], Action::ScrollDown, "down"),
    bind(Context::Page, &["up", "k"], Action::ScrollUp, "up"),
    bind(Context::Page, &["g", "home"], Action::PageTop, "beginning"),
    bind(Context::Page, &["G", "end"], Action::PageEnd, "end"),
    bind(
        Context::Page,
        &["o", "space"],
        Action::ToggleFold,
        "each row taken apart, or not",
    ),
    bind(Context::Page, &["/"], Action::Search, "search"),
    bind(Context::Page, &["n"], Action::NextMatch, "next match"),
    bind(Context::Page, &["N"], Action::PreviousMatch, "previous match"),
    bind(Context::Page, &["?"], Action::OpenPage(&page::KEYS), "keys"),
];
