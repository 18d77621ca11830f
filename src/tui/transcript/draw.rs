//! One frame: where the screen begins, the rows of the blocks on it, and what to remember for the next.

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::view::card::CardStatus;
use crate::view::spinner;
use crate::view::theme::Meaning;

use super::apply::{Blocks, Waiting};
use super::layout::{self, LayoutCx};
use super::viewport::{self, Anchor, Heights, Place};
use super::{DrawCx, Move, Shown, Transcript};

/// Blocks whose layout is kept, or two screens of them, so that scrolling to and fro lays nothing out again.
const KEPT: usize = 256;
/// Columns left of the text: the mark of the focus.
const LEFT: u16 = 1;

impl Transcript {
    pub fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &DrawCx<'_>) {
        let area = area.intersection(buffer.area);
        if area.is_empty() {
            return;
        }
        if self.shown.columns != usize::from(area.width) {
            self.forget_rows();
        }
        let inner = inner(area);
        let layout = LayoutCx {
            draw: *cx,
            width: usize::from(inner.width),
            left: usize::from(inner.x - area.x),
            cards: &*self.cards,
            reasoning_unfolded: self.reasoning_unfolded,
        };
        let mut list = List {
            blocks: &mut self.blocks,
            cx: layout,
            laid_now: Vec::new(),
        };
        if self.shown.columns != usize::from(area.width) {
            self.anchor = carry_over(&mut list, self.anchor, &self.shown);
        }
        let rows = usize::from(area.height);
        let anchor = travel(&mut list, self.anchor, &self.moves, &self.shown, rows);
        let (top, anchor) = viewport::settle(&mut list, anchor, rows);
        let shown = paint(&mut list, top, area, buffer, self.focus.filter(|_| cx.focused));
        let laid_now = std::mem::take(&mut list.laid_now);
        self.moves.clear();
        self.anchor = anchor;
        self.keep_layouts(laid_now);
        self.take_note(shown);
    }

    /// Has what is on screen take its own size again: at another width the rows that it had mean nothing.
    fn forget_rows(&mut self) {
        for index in self.shown.blocks.clone() {
            if let Some(block) = self.blocks.list.get_mut(index) {
                block.reserved = 0;
            }
        }
    }

    /// Remembers what a frame showed, and lets what is gone from the screen take its own size again.
    fn take_note(&mut self, shown: Shown) {
        for index in self.shown.blocks.clone() {
            if !shown.blocks.contains(&index)
                && let Some(block) = self.blocks.list.get_mut(index)
            {
                block.reserved = 0;
            }
        }
        if self.anchor == Anchor::Tail {
            self.seen = self.blocks.total();
            self.has_news = false;
        } else if let Some(last) = self.blocks.list.get(shown.blocks.end.saturating_sub(1)) {
            self.seen = self.seen.max(last.ordinal + 1);
        }
        self.shown = shown;
    }

    /// Forgets the oldest layouts above the number that is kept.
    fn keep_layouts(&mut self, laid_now: Vec<usize>) {
        self.laid.extend(laid_now);
        let kept = KEPT.max(2 * self.shown.rows);
        while self.laid.len() > kept {
            let Some(index) = self.laid.pop_front() else { break };
            if let Some(block) = self.blocks.list.get_mut(index) {
                block.laid = None;
            }
        }
    }
}

/// Returns where text may stand: a column for the focus before it, and one free after it where there is room.
fn inner(area: Rect) -> Rect {
    let left = LEFT.min(area.width - 1);
    let right = u16::from(area.width > 20);
    Rect {
        x: area.x + left,
        width: area.width - left - right,
        ..area
    }
}

/// The blocks as a list of heights, which are found by laying out.
struct List<'a> {
    blocks: &'a mut Blocks,
    cx: LayoutCx<'a>,
    /// Blocks that had no layout before.
    laid_now: Vec<usize>,
}

impl Heights for List<'_> {
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
        if block.laid.is_none() {
            self.laid_now.push(index);
        }
        let content = layout::height(&mut self.blocks.list, index, &self.cx);
        gap + content.max(self.blocks.list[index].reserved)
    }
}

impl List<'_> {
    /// Returns the empty rows before a block: none at the top and between neighbours of the compact sort. A thought
    /// begins a step, so it keeps its distance from the calls of the one before.
    fn gap(&self, index: usize) -> usize {
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

    fn waiting(&self) -> Option<Waiting> {
        self.blocks.waiting(self.cx.draw.now)
    }

    /// Returns the row that says that the model is waited for.
    fn waiting_line(&self, waiting: Waiting) -> Line<'static> {
        let DrawCx { look, frame, now, .. } = self.cx.draw;
        let waited = waiting
            .since
            .map(|since| now.saturating_duration_since(since).as_secs());
        let waited = match waited.unwrap_or_default() {
            0 => String::new(),
            seconds @ 1..60 => format!(" {seconds} s"),
            seconds => format!(" {}", spinner::elapsed(Duration::from_secs(seconds))),
        };
        let sign = look.symbols.status(CardStatus::Running, frame);
        let muted = look.theme.style(Meaning::TextMuted);
        Line::from(vec![
            Span::styled(format!("{sign} "), look.theme.style(Meaning::StateRunning)),
            Span::styled(format!("waiting for the model{waited}"), muted),
        ])
    }
}

/// Keeps about the same text at the top when a new width breaks it into other rows.
fn carry_over(list: &mut List<'_>, anchor: Anchor, shown: &Shown) -> Anchor {
    let Anchor::Top(place) = anchor else { return anchor };
    if shown.columns == 0 || place != shown.top || shown.top_height == 0 {
        return anchor;
    }
    let height = list.height(place.block);
    Anchor::Top(Place {
        row: place.row * height / shown.top_height,
        ..place
    })
}

/// Follows the moves that were asked for.
fn travel(list: &mut List<'_>, anchor: Anchor, moves: &[Move], shown: &Shown, rows: usize) -> Anchor {
    let mut anchor = anchor;
    for step in moves {
        anchor = match *step {
            Move::Rows(0) => anchor,
            Move::Rows(by) => {
                let (top, _) = viewport::settle(list, anchor, rows);
                Anchor::Top(viewport::shift(list, top, by))
            }
            Move::Start => Anchor::Top(Place::default()),
            Move::End => Anchor::Tail,
            Move::Hold if anchor == Anchor::Tail => Anchor::Top(shown.top),
            Move::Hold => anchor,
            Move::Reveal(block) => reveal(list, anchor, block, rows),
            Move::RevealHead(block) => {
                let (top, anchor) = viewport::settle(list, anchor, rows);
                let head = Place {
                    block,
                    row: list.gap(block),
                };
                let is_shown = top == head
                    || viewport::distance(list, top, block, rows)
                        .is_some_and(|above| above + head.row < rows);
                if is_shown { anchor } else { Anchor::Top(head) }
            }
        };
    }
    anchor
}

/// Moves as little as needed to have the block on screen, its first row before its last.
fn reveal(list: &mut List<'_>, anchor: Anchor, block: usize, rows: usize) -> Anchor {
    let (top, anchor) = viewport::settle(list, anchor, rows);
    let gap = list.gap(block);
    let head = Place { block, row: gap };
    let content = list.height(block).saturating_sub(gap);
    match viewport::distance(list, top, block, rows) {
        _ if top == head => anchor,
        Some(above) if above + gap + content <= rows => anchor,
        Some(_) if content <= rows => {
            let first = (gap + content).cast_signed() - rows.cast_signed();
            Anchor::Top(viewport::shift(list, Place { block, row: 0 }, first))
        }
        _ => Anchor::Top(head),
    }
}

/// Draws from `top` down and returns what the frame shows.
fn paint(list: &mut List<'_>, top: Place, area: Rect, buffer: &mut Buffer, focus: Option<usize>) -> Shown {
    let inner = inner(area);
    let mut shown = Shown {
        top,
        blocks: top.block..top.block,
        rows: usize::from(area.height),
        columns: usize::from(area.width),
        top_height: list.height(top.block),
        ..Shown::default()
    };
    let mut y = area.y;
    let mut skip = top.row;
    for index in top.block..list.count() {
        let height = list.height(index);
        let gap = list.gap(index);
        let rows = skip..height.min(skip + usize::from(area.bottom() - y));
        skip = skip.saturating_sub(height);
        if rows.is_empty() {
            if height > 0 {
                break;
            }
            continue;
        }
        shown.starts.push((usize::from(y - area.y), index));
        let is_focused = focus == Some(index);
        for row in rows {
            let at = Rect {
                y,
                height: 1,
                ..inner
            };
            if row >= gap {
                list.paint_row(index, row - gap, at, buffer);
            }
            if is_focused && row >= gap {
                mark_focus(
                    list,
                    Rect {
                        x: area.x,
                        y,
                        width: 1,
                        height: 1,
                    },
                    buffer,
                );
            }
            y += 1;
        }
        shown.is_animated |= list.is_live(index);
        shown.blocks.end = (index + 1).min(list.blocks.list.len());
        if let Some(block) = list.blocks.list.get_mut(index) {
            block.reserved = height - gap;
        }
    }
    shown
}

impl List<'_> {
    fn paint_row(&mut self, index: usize, row: usize, at: Rect, buffer: &mut Buffer) {
        let waiting = self.waiting();
        match (self.blocks.list.get_mut(index), waiting) {
            (Some(block), _) => layout::paint_row(block, row, at, buffer, &self.cx),
            (None, Some(waiting)) => {
                super::paint::line(&self.waiting_line(waiting), at, buffer, Style::new());
            }
            (None, None) => {}
        }
    }

    fn is_live(&self, index: usize) -> bool {
        match self.blocks.list.get(index) {
            Some(block) => block.is_live(self.cx.draw.now),
            None => true,
        }
    }
}

fn mark_focus(list: &List<'_>, at: Rect, buffer: &mut Buffer) {
    let look = list.cx.draw.look;
    let mark = Line::styled(look.symbols.bar(), look.theme.style(Meaning::Accent));
    super::paint::line(&mark, at, buffer, Style::new());
}
