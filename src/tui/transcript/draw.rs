//! One frame: where the screen begins, the rows of the blocks on it, and what to remember for the next.

use std::cell::Cell;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

use crate::view::theme::Meaning;

use super::emphasis::Emphasis;
use super::layout::{self, LayoutCx};
use super::list::BlockRows;
use super::long_text::FRAME_SHARE;
use super::row_texts::RowTexts;
use super::search::TranscriptSearch;
use super::selection::{self, View};
use super::viewport::{self, Anchor, Heights, RowPosition};
use super::{DrawCx, LastFrame, Reflow, ScrollMove, Transcript};

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
        let inner = inner(area);
        let to_lay_out = Cell::new(if self.asks_for_a_place() {
            usize::MAX
        } else {
            FRAME_SHARE
        });
        let layout = LayoutCx {
            draw: *cx,
            width: usize::from(inner.width),
            left: usize::from(inner.x - area.x),
            cards: &*self.cards,
            reasoning_unfolded: self.reasoning_unfolded,
            canvas: self.canvas.as_ref(),
            keeps_rows: false,
            share: &to_lay_out,
        };
        let mut list = BlockRows {
            blocks: &mut self.blocks,
            cx: layout,
            laid_now: Vec::new(),
        };
        if self.shown.columns != usize::from(area.width) && self.reflow.is_none() {
            self.reflow = Reflow::of(self.anchor, &self.shown);
        }
        if let Some(reflow) = self.reflow
            && let Some(place) = reflow.carried_over(&mut list)
        {
            self.anchor = Anchor::Top(place);
            self.reflow = None;
        }
        let rows = usize::from(area.height);
        let is_carried_on = self.anchor == Anchor::Tail
            && self.moves.is_empty()
            && self.shown.columns == usize::from(area.width);
        let carried = self.shown.tail_rows().filter(|_| is_carried_on);
        let slack = carried.map(|shown| self.slack.follow(&mut list, shown, rows));
        self.slack = slack.unwrap_or_default();
        let mut anchor = travel(&mut list, self.anchor, &self.moves, &self.shown, rows);
        if let Some(search) = &mut self.search {
            search.refresh(list.blocks, &*self.cards);
            anchor = to_match(search, &mut self.reading, &mut list, anchor, rows);
        }
        let view = View {
            focus: self.focus,
            lines: &self.shown.lines,
            held: (self.anchor == Anchor::Tail).then_some(self.shown.top),
        };
        let moved = selection::resolve(
            &mut self.picks,
            &mut self.selection,
            &mut self.pressed,
            &mut self.reading,
            &mut list,
            &view,
        );
        if let Some((block, row)) = moved {
            anchor = reveal_head(&mut list, anchor, block, row, rows);
        } else if self.selection.is_some() && anchor == Anchor::Tail {
            // What is being selected is not moved by what comes.
            anchor = Anchor::Top(self.shown.top);
        }
        let spare = self.slack.on(rows);
        let (top, anchor) = settle(&mut list, anchor, rows, spare, self.selection.is_some());
        let mut emphasis = Emphasis {
            search: self.search.as_ref(),
            selection: self.selection.as_ref(),
            caret: None,
            reading: &mut self.reading,
        };
        let focus = self.focus.filter(|_| cx.focused);
        let mut shown = paint(&mut list, top, area, buffer, focus, &mut emphasis);
        shown.caret = emphasis.caret;
        shown.is_behind = shown.blocks.clone().any(|index| list.is_behind(index));
        let anchor = match self.anchor {
            // Its row may be one of those that are missing.
            Anchor::Top(place) if list.is_behind(place.block) => self.anchor,
            _ => anchor,
        };
        let selection = self.selection.as_ref();
        self.reading.keep(|index| {
            let is_end = selection.is_some_and(|selection| selection.ends_in(index));
            shown.blocks.contains(&index) || is_end
        });
        let laid_now = std::mem::take(&mut list.laid_now);
        self.moves.clear();
        self.anchor = anchor;
        self.keep_layouts(laid_now);
        self.take_note(shown);
    }

    /// Returns true if the next frame has to know where a row is, for which all rows above it are laid out.
    fn asks_for_a_place(&self) -> bool {
        let is_read = self.search.is_some() || self.selection.is_some();
        is_read || !self.moves.is_empty() || !self.picks.is_empty()
    }

    /// Remembers what a frame showed.
    fn take_note(&mut self, shown: LastFrame) {
        for index in self.shown.blocks.clone() {
            if let Some(block) = self.blocks.list.get_mut(index) {
                block.is_on_screen = shown.blocks.contains(&index);
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
        self.laid_out.extend(laid_now);
        let kept = KEPT.max(2 * self.shown.rows);
        while self.laid_out.len() > kept {
            let Some(index) = self.laid_out.pop_front() else {
                break;
            };
            if let Some(block) = self.blocks.list.get_mut(index) {
                block.cached_layout = None;
            }
        }
    }
}

/// Returns where the screen begins, and what it keeps to from now on. `spare` rows stay empty below the tail.
fn settle(
    list: &mut BlockRows<'_>,
    anchor: Anchor,
    rows: usize,
    spare: usize,
    is_selecting: bool,
) -> (RowPosition, Anchor) {
    let (mut top, settled) = viewport::settle(list, anchor, rows);
    if settled == Anchor::Tail {
        top = viewport::tail(list, rows - spare);
    }
    let is_held = is_selecting && anchor != Anchor::Tail;
    (top, if is_held { Anchor::Top(top) } else { settled })
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

impl Reflow {
    /// Returns what has to be carried over from the last frame, which had another width.
    fn of(anchor: Anchor, shown: &LastFrame) -> Option<Self> {
        let is_shown = shown.columns > 0 && shown.top_height > 0 && anchor == Anchor::Top(shown.top);
        is_shown.then_some(Self {
            top: shown.top,
            height: shown.top_height,
        })
    }

    /// Returns the row with about the same text, once its block is laid out.
    fn carried_over(self, list: &mut BlockRows<'_>) -> Option<RowPosition> {
        let height = list.height(self.top.block);
        (!list.is_behind(self.top.block)).then(|| RowPosition {
            row: self.top.row * height / self.height,
            ..self.top
        })
    }
}

/// Follows the moves that were asked for.
fn travel(
    list: &mut BlockRows<'_>,
    anchor: Anchor,
    moves: &[ScrollMove],
    shown: &LastFrame,
    rows: usize,
) -> Anchor {
    let mut anchor = anchor;
    for step in moves {
        anchor = match *step {
            ScrollMove::Rows(0) => anchor,
            ScrollMove::Rows(by) => {
                let (top, _) = viewport::settle(list, anchor, rows);
                Anchor::Top(viewport::shift(list, top, by))
            }
            ScrollMove::Start => Anchor::Top(RowPosition::default()),
            ScrollMove::End => Anchor::Tail,
            ScrollMove::Hold if anchor == Anchor::Tail => Anchor::Top(shown.top),
            ScrollMove::Hold => anchor,
            ScrollMove::Reveal(block) => reveal(list, anchor, block, rows),
            ScrollMove::RevealHead(block) => {
                let (top, anchor) = viewport::settle(list, anchor, rows);
                let head = RowPosition {
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
fn reveal(list: &mut BlockRows<'_>, anchor: Anchor, block: usize, rows: usize) -> Anchor {
    let (top, anchor) = viewport::settle(list, anchor, rows);
    let gap = list.gap(block);
    let head = RowPosition { block, row: gap };
    let content = list.height(block).saturating_sub(gap);
    match viewport::distance(list, top, block, rows) {
        _ if top == head => anchor,
        Some(above) if above + gap + content <= rows => anchor,
        Some(_) if content <= rows => {
            let first = (gap + content).cast_signed() - rows.cast_signed();
            Anchor::Top(viewport::shift(list, RowPosition { block, row: 0 }, first))
        }
        _ => Anchor::Top(head),
    }
}

/// Brings the current match on screen, once it was gone to. The tail is not followed past it.
fn to_match(
    search: &mut TranscriptSearch,
    reading: &mut RowTexts,
    list: &mut BlockRows<'_>,
    anchor: Anchor,
    rows: usize,
) -> Anchor {
    if !std::mem::take(&mut search.is_due) {
        return anchor;
    }
    let (Some(hit), Some(pattern)) = (search.current, &search.pattern) else {
        return anchor;
    };
    let Some(read) = reading.read(list, hit.block) else {
        return anchor;
    };
    let range = read.find(search.number, pattern).ranges.get(hit.nth).cloned();
    let row = range.map_or(0, |range| read.row_of(&range));
    reveal_row(list, anchor, hit.block, row, rows)
}

/// Brings a row of a block's content on screen: a third down where it was not on it.
fn reveal_row(list: &mut BlockRows<'_>, anchor: Anchor, block: usize, row: usize, rows: usize) -> Anchor {
    let (top, _) = viewport::settle(list, anchor, rows);
    let row = list.gap(block) + row;
    let place = RowPosition { block, row };
    let bottom = viewport::shift(list, top, rows.cast_signed() - 1);
    if top <= place && place <= bottom {
        return Anchor::Top(top);
    }
    Anchor::Top(viewport::shift(list, place, -(rows / 3).cast_signed()))
}

/// Moves as little as needed to have a row of a block's content on screen.
fn reveal_head(list: &mut BlockRows<'_>, anchor: Anchor, block: usize, row: usize, rows: usize) -> Anchor {
    let (top, _) = viewport::settle(list, anchor, rows);
    let row = list.gap(block) + row;
    let place = RowPosition { block, row };
    let bottom = viewport::shift(list, top, rows.cast_signed() - 1);
    if place < top {
        Anchor::Top(place)
    } else if place > bottom {
        Anchor::Top(viewport::shift(list, place, 1 - rows.cast_signed()))
    } else {
        Anchor::Top(top)
    }
}

/// Draws from `top` down and returns what the frame shows.
fn paint(
    list: &mut BlockRows<'_>,
    top: RowPosition,
    area: Rect,
    buffer: &mut Buffer,
    focus: Option<usize>,
    emphasis: &mut Emphasis<'_>,
) -> LastFrame {
    let inner = inner(area);
    let mut shown = LastFrame {
        top,
        blocks: top.block..top.block,
        rows: usize::from(area.height),
        columns: usize::from(area.width),
        area,
        top_height: list.height(top.block),
        ..LastFrame::default()
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
        let text = rows.start.max(gap) - gap..rows.end.max(gap) - gap;
        let text_at = Rect {
            y: y + (gap.saturating_sub(rows.start)) as u16,
            height: 1,
            ..inner
        };
        for row in rows {
            let at = Rect {
                y,
                height: 1,
                ..inner
            };
            if row >= gap {
                list.paint_row(index, row - gap, at, buffer);
            }
            shown.lines.push((index, row.saturating_sub(gap)));
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
        if let Some(block) = list.blocks.list.get(index).filter(|_| !text.is_empty()) {
            let at = layout::place(block, text_at, &list.cx);
            shown.pictures.extend(layout::pictures(block, &text, at));
        }
        if !text.is_empty() {
            emphasis.paint(list, index, text, text_at, buffer);
        }
        shown.is_animated |= list.is_live(index);
        shown.blocks.end = (index + 1).min(list.blocks.list.len());
        if let Some(block) = list.blocks.list.get_mut(index) {
            block.is_on_screen = true;
        }
    }
    shown
}

fn mark_focus(list: &BlockRows<'_>, at: Rect, buffer: &mut Buffer) {
    let look = list.cx.draw.look;
    let mark = Line::styled(look.symbols.bar(), look.theme.style(Meaning::Accent));
    super::paint::line(&mark, at, buffer, Style::new());
}
