//! Pictures by iTerm2's protocol, which `WezTerm` and mintty know as well.
//! <https://iterm2.com/documentation-images.html>

use ratatui::layout::Rect;

use super::EncodedPicture;

/// Draws where the cursor is, over so many cells.
pub(super) fn drawing(drawn: &EncodedPicture, area: Rect) -> String {
    format!(
        "\x1b]1337;File=inline=1;width={};height={};preserveAspectRatio=1;doNotMoveCursor=1:{}\x07",
        area.width, area.height, drawn.data
    )
}

#[cfg(test)]
mod tests {
    use super::super::{Grid, PictureEncoding};
    use super::*;

    #[test]
    fn a_picture_is_as_large_as_its_place() {
        let drawn = EncodedPicture {
            id: 1,
            grid: Grid { columns: 3, rows: 2 },
            form: PictureEncoding::Png,
            data: "AAAA".to_owned(),
        };
        let text = drawing(&drawn, Rect::new(2, 1, 3, 2));
        assert!(
            text.starts_with("\x1b]1337;File=inline=1;width=3;height=2;"),
            "{text:?}"
        );
        assert!(text.ends_with(":AAAA\x07"), "{text:?}");
    }
}
