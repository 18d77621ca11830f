//! The completion as a layer: its own keys are few, and all others are the composer's.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{Completion, CompletionKind};
use crate::tui::keymap::{Action, Context, Keymap};
use crate::tui::layer::{Layer, LayerCx, LayerReply, LayerRequest};
use crate::tui::statusbar::Hints;

impl Layer for Completion {
    fn name(&self) -> Option<&'static str> {
        Some("completion")
    }

    fn context(&self) -> Context {
        Context::Completion
    }

    fn act(&mut self, action: Action) -> LayerReply {
        match action {
            Action::RowUp => self.move_by(-1),
            Action::RowDown => self.move_by(1),
            Action::TakeItem | Action::CompleteItem => {
                if let Some((token, item)) = self.selected() {
                    let wish = LayerRequest::Complete(token.clone(), item.pick.clone(), action);
                    return LayerReply::Close(Some(wish));
                }
            }
            _ => return LayerReply::Ignored,
        }
        LayerReply::Done
    }

    fn paste(&mut self, _text: &str) -> LayerReply {
        LayerReply::Ignored
    }

    fn passes_keys_on(&self) -> bool {
        true
    }

    fn back(&mut self) -> LayerReply {
        self.dismiss();
        LayerReply::Done
    }

    fn clear(&mut self) -> LayerReply {
        LayerReply::Ignored
    }

    fn takes_mouse(&self) -> bool {
        false
    }

    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap) {
        let key = |action| keymap.label(Context::Completion, action);
        let sends = match self.selected().map(|(_, item)| &item.pick) {
            Some(CompletionKind::Command(_)) => true,
            Some(CompletionKind::Own { wants_more, .. }) => !wants_more,
            Some(CompletionKind::File(_) | CompletionKind::Agent(_)) | None => false,
        };
        hints.key(key(Action::TakeItem), if sends { "run" } else { "insert" });
        hints.key(key(Action::CompleteItem), "complete");
        hints.key(keymap.label(Context::Global, Action::Escape), "closes");
        hints.pair(key(Action::RowUp), key(Action::RowDown), "moves");
    }

    /// Draws at the lower end of the area.
    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        self.area = self.draw_in(area, buffer, cx.look);
        None
    }
}
