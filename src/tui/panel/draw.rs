//! Drawing the panel, and how wide it is.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Clear, Widget};

use super::row::{Row, TodoExtent};
use super::{Panel, WIDE};
use crate::tui::area::last_rows;
use crate::view::Look;
use crate::view::theme::Meaning;

/// The rule, the mark of the cursor, and a column free on the right.
const MARGIN: u16 = 3;

/// Returns how many columns it takes of a screen that is this wide.
pub(crate) fn columns(width: u16) -> u16 {
    if width >= WIDE {
        (width * 3 / 10).clamp(30, 48)
    } else {
        (width / 2).max(40).min(width)
    }
}

impl Panel {
    /// Draws, and returns where the caret stands while something is written.
    pub(crate) fn draw(
        &mut self,
        area: Rect,
        has_keys: bool,
        buffer: &mut Buffer,
        look: Look<'_>,
    ) -> Option<Position> {
        self.area = area;
        self.shown.clear();
        if area.width <= MARGIN || area.is_empty() {
            return None;
        }
        Clear.render(area, buffer);
        draw_rule(area, buffer, look);
        let inner = Rect {
            x: area.x + MARGIN - 1,
            width: area.width - MARGIN,
            ..area
        };
        let height = usize::from(area.height);
        let width = usize::from(inner.width);
        let mut rows = self.rows(width, TodoExtent::All, look);
        if rows.is_empty() {
            draw_nothing(inner, buffer, look);
            return None;
        }
        if !has_keys && rows.len() > height {
            rows = self.rows(width, TodoExtent::Short, look);
        }
        self.keep_in_sight(&rows, height, has_keys);
        let visible = &rows[self.top..rows.len().min(self.top + height)];
        for (at, row) in inner.rows().zip(visible) {
            buffer.set_line(at.x, at.y, &row.line, at.width);
            self.shown.push(row.spot);
            if has_keys && row.spot.is_some() && row.spot == self.cursor {
                let bar = look.symbols.bar();
                buffer.set_string(at.x - 1, at.y, bar, look.theme.style(Meaning::Accent));
            }
        }
        let hidden = rows.len() - self.top - visible.len();
        if hidden > 0 && !has_keys {
            draw_hidden(hidden + 1, inner, buffer, look);
        }
        self.draw_writing(inner, buffer, look)
    }

    fn keep_in_sight(&mut self, rows: &[Row], height: usize, has_keys: bool) {
        let last_top = rows.len().saturating_sub(height);
        if !has_keys {
            self.top = 0;
            return;
        }
        let is_it = |row: &Row| row.spot.is_some() && row.spot == self.cursor;
        let first = rows.iter().position(is_it).unwrap_or(0);
        let last = rows.iter().rposition(is_it).unwrap_or(0);
        let lowest = (last + 1).saturating_sub(height);
        self.top = self.top.clamp(lowest, first.max(lowest)).min(last_top);
    }

    fn draw_writing(&mut self, inner: Rect, buffer: &mut Buffer, look: Look<'_>) -> Option<Position> {
        let is_it = |spot: &Option<super::CursorPosition>| spot.is_some() && *spot == self.cursor;
        let first = self.shown.iter().position(is_it)?;
        let count = self.shown.iter().filter(|spot| is_it(spot)).count();
        let writing = self.writing.as_mut()?;
        let area = Rect {
            y: inner.y + u16::try_from(first).unwrap_or(0),
            height: u16::try_from(count).unwrap_or(1),
            ..inner
        };
        writing.draw_in(area, buffer, look)
    }
}

fn draw_rule(area: Rect, buffer: &mut Buffer, look: Look<'_>) {
    for y in area.top()..area.bottom() {
        let divider = look.symbols.divider();
        buffer.set_string(area.x, y, divider, look.theme.style(Meaning::Rule));
    }
}

/// Opened by hand before there is anything: it says what comes here.
fn draw_nothing(inner: Rect, buffer: &mut Buffer, look: Look<'_>) {
    let text = "Tasks, terminals, todos and changed files are listed here.";
    let style = look.theme.style(Meaning::TextMuted);
    let ranges = crate::text::wrap::wrap(text, usize::from(inner.width));
    for (at, range) in inner.rows().zip(ranges) {
        buffer.set_line(at.x, at.y, &Line::styled(&text[range], style), at.width);
    }
}

fn draw_hidden(count: usize, inner: Rect, buffer: &mut Buffer, look: Look<'_>) {
    let last = last_rows(inner, 1);
    Clear.render(last, buffer);
    let text = format!("{} {count} more", look.symbols.ellipsis());
    let style = look.theme.style(Meaning::TextMuted);
    buffer.set_line(last.x, last.y, &Line::styled(text, style), last.width);
}
