//! Pictures by iTerm2's protocol, which `WezTerm` and mintty know as well.
//!
//! The terminal draws the picture where the cursor stands and forgets it cell by cell, as something else is written there.
//! So the last cell of the area carries the picture, after all others were written; the others hold a blank that no text
//! has, by which they differ from whatever comes after.
//! <https://iterm2.com/documentation-images.html>

use std::num::NonZeroU16;

use ratatui::buffer::{Buffer, CellDiffOption};
use ratatui::layout::Rect;

use super::Drawn;

/// Looks like a space and is none.
const BLANK: &str = "\u{a0}";

/// Keeps the place of a picture.
pub(super) fn reserve(area: Rect, buffer: &mut Buffer) {
    for position in area.positions() {
        let cell = &mut buffer[position];
        cell.reset();
        cell.set_symbol(BLANK);
    }
}

/// Puts the picture where its place was kept, if nothing has been drawn over it.
pub(super) fn paint(drawn: &Drawn, area: Rect, buffer: &mut Buffer) {
    if area.is_empty()
        || area
            .positions()
            .any(|position| buffer[position].symbol() != BLANK)
    {
        return;
    }
    let last = &mut buffer[(area.right() - 1, area.bottom() - 1)];
    last.set_symbol(&format!("{BLANK}{}", sequence(drawn, area)));
    last.set_diff_option(CellDiffOption::ForcedWidth(NonZeroU16::MIN));
}

/// Goes to the corner, draws, and comes back.
fn sequence(drawn: &Drawn, area: Rect) -> String {
    let (row, column) = (area.y + 1, area.x + 1);
    format!(
        "\x1b7\x1b[{row};{column}H\x1b]1337;File=inline=1;width={};height={};preserveAspectRatio=1;doNotMoveCursor=1:{}\x07\x1b8",
        area.width, area.height, drawn.png
    )
}

#[cfg(test)]
mod tests {
    use super::super::Grid;
    use super::*;

    #[test]
    fn a_picture_that_something_covers_is_not_drawn() {
        let drawn = Drawn {
            id: 1,
            grid: Grid { columns: 3, rows: 2 },
            png: "AAAA".to_owned(),
        };
        let area = Rect::new(2, 1, 3, 2);
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 4));
        reserve(area, &mut buffer);
        let mut covered = buffer.clone();
        covered[(3, 1)].set_symbol("x");
        paint(&drawn, area, &mut covered);
        assert!(!covered.content.iter().any(|cell| cell.symbol().contains("1337")));
        paint(&drawn, area, &mut buffer);
        let last = buffer[(4, 2)].symbol();
        assert!(
            last.starts_with("\u{a0}\x1b7\x1b[2;3H\x1b]1337;File=inline=1;width=3;height=2;"),
            "{last:?}"
        );
        assert!(last.ends_with(":AAAA\x07\x1b8"));
    }
}
