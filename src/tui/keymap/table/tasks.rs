//! Keys of tasks, after the leader.

use super::{ContextRows, row};
use crate::tui::keymap::{Action, Context};

pub(super) const ROWS: &[ContextRows] = &[(
    Context::Leader,
    &[
        row(
            &["&"],
            Action::ToBackground,
            "send the running tasks to the background",
        )
        .brief("detach"),
        row(&["up"], Action::ParentTask, "in a task: the one that started it").brief("parent"),
        row(&["left"], Action::PreviousTask, "in a task: the one before it").brief("previous"),
        row(&["right"], Action::NextTask, "in a task: the one after it").brief("next"),
    ],
)];
