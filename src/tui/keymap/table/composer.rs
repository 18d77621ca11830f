//! Keys of the composer. The edits among them work wherever text is written.

use super::bind;
use crate::tui::keymap::{Action, Binding, Context, Edit};

const fn edit(keys: &'static [&'static str], edit: Edit, description: &'static str) -> Binding {
    bind(Context::Composer, keys, Action::Edit(edit), description)
}

pub(super) const ROWS: &[Binding] = &[
    // Composer.
    bind(
        Context::Composer,
        &["enter"],
        Action::Send,
        "send; while a turn runs: steer",
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
        &["?"],
        Action::HelpOrType,
        "keys, when there is no text",
    ),
    edit(&["left"], Edit::Left, "left"),
    edit(&["right", "ctrl+f"], Edit::Right, "right"),
    edit(
        &["up"],
        Edit::Up,
        "up; on the first line: what waits, then history",
    ),
    edit(&["down"], Edit::Down, "down; on the last line: history"),
    edit(&["alt+b", "ctrl+left", "alt+left"], Edit::WordLeft, "word left"),
    edit(
        &["alt+f", "ctrl+right", "alt+right"],
        Edit::WordRight,
        "word right",
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
];
