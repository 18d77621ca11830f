//! The blocks as the rows they are drawn to.

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::DrawCx;
use super::apply::Blocks;
use super::block::{Block, Body};
use super::call::WaitsFor;
use super::layout::{self, LayoutCx};
use super::turn::TurnWait;
use super::viewport::Heights;
use crate::text::width::str_width;
use crate::view::card::CardStatus;
use crate::view::spinner;
use crate::view::theme::Meaning;

/// Seconds after which somebody may want to know how to stop waiting.
const LONG: u64 = 2;

/// The blocks as a list of heights, which are found by laying out.
pub(super) struct BlockRows<'a> {
    pub(super) blocks: &'a mut Blocks,
    pub(super) cx: LayoutCx<'a>,
    /// Blocks that had no layout before.
    pub(super) laid_now: Vec<usize>,
}

impl Heights for BlockRows<'_> {
    /// The blocks, and the row that says what is waited for.
    fn count(&self) -> usize {
        self.blocks.list.len() + 1
    }

    fn height(&mut self, index: usize) -> usize {
        let gap = self.gap(index);
        let Some(block) = self.blocks.list.get(index) else {
            return if self.waiting().is_some() { gap + 1 } else { 0 };
        };
        if !block.is_shown() {
            return 0;
        }
        if block.cached_layout.is_none() {
            self.laid_now.push(index);
        }
        let content = layout::height(&mut self.blocks.list, index, &self.cx);
        gap + content.max(self.blocks.list[index].reserved)
    }
}

impl BlockRows<'_> {
    /// Returns the empty rows before a block: none at the top and between neighbours of the compact sort. A thought
    /// begins a step, so it keeps its distance from the calls of the one before.
    pub(super) fn gap(&self, index: usize) -> usize {
        let above = self.blocks.list[..index]
            .iter()
            .rfind(|block| block.is_shown() || block.is_compact());
        let (Some(above), Some(block)) = (above, self.blocks.list.get(index)) else {
            return usize::from(above.is_some());
        };
        let begins_step = block.is_thought() && !above.is_thought();
        let is_close = block.is_compact() && above.is_compact() && !begins_step;
        usize::from(!is_close)
    }

    /// Returns the rows that a block has reserved and does not need.
    pub(super) fn spare(&mut self, index: usize) -> usize {
        let is_shown = self.blocks.list.get(index).is_some_and(Block::is_shown);
        if !is_shown || self.blocks.list[index].reserved == 0 {
            return 0;
        }
        let content = layout::height(&mut self.blocks.list, index, &self.cx);
        self.blocks.list[index].reserved.saturating_sub(content)
    }

    fn waiting(&self) -> Option<TurnWait> {
        self.blocks.waiting(self.cx.draw.now)
    }

    /// Returns the row that says that the model is waited for.
    fn waiting_line(&self, waiting: TurnWait) -> Line<'static> {
        let DrawCx {
            look,
            frame,
            now,
            end_key,
            ..
        } = self.cx.draw;
        let waited = waiting
            .since
            .map(|since| now.saturating_duration_since(since).as_secs());
        let seconds = waited.unwrap_or_default();
        let waited = match seconds {
            0 => String::new(),
            seconds @ 1..60 => format!(" {seconds} s"),
            seconds => format!(" {}", spinner::elapsed(Duration::from_secs(seconds))),
        };
        let sign = look.symbols.status(CardStatus::Running, frame);
        let muted = look.theme.style(Meaning::TextMuted);
        let mut spans = vec![
            Span::styled(format!("{sign} "), look.theme.style(Meaning::StateRunning)),
            Span::styled(format!("{}{waited}", waiting.on.label()), muted),
        ];
        if seconds >= LONG && !end_key.is_empty() {
            let dot = look.symbols.dot();
            let ends = format!(" {dot} {end_key} ends it");
            let used: usize = spans.iter().map(Span::width).sum();
            if used + str_width(&ends) <= self.cx.width {
                spans.push(Span::styled(ends, muted));
            }
        }
        Line::from(spans)
    }

    pub(super) fn paint_row(&mut self, index: usize, row: usize, at: Rect, buffer: &mut Buffer) {
        let waiting = self.waiting();
        // Of several calls in a row that wait for their turn the first says how to end it.
        let is_next = index > 0 && self.waits_for_turn(index) && self.waits_for_turn(index - 1);
        match (self.blocks.list.get_mut(index), waiting) {
            (Some(block), _) if !is_next => layout::paint_row(block, row, at, buffer, &self.cx),
            (Some(block), _) => layout::paint_row(block, row, at, buffer, &self.cx.without_end_key()),
            (None, Some(waiting)) => {
                super::paint::line(&self.waiting_line(waiting), at, buffer, Style::new());
            }
            (None, None) => {}
        }
    }

    fn waits_for_turn(&self, index: usize) -> bool {
        let Some(Body::Call(call)) = self.blocks.list.get(index).map(|block| &block.body) else {
            return false;
        };
        let waits = call.waits(self.cx.draw.now);
        waits.is_some_and(|(what, _)| what == WaitsFor::Turn)
    }

    pub(super) fn is_live(&self, index: usize) -> bool {
        match self.blocks.list.get(index) {
            Some(block) => block.is_live(self.cx.draw.now),
            None => true,
        }
    }
}
