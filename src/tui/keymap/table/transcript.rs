//! Keys of the transcript, of a selection in it and of its search row.

use super::{ContextRows, row};
use crate::tui::caret::CaretMove;
use crate::tui::keymap::{Action, Context, KeyRow};
use crate::tui::page;

const fn select(keys: &'static [&'static str], motion: CaretMove, description: &'static str) -> KeyRow {
    row(keys, Action::SelectTo(motion), description)
}

pub(super) const ROWS: &[ContextRows] = &[
    // Transcript.
    (
        Context::Transcript,
        &[
            row(&["j", "down"], Action::NextBlock, "go to the next block"),
            row(&["k", "up"], Action::PreviousBlock, "go to the previous block"),
            row(&["g", "home"], Action::FirstBlock, "go to the beginning"),
            row(&["G", "end"], Action::LastBlock, "go to the end"),
            row(&[], Action::PageUp, "a page up"),
            row(&[], Action::PageDown, "a page down"),
            row(&["o", "space"], Action::ToggleFold, "fold or unfold"),
            row(&["O"], Action::ToggleAll, "fold or unfold all"),
            row(&["}"], Action::NextOwn, "go to your next message"),
            row(&["{"], Action::PreviousOwn, "go to your previous message"),
            row(&["]"], Action::NextFailure, "go to the next failure or ask"),
            row(
                &["["],
                Action::PreviousFailure,
                "go to the previous failure or ask",
            ),
            row(&["t"], Action::ToggleReasoning, "show or fold reasoning"),
            row(&["enter"], Action::Open, "open its file, task or terminal"),
            row(&["e"], Action::ViewBlock, "show the block in $EDITOR"),
            row(&["y"], Action::CopyBlock, "copy the block"),
            row(&["c"], Action::CopyCode, "copy the code; again: the next"),
            row(&["Y"], Action::CopySession, "copy the conversation"),
            row(&["v"], Action::Select, "select from the block on"),
            row(&["f"], Action::Fork, "fork into a new session from the block"),
            row(&["u"], Action::UndoHere, "undo to before the message"),
            row(&["/"], Action::Search, "search the conversation"),
            row(&["n"], Action::NextMatch, "next match"),
            row(&["N"], Action::PreviousMatch, "previous match"),
            row(&["i"], Action::FocusComposer, "composer"),
            row(&["?"], Action::OpenPage(&page::KEYS), "keys"),
        ],
    ),
    // Selection.
    (
        Context::Select,
        &[
            select(&["h", "left"], CaretMove::Left, "a character to the left"),
            select(&["l", "right"], CaretMove::Right, "a character to the right"),
            select(&["j", "down"], CaretMove::Down, "a row down"),
            select(&["k", "up"], CaretMove::Up, "a row up"),
            select(&["w"], CaretMove::WordRight, "a word to the right"),
            select(&["b"], CaretMove::WordLeft, "a word to the left"),
            select(&["0", "home"], CaretMove::LineStart, "start of the row"),
            select(&["$", "end"], CaretMove::LineEnd, "end of the row"),
            select(&["g"], CaretMove::Top, "beginning"),
            select(&["G"], CaretMove::Bottom, "end"),
            row(&["y"], Action::CopySelection, "copy"),
            row(&["enter"], Action::Open, "open the file that the row names"),
            row(&["v", "q"], Action::EndSelection, "end the selection"),
            row(&["?"], Action::OpenPage(&page::KEYS), "keys"),
        ],
    ),
    // Search.
    (
        Context::Search,
        &[
            row(&["enter"], Action::KeepSearch, "stay at the match"),
            row(&["down", "ctrl+n"], Action::NextMatch, "next match"),
            row(&["up", "ctrl+p"], Action::PreviousMatch, "previous match"),
        ],
    ),
];
