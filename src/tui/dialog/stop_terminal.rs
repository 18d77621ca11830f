//! The question before the program in a terminal is stopped.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::choice::Choice;
use crate::conversation::TerminalRow;
use crate::session::{Op, TerminalOp};
use crate::text::sanitize::{Revealed, reveal_line};
use crate::tui::keymap::{Action, Context, KeyRow, Keymap, LayerKeys};
use crate::tui::layer::{Layer, LayerCx, LayerReply, LayerRequest};
use crate::tui::statusbar::Hints;

pub(super) static KEYS: LayerKeys = LayerKeys {
    name: "stopping-terminal",
    title: "Stopping a terminal",
    takes_text: false,
    rows: &[
        KeyRow::new(&["y"], STOP, "stop the program, and everything that runs there"),
        KeyRow::new(&["n"], GO_ON, "let it go on"),
    ],
};

const STOP: Action = Action::OfLayer("stop");
const GO_ON: Action = Action::OfLayer("go-on");

pub(crate) struct StopTerminalDialog {
    name: String,
    question: Revealed,
}

impl StopTerminalDialog {
    pub(crate) fn new(row: &TerminalRow) -> Self {
        let question = Revealed::own("Stop ")
            .and(reveal_line(&row.command))
            .and(" in terminal ")
            .and(reveal_line(&row.name))
            .and(", and everything that it started?");
        Self {
            name: row.name.clone(),
            question,
        }
    }
}

impl Layer for StopTerminalDialog {
    fn name(&self) -> Option<&'static str> {
        Some("dialog")
    }

    fn context(&self) -> Context {
        Context::Layer(&KEYS)
    }

    fn act(&mut self, action: Action) -> LayerReply {
        match action {
            Action::Redraw | Action::Suspend => LayerReply::Ignored,
            STOP => {
                let stop = Op::Terminal(TerminalOp::Stop(self.name.clone()));
                LayerReply::Close(Some(LayerRequest::Send(stop)))
            }
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
            question: self.question.clone(),
            details: Vec::new(),
            keys: &KEYS,
            answers: [(STOP, "stops"), (GO_ON, "goes on")],
        };
        choice.draw(area, buffer, cx);
        None
    }
}
