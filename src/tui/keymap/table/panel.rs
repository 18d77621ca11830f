//! Keys of the panel at the side.

use super::{bind, lead};
use crate::tui::keymap::{Action, Binding, Context};
use crate::tui::page;

pub(super) const ROWS: &[Binding] = &[
    lead(&["b"], Action::TogglePanel, "side panel", "panel"),
    bind(Context::Panel, &["j", "down"], Action::RowDown, "down"),
    bind(Context::Panel, &["k", "up"], Action::RowUp, "up"),
    bind(
        Context::Panel,
        &["space"],
        Action::Tick,
        "fold a section, tick a todo",
    ),
    bind(
        Context::Panel,
        &["s"],
        Action::NextTodoState,
        "the todo's next state",
    ),
    bind(Context::Panel, &["e"], Action::EditTodo, "the todo's words"),
    bind(Context::Panel, &["enter"], Action::PickRow, "open the file"),
    bind(Context::Panel, &["i"], Action::FocusComposer, "composer"),
    bind(Context::Panel, &["?"], Action::OpenPage(&page::KEYS), "keys"),
    // Panel, while writing.
    bind(
        Context::PanelText,
        &["enter"],
        Action::FinishText,
        "take what is written",
    ),
];
