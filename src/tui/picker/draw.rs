//! A list on screen: its name and how much of it matches, the line that filters, the rows, and what is shown of the one
//! that is selected: beside them where the screen is wide, below where it is high, nowhere else.

use std::borrow::Cow;
use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use super::row::{Hint, Row};
use super::{Picker, RowText, RowTextKind};
use crate::text::sanitize::sanitize_line;
use crate::text::width::{pad, prefix, str_width, truncate};
use crate::text::wrap::wrap;
use crate::tui::area::{below, rows_at, top_in_sight};
use crate::tui::composer::{ComposerStyle, field};
use crate::tui::layer::Layer;
use crate::view::Look;
use crate::view::styled_text::{MEASURE, draw_lines};
use crate::view::theme::Meaning;

/// From this width on the preview stands beside the list.
const WIDE: u16 = 100;
/// From this height on it stands below.
const HIGH: u16 = 18;
/// A space, the sign of the selection and the sign of the row that holds now, each with a space.
const MARGIN: usize = 5;
/// The head, the line, the rule and one row.
const LEAST_ROWS: u16 = 4;
/// A detail that would get fewer columns is left out.
const LEAST_DETAIL: usize = 8;
/// A narrower list has no headings.
const LEAST_WITH_SECTIONS: u16 = 60;
/// Between the columns of a row.
const GAP: usize = 2;

#[derive(Debug, Clone, Copy)]
struct Areas {
    head: Rect,
    line: Rect,
    rule: Rect,
    list: Rect,
    /// The rule between the list and the preview, and the preview.
    preview: Option<(Rect, Rect)>,
}

impl Picker {
    /// Draws over everything in the area, and returns where the caret stands.
    pub(super) fn draw_list(&mut self, area: Rect, buffer: &mut Buffer, look: Look<'_>) -> Option<Position> {
        Clear.render(area, buffer);
        if area.height < LEAST_ROWS || usize::from(area.width) <= MARGIN {
            return None;
        }
        let areas = areas(area, self.place.previews());
        self.height = usize::from(areas.list.height);
        self.top = top_in_sight(self.top, self.selected, self.len(), self.height);
        self.draw_head(areas.head, buffer, look);
        let caret = self.draw_line(areas.line, buffer, look);
        draw_rule(areas.rule, buffer, look);
        self.draw_rows(areas.list, buffer, look);
        if let Some((parting, preview)) = areas.preview {
            draw_rule(parting, buffer, look);
            self.draw_preview(preview, buffer, look);
        }
        caret
    }

    fn draw_head(&self, area: Rect, buffer: &mut Buffer, look: Look<'_>) {
        let (found, all) = (self.len(), self.rows.len());
        let count = if self.filter.query().is_empty() {
            format!("{all}")
        } else {
            format!("{found} of {all}")
        };
        let working = if self.is_working() {
            look.symbols.ellipsis()
        } else {
            ""
        };
        let title = match self.writing.as_ref().map(|writing| writing.kind) {
            Some(RowTextKind::Name) => "New name",
            Some(RowTextKind::Tags) => "Tags, separated by spaces",
            None => self.place.title(),
        };
        let line = Line::from(vec![
            Span::styled(format!(" {title}"), look.style(Meaning::TextStrong)),
            Span::styled(
                format!(" {} {count}{working}", look.symbols.dot()),
                look.style(Meaning::TextMuted),
            ),
        ]);
        buffer.set_line(area.x, area.y, &line, area.width);
    }

    fn draw_line(&mut self, area: Rect, buffer: &mut Buffer, look: Look<'_>) -> Option<Position> {
        let area = field(area);
        let (line, invitation) = match &mut self.writing {
            Some(RowText { line, kind, .. }) => {
                let invitation = match kind {
                    RowTextKind::Name => "Type a name.",
                    RowTextKind::Tags => "No tags.",
                };
                (line, invitation)
            }
            None => (&mut self.line, "Type to filter."),
        };
        let look = ComposerStyle::new(look.symbols.bar(), invitation, look.theme);
        line.draw(area, buffer, &look)
    }

    fn draw_rows(&mut self, area: Rect, buffer: &mut Buffer, look: Look<'_>) {
        if self.is_empty() {
            let sentence = match self.rows.is_empty() {
                true => self.place.nothing(),
                false if self.is_working() => "",
                false => self.place.nothing_matches(),
            };
            let style = look.style(Meaning::TextMuted);
            let width = usize::from(area.width).saturating_sub(MARGIN + 1);
            for (row, range) in area.rows().zip(wrap(sentence, width)) {
                buffer.set_stringn(row.x + MARGIN as u16, row.y, &sentence[range], width, style);
            }
            return;
        }
        let sections = section_columns(&self.rows, area.width);
        let mut section = "";
        for (offset, line_area) in area.rows().enumerate() {
            let place = self.top + offset;
            let Some(row) = self.filter.row(place, &self.rows) else {
                return;
            };
            let own = self.rows[row].own_section();
            let heading = if own == section { "" } else { own };
            section = own;
            let inside = self.filter.inside(row).map(sanitize_line).map(Cow::into_owned);
            let (matcher, query) = self.filter.matcher();
            let row = &self.rows[row];
            let [title, detail, also] = row.searched();
            let fields = [title, inside.as_deref().unwrap_or(detail)];
            let marks = matcher.ranges(query, &[fields[0], fields[1], also]);
            let line = RowLine {
                row,
                fields,
                marks: &marks,
                title_columns: self.title_columns,
                heading: pad(heading, sections),
                is_selected: place == self.selected,
                look,
            };
            line.draw(line_area, buffer);
        }
    }

    fn draw_preview(&self, area: Rect, buffer: &mut Buffer, look: Look<'_>) {
        let Some(row) = self.row() else { return };
        let lines = self.place.preview(row, area.as_size(), look);
        draw_lines(&lines, area, buffer);
    }
}

fn areas(area: Rect, previews: bool) -> Areas {
    let row = |y| rows_at(area, y, 1);
    let body = below(area, 3);
    let (list, preview) = if previews {
        split(body, area.height)
    } else {
        let list = Rect {
            width: body.width.min(MEASURE as u16),
            ..body
        };
        // Without anything beside it the end of a row stays near its beginning.
        (list, None)
    };
    Areas {
        head: row(0),
        line: row(1),
        rule: row(2),
        list,
        preview,
    }
}

/// Parts the rows from what is shown of one of them, for a list of this height with its head: what parts the two, and the
/// preview.
pub(crate) fn split(body: Rect, height: u16) -> (Rect, Option<(Rect, Rect)>) {
    match () {
        () if body.width >= WIDE => {
            let columns = body.width / 2;
            let list = Rect {
                width: columns,
                ..body
            };
            let parting = Rect {
                x: body.x + columns,
                width: 1,
                ..body
            };
            let rest = Rect {
                x: parting.x + 2,
                width: body.width.saturating_sub(columns + 3),
                ..body
            };
            (list, Some((parting, rest)))
        }
        () if height >= HIGH => {
            let rows = body.height / 2;
            let list = Rect { height: rows, ..body };
            let parting = rows_at(body, rows, 1);
            let rest = Rect {
                x: body.x + 1,
                y: parting.y + 1,
                width: body.width.saturating_sub(2),
                height: body.height.saturating_sub(rows + 1),
            };
            (list, Some((parting, rest)))
        }
        () => (body, None),
    }
}

/// Across, or down where the area is a column.
pub(crate) fn draw_rule(area: Rect, buffer: &mut Buffer, look: Look<'_>) {
    let style = look.style(Meaning::Rule);
    if area.width > 1 {
        let rule = look.symbols.rule().repeat(usize::from(area.width));
        buffer.set_stringn(area.x, area.y, rule, usize::from(area.width), style);
        return;
    }
    for y in area.top()..area.bottom() {
        buffer.set_stringn(area.x, y, look.symbols.divider(), 1, style);
    }
}

/// Returns the columns before the rows where their headings stand; none where there are no headings, or no room for them.
fn section_columns(rows: &[Row], width: u16) -> usize {
    let columns = rows.iter().map(|row| str_width(row.own_section())).max();
    match columns.unwrap_or(0) {
        0 => 0,
        columns if width >= LEAST_WITH_SECTIONS => columns + GAP,
        _ => 0,
    }
}

/// Returns the columns of the widest title.
pub(super) fn title_columns(rows: &[Row]) -> usize {
    rows.iter().map(|row| str_width(row.title())).max().unwrap_or(0)
}

/// One line of a list, wherever it stands.
pub(crate) struct RowLine<'a> {
    pub(crate) row: &'a Row,
    /// Its title, and what is said about it or was found in it.
    pub(crate) fields: [&'a str; 2],
    /// Ranges that match in the title and in the detail.
    pub(crate) marks: &'a [Vec<Range<usize>>],
    /// Of the widest title of the list.
    pub(crate) title_columns: usize,
    /// Stands before the title, with the blanks behind it.
    pub(crate) heading: Cow<'a, str>,
    pub(crate) is_selected: bool,
    pub(crate) look: Look<'a>,
}

impl RowLine<'_> {
    pub(crate) fn draw(&self, area: Rect, buffer: &mut Buffer) {
        let margin = MARGIN + str_width(&self.heading);
        let columns = usize::from(area.width).saturating_sub(margin + 1);
        let hint = str_width(self.row.hint().text());
        // The hint goes where it would take half of the line.
        let hint = if hint + GAP > columns / 2 { 0 } else { hint };
        let room = columns.saturating_sub(if hint > 0 { hint + GAP } else { 0 });
        let line = Line::from(self.spans(room));
        buffer.set_line(area.x, area.y, &line, area.width);
        if hint > 0 {
            let x = area.right().saturating_sub(hint as u16 + 1);
            buffer.set_stringn(x, area.y, self.row.hint().text(), hint, self.hint_style());
        }
        if self.is_selected {
            buffer.set_style(area, self.look.style(Meaning::Selection));
        }
    }

    fn hint_style(&self) -> Style {
        self.look.style(match self.row.hint() {
            Hint::Key(_) => Meaning::Accent,
            Hint::Fact(_) => Meaning::TextMuted,
        })
    }

    fn spans(&self, room: usize) -> Vec<Span<'static>> {
        let [title, detail] = self.fields;
        let symbols = self.look.symbols;
        let pointer = if self.is_selected { symbols.pointer() } else { "" };
        let (sign, style) = match self.row.own_sign() {
            _ if self.row.is_current() => (symbols.bullet(), self.hint_style()),
            Some((sign, meaning)) => (sign, self.look.style(meaning)),
            None => ("", self.hint_style()),
        };
        let mut spans = vec![
            Span::styled(format!(" {}", pad(pointer, 2)), self.hint_style()),
            Span::styled(pad(sign, 2).into_owned(), style),
            Span::styled(self.heading.to_string(), self.look.style(Meaning::TextMuted)),
        ];
        let is_narrow = self.title_columns + GAP + LEAST_DETAIL > room;
        // What was found in it stands in place of the detail, and nothing of that is kept.
        let is_own = detail == self.row.fields()[1];
        let kept = if is_own { self.row.kept() } else { 0 };
        let columns = match () {
            () if detail.is_empty() => room,
            () if kept > 0 => self.title_columns.min(room.saturating_sub(kept + GAP)),
            () if is_narrow => room,
            () => self.title_columns,
        };
        let used = self.push_marked(&mut spans, title, 0, columns);
        let rest = room.saturating_sub(columns + GAP);
        // A cut would take a sign from what is kept.
        let is_cut_short = str_width(detail) > rest && rest <= kept + GAP;
        let detail = if is_cut_short {
            prefix(detail, kept.min(rest))
        } else {
            detail
        };
        if !detail.is_empty() && rest > 0 {
            spans.push(Span::raw(" ".repeat(columns - used + GAP)));
            self.push_marked(&mut spans, detail, 1, rest);
        }
        spans
    }

    /// Adds a field, cut to the columns, and returns how many it takes.
    fn push_marked(&self, spans: &mut Vec<Span<'static>>, text: &str, field: usize, columns: usize) -> usize {
        let plain = self.look.style([Meaning::Text, Meaning::TextMuted][field]);
        let marked = plain.patch(self.look.style(Meaning::Match));
        let cut = truncate(text, columns);
        let kept = if cut.len() == text.len() {
            text
        } else {
            prefix(text, columns.saturating_sub(1))
        };
        let mut end = 0;
        for range in self.marks.get(field).into_iter().flatten() {
            let range = range.start.min(kept.len())..range.end.min(kept.len());
            spans.push(Span::styled(kept[end..range.start].to_owned(), plain));
            spans.push(Span::styled(kept[range.clone()].to_owned(), marked));
            end = range.end;
        }
        spans.push(Span::styled(cut[end..].to_owned(), plain));
        str_width(&cut)
    }
}
