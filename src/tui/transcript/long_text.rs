//! Texts that are too long to be drawn whole: laying out megabytes would hold the keys up, and keep a row for each line.

use ratatui::text::Line;

use crate::text::size::size_words;
use crate::view::Look;
use crate::view::styled_text::cut_line;
use crate::view::theme::Meaning;

/// Bytes of one text that are drawn, more than the 64,000 tokens that a long reply has. `cargo bench --bench stream`
/// measures how long they take.
const DRAWN: usize = 256 * 1024;

/// Returns the beginning of a text that is drawn. It only grows while the text does.
pub(super) fn drawn(text: &str) -> &str {
    &text[..text.floor_char_boundary(DRAWN)]
}

/// Returns the row below a text of which not all is drawn.
pub(super) fn rest_row(text: &str, width: usize, look: Look<'_>) -> Option<Line<'static>> {
    let rest = text.len() - drawn(text).len();
    if rest == 0 {
        return None;
    }
    let words = format!(
        "{ellipsis} {size} more {dot} /export writes all of it",
        ellipsis = look.symbols.ellipsis(),
        size = size_words(rest as u64),
        dot = look.symbols.dot(),
    );
    let style = look.theme.style(Meaning::TextMuted);
    Some(cut_line(&words, style, width, look.symbols.ellipsis()))
}
