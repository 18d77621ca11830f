//! Keys of the composer. The edits among them work wherever text is written.

use super::{ContextRows, row};
use crate::tui::caret::CaretMove;
use crate::tui::keymap::{Action, Context, Edit, KeyRow};

const fn extend(keys: &'static [&'static str], step: CaretMove, description: &'static str) -> KeyRow {
    edit(keys, Edit::Extend(step), description)
}

const fn go(keys: &'static [&'static str], step: CaretMove, description: &'static str) -> KeyRow {
    edit(keys, Edit::Move(step), description)
}

const fn edit(keys: &'static [&'static str], edit: Edit, description: &'static str) -> KeyRow {
    row(keys, Action::Edit(edit), description)
}

pub(super) const ROWS: &[ContextRows] = &[
    // The list above the composer.
    (
        Context::Completion,
        &[
            row(&["enter"], Action::TakeItem, "insert; run a command"),
            row(&["tab"], Action::CompleteItem, "complete"),
            row(&["up", "ctrl+p"], Action::RowUp, "up"),
            row(&["down", "ctrl+n"], Action::RowDown, "down"),
        ],
    ),
    // Composer.
    (
        Context::Composer,
        &[
            row(
                &["enter"],
                Action::Send,
                "send; in a turn: steer; on an attachment: open it",
            ),
            row(&["alt+enter"], Action::Queue, "queue for after the turn"),
            row(
                &["ctrl+j", "shift+enter"],
                Action::Newline,
                "insert a newline; also \\ and enter",
            ),
            row(&["tab"], Action::NextAgent, "switch to the next agent"),
            row(
                &["ctrl+v"],
                Action::PastePicture,
                "attach the image on the clipboard",
            ),
            row(&["?"], Action::HelpOrType, "show the keys, if empty"),
            go(&["left"], CaretMove::Left, "a character to the left"),
            go(&["right", "ctrl+f"], CaretMove::Right, "a character to the right"),
            go(
                &["up"],
                CaretMove::Up,
                "up; on the first line: pending messages, history",
            ),
            go(&["down"], CaretMove::Down, "down; on the last line: history"),
            go(
                &["alt+b", "ctrl+left", "alt+left"],
                CaretMove::WordLeft,
                "a word to the left",
            ),
            go(
                &["alt+f", "ctrl+right", "alt+right"],
                CaretMove::WordRight,
                "a word to the right",
            ),
            go(&["ctrl+a", "home"], CaretMove::LineStart, "start of the line"),
            go(&["ctrl+e", "end"], CaretMove::LineEnd, "end of the line"),
            go(&["alt+<", "ctrl+home"], CaretMove::Top, "start of the text"),
            go(&["alt+>", "ctrl+end"], CaretMove::Bottom, "end of the text"),
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
            edit(&["ctrl+y"], Edit::Yank, "put back the deleted text"),
            edit(&["ctrl+_"], Edit::Undo, "undo"),
            edit(&["alt+z", "ctrl+alt+_"], Edit::Redo, "redo"),
            extend(&["shift+left"], CaretMove::Left, "select to the left"),
            extend(&["shift+right"], CaretMove::Right, "select to the right"),
            extend(&["shift+up"], CaretMove::Up, "select a row up"),
            extend(&["shift+down"], CaretMove::Down, "select a row down"),
            extend(
                &["ctrl+shift+left", "alt+shift+left"],
                CaretMove::WordLeft,
                "select a word to the left",
            ),
            extend(
                &["ctrl+shift+right", "alt+shift+right"],
                CaretMove::WordRight,
                "select a word to the right",
            ),
            extend(
                &["shift+home"],
                CaretMove::LineStart,
                "select to the start of the line",
            ),
            extend(
                &["shift+end"],
                CaretMove::LineEnd,
                "select to the end of the line",
            ),
            edit(&["alt+a"], Edit::SelectAll, "select all"),
            row(&["alt+w"], Action::CopyText, "copy the selection; ctrl+w cuts it"),
        ],
    ),
];
