//! Emphasis over the rows of a block once they are drawn: matches of a search, and the selection.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;

use super::layout;
use super::list::BlockRows;
use super::paint;
use super::row_texts::RowTexts;
use super::search::TranscriptSearch;
use super::selection::Selection;
use crate::view::theme::Meaning;

/// Stands beside a block that has matches which no row shows.
const HIDDEN: &str = "/";

pub(super) struct Emphasis<'a> {
    pub(super) search: Option<&'a TranscriptSearch>,
    pub(super) selection: Option<&'a Selection>,
    /// Cell of the selection's end.
    pub(super) caret: Option<Position>,
    pub(super) reading: &'a mut RowTexts,
}

impl Emphasis<'_> {
    /// Lays it over rows of a block. `at` is where their text stands, the column left of it is for marks.
    pub(super) fn paint(
        &mut self,
        list: &mut BlockRows<'_>,
        index: usize,
        rows: Range<usize>,
        at: Rect,
        buffer: &mut Buffer,
    ) {
        self.paint_matches(list, index, rows.clone(), at, buffer);
        self.paint_selection(list, index, rows, at, buffer);
    }

    fn paint_selection(
        &mut self,
        list: &mut BlockRows<'_>,
        index: usize,
        rows: Range<usize>,
        at: Rect,
        buffer: &mut Buffer,
    ) {
        let Some(selection) = self.selection else { return };
        if !selection.touches(index) {
            return;
        }
        let Some(read) = self.reading.read(list, index) else {
            return;
        };
        let place = layout::place(&list.blocks.list[index], at, &list.cx);
        let style = list.cx.draw.look.theme.style(Meaning::Selection);
        if let Some(range) = selection.range(index, &read.text) {
            for row in rows.clone() {
                let y = at.y + (row - rows.start) as u16;
                for (_, columns) in read.columns(row, std::slice::from_ref(&range)) {
                    patch(buffer, place, y, &columns, style);
                }
            }
        }
        if selection.has_caret && selection.head.block == index {
            let head = read.place_of(selection.head.range.start);
            self.caret = head
                .filter(|(row, _)| rows.contains(row))
                .map(|(row, column)| Position {
                    x: (place.x + column as u16).min(place.right().saturating_sub(1)),
                    y: at.y + (row - rows.start) as u16,
                });
        }
    }

    fn paint_matches(
        &mut self,
        list: &mut BlockRows<'_>,
        index: usize,
        rows: Range<usize>,
        at: Rect,
        buffer: &mut Buffer,
    ) {
        let Some(search) = self.search.filter(|search| search.matches(index) > 0) else {
            return;
        };
        let Some(pattern) = &search.pattern else { return };
        let Some(read) = self.reading.read(list, index) else {
            return;
        };
        let found = read.find(search.number, pattern);
        let is_partly_hidden = found.drawn < search.matches(index);
        let ranges = found.ranges.clone();
        let style = list.cx.draw.look.theme.style(Meaning::Match);
        let current = style.add_modifier(Modifier::REVERSED);
        let current_nth = search.current.filter(|hit| hit.block == index).map(|hit| hit.nth);
        let place = layout::place(&list.blocks.list[index], at, &list.cx);
        for row in rows.clone() {
            let y = at.y + (row - rows.start) as u16;
            for (nth, columns) in read.columns(row, &ranges) {
                let style = if current_nth == Some(nth) { current } else { style };
                patch(buffer, place, y, &columns, style);
            }
        }
        if is_partly_hidden {
            let mark = Rect {
                x: at.x.saturating_sub(1),
                width: 1,
                height: 1,
                ..at
            };
            paint::line(&Line::styled(HIDDEN, style), mark, buffer, Style::new());
        }
    }
}

/// Lays a style over columns of a row, as far as they are within `place`.
fn patch(buffer: &mut Buffer, place: Rect, y: u16, columns: &Range<usize>, style: Style) {
    let start = columns.start.min(usize::from(place.width)) as u16;
    let end = columns.end.min(usize::from(place.width)) as u16;
    let row = Rect {
        x: place.x + start,
        y,
        width: end - start,
        height: 1,
    };
    buffer.set_style(row.intersection(buffer.area), style);
}
