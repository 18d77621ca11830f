//! The blocks as the rows they are drawn to.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::apply::Blocks;
use super::block::Block;
use super::call::WaitsFor;
use super::layout::{self, BlockLayout, LayoutCx};
use super::viewport::Heights;

/// The blocks as a list of heights, which are found by laying out.
pub(super) struct BlockRows<'a> {
    pub(super) blocks: &'a mut Blocks,
    pub(super) cx: LayoutCx<'a>,
    /// Blocks that had no layout before.
    pub(super) laid_now: Vec<usize>,
}

impl Heights for BlockRows<'_> {
    fn count(&self) -> usize {
        self.blocks.list.len()
    }

    fn height(&mut self, index: usize) -> usize {
        let is_shown = self.blocks.list.get(index).is_some_and(Block::is_shown);
        if is_shown {
            self.gap(index) + self.content(index)
        } else {
            0
        }
    }
}

impl BlockRows<'_> {
    /// Returns the empty rows before a block: none at the top and between calls of a row each. A thought begins a step, so
    /// it keeps its distance from the calls of the one before.
    pub(super) fn gap(&mut self, index: usize) -> usize {
        let before = &self.blocks.list[..index];
        let above = before
            .iter()
            .rposition(|block| block.is_shown() || block.is_compact());
        let (Some(above), true) = (above, index < self.blocks.list.len()) else {
            return usize::from(above.is_some());
        };
        let (own, other) = (&self.blocks.list[index], &self.blocks.list[above]);
        let begins_step = own.is_thought() && !other.is_thought();
        let is_close = own.is_compact() && other.is_compact() && !begins_step;
        usize::from(!is_close || self.has_body_above(above))
    }

    /// Returns true if the last block that is shown up to this one is more than its first row.
    fn has_body_above(&mut self, index: usize) -> bool {
        let shown = self.blocks.list[..=index].iter().rposition(Block::is_shown);
        shown.is_some_and(|shown| self.content(shown) > 1)
    }

    /// Returns the rows of a block that is shown.
    fn content(&mut self, index: usize) -> usize {
        if self.blocks.list[index].cached_layout.is_none() {
            self.laid_now.push(index);
        }
        layout::height(&mut self.blocks.list, index, &self.cx)
    }

    pub(super) fn paint_row(&mut self, index: usize, row: usize, at: Rect, buffer: &mut Buffer) {
        // Of several calls in a row that wait for their turn the first says how to end it.
        let is_next = index > 0 && self.waits_for_turn(index) && self.waits_for_turn(index - 1);
        let Some(block) = self.blocks.list.get_mut(index) else {
            return;
        };
        if is_next {
            layout::paint_row(block, row, at, buffer, &self.cx.without_end_key());
        } else {
            layout::paint_row(block, row, at, buffer, &self.cx);
        }
    }

    fn waits_for_turn(&self, index: usize) -> bool {
        let call = self.blocks.list.get(index).and_then(Block::call);
        let waits = call.and_then(|call| call.waits(self.cx.draw.now));
        waits.is_some_and(|(what, _)| what == WaitsFor::Turn)
    }

    /// Returns true if rows of a block are still missing at its end.
    pub(super) fn is_behind(&self, index: usize) -> bool {
        let block = self.blocks.list.get(index);
        let layout = block.and_then(|block| block.cached_layout.as_ref());
        layout.is_some_and(BlockLayout::is_behind)
    }

    pub(super) fn is_live(&self, index: usize) -> bool {
        let block = self.blocks.list.get(index);
        block.is_some_and(Block::is_live)
    }
}
