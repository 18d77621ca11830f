//! The words of a todo while they are changed, as a layer.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::one_line;
use crate::conversation::{Todo, TodoChange, TodoEdit};
use crate::session::Op;
use crate::tui::composer::{Composer, ComposerStyle, Draft};
use crate::tui::keymap::{Action, Context, Keymap};
use crate::tui::layer::{Layer, LayerReply, LayerRequest};
use crate::tui::statusbar::Hints;
use crate::view::Look;

/// A todo whose words are being changed.
pub(crate) struct TodoEditor {
    seen: Todo,
    line: Composer,
}

impl TodoEditor {
    pub(super) fn new(todo: Todo) -> Self {
        let mut line = Composer::default();
        line.set(Draft::from_text(one_line(&todo.content)));
        Self { seen: todo, line }
    }

    /// Returns the change that was written. The list may be another by now: the session finds the entry, or says that it
    /// is gone.
    fn finish(&self) -> Option<LayerRequest> {
        let content = self.line.text().trim().to_owned();
        if content.is_empty() {
            return Some(LayerRequest::Say("a todo cannot be empty; it was not changed"));
        }
        (content != self.seen.content).then(|| {
            LayerRequest::Send(Op::EditTodo(TodoEdit {
                seen: self.seen.clone(),
                change: TodoChange::Content(content),
            }))
        })
    }

    /// Returns how many rows the words take.
    pub(super) fn rows(&mut self, columns: u16) -> u16 {
        self.line.rows(columns)
    }

    pub(super) fn draw_in(&mut self, area: Rect, buffer: &mut Buffer, look: Look<'_>) -> Option<Position> {
        let bar = format!("{} ", look.symbols.pointer());
        let composer_look = ComposerStyle::new(&bar, "", look.theme);
        self.line.draw(area, buffer, &composer_look)
    }
}

impl Layer for TodoEditor {
    fn name(&self) -> Option<&'static str> {
        Some("panel")
    }

    fn context(&self) -> Context {
        Context::PanelText
    }

    fn act(&mut self, action: Action) -> LayerReply {
        match action {
            Action::FinishText => LayerReply::Close(self.finish()),
            Action::Edit(edit) => {
                self.line.edit(edit);
                LayerReply::Done
            }
            _ => LayerReply::Ignored,
        }
    }

    fn write(&mut self, text: &str) -> LayerReply {
        one_line(text).chars().for_each(|c| self.line.insert_char(c));
        LayerReply::Done
    }

    fn takes_mouse(&self) -> bool {
        false
    }

    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap) {
        hints.key(keymap.label(Context::PanelText, Action::FinishText), "saves it");
        let escape = keymap.label(Context::Global, Action::Escape);
        hints.key(escape, "cancels");
    }
}
