//! A list to pick from, as a layer of the screen.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::Picker;
use crate::text::sanitize::sanitize_line;
use crate::tui::keymap::{Action, Context, Keymap};
use crate::tui::layer::{Layer, LayerCx, LayerKind, LayerReply, LayerRequest};
use crate::tui::statusbar::Hints;
use crate::view::theme::Meaning;

impl Layer for Picker {
    fn kind(&self) -> Option<LayerKind> {
        Some(LayerKind::List(self.list))
    }

    fn context(&self) -> Context {
        Context::Picker
    }

    fn act(&mut self, action: Action) -> LayerReply {
        if !is_about_list(action) {
            return LayerReply::Ignored;
        }
        let armed = self.armed.take();
        if self.renaming.is_some() {
            return self.act_on_name(action);
        }
        match action {
            Action::DeleteRow => self.delete(armed),
            Action::RenameRow => self.rename(),
            Action::WidenList => LayerReply::keep_open(self.place.widen()),
            Action::RowUp => self.move_by(-1),
            Action::RowDown => self.move_by(1),
            Action::PageUp => self.page(-1),
            Action::PageDown => self.page(1),
            Action::PickRow => self.pick(),
            Action::Edit(edit) => self.edit(edit),
            _ => LayerReply::Done,
        }
    }

    fn write(&mut self, text: &str) -> LayerReply {
        self.armed = None;
        let (line, is_name) = match &mut self.renaming {
            Some((_, name)) => (name, true),
            None => (&mut self.line, false),
        };
        text.chars().for_each(|c| line.insert_char(c));
        if is_name {
            LayerReply::Done
        } else {
            self.filter_anew()
        }
    }

    fn paste(&mut self, text: &str) -> LayerReply {
        self.write(sanitize_line(text).trim())
    }

    /// Cancels what was begun, then clears the filter, then closes the list.
    fn back(&mut self) -> LayerReply {
        if self.renaming.take().is_some() || self.armed.take().is_some() {
            return LayerReply::Done;
        }
        if self.line.is_empty() {
            return LayerReply::Close(self.close());
        }
        self.line.clear();
        self.filter_anew()
    }

    fn close(&mut self) -> Option<LayerRequest> {
        self.place.leave()
    }

    fn scroll(&mut self, rows: isize) -> LayerReply {
        self.move_by(rows)
    }

    /// Rows are left to be looked at.
    fn is_working(&self) -> bool {
        !self.filter.is_done(&self.rows)
    }

    fn work(&mut self) -> LayerReply {
        let before = self.row();
        self.filter.step(&self.rows);
        let place = before.and_then(|row| self.filter.place(row, &self.rows));
        self.selected = place.filter(|_| self.is_held).unwrap_or(0);
        self.passed(before)
    }

    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap) {
        let key = |action| keymap.label(Context::Picker, action);
        let esc = keymap.label(Context::Global, Action::Escape);
        if self.renaming.is_some() {
            hints.key(key(Action::PickRow), "rename");
            return hints.key(esc, "leave the name");
        }
        if self.armed.is_some() {
            let words = format!("{} again deletes it for good", key(Action::DeleteRow));
            hints.say(&words, Meaning::Warning);
            return hints.key(esc, "keep it");
        }
        let has_rows = !self.is_empty();
        if has_rows {
            hints.key(key(Action::PickRow), self.place.verb());
        }
        hints.key(esc, if self.line.is_empty() { "closes" } else { "clears" });
        if let Some(verb) = self.place.widen_verb() {
            hints.key(key(Action::WidenList), verb);
        }
        if !has_rows {
            return;
        }
        if self.place.is_editable() {
            hints.key(key(Action::RenameRow), "rename");
            hints.key(key(Action::DeleteRow), "delete");
        }
        let moves = [Action::RowUp, Action::RowDown].map(|action| hints.words(key(action)));
        hints.key(&moves.join(" "), "moves");
    }

    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        self.draw_list(area, buffer, cx.look)
    }

    fn as_picker(&mut self) -> Option<&mut Picker> {
        Some(self)
    }
}

impl Picker {
    fn act_on_name(&mut self, action: Action) -> LayerReply {
        match (action, &mut self.renaming) {
            (Action::PickRow, renaming) => match renaming.take() {
                Some((row, name)) => LayerReply::keep_open(self.place.rename(row, name.text().trim())),
                None => LayerReply::Done,
            },
            (Action::Edit(edit), Some((_, name))) => {
                name.edit(edit);
                LayerReply::Done
            }
            _ => LayerReply::Done,
        }
    }
}

/// Returns true if an action is a list's own. `$EDITOR` is for the draft below it.
fn is_about_list(action: Action) -> bool {
    matches!(
        action,
        Action::RowUp
            | Action::RowDown
            | Action::PickRow
            | Action::RenameRow
            | Action::DeleteRow
            | Action::WidenList
            | Action::PageUp
            | Action::PageDown
            | Action::Editor
            | Action::Edit(_)
    )
}
