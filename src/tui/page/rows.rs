//! Rows of the pages that tell figures and facts.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::session::query::Answer;
use crate::text::sanitize::sanitize_line;
use crate::text::width::{pad, str_width, truncate_middle};
use crate::text::wrap::wrap;
use crate::tui::layer::LayerCx;
use crate::view::theme::Meaning;

pub(super) const INDENT: &str = "   ";
/// Columns before the rows of a list, where the one that is pointed at has its sign.
pub(super) const MARGIN: usize = 3;
/// Columns of a fact's name, with the gap behind it.
const NAME: usize = 16;
/// Of a fact, about as many.
const MOST_ROWS: usize = 3;

pub(super) fn heading(text: &str, cx: &LayerCx<'_>) -> Line<'static> {
    Line::styled(
        format!(" {}", sanitize_line(text)),
        cx.look.style(Meaning::TextStrong),
    )
}

/// A sentence in the secondary style, on as many rows as it needs.
pub(super) fn remark(text: &str, width: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
    sentence(text, INDENT, Meaning::TextMuted, width, cx)
}

/// Says that something did not work.
pub(super) fn failure(text: &str, width: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
    sentence(text, INDENT, Meaning::Warning, width, cx)
}

/// Returns what stands on a page that has no answer to show: that it is looked up, or why it could not be.
pub(super) fn unanswered(answer: Option<&Answer>, width: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
    match answer {
        Some(Answer::Failed(sentence)) => failure(sentence, width, cx),
        _ => remark("Loading.", width, cx),
    }
}

/// Returns rows of a sentence, each behind the indent, with a column free at their end.
pub(super) fn sentence(
    text: &str,
    indent: &str,
    meaning: Meaning,
    width: usize,
    cx: &LayerCx<'_>,
) -> Vec<Line<'static>> {
    let clean = sanitize_line(text);
    let rows = wrap(&clean, width.saturating_sub(indent.len() + 1).max(1));
    let row = |row: &str| Line::styled(format!("{indent}{row}"), cx.look.style(meaning));
    rows.into_iter()
        .map(|range| row(clean[range].trim_end()))
        .collect()
}

/// A name and what is so called, on a few rows where it is long; what is longer still is shortened in the middle.
pub(super) fn fact(name: &str, value: &str, width: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
    let room = width.saturating_sub(INDENT.len() + NAME + 1).max(1);
    let value = sanitize_line(value);
    let value = truncate_middle(&value, room * MOST_ROWS);
    let row = |(index, range): (usize, Range<usize>)| {
        let name = if index == 0 { name } else { "" };
        Line::from(vec![
            Span::styled(
                format!("{INDENT}{}", pad(name, NAME)),
                cx.look.style(Meaning::TextMuted),
            ),
            Span::styled(value[range].trim_end().to_owned(), cx.look.style(Meaning::Text)),
        ])
    };
    wrap(&value, room).into_iter().enumerate().map(row).collect()
}

/// A name on the left and figures in columns that end where they do above and below.
pub(super) fn figures(
    name: &str,
    meaning: Meaning,
    cells: &[(String, usize)],
    width: usize,
    cx: &LayerCx<'_>,
) -> Line<'static> {
    let columns: usize = cells.iter().map(|(_, columns)| columns).sum();
    let room = width.saturating_sub(INDENT.len() + columns + 1);
    let name = sanitize_line(name);
    let mut spans = vec![Span::styled(
        format!("{INDENT}{}", pad(&truncate_middle(&name, room), room)),
        cx.look.style(meaning),
    )];
    for (text, columns) in cells {
        let blanks = " ".repeat(columns.saturating_sub(str_width(text)));
        spans.push(Span::styled(format!("{blanks}{text}"), cx.look.style(meaning)));
    }
    Line::from(spans)
}

/// A file's name, and at the right end its added and removed lines.
pub(super) fn changed_file(
    name: &str,
    (added, removed): (u64, u64),
    width: usize,
    meaning: Meaning,
    cx: &LayerCx<'_>,
) -> Vec<Span<'static>> {
    let added = format!("+{added}");
    let removed = format!("{}{removed}", cx.look.symbols.minus());
    let room = width.saturating_sub(str_width(&added) + str_width(&removed) + 2);
    let name = truncate_middle(name, room).replace('…', cx.look.symbols.ellipsis());
    vec![
        Span::styled(pad(&name, room).into_owned(), cx.look.style(meaning)),
        Span::styled(format!(" {added}"), cx.look.style(Meaning::DiffAdded)),
        Span::styled(format!(" {removed}"), cx.look.style(Meaning::DiffRemoved)),
    ]
}

/// Draws a row of a list behind the margin, with the pointer where it is the chosen one.
pub(super) fn draw_listed(
    line: &Line<'_>,
    is_chosen: bool,
    row: Rect,
    buffer: &mut Buffer,
    cx: &LayerCx<'_>,
) {
    let room = row.width.saturating_sub(MARGIN as u16);
    buffer.set_line(row.x + MARGIN as u16, row.y, line, room);
    if is_chosen {
        let accent = cx.look.style(Meaning::Accent);
        buffer.set_string(row.x + 1, row.y, cx.look.symbols.pointer(), accent);
    }
}
