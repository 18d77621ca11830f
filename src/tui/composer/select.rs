//! The selection and the mouse. What is typed takes the place of what is selected, a move ends the selection, and what is
//! cut or copied can be put back with the key that puts back what was deleted.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;
use ratatui::widgets::Widget;
use tui_textarea::CursorMove;

use super::{Composer, EditEffect};
use crate::tui::caret::CaretMove;

impl Composer {
    pub(crate) fn set_selection_style(&mut self, style: Style) {
        self.area.set_selection_style(style);
    }

    pub(crate) fn has_selection(&self) -> bool {
        let range = self.area.selection_range();
        range.is_some_and(|(start, end)| start != end)
    }

    /// Ends the selection; says whether there was one.
    pub(crate) fn end_selection(&mut self) -> bool {
        let had = self.has_selection();
        self.area.cancel_selection();
        had
    }

    /// Returns what is selected, with folded pastes in full, and ends the selection.
    pub(crate) fn copy(&mut self) -> Option<String> {
        if !self.has_selection() {
            return None;
        }
        self.area.copy();
        self.area.cancel_selection();
        let mut draft = self.draft();
        draft.text = self.area.yank_text();
        Some(draft.expanded())
    }

    /// Moves the end of the selection, which begins at the caret where there is none.
    pub(super) fn extend(&mut self, step: CaretMove) -> EditEffect {
        if !self.area.is_selecting() {
            self.area.start_selection();
        }
        self.walk(step)
    }

    /// Puts the caret where a cell of the last frame shows it.
    pub(crate) fn point(&mut self, cell: Position) {
        self.area.cancel_selection();
        self.go_to(cell);
    }

    /// Selects from where the caret stood to this cell.
    pub(crate) fn drag(&mut self, cell: Position) {
        if !self.area.is_selecting() {
            self.area.start_selection();
        }
        self.go_to(cell);
    }

    /// The text area keeps to itself where its rows break, so the caret walks there and is asked where it is.
    fn go_to(&mut self, cell: Position) {
        // They are of the last frame, and the text may have changed since.
        self.area.clear_custom_highlight();
        let mut scratch = Buffer::empty(self.drawn);
        let Some(mut now) = self.caret_in(&mut scratch) else {
            return;
        };
        self.is_placed = true;
        let bottom = self.drawn.bottom().saturating_sub(1);
        let row = cell.y.clamp(self.drawn.y, bottom);
        let vertical = if row < now.y {
            CursorMove::Up
        } else {
            CursorMove::Down
        };
        for _ in 0..row.abs_diff(now.y) {
            self.area.move_cursor(vertical);
        }
        now = self.caret_in(&mut scratch).unwrap_or(now);
        let row = now.y;
        while now.x > cell.x && self.try_step(CursorMove::Back, &mut now, &mut scratch, row) {}
        while now.x < cell.x {
            let before = now;
            if !self.try_step(CursorMove::Forward, &mut now, &mut scratch, row) {
                break;
            }
            if now.x > cell.x {
                // In the middle of a wide character or a chip: before it.
                now = before;
                self.area.move_cursor(CursorMove::Back);
            }
            if now == before {
                break;
            }
        }
    }

    /// Goes one step along a row of the screen; says whether it could.
    fn try_step(&mut self, motion: CursorMove, now: &mut Position, scratch: &mut Buffer, row: u16) -> bool {
        let before = self.area.cursor();
        self.area.move_cursor(motion);
        if self.area.cursor() == before {
            return false;
        }
        match self.caret_in(scratch) {
            Some(next) if next.y == row => {
                *now = next;
                true
            }
            _ => {
                let back = match motion {
                    CursorMove::Back => CursorMove::Forward,
                    _ => CursorMove::Back,
                };
                self.area.move_cursor(back);
                false
            }
        }
    }

    fn caret_in(&self, scratch: &mut Buffer) -> Option<Position> {
        (&self.area).render(self.drawn, scratch);
        let reported = self.area.rendered_cursor_position()?;
        let x = self.caret_column(reported.x - self.drawn.x) + self.drawn.x;
        Some(Position { x, y: reported.y })
    }
}
