//! The blocks on screen, read back: which piece of its text each row of a block shows.
//!
//! Only while something is searched or selected, and only for the blocks it concerns. A text that grows is read on
//! from its last rows that will not change.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use regex::Regex;

use super::layout::{self, Key};
use super::list::BlockRows;
use super::text::BlockText;
use super::viewport::Heights;
use crate::text::align::{AlignedRow, Aligner, Piece};
use crate::text::width::{prefix, str_width};
use crate::view::diff::Sides;

/// The text that has been read, by block.
#[derive(Default)]
pub(super) struct RowTexts {
    blocks: HashMap<usize, BlockRowText>,
}

/// One block.
pub(super) struct BlockRowText {
    key: Key,
    pub(super) text: String,
    pub(super) rows: Vec<AlignedRow>,
    /// Rows that stay while the text grows.
    stable: usize,
    found: Option<SearchMatches>,
}

/// The matches of a search in the text as it is folded now.
pub(super) struct SearchMatches {
    pattern: u64,
    pub(super) ranges: Vec<Range<usize>>,
    /// How many of them some row shows.
    pub(super) drawn: usize,
}

impl RowTexts {
    pub(super) fn forget(&mut self) {
        self.blocks.clear();
    }

    /// Keeps what was read of these blocks only.
    pub(super) fn keep(&mut self, is_kept: impl Fn(usize) -> bool) {
        self.blocks.retain(|index, _| is_kept(*index));
    }

    /// Returns what was read of a block last.
    pub(super) fn get(&self, index: usize) -> Option<&BlockRowText> {
        self.blocks.get(&index)
    }

    /// Reads a block, which is laid out for it.
    pub(super) fn read(&mut self, list: &mut BlockRows<'_>, index: usize) -> Option<&mut BlockRowText> {
        list.height(index);
        let block = list.blocks.list.get(index)?;
        let laid = block.cached_layout.as_ref()?;
        let (key, stable) = (laid.key(), laid.stable_rows());
        if self.blocks.get(&index).is_some_and(|read| read.key == key) {
            return self.blocks.get_mut(&index);
        }
        let is_unfolded = block.is_unfolded(list.cx.reasoning_unfolded);
        let source = BlockText::of(&list.blocks.list, index, is_unfolded, list.cx.cards);
        let (text, diffs) = source.with_diffs();
        let text = text.into_owned();
        let before = self.blocks.remove(&index);
        let kept = before.filter(|read| read.key.is_grown(key) && text.starts_with(&read.text));
        let mut rows = kept.map_or_else(Vec::new, |read| {
            let mut rows = read.rows;
            rows.truncate(read.stable);
            rows
        });
        let from = rows.last().map_or(0, |row| row.end);
        let mut aligner = Aligner::new(&text, from);
        let mut split = SplitReader::new(&text, diffs);
        while let Some(row) = row_text(list, index, rows.len()) {
            let sides = layout::sides(&list.blocks.list[index], rows.len());
            let Some(sides) = sides else {
                rows.push(aligner.row(&row));
                continue;
            };
            let row = split.row(&row, sides);
            aligner.skip_to(row.end);
            rows.push(row);
        }
        let read = BlockRowText {
            key,
            text,
            rows,
            stable,
            found: None,
        };
        Some(self.blocks.entry(index).insert_entry(read).into_mut())
    }
}

impl BlockRowText {
    /// Returns where a pattern, told apart by its number, is found.
    pub(super) fn find(&mut self, number: u64, pattern: &Regex) -> &SearchMatches {
        if self.found.as_ref().is_some_and(|found| found.pattern != number) {
            self.found = None;
        }
        let (text, rows) = (&self.text, &self.rows);
        self.found.get_or_insert_with(|| {
            let ranges: Vec<_> = pattern.find_iter(text).map(|found| found.range()).collect();
            SearchMatches {
                pattern: number,
                drawn: drawn(&ranges, rows),
                ranges,
            }
        })
    }

    /// Returns the row that shows a range, or the one after which it is left out.
    pub(super) fn row_of(&self, range: &Range<usize>) -> usize {
        let shows = |row: &AlignedRow| row.pieces.iter().any(|piece| overlaps(&piece.source, range));
        let before = || self.rows.iter().rposition(|row| row.end <= range.start);
        self.rows.iter().position(shows).or_else(before).unwrap_or(0)
    }

    /// Returns the row and the column where a byte of the text is drawn, or what is drawn before it.
    pub(super) fn place_of(&self, at: usize) -> Option<(usize, usize)> {
        let holds = |piece: &&Piece| piece.source.contains(&at);
        let row_with = |found: &dyn Fn(&AlignedRow) -> Option<usize>| {
            let mut rows = self.rows.iter().enumerate();
            rows.find_map(|(row, aligned)| found(aligned).map(|column| (row, column)))
        };
        let column =
            |piece: &Piece, end: usize| piece.column + str_width(&self.text[piece.source.start..end]);
        let here = row_with(&|row| row.pieces.iter().find(holds).map(|piece| column(piece, at)));
        let behind = || {
            let mut rows = self.rows.iter().enumerate().rev();
            rows.find_map(|(row, aligned)| {
                let before = aligned.pieces.iter().rfind(|piece| piece.source.end <= at);
                before.map(|piece| (row, column(piece, piece.source.end)))
            })
        };
        here.or_else(behind)
            .or_else(|| row_with(&|row| row.pieces.first().map(|piece| piece.column)))
    }

    /// Returns the columns of a row that show one of these ranges, which stand in order.
    pub(super) fn columns<'a>(
        &'a self,
        row: usize,
        ranges: &'a [Range<usize>],
    ) -> impl Iterator<Item = (usize, Range<usize>)> + 'a {
        let row = self.rows.get(row);
        let pieces = row.map_or(&[][..], |row| &row.pieces);
        let first = pieces.iter().map(|piece| piece.source.start).min().unwrap_or(0);
        let last = pieces.iter().map(|piece| piece.source.end).max().unwrap_or(0);
        let from = ranges.partition_point(|range| range.end <= first);
        let to = ranges.partition_point(|range| range.start < last).max(from);
        let found = ranges[from..to].iter().zip(from..);
        found.flat_map(move |(range, index)| {
            let columns = row.map(|row| row.columns(&self.text, range));
            columns.into_iter().flatten().map(move |columns| (index, columns))
        })
    }
}

/// Returns how many ranges some row shows.
fn drawn(ranges: &[Range<usize>], rows: &[AlignedRow]) -> usize {
    let mut is_drawn = vec![false; ranges.len()];
    for piece in rows.iter().flat_map(|row| &row.pieces) {
        let from = ranges.partition_point(|range| range.end <= piece.source.start);
        let shown = ranges[from..]
            .iter()
            .take_while(|range| range.start < piece.source.end);
        is_drawn[from..from + shown.count()].fill(true);
    }
    is_drawn.into_iter().filter(|is_drawn| *is_drawn).count()
}

fn overlaps(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// Reads rows that show two lines of a diff beside each other. Which lines is known, so nothing is looked for outside
/// them.
struct SplitReader<'a> {
    text: &'a str,
    /// Offsets of the diffs that are still to come.
    diffs: std::vec::IntoIter<usize>,
    /// The lines of the diff, as far as they were needed.
    lines: Vec<Range<usize>>,
    /// The line that each side is in, and how far it has come.
    reached: [(usize, usize); 2],
}

impl<'a> SplitReader<'a> {
    fn new(text: &'a str, diffs: Vec<usize>) -> Self {
        Self {
            text,
            diffs: diffs.into_iter(),
            lines: Vec::new(),
            reached: [(usize::MAX, 0); 2],
        }
    }

    fn row(&mut self, row: &str, sides: &Sides) -> AlignedRow {
        if sides.is_first {
            let start = self.diffs.next().unwrap_or(self.text.len());
            self.lines = vec![self.line_from(start)];
            self.reached = [(usize::MAX, 0); 2];
        }
        let mut read = AlignedRow::default();
        for (place, side) in [&sides.old, &sides.new].into_iter().enumerate() {
            let Some(side) = side else { continue };
            let line = self.line(side.line);
            let from = match self.reached[place] {
                (reached, at) if reached == side.line => at,
                _ => line.start,
            };
            let shown = |column| prefix(row, column).len();
            let cell = &row[shown(side.columns.start)..shown(side.columns.end)];
            let aligned = Aligner::new(&self.text[..line.end], from).row(cell);
            self.reached[place] = (side.line, aligned.end);
            read.pieces.extend(aligned.pieces.into_iter().map(|piece| Piece {
                column: piece.column + side.columns.start,
                ..piece
            }));
            read.end = read.end.max(line.end);
        }
        read
    }

    fn line(&mut self, number: usize) -> Range<usize> {
        while self.lines.len() <= number {
            let before = self.lines.last().map_or(self.text.len(), |line| line.end + 1);
            self.lines.push(self.line_from(before.min(self.text.len())));
        }
        self.lines[number].clone()
    }

    fn line_from(&self, start: usize) -> Range<usize> {
        let end = self.text[start..].find('\n');
        start..end.map_or(self.text.len(), |end| start + end)
    }
}

/// Returns what a row shows, with blanks where that stands beside the text.
fn row_text(list: &mut BlockRows<'_>, index: usize, row: usize) -> Option<String> {
    let block = list.blocks.list.get_mut(index)?;
    let asides = layout::asides(block, row).to_vec();
    let line: Cow<'_, _> = layout::line(block, row, &list.cx)?;
    let mut text: String = line.spans.iter().map(|span| span.content.as_ref()).collect();
    for aside in asides.iter().rev() {
        let (start, end) = (prefix(&text, aside.start).len(), prefix(&text, aside.end).len());
        let blank = " ".repeat(str_width(&text[start..end]));
        text.replace_range(start..end, &blank);
    }
    Some(text)
}
