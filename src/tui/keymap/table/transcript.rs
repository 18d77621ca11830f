//! Keys of the transcript, of a selection in it and of its search row.

use super::bind;
use crate::tui::caret::CaretMove;
use crate::tui::keymap::{Action, Binding, Context};
use crate::tui::page;

const fn select(keys: &'static [&'static str], motion: CaretMove, description: &'static str) -> Binding {
    bind(Context::Select, keys, Action::SelectTo(motion), description)
}

pub(super) const ROWS: &[Binding] = &[
    // Transcript.
    bind(
        Context::Transcript,
        &["j", "down"],
        Action::NextBlock,
        "next block",
    ),
    bind(
        Context::Transcript,
        &["k", "up"],
        Action::PreviousBlock,
        "previous block",
    ),
    bind(
        Context::Transcript,
        &["g", "home"],
        Action::FirstBlock,
        "beginning",
    ),
    bind(Context::Transcript, &["G", "end"], Action::LastBlock, "end"),
    bind(Context::Transcript, &[], Action::PageUp, "a page up"),
    bind(Context::Transcript, &[], Action::PageDown, "a page down"),
    bind(
        Context::Transcript,
        &["o", "space"],
        Action::ToggleFold,
        "fold or unfold",
    ),
    bind(
        Context::Transcript,
        &["O"],
        Action::ToggleAll,
        "fold or unfold all",
    ),
    bind(Context::Transcript, &["}"], Action::NextOwn, "your next message"),
    bind(
        Context::Transcript,
        &["{"],
        Action::PreviousOwn,
        "your previous message",
    ),
    bind(
        Context::Transcript,
        &["]"],
        Action::NextFailure,
        "next failure or ask",
    ),
    bind(
        Context::Transcript,
        &["["],
        Action::PreviousFailure,
        "previous failure or ask",
    ),
    bind(
        Context::Transcript,
        &["t"],
        Action::ToggleReasoning,
        "show or fold reasoning",
    ),
    bind(
        Context::Transcript,
        &["enter"],
        Action::Open,
        "open the file at its line, or unfold",
    ),
    bind(
        Context::Transcript,
        &["e"],
        Action::ViewBlock,
        "the block in $EDITOR",
    ),
    bind(Context::Transcript, &["y"], Action::CopyBlock, "copy the block"),
    bind(
        Context::Transcript,
        &["c"],
        Action::CopyCode,
        "copy the code; again: the next",
    ),
    bind(
        Context::Transcript,
        &["Y"],
        Action::CopySession,
        "copy the conversation",
    ),
    bind(
        Context::Transcript,
        &["v"],
        Action::Select,
        "select, from the block",
    ),
    bind(
        Context::Transcript,
        &["f"],
        Action::Fork,
        "fork: go on from the block in a new session",
    ),
    bind(Context::Transcript, &["/"], Action::Search, "search"),
    bind(Context::Transcript, &["n"], Action::NextMatch, "next match"),
    bind(
        Context::Transcript,
        &["N"],
        Action::PreviousMatch,
        "previous match",
    ),
    bind(Context::Transcript, &["i"], Action::FocusComposer, "composer"),
    bind(Context::Transcript, &["?"], Action::OpenPage(&page::KEYS), "keys"),
    // Selection.
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
    bind(Context::Select, &["y"], Action::CopySelection, "copy"),
    bind(
        Context::Select,
        &["enter"],
        Action::Open,
        "open the file that the row names",
    ),
    bind(
        Context::Select,
        &["v", "q"],
        Action::EndSelection,
        "end the selection",
    ),
    bind(Context::Select, &["?"], Action::OpenPage(&page::KEYS), "keys"),
    // Search.
    bind(
        Context::Search,
        &["enter"],
        Action::KeepSearch,
        "stay at the match",
    ),
    bind(
        Context::Search,
        &["down", "ctrl+n"],
        Action::NextMatch,
        "next match",
    ),
    bind(
        Context::Search,
        &["up", "ctrl+p"],
        Action::PreviousMatch,
        "previous match",
    ),
];
