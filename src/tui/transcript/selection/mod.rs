//! Selecting text, with the mouse or by keyboard.
//!
//! A selection is two spots of the source text, so it means the same at another width and while text comes in. Where a
//! press or a motion leads is known once the rows are laid out: both wait for the next frame. What is asked for is
//! the text itself, without gutters, bars and soft breaks, and with the marks that Markdown leaves out.
//!
//! Here is what is selected, and how a press or a drag selects it; `walk` moves its end by keyboard.

mod walk;

use std::ops::Range;

use ratatui::layout::Position;
use unicode_segmentation::UnicodeSegmentation;

use super::Transcript;
use super::block::Block;
use super::layout::{self, LayoutCx};
use super::list::BlockRows;
use super::row_texts::RowTexts;
use super::text::BlockText;
use super::viewport::RowPosition;
use crate::tui::caret::CaretMove;

/// Characters that belong to a word besides letters and digits: addresses and paths are words.
const WORD: &str = "_-./~@%+#?&=:";

pub(super) struct Selection {
    anchor: TextSpot,
    pub(super) head: TextSpot,
    unit: Unit,
    /// True if the head is shown and moved by keys.
    pub(super) has_caret: bool,
    /// The column that the head keeps on its way up and down.
    column: Option<usize>,
    /// Top row of the screen, when it followed the newest until then.
    pub(super) held: Option<RowPosition>,
}

/// The unit that a click takes, and that a drag goes on by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Cluster,
    Word,
    Line,
}

/// A piece of a block's text: a cluster, a word or a line; empty behind the end of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextSpot {
    pub(super) block: usize,
    pub(super) range: Range<usize>,
    /// Offset of its line, and the line: finds it again in a text that was replaced.
    line_start: usize,
    line: String,
}

/// A selection that waits for the next frame.
#[derive(Debug, Clone, Copy)]
pub(super) enum SelectionAction {
    Press(Cell, Unit),
    Drag(Cell),
    Begin,
    Move(CaretMove),
}

/// A cell of a block: a row of its content, and columns from the left edge of the screen's part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) block: usize,
    pub(super) row: usize,
    pub(super) column: usize,
}

impl TextSpot {
    fn new(block: usize, text: &str, range: Range<usize>) -> Self {
        let line_start = text[..range.start].rfind('\n').map_or(0, |end| end + 1);
        let line_end = text[range.start..]
            .find('\n')
            .map_or(text.len(), |end| range.start + end);
        Self {
            block,
            range,
            line_start,
            line: text[line_start..line_end].to_owned(),
        }
    }

    /// Follows its line where the text before it was replaced, as it is while the end of an output is shown.
    fn follow(&mut self, text: &str) {
        let is_there = text
            .get(self.line_start..)
            .is_some_and(|rest| rest.starts_with(&self.line));
        if is_there && self.range.end <= text.len() {
            return;
        }
        let found = text.rfind(&self.line).filter(|_| !self.line.is_empty());
        let start = found.unwrap_or(self.line_start);
        let moved = |at: usize| floor(text, (start + at.saturating_sub(self.line_start)).min(text.len()));
        self.range = moved(self.range.start)..moved(self.range.end);
        *self = Self::new(self.block, text, self.range.clone());
    }
}

impl Selection {
    /// Returns the first spot and the last.
    fn ends(&self) -> (&TextSpot, &TextSpot) {
        let place = |spot: &TextSpot| (spot.block, spot.range.start);
        if place(&self.anchor) <= place(&self.head) {
            (&self.anchor, &self.head)
        } else {
            (&self.head, &self.anchor)
        }
    }

    /// Returns what is selected of a block's text.
    pub(super) fn range(&self, block: usize, text: &str) -> Option<Range<usize>> {
        let (first, last) = self.ends();
        if block < first.block || block > last.block {
            return None;
        }
        let start = if block == first.block {
            first.range.start
        } else {
            0
        };
        let end = if block == last.block {
            last.range.end.max(if first.block == last.block {
                first.range.end
            } else {
                0
            })
        } else {
            text.len()
        };
        let (start, end) = (
            floor(text, start.min(text.len())),
            floor(text, end.min(text.len())),
        );
        (start < end).then_some(start..end)
    }

    /// Returns true if some of a block may be selected.
    pub(super) fn touches(&self, block: usize) -> bool {
        let (first, last) = self.ends();
        (first.block..=last.block).contains(&block)
    }

    pub(super) fn ends_in(&self, block: usize) -> bool {
        self.anchor.block == block || self.head.block == block
    }

    fn follow(&mut self, reading: &mut RowTexts, list: &mut BlockRows<'_>) {
        for spot in [&mut self.anchor, &mut self.head] {
            if let Some(read) = reading.read(list, spot.block) {
                spot.follow(&read.text);
            }
        }
    }
}

impl Transcript {
    /// The left button went down on a cell of the screen; says whether that is ours.
    pub fn press(&mut self, column: u16, row: u16, unit: Unit) -> bool {
        let Some(cell) = self
            .cell(column, row)
            .filter(|_| self.shown.area.contains((column, row).into()))
        else {
            return false;
        };
        self.picks.push(SelectionAction::Press(cell, unit));
        self.focus = Some(cell.block).filter(|block| *block < self.blocks.list.len());
        true
    }

    /// The pointer moves with the button held; over the edges it scrolls.
    pub fn drag(&mut self, column: u16, row: u16) {
        let area = self.shown.area;
        if row < area.top() {
            self.scroll_by(-1);
        } else if row >= area.bottom() {
            self.scroll_by(1);
        }
        if let Some(cell) = self.cell(column, row) {
            self.picks.push(SelectionAction::Drag(cell));
        }
    }

    /// Begins a selection by keyboard, in the focused block.
    pub fn select(&mut self) {
        self.picks.push(SelectionAction::Begin);
    }

    /// Moves the selection's end.
    pub fn select_to(&mut self, motion: CaretMove) {
        self.picks.push(SelectionAction::Move(motion));
    }

    pub fn has_selection(&self) -> bool {
        self.selection.is_some()
            || self
                .picks
                .iter()
                .any(|pick| matches!(pick, SelectionAction::Begin))
    }

    /// Takes the selection back; says whether there was one.
    pub fn end_selection(&mut self) -> bool {
        self.picks.clear();
        self.pressed = None;
        let Some(selection) = self.selection.take() else {
            return false;
        };
        if selection.held.is_some_and(|top| top == self.shown.top) {
            self.to_end();
        }
        true
    }

    /// Returns where the end of a selection stands that is moved by keys.
    pub fn caret(&self) -> Option<Position> {
        self.selection.as_ref().and(self.shown.caret)
    }

    /// Returns the selected text; `None` where there is none.
    pub fn selected_text(&self) -> Option<String> {
        let selection = self.selection.as_ref()?;
        let (first, last) = selection.ends();
        let mut selected = String::new();
        let mut before: Option<&Block> = None;
        for (index, block) in self
            .blocks
            .list
            .iter()
            .enumerate()
            .take(last.block + 1)
            .skip(first.block)
        {
            let is_unfolded = block.is_unfolded(self.reasoning_unfolded);
            let text = BlockText::of(&self.blocks.list, index, is_unfolded, &*self.cards).text();
            let Some(range) = selection.range(index, &text) else {
                continue;
            };
            if let Some(before) = before {
                let is_close = before.is_compact() && block.is_compact();
                selected.push_str(if is_close { "\n" } else { "\n\n" });
            }
            selected.push_str(text[range].trim_end_matches('\n'));
            before = Some(block);
        }
        Some(selected).filter(|text| !text.is_empty())
    }

    /// Returns what stands on a cell of the screen, or on the nearest row of it.
    fn cell(&self, column: u16, row: u16) -> Option<Cell> {
        let area = self.shown.area;
        let last = self.shown.lines.len().checked_sub(1)?;
        let line = usize::from(row.saturating_sub(area.top())).min(last);
        let (block, row) = self.shown.lines[line];
        Some(Cell {
            block,
            row,
            column: usize::from(column.saturating_sub(area.left())),
        })
    }
}

/// Performs what waits; returns the row of the head when it has moved by keyboard.
pub(super) fn resolve(
    picks: &mut Vec<SelectionAction>,
    selection: &mut Option<Selection>,
    pressed: &mut Option<(TextSpot, Unit)>,
    reading: &mut RowTexts,
    list: &mut BlockRows<'_>,
    view: &View<'_>,
) -> Option<(usize, usize)> {
    if let Some(selection) = selection {
        selection.follow(reading, list);
    }
    let mut moved = false;
    for pick in picks.drain(..) {
        match pick {
            SelectionAction::Press(cell, unit) => {
                *selection = None;
                *pressed = spot_at(reading, list, cell).map(|spot| (extended(&spot, unit, reading), unit));
                if let Some((spot, _)) = pressed.as_ref().filter(|_| unit != Unit::Cluster) {
                    *selection = Some(begin_selection(spot.clone(), unit, view.held));
                }
            }
            SelectionAction::Drag(cell) => {
                let (Some((start, unit)), Some(spot)) = (&*pressed, spot_at(reading, list, cell)) else {
                    continue;
                };
                let head = extended(&spot, *unit, reading);
                if selection.is_none() && head == *start {
                    continue;
                }
                let selection =
                    selection.get_or_insert_with(|| begin_selection(start.clone(), *unit, view.held));
                selection.head = head;
            }
            SelectionAction::Begin => {
                if let Some(spot) = view.first_spot(reading, list) {
                    let has_caret = true;
                    *selection = Some(Selection {
                        has_caret,
                        ..begin_selection(spot, Unit::Cluster, view.held)
                    });
                    moved = true;
                }
            }
            SelectionAction::Move(motion) => {
                if let Some(selection) = selection {
                    selection.has_caret = true;
                    selection.go(motion, reading, list);
                    moved = true;
                }
            }
        }
    }
    let head = &selection.as_ref().filter(|_| moved)?.head;
    let read = reading.read(list, head.block)?;
    Some((head.block, read.place_of(head.range.start)?.0))
}

/// The view that a selection by keyboard begins from.
pub(super) struct View<'a> {
    pub(super) focus: Option<usize>,
    /// Block and row of each row of the screen.
    pub(super) lines: &'a [(usize, usize)],
    /// Top row of the screen, while the newest is followed.
    pub(super) held: Option<RowPosition>,
}

impl View<'_> {
    /// Returns the first spot of the focused block that is on screen, else of the screen's last rows.
    fn first_spot(&self, reading: &mut RowTexts, list: &mut BlockRows<'_>) -> Option<TextSpot> {
        let focused = self.lines.iter().filter(|(block, _)| Some(*block) == self.focus);
        let others = self.lines.iter().rev();
        for &(block, row) in focused.chain(others) {
            let Some(read) = reading.read(list, block) else {
                continue;
            };
            if let Some(first) = read.rows.get(row).and_then(|row| row.pieces.first()) {
                let range = cluster(&read.text, first.source.start);
                return Some(TextSpot::new(block, &read.text, range));
            }
        }
        None
    }
}

fn begin_selection(spot: TextSpot, unit: Unit, held: Option<RowPosition>) -> Selection {
    Selection {
        anchor: spot.clone(),
        head: spot,
        unit,
        has_caret: false,
        column: None,
        held,
    }
}

/// Returns the spot of a cell: of the nearest row above where its own shows no text, else below.
fn spot_at(reading: &mut RowTexts, list: &mut BlockRows<'_>, cell: Cell) -> Option<TextSpot> {
    let margin = margin(list, cell.block);
    let read = reading.read(list, cell.block)?;
    let column = cell.column.saturating_sub(margin);
    if let Some(range) = read.rows.get(cell.row).and_then(|row| row.at(&read.text, column)) {
        return Some(TextSpot::new(cell.block, &read.text, range));
    }
    let mut above = read.rows.iter().take(cell.row).rev();
    let end = above
        .find_map(|row| row.pieces.last())
        .map(|piece| piece.source.end);
    let at = end.or_else(|| Some(read.rows.iter().find_map(|row| row.pieces.first())?.source.start))?;
    Some(TextSpot::new(cell.block, &read.text, at..at))
}

/// Returns the columns before a block's text.
fn margin(list: &BlockRows<'_>, block: usize) -> usize {
    list.blocks
        .list
        .get(block)
        .map_or(0, |block| margin_of(block, &list.cx))
}

pub(super) fn margin_of(block: &Block, cx: &LayoutCx<'_>) -> usize {
    if layout::has_margin(&block.body) {
        0
    } else {
        cx.left
    }
}

/// Widens a spot to its word or its line.
fn extended(spot: &TextSpot, unit: Unit, reading: &RowTexts) -> TextSpot {
    let Some(read) = reading.get(spot.block) else {
        return spot.clone();
    };
    let range = match unit {
        Unit::Cluster => spot.range.clone(),
        Unit::Word => word(&read.text, spot.range.start),
        Unit::Line => spot.line_start..spot.line_start + spot.line.len(),
    };
    TextSpot {
        range,
        ..spot.clone()
    }
}

/// Returns the word at a byte, or the run of blanks or signs.
fn word(text: &str, at: usize) -> Range<usize> {
    let kind = |c: char| {
        if c.is_alphanumeric() || WORD.contains(c) {
            2
        } else {
            u8::from(!c.is_whitespace())
        }
    };
    let Some(here) = text[at..].chars().next().filter(|c| *c != '\n').map(kind) else {
        return at..at;
    };
    let is_other = |c: char| c == '\n' || kind(c) != here;
    let start = text[..at]
        .char_indices()
        .rev()
        .find(|(_, c)| is_other(*c))
        .map_or(0, |(before, c)| before + c.len_utf8());
    let end = text[at..].find(is_other).map_or(text.len(), |end| at + end);
    let bare = text[start..end].trim_end_matches(['.', ':', '?']).len();
    if here == 2 && start + bare > at {
        start..start + bare
    } else {
        start..end
    }
}

/// Returns the cluster that begins at a byte; empty at the end.
fn cluster(text: &str, at: usize) -> Range<usize> {
    let len = text[at..].graphemes(true).next().map_or(0, str::len);
    at..at + len
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_an_address_without_the_stop_behind_it() {
        let of = |text: &'static str, at| &text[word(text, at)];
        assert_eq!(of("see src/a.rs:41.", 6), "src/a.rs:41");
        assert_eq!(of("see src/a.rs:41.", 1), "see");
        assert_eq!(of("a  b", 1), "  ");
        assert_eq!(of("f((x))", 2), "((");
        assert_eq!(of("wo世界", 2), "wo世界");
        assert_eq!(of("a\nb", 1), "");
        assert_eq!(of("end...", 5), "end...");
    }

    #[test]
    fn a_spot_follows_its_line() {
        let mut spot = TextSpot::new(0, "one\ntwo\nthree", 9..10);
        spot.follow("one\ntwo\nthree and more");
        assert_eq!(spot.range, 9..10);
        spot.follow("two\nthree\nfour");
        assert_eq!(spot.range, 5..6);
        spot.follow("x");
        assert!(spot.range.end <= 1);
    }
}
