//! The line that a process is still writing, which a carriage return may change.

use std::ops::Range;

use super::StyledOutput;
use crate::text::sgr::{SgrRun, SgrStyle};
use crate::text::width::grapheme_width;

/// A longer line is data that nobody reads by its colours: it is plain.
pub(super) const MAX_INKED_BYTES: usize = 16 * 1024;
/// Maximum number of coloured runs in a line; the rest of it is plain. A line of a rainbow has one for each column.
pub(super) const MAX_RUNS: usize = 512;

/// The unfinished line. Only a line that is overwritten pays for cells.
#[derive(Debug, Default)]
pub(super) struct Line {
    shape: Shape,
    bytes: usize,
}

#[derive(Debug)]
enum Shape {
    /// Written from left to right; `returned` once the cursor went back to the start.
    Plain {
        text: String,
        runs: Vec<SgrRun>,
        returned: bool,
    },
    Cells {
        cells: Vec<Cell>,
        cursor: usize,
    },
}

impl Default for Shape {
    fn default() -> Self {
        Self::Plain {
            text: String::new(),
            runs: Vec::new(),
            returned: false,
        }
    }
}

/// One column of the line.
#[derive(Debug, Clone)]
enum Cell {
    Char {
        base: char,
        marks: String,
        sgr: SgrStyle,
    },
    /// The right half of the wide character before it.
    RightHalf,
}

impl Cell {
    fn of(base: char, sgr: SgrStyle) -> Self {
        Self::Char {
            base,
            marks: String::new(),
            sgr,
        }
    }

    fn blank() -> Self {
        Self::of(' ', SgrStyle::default())
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Char { base, marks, .. } => base.len_utf8() + marks.len(),
            Self::RightHalf => 0,
        }
    }
}

impl Line {
    /// Returns how much it holds.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Writes a text without controls.
    pub(super) fn put(&mut self, written: &str, sgr: SgrStyle) {
        self.bytes += written.len();
        if let Shape::Plain {
            text,
            runs,
            returned: false,
        } = &mut self.shape
        {
            let start = text.len();
            text.push_str(written);
            if !sgr.is_plain() && start < MAX_INKED_BYTES {
                add_run(runs, 0, start..text.len(), sgr);
            }
            return;
        }
        let (cells, cursor) = self.cells();
        let overwritten: usize = written.chars().map(|c| put_cell(cells, cursor, c, sgr)).sum();
        self.bytes = self.bytes.saturating_sub(overwritten);
    }

    pub(super) fn go_to_start(&mut self) {
        match &mut self.shape {
            Shape::Plain { text, returned, .. } => *returned = !text.is_empty(),
            Shape::Cells { cursor, .. } => *cursor = 0,
        }
    }

    /// Returns how many columns stand before the cursor.
    pub(super) fn column(&mut self) -> usize {
        match &self.shape {
            Shape::Plain { text, returned, .. } if *returned || text.is_empty() => 0,
            _ => *self.cells().1,
        }
    }

    /// Moves the cursor to a column, at most to the end of what is written.
    pub(super) fn go_to(&mut self, column: usize) {
        if column == 0 {
            return self.go_to_start();
        }
        let (cells, cursor) = self.cells();
        *cursor = column.min(cells.len());
    }

    pub(super) fn go_back(&mut self, columns: usize) {
        let column = self.column();
        self.go_to(column.saturating_sub(columns));
    }

    pub(super) fn erase_to_end(&mut self) {
        match &mut self.shape {
            Shape::Plain { returned: false, .. } => {}
            Shape::Plain { returned: true, .. } => *self = Self::default(),
            Shape::Cells { cells, cursor } => {
                let erased: usize = cells.drain(*cursor..).map(|cell| cell.bytes()).sum();
                self.bytes = self.bytes.saturating_sub(erased);
            }
        }
    }

    /// Turns the line into cells, if it is not, and lends them with the cursor.
    fn cells(&mut self) -> (&mut Vec<Cell>, &mut usize) {
        if let Shape::Plain { text, runs, returned } = &mut self.shape {
            let mut cells = Vec::with_capacity(text.len());
            let mut cursor = 0;
            let mut runs = runs.iter().peekable();
            for (at, c) in text.char_indices() {
                while runs.next_if(|run| run.range.end <= at).is_some() {}
                let run = runs.peek().filter(|run| run.range.contains(&at));
                put_cell(
                    &mut cells,
                    &mut cursor,
                    c,
                    run.map_or_else(SgrStyle::default, |run| run.sgr),
                );
            }
            if *returned {
                cursor = 0;
            }
            self.shape = Shape::Cells { cells, cursor };
        }
        match &mut self.shape {
            Shape::Cells { cells, cursor } => (cells, cursor),
            Shape::Plain { .. } => unreachable!("the line was just made of cells"),
        }
    }

    pub(super) fn show_into(&self, into: &mut StyledOutput) {
        let StyledOutput {
            text: shown,
            runs: inked,
        } = into;
        let (start, first) = (shown.len(), inked.len());
        match &self.shape {
            Shape::Plain { text, runs, .. } => {
                shown.push_str(text);
                inked.extend(runs.iter().map(|run| SgrRun {
                    range: start + run.range.start..start + run.range.end,
                    sgr: run.sgr,
                }));
            }
            Shape::Cells { cells, .. } => {
                for cell in cells {
                    if let Cell::Char { base, marks, sgr } = cell {
                        let at = shown.len();
                        shown.push(*base);
                        shown.push_str(marks);
                        if !sgr.is_plain() {
                            add_run(inked, first, at..shown.len(), *sgr);
                        }
                    }
                }
            }
        }
        if shown.len() - start > MAX_INKED_BYTES {
            inked.truncate(first);
        }
    }

    pub(super) fn take_into(&mut self, into: &mut StyledOutput) {
        self.show_into(into);
        *self = Self::default();
    }
}

/// Adds a run of the line whose runs begin at `first`, or makes the one before it longer.
fn add_run(runs: &mut Vec<SgrRun>, first: usize, range: Range<usize>, sgr: SgrStyle) {
    let count = runs.len() - first;
    match runs[first..].last_mut() {
        Some(last) if last.sgr == sgr && last.range.end == range.start => last.range.end = range.end,
        _ if count < MAX_RUNS => runs.push(SgrRun { range, sgr }),
        _ => {}
    }
}

/// Writes a character at the cursor and returns the bytes that it took the place of.
fn put_cell(cells: &mut Vec<Cell>, cursor: &mut usize, c: char, sgr: SgrStyle) -> usize {
    let columns = if c == '\t' {
        1
    } else {
        grapheme_width(c.encode_utf8(&mut [0; 4]))
    };
    if columns == 0
        && let Some(Cell::Char { marks, .. }) = base_before(cells, *cursor)
    {
        marks.push(c);
        return 0;
    }
    let mut overwritten = 0;
    for column in 0..columns.max(1) {
        let cell = if column == 0 {
            Cell::of(c, sgr)
        } else {
            Cell::RightHalf
        };
        overwritten += write_cell(cells, *cursor, cell);
        *cursor += 1;
    }
    if matches!(cells.get(*cursor), Some(Cell::RightHalf)) {
        // Its left half is gone.
        cells[*cursor] = Cell::blank();
    }
    overwritten
}

fn write_cell(cells: &mut Vec<Cell>, at: usize, cell: Cell) -> usize {
    if at == cells.len() {
        cells.push(cell);
        return 0;
    }
    let is_right_half = matches!(cell, Cell::RightHalf);
    match std::mem::replace(&mut cells[at], cell) {
        Cell::RightHalf if !is_right_half && at > 0 => {
            cells[at - 1] = Cell::blank();
            0
        }
        old => old.bytes(),
    }
}

fn base_before(cells: &mut [Cell], cursor: usize) -> Option<&mut Cell> {
    let until = cursor.min(cells.len());
    cells[..until]
        .iter_mut()
        .rev()
        .find(|cell| matches!(cell, Cell::Char { .. }))
}
