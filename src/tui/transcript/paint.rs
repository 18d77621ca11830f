//! Lines to cells.
//!
//! Drawing is clipped to the columns it was given, whatever a line holds: a cluster that would stand over the edge is
//! left out, and so is everything that has no width.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Draws a line on the first row of `area`, with `over` laid over its styles.
pub(super) fn line(line: &Line<'_>, area: Rect, buffer: &mut Buffer, over: Style) {
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return;
    }
    if line.style.bg.is_some() {
        buffer.set_style(Rect { height: 1, ..area }, line.style.patch(over));
    }
    let mut x = area.x;
    for span in &line.spans {
        let style = line.style.patch(span.style).patch(over);
        x = draw_span(span, x, area, buffer, style);
        if x >= area.right() {
            return;
        }
    }
}

/// Returns the column after the span.
fn draw_span(span: &Span<'_>, x: u16, area: Rect, buffer: &mut Buffer, style: Style) -> u16 {
    let text = span.content.as_ref();
    let room = area.right().saturating_sub(x);
    if !text.bytes().all(|byte| (b' '..0x7f).contains(&byte)) {
        return buffer.set_stringn(x, area.y, text, usize::from(room), style).0;
    }
    // Most of what is drawn is ASCII, where a byte is a cell.
    let end = x + room.min(u16::try_from(text.len()).unwrap_or(u16::MAX));
    for (x, byte) in (x..end).zip(text.bytes()) {
        let cell = &mut buffer[(x, area.y)];
        cell.set_char(char::from(byte));
        cell.set_style(style);
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_wide_character_at_the_edge_is_left_out() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 6, 1));
        line(
            &Line::from("ab世"),
            Rect::new(1, 0, 3, 1),
            &mut buffer,
            Style::new(),
        );
        assert_eq!(buffer, Buffer::with_lines([" ab   "]));
    }

    proptest! {
        #[test]
        fn nothing_is_drawn_outside_the_area(texts in prop::collection::vec(".{0,12}", 0..4), width in 0_u16..12) {
            let mut buffer = Buffer::filled(Rect::new(0, 0, 14, 3), ratatui::buffer::Cell::new("#"));
            let spans: Vec<Span<'_>> = texts.iter().map(|text| Span::raw(text.as_str())).collect();
            line(&Line::from(spans), Rect::new(1, 1, width, 1), &mut buffer, Style::new());
            for (x, y) in (0..14).flat_map(|x| (0..3).map(move |y| (x, y))) {
                if y != 1 || x == 0 || x > width {
                    prop_assert_eq!(buffer[(x, y)].symbol(), "#");
                }
            }
        }
    }
}
