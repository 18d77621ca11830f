//! The end of a selection on its way by keyboard: over the rows as they are drawn, and over words of the text behind them.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::super::list::BlockRows;
use super::super::row_texts::{BlockRowText, RowTexts};
use super::{Selection, TextSpot, Unit, cluster};
use crate::tui::caret::CaretMove;

impl Selection {
    /// Moves the head one step. It stays where there is nothing further.
    pub(super) fn go(&mut self, motion: CaretMove, reading: &mut RowTexts, list: &mut BlockRows<'_>) {
        self.unit = Unit::Cluster;
        let column = self.column.take();
        let Some((row, at)) = reading
            .read(list, self.head.block)
            .and_then(|read| read.place_of(self.head.range.start))
        else {
            return;
        };
        let mut walk = Walk {
            reading,
            list,
            block: self.head.block,
            row,
        };
        let wanted = column.unwrap_or(at);
        let spot = match motion {
            CaretMove::Right => walk.right(self.head.range.end),
            CaretMove::Left => walk.left(at),
            CaretMove::Down => walk.row(1, wanted),
            CaretMove::Up => walk.row(-1, wanted),
            CaretMove::WordRight => walk.word_right(self.head.range.end),
            CaretMove::WordLeft => walk.word_left(self.head.range.start),
            CaretMove::LineStart => walk.in_row(0),
            CaretMove::LineEnd => walk.in_row(usize::MAX),
            CaretMove::Top => walk.edge(true),
            CaretMove::Bottom => walk.edge(false),
        };
        if let Some(spot) = spot {
            self.head = spot;
        }
        if matches!(motion, CaretMove::Up | CaretMove::Down) {
            self.column = Some(wanted);
        }
    }
}

/// A step from a row of a block.
struct Walk<'a, 'b> {
    reading: &'a mut RowTexts,
    list: &'a mut BlockRows<'b>,
    block: usize,
    row: usize,
}

impl Walk<'_, '_> {
    fn read(&mut self) -> Option<&BlockRowText> {
        self.reading.read(self.list, self.block).map(|read| &*read)
    }

    fn spot(&mut self, range: Range<usize>) -> Option<TextSpot> {
        let block = self.block;
        self.read().map(|read| TextSpot::new(block, &read.text, range))
    }

    /// Returns the cluster at a column of the row, or the last one before it.
    fn in_row(&mut self, column: usize) -> Option<TextSpot> {
        let row = self.row;
        let read = self.read()?;
        let row = read.rows.get(row)?;
        let last = row.pieces.last()?;
        let found = row.at(&read.text, column).filter(|range| !range.is_empty());
        let range = found.unwrap_or_else(|| {
            let piece = row.pieces.iter().rfind(|piece| piece.column <= column);
            let piece = piece.or_else(|| row.pieces.first()).unwrap_or(last);
            if piece.column > column {
                cluster(&read.text, piece.source.start)
            } else {
                last_cluster(&read.text, &piece.source)
            }
        });
        self.spot(range)
    }

    /// Returns the same column of the next row with text, or the one before.
    fn row(&mut self, step: isize, column: usize) -> Option<TextSpot> {
        loop {
            let rows = self.read().map_or(0, |read| read.rows.len());
            if step > 0 && self.row + 1 < rows {
                self.row += 1;
            } else if step > 0 {
                self.block += 1;
                self.row = 0;
                if self.block >= self.list.blocks.list.len() {
                    return None;
                }
            } else if let Some(above) = self.row.min(rows).checked_sub(1) {
                self.row = above;
            } else {
                self.block = self.block.checked_sub(1)?;
                let rows = self.read().map_or(0, |read| read.rows.len());
                let Some(last) = rows.checked_sub(1) else {
                    self.row = 0;
                    continue;
                };
                self.row = last;
            }
            if let Some(spot) = self.in_row(column) {
                return Some(spot);
            }
        }
    }

    /// Returns what is drawn after `end`, a blank between two words included.
    fn right(&mut self, end: usize) -> Option<TextSpot> {
        let row = self.row;
        let read = self.read()?;
        let pieces = &read.rows.get(row)?.pieces;
        let Some(piece) = pieces.iter().find(|piece| piece.source.end > end) else {
            return self.row(1, 0);
        };
        let blank = read.text.get(end..piece.source.start);
        let is_blank = blank.is_some_and(|text| !text.is_empty() && text.chars().all(|c| c == ' '));
        let range = if is_blank {
            end..piece.source.start
        } else {
            cluster(&read.text, piece.source.start.max(end))
        };
        self.spot(range)
    }

    fn left(&mut self, column: usize) -> Option<TextSpot> {
        let row = self.row;
        let first = self.read()?.rows.get(row)?.pieces.first()?.column;
        if column > first {
            self.in_row(column - 1)
        } else {
            self.row(-1, usize::MAX)
        }
    }

    fn word_right(&mut self, end: usize) -> Option<TextSpot> {
        let read = self.read()?;
        let rest = read.text.get(end..)?;
        let blank = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let next = rest[blank..].find(|c: char| !c.is_whitespace());
        if let Some(next) = next {
            let range = cluster(&read.text, end + blank + next);
            return self.spot(range);
        }
        self.row = read.rows.len();
        self.row(1, 0)
    }

    fn word_left(&mut self, start: usize) -> Option<TextSpot> {
        let read = self.read()?;
        let before = read.text.get(..start)?.trim_end();
        if before.is_empty() {
            self.row = 0;
            return self.row(-1, usize::MAX);
        }
        let begin = before.rfind(char::is_whitespace);
        let begin = begin.map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let range = cluster(&read.text, begin);
        self.spot(range)
    }

    /// Returns the first spot of all, or the last.
    fn edge(&mut self, is_top: bool) -> Option<TextSpot> {
        self.row = 0;
        if is_top {
            self.block = 0;
            return self.in_row(0).or_else(|| self.row(1, 0));
        }
        self.block = self.list.blocks.list.len();
        self.row(-1, usize::MAX)
    }
}

fn last_cluster(text: &str, range: &Range<usize>) -> Range<usize> {
    let len = text[range.clone()]
        .graphemes(true)
        .next_back()
        .map_or(0, str::len);
    range.end - len..range.end
}
