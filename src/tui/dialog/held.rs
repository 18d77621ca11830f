//! The question what to do with a session that another process has.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::choice::Choice;
use super::type_ahead_guard::TypeAheadGuard;
use crate::text::sanitize::{Revealed, reveal_line};
use crate::tui::keymap::{Action, Context, KeyRow, Keymap, LayerKeys};
use crate::tui::layer::{Layer, LayerCx, LayerReply, LayerRequest};
use crate::tui::statusbar::Hints;

pub(super) static KEYS: LayerKeys = LayerKeys {
    name: "open-elsewhere",
    title: "Session open elsewhere",
    takes_text: false,
    rows: &[
        KeyRow::new(&["f"], FORK, "fork it into a new session"),
        KeyRow::new(&["w"], WAIT, "wait until it is free"),
    ],
};

const FORK: Action = Action::OfLayer("fork");
const WAIT: Action = Action::OfLayer("wait");

pub(crate) struct HeldDialog {
    holder: String,
    guard: TypeAheadGuard,
}

impl HeldDialog {
    pub(crate) fn new(holder: &str, guard: TypeAheadGuard) -> Self {
        Self {
            holder: holder.to_owned(),
            guard,
        }
    }
}

impl Layer for HeldDialog {
    fn name(&self) -> Option<&'static str> {
        Some("dialog")
    }

    fn context(&self) -> Context {
        Context::Layer(&KEYS)
    }

    fn guard(&self) -> Option<&TypeAheadGuard> {
        Some(&self.guard)
    }

    fn guard_mut(&mut self) -> Option<&mut TypeAheadGuard> {
        Some(&mut self.guard)
    }

    fn act(&mut self, action: Action) -> LayerReply {
        match action {
            Action::Redraw | Action::Suspend => LayerReply::Ignored,
            FORK => LayerReply::Close(Some(LayerRequest::Perform(Action::Fork))),
            WAIT => LayerReply::Close(Some(LayerRequest::WaitForSession)),
            Action::ClearOrQuit => LayerReply::Close(None),
            _ => LayerReply::Done,
        }
    }

    fn back(&mut self) -> LayerReply {
        LayerReply::Close(None)
    }

    fn clear(&mut self) -> LayerReply {
        LayerReply::Close(None)
    }

    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap) {
        hints.key(keymap.label(Context::Global, Action::Escape), "scrolls");
    }

    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        let choice = Choice {
            question: Revealed::own("This session is open in ")
                .and(reveal_line(&self.holder))
                .and("."),
            details: Vec::new(),
            keys: &KEYS,
            answers: [
                (FORK, "forks it into a new session"),
                (WAIT, "waits until it is free"),
            ],
        };
        choice.draw(area, buffer, cx);
        None
    }
}
