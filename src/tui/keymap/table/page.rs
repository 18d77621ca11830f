//! Keys of the pages that are read.

use super::bind;
use crate::tui::keymap::{Action, Binding, Context};
use crate::tui::page::PageKind;

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
    bind(Context::Page, &["?"], Action::OpenPage(PageKind::Keys), "keys"),
    // Changes.
    bind(Context::Diff, &["down", "j"], Action::RowDown, "down"),
    bind(Context::Diff, &["up", "k"], Action::RowUp, "up"),
    bind(Context::Diff, &["g", "home"], Action::PageTop, "beginning"),
    bind(Context::Diff, &["G", "end"], Action::PageEnd, "end"),
    bind(Context::Diff, &["]"], Action::NextHunk, "next hunk"),
    bind(Context::Diff, &["["], Action::PreviousHunk, "previous hunk"),
    bind(Context::Diff, &["}"], Action::NextFile, "next file"),
    bind(Context::Diff, &["{"], Action::PreviousFile, "previous file"),
    bind(
        Context::Diff,
        &["tab"],
        Action::NextScope,
        "session, last turn or work tree",
    ),
    bind(
        Context::Diff,
        &["enter"],
        Action::Open,
        "open the file at the line",
    ),
    bind(
        Context::Diff,
        &["m"],
        Action::Comment,
        "a comment on the line, for the draft",
    ),
    bind(
        Context::Diff,
        &["x"],
        Action::RevertHunk,
        "twice: revert the hunk",
    ),
    bind(Context::Diff, &["?"], Action::OpenPage(PageKind::Keys), "keys"),
    bind(Context::Diff, &["q"], Action::ClosePage, "close"),
    bind(
        Context::Comment,
        &["enter"],
        Action::FinishText,
        "keep the comment; none where it is empty",
    ),
    // Export.
    bind(Context::Export, &["enter"], Action::PickRow, "export"),
    bind(Context::Export, &["up"], Action::RowUp, "to another place"),
    bind(Context::Export, &["down"], Action::RowDown, "to another place"),
    bind(Context::Export, &["tab"], Action::NextFormat, "Markdown or JSON"),
    // Only the palette knows them.
    bind(
        Context::Palette,
        &[],
        Action::OpenPage(PageKind::Context),
        "what fills the context",
    ),
    bind(
        Context::Palette,
        &[],
        Action::OpenPage(PageKind::Costs),
        "cost: tokens and dollars",
    ),
    bind(
        Context::Palette,
        &[],
        Action::OpenPage(PageKind::Status),
        "status: session, model, places",
    ),
    bind(
        Context::Palette,
        &[],
        Action::OpenPage(PageKind::Export),
        "export the session",
    ),
];
