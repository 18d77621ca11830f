//! Texts that are too long to be drawn whole: laying out megabytes would hold the keys up, and keep a row for each line.
//! What is drawn of them is laid out over several frames.

use ratatui::text::Line;

use crate::text::size::size_words;
use crate::view::Look;
use crate::view::styled_text::cut_line;
use crate::view::theme::Meaning;

/// Bytes of one text that are drawn, more than the 64,000 tokens that a long reply has. `cargo bench --bench stream`
/// measures how long they take.
const DRAWN: usize = 256 * 1024;

/// Bytes of Markdown that one frame lays out, of source about 7 ms (the same bench). What is more waits for the next frames.
pub(super) const FRAME_SHARE: usize = 16 * 1024;

/// Bytes that a text is laid out by at first, whatever the frame's share: blocks without rows would have all those above them
/// laid out to fill the screen.
const FIRST: usize = 4 * 1024;

/// Returns how many bytes are laid out next of a text, of which `fed` are laid out, when the frame's share is `left`.
pub(super) fn share(left: usize, fed: usize) -> usize {
    if fed == 0 { left.max(FIRST) } else { left }
}

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
