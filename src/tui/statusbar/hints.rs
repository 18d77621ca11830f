//! The hint row: what the keys do now. It takes key names from the keymap, so it cannot be wrong.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::text::sanitize::sanitize_line;
use crate::text::width::{ELLIPSIS, str_width, truncate};
use crate::tui::keymap::key_name;
use crate::view::Symbols;
use crate::view::theme::{Meaning, Theme};

/// Columns between the keys and what stands at the right end.
const PLACE_GAP: usize = 3;

/// Pieces of the row, the most important first: what does not fit is left out from the end.
pub(crate) struct Hints<'a> {
    theme: &'a Theme,
    symbols: Symbols,
    pieces: Vec<Vec<(String, Style)>>,
    /// Stands at the right end.
    place: String,
}

impl<'a> Hints<'a> {
    pub(crate) fn new(theme: &'a Theme, symbols: Symbols) -> Self {
        Self {
            theme,
            symbols,
            pieces: Vec::new(),
            place: String::new(),
        }
    }

    /// Adds a key, or several with blanks between them, and what they do; an action that has no key is left out.
    pub(crate) fn key(&mut self, key: &str, verb: &str) {
        let written = |key| match (self.symbols, key) {
            (Symbols::Unicode, "tab") => "⇥",
            _ => key_name(key, self.symbols),
        };
        let keys: Vec<&str> = key.split_whitespace().map(written).collect();
        if keys.is_empty() {
            return;
        }
        self.pieces.push(vec![
            (keys.join(" "), self.theme.style(Meaning::Text)),
            (format!(" {verb}"), self.theme.style(Meaning::TextMuted)),
        ]);
    }

    /// The same, for two keys that lead in two directions.
    pub(crate) fn pair(&mut self, one: &str, other: &str, verb: &str) {
        self.key(&format!("{one} {other}"), verb);
    }

    /// Adds a sentence.
    pub(crate) fn say(&mut self, text: &str, meaning: Meaning) {
        self.pieces.push(vec![(
            sanitize_line(text).into_owned(),
            self.theme.style(meaning),
        )]);
    }

    /// Puts words at the right end of the row, where there is room for them.
    pub(crate) fn place(&mut self, words: &str) {
        self.place = sanitize_line(words).into_owned();
    }

    pub(crate) fn draw(self, area: Rect, buffer: &mut Buffer) {
        let room = usize::from(area.width).saturating_sub(1);
        let dot = format!(" {} ", self.symbols.dot());
        let mut spans: Vec<Span<'_>> = Vec::new();
        let mut used = 0;
        for piece in self.pieces {
            let gap = if spans.is_empty() { 0 } else { str_width(&dot) };
            let width: usize = piece.iter().map(|(text, _)| str_width(text)).sum();
            if !spans.is_empty() && used + gap + width > room {
                break;
            }
            if used == 0
                && width > room
                && let [(text, style)] = &piece[..]
            {
                let cut = truncate(text, room).replace(ELLIPSIS, self.symbols.ellipsis());
                spans.push(Span::styled(cut, *style));
                break;
            }
            if gap > 0 {
                spans.push(Span::styled(dot.clone(), self.theme.style(Meaning::TextMuted)));
            }
            spans.extend(piece.into_iter().map(|(text, style)| Span::styled(text, style)));
            used += gap + width;
        }
        let width = area.width.saturating_sub(1);
        buffer.set_line(area.x + 1.min(area.width), area.y, &Line::from(spans), width);
        let columns = str_width(&self.place);
        if columns > 0 && used + PLACE_GAP + columns < room {
            let x = area.right() - 1 - columns as u16;
            let style = self.theme.style(Meaning::TextMuted);
            buffer.set_stringn(x, area.y, &self.place, columns, style);
        }
    }
}
