//! Keys of the composer. The edits among them work wherever text is written.

use super::bind;
use crate::tui::keymap::{Action, Binding, Context, Edit, List, Stretch};

const fn extend(keys: &'static [&'static str], stretch: Stretch, description: &'static str) -> Binding {
    edit(keys, Edit::Extend(stretch), description)
}

const fn edit(keys: &'static [&'static str], edit: Edit, description: &'static str) -> Binding {
    bind(Context::Composer, keys, Action::Edit(edit), description)
}

pub(super) const ROWS: &[Binding] = &[
    // The list above the composer.
    bind(
        Context::Completion,
        &["enter"],
        Action::TakeItem,
        "take it; a command is done",
    ),
    bind(Context::Completion, &["tab"], Action::CompleteItem, "complete"),
    bind(Context::Completion, &["up", "ctrl+p"], Action::RowUp, "up"),
    bind(Context::Completion, &["down", "ctrl+n"], Action::RowDown, "down"),
    // Composer.
    bind(
        Context::Composer,
        &["enter"],
        Action::Send,
        "send; in a turn: steer; on a chip: open it",
    ),
    bind(
        Context::Composer,
        &["alt+enter"],
        Action::Queue,
        "queue for after the turn",
    ),
    bind(
        Context::Composer,
        &["ctrl+j", "shift+enter"],
        Action::Newline,
        "new line; also \\ and enter",
    ),
    bind(Context::Composer, &["tab"], Action::NextAgent, "next agent"),
    bind(
        Context::Composer,
        &["ctrl+v"],
        Action::PastePicture,
        "attach the picture on the clipboard",
    ),
    bind(
        Context::Composer,
        &["?"],
        Action::HelpOrType,
        "keys, when there is no text",
    ),
    edit(&["left"], Edit::Left, "a character to the left"),
    edit(&["right", "ctrl+f"], Edit::Right, "a character to the right"),
    edit(
        &["up"],
        Edit::Up,
        "up; on the first line: what waits, then history",
    ),
    edit(&["down"], Edit::Down, "down; on the last line: history"),
    bind(
        Context::Composer,
        &["ctrl+r"],
        Action::OpenList(List::Prompts),
        "search what was written before",
    ),
    edit(
        &["alt+b", "ctrl+left", "alt+left"],
        Edit::WordLeft,
        "a word to the left",
    ),
    edit(
        &["alt+f", "ctrl+right", "alt+right"],
        Edit::WordRight,
        "a word to the right",
    ),
    edit(&["ctrl+a", "home"], Edit::LineStart, "start of the line"),
    edit(&["ctrl+e", "end"], Edit::LineEnd, "end of the line"),
    edit(&["alt+<", "ctrl+home"], Edit::Top, "start of the text"),
    edit(&["alt+>", "ctrl+end"], Edit::Bottom, "end of the text"),
    edit(
        &["backspace", "ctrl+h", "shift+backspace"],
        Edit::DeleteLeft,
        "delete to the left",
    ),
    edit(&["delete", "ctrl+d"], Edit::DeleteRight, "delete to the right"),
    edit(
        &["ctrl+w", "alt+backspace", "ctrl+backspace"],
        Edit::DeleteWordLeft,
        "delete the word before",
    ),
    edit(
        &["alt+d", "ctrl+delete", "alt+delete"],
        Edit::DeleteWordRight,
        "delete the word after",
    ),
    edit(
        &["ctrl+u"],
        Edit::DeleteToStart,
        "delete to the start of the line",
    ),
    edit(&["ctrl+k"], Edit::DeleteToEnd, "delete to the end of the line"),
    edit(&["ctrl+y"], Edit::Yank, "put back what was deleted"),
    edit(&["ctrl+_"], Edit::Undo, "undo"),
    edit(&["alt+z", "ctrl+alt+_"], Edit::Redo, "redo"),
    extend(&["shift+left"], Stretch::Left, "select to the left"),
    extend(&["shift+right"], Stretch::Right, "select to the right"),
    extend(&["shift+up"], Stretch::Up, "select a row up"),
    extend(&["shift+down"], Stretch::Down, "select a row down"),
    extend(
        &["ctrl+shift+left", "alt+shift+left"],
        Stretch::WordLeft,
        "select a word to the left",
    ),
    extend(
        &["ctrl+shift+right", "alt+shift+right"],
        Stretch::WordRight,
        "select a word to the right",
    ),
    extend(
        &["shift+home"],
        Stretch::LineStart,
        "select to the start of the line",
    ),
    extend(&["shift+end"], Stretch::LineEnd, "select to the end of the line"),
    extend(&["alt+a"], Stretch::All, "select all"),
    bind(
        Context::Composer,
        &["alt+w"],
        Action::CopyText,
        "copy what is selected; ctrl+w cuts it",
    ),
];
