//! Pictures that the terminal draws over its cells, as iTerm2's protocol and sixel have it.
//!
//! It draws them where it is told to and forgets them cell by cell, as something else is written there. So the cells of a
//! frame hold blanks, each in a colour of its own that says which part of which picture is over it: nobody sees it, but a
//! cell that shows another part than before is written again, and with that it is blank. The picture itself is written
//! after the cells, when it newly stands somewhere.

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::Color;

use super::EncodedPicture;

/// Keeps the place of a picture.
pub(super) fn reserve(drawn: &EncodedPicture, area: Rect, buffer: &mut Buffer) {
    for position in area.positions() {
        let cell = &mut buffer[position];
        cell.reset();
        cell.fg = part(drawn, area, position.x, position.y);
    }
}

/// Returns true if nothing has been drawn over the place that was kept.
pub(super) fn is_whole(drawn: &EncodedPicture, area: Rect, buffer: &Buffer) -> bool {
    let is_kept = |cell: &Cell, colour| cell.symbol() == " " && cell.fg == colour;
    let mut positions = area.positions();
    !area.is_empty() && positions.all(|at| is_kept(&buffer[at], part(drawn, area, at.x, at.y)))
}

fn part(drawn: &EncodedPicture, area: Rect, x: u16, y: u16) -> Color {
    // A picture has fewer rows and columns than a byte counts.
    Color::Rgb(drawn.id as u8, (y - area.y) as u8, (x - area.x) as u8)
}

/// Goes to the corner of the place, draws, and comes back.
pub(super) fn at(area: Rect, drawing: &str) -> Vec<u8> {
    let (row, column) = (area.y + 1, area.x + 1);
    format!("\x1b7\x1b[{row};{column}H{drawing}\x1b8").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::super::{Grid, PictureEncoding};
    use super::*;

    fn drawn() -> EncodedPicture {
        EncodedPicture {
            id: 1,
            grid: Grid { columns: 3, rows: 2 },
            form: PictureEncoding::Sixel,
            data: "\x1bPq\x1b\\".to_owned(),
        }
    }

    #[test]
    fn a_picture_that_something_covers_is_not_whole() {
        let area = Rect::new(2, 1, 3, 2);
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 4));
        assert!(!is_whole(&drawn(), area, &buffer));
        reserve(&drawn(), area, &mut buffer);
        assert!(is_whole(&drawn(), area, &buffer));
        buffer[(3, 1)].reset();
        assert!(!is_whole(&drawn(), area, &buffer));
    }

    #[test]
    fn a_cell_that_shows_another_part_is_written_again() {
        let (mut before, mut after) = (
            Buffer::empty(Rect::new(0, 0, 8, 5)),
            Buffer::empty(Rect::new(0, 0, 8, 5)),
        );
        reserve(&drawn(), Rect::new(2, 1, 3, 2), &mut before);
        reserve(&drawn(), Rect::new(2, 2, 3, 2), &mut after);
        let rows: Vec<u16> = before.diff(&after).iter().map(|(_, y, _)| *y).collect();
        assert_eq!(rows, [1, 1, 1, 2, 2, 2, 3, 3, 3]);
    }

    #[test]
    fn a_picture_is_drawn_at_its_place() {
        let drawing = drawn().over_cells(Rect::new(2, 1, 3, 2));
        assert_eq!(drawing, b"\x1b7\x1b[2;3H\x1bPq\x1b\\\x1b8");
    }
}
