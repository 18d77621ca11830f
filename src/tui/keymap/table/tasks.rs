//! Keys of tasks, after the leader.

use super::{ContextRows, row};
use crate::tui::keymap::{Action, Context};

pub(super) const ROWS: &[ContextRows] = &[(
    Context::Leader,
    &[
        row(
            &["&"],
            Action::ToBackground,
            "move running tasks to the background",
        )
        .brief("detach"),
        row(&["up"], Action::ParentTask, "in a task: go to its parent").brief("parent"),
        row(
            &["left"],
            Action::PreviousTask,
            "in a task: go to the previous one",
        )
        .brief("previous"),
        row(&["right"], Action::NextTask, "in a task: go to the next one").brief("next"),
    ],
)];
