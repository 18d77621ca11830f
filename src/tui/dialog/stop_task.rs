//! The question before a task is stopped, or all are.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::choice::Choice;
use crate::conversation::{TaskId, TaskRow};
use crate::session::{Op, TaskOp};
use crate::text::sanitize::{Revealed, reveal_line};
use crate::tui::keymap::{Action, Context, KeyRow, Keymap, LayerKeys};
use crate::tui::layer::{Layer, LayerCx, LayerReply, LayerRequest};
use crate::tui::statusbar::Hints;

pub(super) static KEYS: LayerKeys = LayerKeys {
    name: "stopping",
    title: "Stopping a task",
    takes_text: false,
    rows: &[
        KeyRow::new(&["y"], STOP, "stop it, with everything that it started"),
        KeyRow::new(&["n"], GO_ON, "let it go on"),
    ],
};

const STOP: Action = Action::OfLayer("stop");
const GO_ON: Action = Action::OfLayer("go-on");

pub(crate) struct StopTaskDialog {
    target: StopTarget,
}

enum StopTarget {
    One {
        task: TaskId,
        words: Revealed,
    },
    /// All below the session in front.
    All {
        count: usize,
    },
    /// All of the tree, whatever session is in front.
    Tree {
        count: usize,
    },
}

impl StopTaskDialog {
    pub(crate) fn one(row: &TaskRow) -> Self {
        let words = reveal_line(&row.agent)
            .and(" \"")
            .and(reveal_line(&row.description))
            .and("\"");
        let task = row.task.clone();
        Self {
            target: StopTarget::One { task, words },
        }
    }

    /// `count` are at work.
    pub(crate) fn all(count: usize) -> Self {
        Self {
            target: StopTarget::All { count },
        }
    }

    /// `count` are at work in the whole tree.
    pub(crate) fn tree(count: usize) -> Self {
        Self {
            target: StopTarget::Tree { count },
        }
    }

    fn question(&self) -> Revealed {
        match &self.target {
            StopTarget::One { words, .. } => Revealed::own("Stop ")
                .and(words.clone())
                .and(", and everything that it started?"),
            StopTarget::All { count: 1 } | StopTarget::Tree { count: 1 } => {
                Revealed::own("Stop the task that is at work?")
            }
            StopTarget::All { count } | StopTarget::Tree { count } => {
                Revealed::own("Stop all ").and(*count).and(" tasks?")
            }
        }
    }

    fn request(&self) -> LayerRequest {
        match &self.target {
            StopTarget::One { task, .. } => LayerRequest::Send(Op::Task(TaskOp::Cancel(task.clone()))),
            StopTarget::All { .. } => LayerRequest::Send(Op::Task(TaskOp::CancelAll)),
            StopTarget::Tree { .. } => LayerRequest::SendToRoot(Op::Task(TaskOp::CancelAll)),
        }
    }
}

impl Layer for StopTaskDialog {
    fn name(&self) -> Option<&'static str> {
        Some("dialog")
    }

    fn context(&self) -> Context {
        Context::Layer(&KEYS)
    }

    fn act(&mut self, action: Action) -> LayerReply {
        match action {
            Action::Redraw | Action::Suspend => LayerReply::Ignored,
            STOP => LayerReply::Close(Some(self.request())),
            GO_ON | Action::ClearOrQuit => LayerReply::Close(None),
            // A key of the whole screen neither answers nor opens anything over the question.
            _ => LayerReply::Done,
        }
    }

    fn back(&mut self) -> LayerReply {
        LayerReply::Close(None)
    }

    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap) {
        hints.key(keymap.label(Context::Global, Action::Escape), "goes on");
    }

    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        let choice = Choice {
            question: self.question(),
            details: Vec::new(),
            keys: &KEYS,
            answers: [(STOP, "stops"), (GO_ON, "goes on")],
        };
        choice.draw(area, buffer, cx);
        None
    }
}
