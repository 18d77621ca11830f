//! Lines of the screen and of its scrollback: cells, runs of one style, and text.
//!
//! Lines are counted from the oldest of the scrollback, which is 0; the screen is the last [`ScreenSize::rows`] lines.
//! Concealed text (SGR 8) is given as blanks, since the person does not see it either.
//!
//! [`ScreenSize::rows`]: super::ScreenSize::rows

use serde::{Deserialize, Serialize};
use std::ops::Range;

use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags};

use super::{CellStyle, Screen};

/// A character with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScreenCell<'a> {
    pub col: usize,
    pub character: char,
    /// Characters without a width of their own that follow it.
    pub combining: &'a [char],
    /// 1 or 2 columns.
    pub width: usize,
    pub style: CellStyle,
}

/// Text of one style.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StyledRun {
    pub text: String,
    pub style: CellStyle,
}

impl Screen {
    /// Number of lines, scrollback and screen together.
    pub fn line_count(&self) -> usize {
        self.term().total_lines()
    }

    /// The lines of the screen.
    pub fn screen_lines(&self) -> Range<usize> {
        self.term().grid().history_size()..self.line_count()
    }

    /// The cells of a line from left to right, the right half of a wide character left out. A line that does not exist
    /// has none.
    pub fn cells(&self, line: usize) -> impl Iterator<Item = ScreenCell<'_>> {
        let colors = self.term().colors();
        let row = self.row(line).unwrap_or_default();
        glyphs(row).map(|glyph| ScreenCell {
            col: glyph.col,
            character: glyph.character,
            combining: glyph.combining,
            width: glyph.width,
            style: CellStyle::of(&row[glyph.col], colors),
        })
    }

    /// The runs of a line. Blanks at its end that nobody sees are left out.
    pub fn runs(&self, line: usize) -> Vec<StyledRun> {
        let mut runs: Vec<StyledRun> = Vec::new();
        for cell in self.cells(line) {
            let characters = std::iter::once(cell.character).chain(cell.combining.iter().copied());
            match runs.last_mut() {
                Some(run) if run.style == cell.style => run.text.extend(characters),
                _ => runs.push(StyledRun {
                    text: characters.collect(),
                    style: cell.style,
                }),
            }
        }
        while let Some(last) = runs.last_mut()
            && !last.style.marks_blanks()
        {
            last.text.truncate(last.text.trim_end_matches(' ').len());
            if !last.text.is_empty() {
                break;
            }
            runs.pop();
        }
        runs
    }

    /// The text of a line without the blanks at its end.
    pub fn line_text(&self, line: usize) -> String {
        let mut text = String::new();
        for glyph in glyphs(self.row(line).unwrap_or_default()) {
            text.push(glyph.character);
            text.extend(glyph.combining);
        }
        text.truncate(text.trim_end_matches(' ').len());
        text
    }

    /// Returns true if the next line continues this one, which the width has broken.
    pub fn is_wrapped(&self, line: usize) -> bool {
        let last = self.row(line).and_then(<[Cell]>::last);
        last.is_some_and(|cell| cell.flags.contains(Flags::WRAPLINE))
    }

    /// The text of the screen, one string a row.
    pub fn text(&self) -> Vec<String> {
        self.screen_lines().map(|line| self.line_text(line)).collect()
    }

    /// The text of the last lines above the screen, oldest first.
    pub fn scrollback_text(&self, lines: usize) -> Vec<String> {
        let above = self.screen_lines().start;
        (above.saturating_sub(lines)..above)
            .map(|line| self.line_text(line))
            .collect()
    }

    fn row(&self, line: usize) -> Option<&[Cell]> {
        let grid = self.term().grid();
        let index = i32::try_from(line).ok()? - grid.history_size() as i32;
        (line < grid.total_lines()).then(|| &grid[Line(index)][Column(0)..])
    }
}

/// Visible content of one cell, or of two when the character is wide.
struct Glyph<'a> {
    col: usize,
    character: char,
    combining: &'a [char],
    width: usize,
}

/// The glyphs of a row. Of a wide character of which one half was overwritten a blank is left.
fn glyphs(row: &[Cell]) -> impl Iterator<Item = Glyph<'_>> {
    let has = |col: usize, flag: Flags| row.get(col).is_some_and(|cell| cell.flags.contains(flag));
    row.iter().enumerate().filter_map(move |(col, cell)| {
        let is_right_half = cell.flags.contains(Flags::WIDE_CHAR_SPACER);
        let is_concealed = cell.flags.contains(Flags::HIDDEN);
        if is_right_half && !is_concealed && col > 0 && has(col - 1, Flags::WIDE_CHAR)
            || cell.flags.contains(Flags::LEADING_WIDE_CHAR_SPACER)
        {
            return None;
        }
        let is_wide = cell.flags.contains(Flags::WIDE_CHAR);
        let is_half = is_right_half || is_wide && !has(col + 1, Flags::WIDE_CHAR_SPACER);
        let is_blank = is_half || cell.c == '\t' || is_concealed;
        Some(Glyph {
            col,
            character: if is_blank { ' ' } else { cell.c },
            combining: cell.zerowidth().filter(|_| !is_blank).unwrap_or_default(),
            width: if is_wide && !is_blank { 2 } else { 1 },
        })
    })
}
