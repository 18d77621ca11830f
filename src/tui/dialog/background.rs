//! The ground that a dialog stands on.
//!
//! A tint tells at once that what stands there asks something. Where the theme or the terminal has no colour for one, a
//! bar stands before the rows, in the column of the sign before the title.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::view::Look;
use crate::view::theme::Meaning;

/// Column of the bar.
const BAR: u16 = 1;

/// Draws a dialog on its ground.
pub(crate) fn on_ground<T>(
    area: Rect,
    buffer: &mut Buffer,
    look: Look<'_>,
    draw: impl FnOnce(&mut Buffer) -> T,
) -> T {
    let ground = look.theme.style(Meaning::DialogBg);
    buffer.set_style(area, ground);
    let drawn = draw(buffer);
    if ground.bg.is_none() {
        bar(area, buffer, look);
    }
    drawn
}

/// Draws the bar before every row that leaves its columns free.
fn bar(area: Rect, buffer: &mut Buffer, look: Look<'_>) {
    let style = look.theme.style(Meaning::Accent);
    for row in area.rows() {
        let is_free = (0..=BAR + 1).all(|column| {
            let cell = buffer.cell((row.x + column, row.y));
            cell.is_some_and(|cell| cell.symbol() == " ")
        });
        if is_free && row.width > BAR {
            buffer.set_string(row.x + BAR, row.y, look.symbols.bar(), style);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Symbols;
    use crate::view::highlight::Highlighter;
    use crate::view::theme::{ColorDepth, Theme};

    fn drawn(depth: ColorDepth) -> Buffer {
        let theme = Theme::default().at_depth(depth);
        let highlighter = Highlighter::plain();
        let look = Look {
            theme: &theme,
            symbols: Symbols::Unicode,
            highlighter: &highlighter,
        };
        let area = Rect::new(0, 0, 12, 3);
        let mut buffer = Buffer::empty(area);
        let style = theme.style(Meaning::Text);
        on_ground(area, &mut buffer, look, |buffer| {
            buffer.set_string(0, 0, " ? asks", style);
            buffer.set_string(0, 1, "   y once", style);
        });
        buffer
    }

    fn text(buffer: &Buffer) -> String {
        let cells = buffer.content().iter().map(ratatui::buffer::Cell::symbol);
        cells.collect()
    }

    #[test]
    fn a_tint_covers_every_cell_and_needs_no_bar() {
        let ground = Theme::default().style(Meaning::DialogBg).bg.unwrap();
        let buffer = drawn(ColorDepth::TrueColor);
        assert!(buffer.content().iter().all(|cell| cell.bg == ground));
        assert_eq!(text(&buffer), " ? asks        y once               ");
    }

    #[test]
    fn without_a_tint_a_bar_stands_before_the_rows() {
        for depth in [ColorDepth::Ansi16, ColorDepth::None] {
            let buffer = drawn(depth);
            assert_eq!(text(&buffer), " ? asks      ┃ y once    ┃          ");
        }
    }
}
