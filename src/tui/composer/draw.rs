//! Drawing the composer: a bar, the text, and where the terminal's own cursor stands.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::widgets::Widget;

use super::{Composer, atomic};
use crate::text::width::str_width;
use crate::view::theme::{Meaning, Theme};
use unicode_width::UnicodeWidthChar;

/// The bar and the space after it.
const MARGIN: u16 = 2;
/// Above the text's own styles.
const CHIP_PRIORITY: u8 = 1;
const SELECTION_PRIORITY: u8 = 2;

/// How it looks now.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ComposerStyle<'a> {
    pub(crate) text: Style,
    pub(crate) bar: &'a str,
    pub(crate) bar_style: Style,
    pub(crate) chip: Style,
    /// Shown while there is no text.
    pub(crate) invitation: &'a str,
    pub(crate) muted: Style,
}

impl<'a> ComposerStyle<'a> {
    /// Returns the style of a text that is written with the keys.
    pub(crate) fn new(bar: &'a str, invitation: &'a str, theme: &Theme) -> Self {
        Self {
            text: theme.style(Meaning::Text),
            bar,
            bar_style: theme.style(Meaning::Accent),
            chip: theme.style(Meaning::Accent),
            invitation,
            muted: theme.style(Meaning::TextMuted),
        }
    }
}

/// Returns where a line that is written stands in a row of the screen.
pub(crate) fn field(row: Rect) -> Rect {
    Rect {
        x: row.x + 1,
        width: row.width.saturating_sub(2),
        ..row
    }
}

impl Composer {
    /// Returns how many rows the text takes when this many columns are there.
    pub(crate) fn rows(&mut self, columns: u16) -> u16 {
        self.area.measure(columns.saturating_sub(MARGIN)).content_rows
    }

    /// The same, up to the most rows that there can be.
    pub(crate) fn rows_within(&mut self, columns: u16, most: u16) -> u16 {
        let text_columns = columns.saturating_sub(MARGIN);
        // To measure is to wrap all of the text, with every key. Where its beginning is too much already, that is enough.
        if self.surely_fills(usize::from(text_columns), usize::from(most)) {
            return most;
        }
        self.rows(columns).min(most)
    }

    /// Returns true if the text takes more rows than these, however it is wrapped. Reads no more of it than these rows
    /// hold.
    fn surely_fills(&self, columns: usize, rows: usize) -> bool {
        let lines = self.area.lines();
        if lines.len() > rows {
            return true;
        }
        // A row may hold a space more than there are columns.
        let room = rows * (columns + 1);
        let mut characters = lines.iter().flat_map(|line| line.chars());
        let width = characters.try_fold(0, |width, c| {
            let width = width + c.width().unwrap_or(0);
            if width > room { Err(()) } else { Ok(width) }
        });
        width.is_err()
    }

    /// Draws, and returns where the caret stands.
    pub(crate) fn draw(
        &mut self,
        area: Rect,
        buffer: &mut Buffer,
        look: &ComposerStyle<'_>,
    ) -> Option<Position> {
        let inner = Rect {
            x: area.x + MARGIN.min(area.width),
            width: area.width.saturating_sub(MARGIN),
            ..area
        };
        self.drawn = inner;
        for y in area.top()..area.bottom() {
            buffer.set_stringn(area.x, y, look.bar, usize::from(MARGIN), look.bar_style);
        }
        if self.area.is_empty() {
            buffer.set_stringn(
                inner.x,
                inner.y,
                look.invitation,
                usize::from(inner.width),
                look.muted,
            );
            return (!inner.is_empty()).then(|| inner.as_position());
        }
        self.area.set_style(look.text);
        self.area.clear_custom_highlight();
        let chips: Vec<_> = atomic::labels(self.area.lines(), &self.chips).collect();
        let chosen = self.chosen_chip().map(|(place, _)| place);
        for (row, bytes) in chips {
            let column = self.area.lines()[row][..bytes.start].chars().count();
            let style = if chosen == Some((row, column)) {
                look.chip.add_modifier(Modifier::REVERSED)
            } else {
                look.chip
            };
            self.area
                .custom_highlight(((row, bytes.start), (row, bytes.end)), style, CHIP_PRIORITY);
        }
        if let Some(selected) = self.vim_selection().filter(|(start, end)| start != end) {
            let style = self.area.selection_style();
            let (start, end) = (self.byte_position(selected.0), self.byte_position(selected.1));
            self.area
                .custom_highlight((start, end), style, SELECTION_PRIORITY);
        }
        (&self.area).render(inner, buffer);
        let reported = self.area.rendered_cursor_position()?;
        Some(Position {
            x: self.caret_column(reported.x - inner.x) + inner.x,
            y: reported.y,
        })
    }

    /// Returns the row and the byte of a row and a character.
    pub(super) fn byte_position(&self, (row, column): (usize, usize)) -> (usize, usize) {
        let line = &self.area.lines()[row];
        let byte = line
            .char_indices()
            .nth(column)
            .map_or(line.len(), |(byte, _)| byte);
        (row, byte)
    }

    /// Corrects the caret's column. The text area adds up the widths of characters, but a cluster of several is drawn
    /// as one: so walk back to the start of the visual row and measure that piece again.
    pub(super) fn caret_column(&self, reported: u16) -> u16 {
        let (row, end) = self.byte_position(self.area.cursor());
        let line = self.area.lines()[row].as_str();
        if line.is_ascii() || line.contains('\t') {
            return reported;
        }
        let mut left = usize::from(reported);
        let mut start = end;
        for (byte, c) in line[..end].char_indices().rev() {
            let width = c.width().unwrap_or(0);
            if width > left || (left == 0 && width == 0 && byte == 0) {
                break;
            }
            left -= width;
            start = byte;
            if left == 0 && width > 0 {
                break;
            }
        }
        u16::try_from(str_width(&line[start..end]))
            .unwrap_or(reported)
            .min(reported)
    }
}
