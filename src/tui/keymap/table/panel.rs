//! Keys of the panel at the side.

use super::{ContextRows, row};
use crate::tui::keymap::{Action, Context};
use crate::tui::page;

pub(super) const ROWS: &[ContextRows] = &[
    (
        Context::Leader,
        &[row(&["b"], Action::TogglePanel, "show or hide the side panel").brief("panel")],
    ),
    (
        Context::Panel,
        &[
            row(&["j", "down"], Action::RowDown, "down"),
            row(&["k", "up"], Action::RowUp, "up"),
            row(&["space"], Action::Tick, "fold a section, tick a todo"),
            row(&["s"], Action::NextTodoState, "change the todo's state"),
            row(&["e"], Action::EditTodo, "edit the todo"),
            row(&["enter"], Action::PickRow, "open the file, go into the task"),
            row(&["x"], Action::StopTask, "stop the task"),
            row(&["A"], Action::ApplyTree, "review the task's changes"),
            row(
                &["D"],
                Action::DiscardTree,
                "discard the task's changes (asks first)",
            ),
            row(&["i"], Action::FocusComposer, "composer"),
            row(&["?"], Action::OpenPage(&page::KEYS), "keys"),
        ],
    ),
    // Panel, while writing.
    (
        Context::PanelText,
        &[row(&["enter"], Action::FinishText, "confirm the text")],
    ),
];
