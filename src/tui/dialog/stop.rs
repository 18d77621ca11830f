//! The question before a task or the program of a terminal is stopped, or all tasks are.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::choice::Choice;
use crate::conversation::{TaskId, TaskRow, TerminalRow};
use crate::session::{Op, TaskOp, TerminalOp};
use crate::text::sanitize::{Revealed, reveal_line};
use crate::tui::keymap::{Action, Context, KeyRow, Keymap, LayerKeys};
use crate::tui::layer::{Layer, LayerCx, LayerReply, LayerRequest};
use crate::tui::statusbar::Hints;

pub(super) static KEYS: LayerKeys = LayerKeys {
    name: "stopping",
    title: "Stopping a task or a program",
    takes_text: false,
    rows: &[
        KeyRow::new(&["y"], STOP, "stop it"),
        KeyRow::new(&["n"], GO_ON, "let it go on"),
    ],
};

const STOP: Action = Action::OfLayer("stop");
const GO_ON: Action = Action::OfLayer("go-on");

pub(crate) struct StopDialog {
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
    /// A terminal, with all that runs in it.
    Terminal {
        name: String,
        command: Revealed,
    },
}

impl StopDialog {
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

    pub(crate) fn terminal(row: &TerminalRow) -> Self {
        Self {
            target: StopTarget::Terminal {
                name: row.name.clone(),
                command: reveal_line(&row.command),
            },
        }
    }

    fn question(&self) -> Revealed {
        match &self.target {
            StopTarget::One { words, .. } => Revealed::own("Stop ")
                .and(words.clone())
                .and(", and everything that it started?"),
            StopTarget::All { count: 1 } | StopTarget::Tree { count: 1 } => {
                Revealed::own("Stop the running task?")
            }
            StopTarget::All { count } | StopTarget::Tree { count } => {
                Revealed::own("Stop all ").and(*count).and(" tasks?")
            }
            StopTarget::Terminal { name, .. } => Revealed::own("Stop the program in terminal ")
                .and(reveal_line(name))
                .and("?"),
        }
    }

    /// Rows below the question. A long command stands there, so that it does not hide what is asked.
    fn details(&self) -> Vec<Revealed> {
        match &self.target {
            StopTarget::Terminal { command, .. } => vec![
                command.clone(),
                Revealed::own(
                    "A process that detached from the terminal (a background server) ends with lathe.",
                ),
            ],
            StopTarget::One { .. } | StopTarget::All { .. } | StopTarget::Tree { .. } => Vec::new(),
        }
    }

    fn request(&self) -> LayerRequest {
        match &self.target {
            StopTarget::One { task, .. } => LayerRequest::Send(Op::Task(TaskOp::Cancel(task.clone()))),
            StopTarget::All { .. } => LayerRequest::Send(Op::Task(TaskOp::CancelAll)),
            StopTarget::Tree { .. } => LayerRequest::SendToRoot(Op::Task(TaskOp::CancelAll)),
            StopTarget::Terminal { name, .. } => {
                LayerRequest::Send(Op::Terminal(TerminalOp::Stop(name.clone())))
            }
        }
    }
}

impl Layer for StopDialog {
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
            details: self.details(),
            keys: &KEYS,
            answers: [(STOP, "stops"), (GO_ON, "goes on")],
        };
        choice.draw(area, buffer, cx);
        None
    }
}
