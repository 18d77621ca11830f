//! The question before a letter of the transcript does something that lasts: whoever thinks they are writing a message is
//! asked first, and what they go on to write answers nothing.

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::choice::Choice;
use super::type_ahead_guard::TypeAheadGuard;
use crate::text::sanitize::Revealed;
use crate::tui::keymap::{Action, Context, KeyRow, Keymap, LayerKeys};
use crate::tui::layer::{Layer, LayerCx, LayerReply, LayerRequest};
use crate::tui::statusbar::Hints;

pub(super) static KEYS: LayerKeys = LayerKeys {
    name: "confirming",
    title: "Transcript, confirming",
    takes_text: false,
    rows: &[
        KeyRow::new(&["y"], CONFIRM, "do it"),
        KeyRow::new(&["n"], LEAVE, "cancel"),
    ],
};

const CONFIRM: Action = Action::OfLayer("confirm");
const LEAVE: Action = Action::OfLayer("leave");

pub(crate) struct ConfirmDialog {
    action: Action,
    guard: TypeAheadGuard,
}

impl ConfirmDialog {
    /// Asks before an action, where it is one to ask about.
    pub(crate) fn before(action: Action, now: Instant) -> Option<Self> {
        matches!(action, Action::Fork | Action::ViewBlock).then(|| Self {
            action,
            guard: TypeAheadGuard::begin(now, None),
        })
    }

    /// Returns what is asked, and what `y` does.
    fn words(&self) -> (&'static str, &'static str) {
        match self.action {
            Action::Fork => (
                "Continue from here in a new session? This one stays unchanged.",
                "forks the session",
            ),
            _ => ("Show this block in your editor?", "opens the editor"),
        }
    }
}

impl Layer for ConfirmDialog {
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
            CONFIRM => LayerReply::Close(Some(LayerRequest::Perform(self.action))),
            LEAVE | Action::ClearOrQuit => LayerReply::Close(None),
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
        hints.key(keymap.label(Context::Global, Action::Escape), "cancels");
    }

    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        let (question, does) = self.words();
        let choice = Choice {
            question: Revealed::own(question),
            details: Vec::new(),
            keys: &KEYS,
            answers: [(CONFIRM, does), (LEAVE, "cancels")],
        };
        choice.draw(area, buffer, cx);
        None
    }
}
