//! A list to pick from, as a layer of the screen.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{Picker, RowText, RowTextKind};
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
        if self.writing.is_some() {
            return self.act_on_text(action);
        }
        match action {
            Action::DeleteRow => self.delete(armed),
            Action::RenameRow => self.rename(),
            Action::PinRow => self.pin(),
            Action::TagRow => self.tag(),
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
        if let Some(writing) = &mut self.writing {
            text.chars().for_each(|c| writing.line.insert_char(c));
            return LayerReply::Done;
        }
        text.chars().for_each(|c| self.line.insert_char(c));
        self.filter_anew()
    }

    fn paste(&mut self, text: &str) -> LayerReply {
        self.write(sanitize_line(text).trim())
    }

    /// Cancels what was begun, then clears the filter, then closes the list.
    fn back(&mut self) -> LayerReply {
        if self.writing.take().is_some() || self.armed.take().is_some() {
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
        if let Some(writing) = &self.writing {
            let (does, leaves) = match writing.kind {
                RowTextKind::Name => ("rename", "keep the name"),
                RowTextKind::Tags => ("set the tags", "keep the tags"),
            };
            hints.key(key(Action::PickRow), does);
            hints.key(esc, leaves);
            if !writing.remark.is_empty() {
                hints.say(&writing.remark, Meaning::TextMuted);
            }
            return;
        }
        if self.armed.is_some() {
            let words = format!("{} again deletes it for good", key(Action::DeleteRow));
            hints.say(&words, Meaning::Warning);
            return hints.key(esc, "keep it");
        }
        let has_rows = !self.is_empty();
        if has_rows {
            hints.key(key(Action::PickRow), self.list.verb);
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
            hints.key(key(Action::PinRow), "pin");
            hints.key(key(Action::TagRow), "tags");
        }
        hints.pair(key(Action::RowUp), key(Action::RowDown), "moves");
    }

    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        self.draw_list(area, buffer, cx.look)
    }

    fn as_picker(&mut self) -> Option<&mut Picker> {
        Some(self)
    }
}

impl Picker {
    fn act_on_text(&mut self, action: Action) -> LayerReply {
        match (action, &mut self.writing) {
            (Action::PickRow, writing) => match writing.take() {
                Some(RowText { kind, row, line, .. }) => {
                    let text = line.text();
                    LayerReply::keep_open(match kind {
                        RowTextKind::Name => self.place.rename(row, text.trim()),
                        RowTextKind::Tags => self.place.tag(row, text.trim()),
                    })
                }
                None => LayerReply::Done,
            },
            (Action::Edit(edit), Some(writing)) => {
                writing.line.edit(edit);
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
            | Action::PinRow
            | Action::TagRow
            | Action::WidenList
            | Action::PageUp
            | Action::PageDown
            | Action::Editor
            | Action::Edit(_)
    )
}
