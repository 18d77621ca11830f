//! Draws the screen of a terminal into a part of the frame, cell by cell.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use unicode_width::UnicodeWidthChar;

use crate::process::screen::{CellStyle, Color, Rgb, StyledRun};
use crate::session::query::TerminalScreen;
use crate::text::sanitize::sanitize_line;
use crate::text::sgr::{Emphasis, SgrColor, SgrStyle};
use crate::text::width::str_width;
use crate::view::Look;

/// Returns the columns and rows of the screen that are not seen to the left of an area and above it, where the area is
/// smaller. The cursor is seen where the terminal has the keys; of another one the beginning of lines is, and of what a
/// program draws on the alternate screen the top.
pub(super) fn scrolled(screen: &TerminalScreen, area: Rect, has_keys: bool) -> (u16, u16) {
    let beyond = |at: usize, room: u16| {
        let past = (at + 1).saturating_sub(room.into());
        u16::try_from(past).unwrap_or(u16::MAX)
    };
    let columns = beyond(screen.cursor.col, area.width);
    let rows = beyond(screen.cursor.row, area.height);
    match (has_keys, screen.modes.alternate_screen) {
        (true, _) => (columns, rows),
        (false, true) => (0, 0),
        (false, false) => (0, rows),
    }
}

/// Draws it from the top left corner of the area on, and returns where its cursor stands if it is to be seen.
pub(super) fn draw_screen(
    screen: &TerminalScreen,
    area: Rect,
    has_keys: bool,
    buffer: &mut Buffer,
    look: Look<'_>,
) -> Option<Position> {
    let (left, top) = scrolled(screen, area, has_keys);
    for (row, line) in area.rows().zip(screen.lines.iter().skip(top.into())) {
        draw_line(line, left.into(), row, buffer, look);
    }
    let column = u16::try_from(screen.cursor.col).ok()?.checked_sub(left)?;
    let row = u16::try_from(screen.cursor.row).ok()?.checked_sub(top)?;
    let is_seen = screen.cursor.is_visible && column < area.width && row < area.height;
    is_seen.then(|| Position::new(area.x + column, area.y + row))
}

/// Draws a line, its first columns left out. Every character stands in the column that the program's terminal has it in,
/// whatever the neighbours are.
pub(super) fn draw_line(line: &[StyledRun], left: usize, area: Rect, buffer: &mut Buffer, look: Look<'_>) {
    let mut column = 0;
    for run in line {
        let style = look.theme.sgr(sgr(run.style));
        let mut characters = run.text.chars().peekable();
        while let Some(character) = characters.next() {
            let mut symbol = String::from(character);
            while let Some(mark) = characters.next_if(|next| next.width().unwrap_or(0) == 0) {
                symbol.push(mark);
            }
            let width = character.width().unwrap_or(1).max(1);
            let has_marks = symbol.len() > character.len_utf8();
            if has_marks && !(str_width(&symbol) == width && is_clean(&symbol)) {
                symbol.truncate(character.len_utf8());
            }
            let at = column;
            column += width;
            let Some(x) = at.checked_sub(left) else { continue };
            if x + width > usize::from(area.width) {
                return;
            }
            let x = area.x + u16::try_from(x).unwrap_or(u16::MAX);
            if let Some(cell) = buffer.cell_mut((x, area.y)) {
                cell.set_symbol(&symbol).set_style(style);
            }
            if width == 2
                && let Some(cell) = buffer.cell_mut((x + 1, area.y))
            {
                cell.reset();
                cell.set_style(style);
            }
        }
    }
}

/// Returns false where marks would turn the text around it or hide something.
fn is_clean(symbol: &str) -> bool {
    matches!(sanitize_line(symbol), Cow::Borrowed(_))
}

/// Returns the style that a cell was given, in the form that themes draw.
fn sgr(style: CellStyle) -> SgrStyle {
    let color = |color| match color {
        Color::Default => SgrColor::Default,
        Color::Indexed(index) => SgrColor::Indexed(index),
        Color::Rgb(Rgb(red, green, blue)) => SgrColor::Rgb(red, green, blue),
    };
    let flags = [
        (style.is_bold, Emphasis::BOLD),
        (style.is_dim, Emphasis::DIM),
        (style.is_italic, Emphasis::ITALIC),
        (style.is_underlined, Emphasis::UNDERLINED),
        (style.is_struck, Emphasis::STRUCK),
        (style.is_reversed, Emphasis::REVERSED),
    ];
    let set = flags.into_iter().filter(|(is_set, _)| *is_set);
    SgrStyle {
        foreground: color(style.foreground),
        background: color(style.background),
        emphasis: set.fold(Emphasis::default(), |all, (_, emphasis)| all | emphasis),
    }
}
