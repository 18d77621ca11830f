//! Changing the size of a screen so that no text is lost.
//!
//! The main screen is laid out anew: lines that the width has broken are joined and broken again. The library drops rows
//! below the cursor and the oldest of the scrollback while it does so. Therefore the cursor is moved to the last row with
//! text meanwhile, its cell being marked, and the scrollback may have as many lines as the text needs at the new width.
//!
//! The alternate screen belongs to a program that draws it anew. Until something is printed, the picture of before is
//! kept aside and what is shown is cut from it.

use std::mem;
use std::sync::Arc;

use alacritty_terminal::grid::{Dimensions, Grid, Row};
use alacritty_terminal::index::{Column, Line, Point};
use alacritty_terminal::term::TermMode;
use alacritty_terminal::term::cell::{Cell, CellExtra};

use super::{Screen, ScreenSize};

/// Noncharacters, which no program can print into a cell as they are no combining ones: they mark the cell of the cursor
/// and the first one of the screen.
const CURSOR_MARK: char = '\u{10fffe}';
const TOP_MARK: char = '\u{10ffff}';

/// The alternate screen as it was before it was made smaller.
pub(super) struct AlternateSnapshot(Grid<Cell>);

/// A marked cell, with what it held besides the mark.
struct CellMark {
    character: char,
    extra: Option<Arc<CellExtra>>,
}

/// The cursor's cell, which is marked, while the cursor is elsewhere.
struct CursorPlace {
    mark: CellMark,
    /// Rows between the cursor and the last row with text.
    below: usize,
}

impl CellMark {
    fn set(grid: &mut Grid<Cell>, point: Point, character: char) -> Self {
        let cell = &mut grid[point];
        let extra = cell.extra.clone();
        cell.push_zerowidth(character);
        Self { character, extra }
    }

    /// Finds the cell again and takes the mark off it. A later mark of the same cell must be taken off before.
    fn take(self, grid: &mut Grid<Cell>) -> Option<Point> {
        let is_marked = |cell: &Cell| {
            let held = cell.zerowidth();
            held.is_some_and(|held| held.contains(&self.character))
        };
        let (first, last) = (grid.topmost_line().0, grid.bottommost_line().0);
        let point = (first..=last).rev().map(Line).find_map(|line| {
            let col = grid[line][Column(0)..].iter().position(is_marked)?;
            Some(Point::new(line, Column(col)))
        })?;
        grid[point].extra = self.extra;
        Some(point)
    }
}

impl Screen {
    /// Changes the size. Columns are 2 at least, rows 1.
    pub fn resize(&mut self, size: ScreenSize) {
        let size = size.usable();
        if size == self.size() {
            return;
        }
        let view = self.view_offset();
        if view > 0 {
            self.scroll_view(i32::MIN);
        }
        if self.term().mode().contains(TermMode::ALT_SCREEN) {
            let before = match self.alternate_snapshot.take() {
                Some(AlternateSnapshot(grid)) => grid,
                None => self.term().grid().clone(),
            };
            self.emulator.term.swap_alt();
            self.resize_main(size);
            self.emulator.term.swap_alt();
            let mut shown = before.clone();
            shown.resize(false, size.rows.into(), size.cols.into());
            *self.emulator.term.grid_mut() = shown;
            self.alternate_snapshot = Some(AlternateSnapshot(before));
        } else {
            self.resize_main(size);
        }
        let grid = self.emulator.term.grid_mut();
        if grid.cursor.point.column + 1 < grid.columns() {
            grid.cursor.input_needs_wrap = false;
        }
        self.emulator.reset_margins();
        if view > 0 {
            self.scroll_view(i32::try_from(view).unwrap_or(i32::MAX));
        }
        self.generation += 1;
    }

    /// Resizes while the main screen is shown.
    fn resize_main(&mut self, size: ScreenSize) {
        let before = self.size();
        self.largest = ScreenSize {
            cols: self.largest.cols.max(size.cols),
            rows: self.largest.rows.max(size.rows),
        };
        let limit = self.line_limit(size);
        let most = limit.max(self.line_limit(before));
        let top = Point::new(Line(0), Column(0));
        let top = CellMark::set(self.emulator.term.grid_mut(), top, TOP_MARK);
        let cursor = self.set_cursor_aside();
        // In two steps: between them the scrollback may have as many lines as the steps need together.
        let term = &mut self.emulator.term;
        term.grid_mut().update_history(most);
        term.resize(size);
        term.grid_mut().update_history(limit);
        if let Some(cursor) = cursor {
            self.return_cursor(cursor);
        }
        let top = top.take(self.emulator.term.grid_mut());
        let pushed = top.map_or(0, |point| point.line.0.min(0).unsigned_abs());
        self.fill_from_scrollback(pushed as usize);
    }

    /// Moves lines that were pushed into the scrollback back onto the screen, as far as it has blank rows at its end: the
    /// library pushes as many as the text has grown by, blank rows or not.
    fn fill_from_scrollback(&mut self, pushed: usize) {
        let grid = self.emulator.term.grid_mut();
        let (top, last) = (grid.topmost_line().0, grid.bottommost_line().0);
        let cursor = grid.cursor.point.line.0;
        let blank = (cursor + 1..=last)
            .rev()
            .take_while(|row| grid[Line(*row)].is_clear())
            .count();
        let count = pushed.min(blank);
        if count == 0 {
            return;
        }
        for row in (top + count as i32..=last).rev() {
            let moved = mem::take(&mut grid[Line(row - count as i32)]);
            grid[Line(row)] = moved;
        }
        let (kept, cols) = (grid.history_size() - count, grid.columns());
        for row in top..top + count as i32 {
            grid[Line(row)] = Row::new(cols);
        }
        let limit = self.line_limit(self.size());
        let grid = self.emulator.term.grid_mut();
        grid.update_history(kept);
        grid.update_history(limit);
        grid.cursor.point.line += count;
        grid.saved_cursor.point.line = (grid.saved_cursor.point.line + count).min(Line(last));
    }

    /// Most lines of scrollback at a size: as many as the text of the largest size takes there.
    fn line_limit(&self, size: ScreenSize) -> usize {
        let rows = self.settings.scrollback + usize::from(self.largest.rows - size.rows);
        if size.cols >= self.largest.cols {
            return rows;
        }
        // A wide character that does not fit leaves a column of its row empty.
        let pieces = self.largest.cols.div_ceil(size.cols - 1);
        (rows + usize::from(size.rows)) * usize::from(pieces)
    }

    /// Moves the cursor to the last row with text, if that is below it, and marks its cell.
    fn set_cursor_aside(&mut self) -> Option<CursorPlace> {
        let grid = self.emulator.term.grid_mut();
        let point = grid.cursor.point;
        let last = (point.line.0 + 1..grid.screen_lines() as i32)
            .rev()
            .find(|row| !grid[Line(*row)].is_clear())?;
        let mark = CellMark::set(grid, point, CURSOR_MARK);
        grid.cursor.point = Point::new(Line(last), Column(0));
        grid.cursor.input_needs_wrap = false;
        Some(CursorPlace {
            mark,
            below: usize::try_from(last - point.line.0).unwrap_or_default(),
        })
    }

    /// Returns the cursor to its cell, or as near as it can be when the cell is above the screen.
    fn return_cursor(&mut self, place: CursorPlace) {
        let grid = self.emulator.term.grid_mut();
        let Point { line, column } = place.mark.take(grid).unwrap_or_else(|| {
            let point = grid.cursor.point;
            Point::new(point.line - place.below, point.column)
        });
        grid.cursor.point = Point::new(line.max(Line(0)), column);
        grid.cursor.input_needs_wrap = false;
    }
}
