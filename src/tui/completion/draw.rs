//! The list on screen: it stands on the composer's rule and covers the end of what lies above, which stays where it is.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use super::{Completion, CompletionItem, CompletionKind, CompletionState, List};
use crate::text::sanitize::sanitize_line;
use crate::text::width::{str_width, truncate};
use crate::tui::app::pickers::agent_lines;
use crate::tui::area::last_rows;
use crate::tui::picker::RowLine;
use crate::view::Look;
use crate::view::styled_text::MEASURE;
use crate::view::theme::Meaning;

/// From this width on what is selected is shown beside the list: as much as a panel leaves of 120 columns.
pub(crate) const WIDE: u16 = 84;
/// Rows of the list at most.
const MOST_ROWS: u16 = 8;
/// Rows that stay of what lies above.
const LEAST_ABOVE: u16 = 1;

impl Completion {
    /// Draws at the lower end of the area, and returns where it stands.
    pub(super) fn draw_in(&mut self, area: Rect, buffer: &mut Buffer, look: Look<'_>) -> Rect {
        let CompletionState::Open(list) = &mut self.state else {
            return Rect::default();
        };
        let is_wide = area.width >= WIDE;
        let room = area.height.saturating_sub(1 + LEAST_ABOVE).min(MOST_ROWS);
        let rows = if is_wide {
            room
        } else {
            room.min(u16::try_from(list.items.len()).unwrap_or(u16::MAX))
        };
        if rows == 0 {
            return Rect::default();
        }
        let area = last_rows(area, rows + 1);
        Clear.render(area, buffer);
        list.keep_in_sight(usize::from(rows));
        list.draw_head(Rect { height: 1, ..area }, buffer, look);
        let body = Rect {
            y: area.y + 1,
            height: rows,
            width: if is_wide {
                area.width / 2
            } else {
                area.width.min(MEASURE as u16)
            },
            ..area
        };
        for (offset, row) in body.rows().enumerate() {
            let place = list.top + offset;
            let Some(item) = list.items.get(place) else { break };
            let fields = item.row.fields();
            let mut marks = self.matcher.ranges(&list.query, &fields[..1]);
            marks.push(Vec::new());
            let line = RowLine {
                row: &item.row,
                fields,
                marks: &marks,
                title_columns: list.title_columns,
                heading: "".into(),
                is_selected: place == list.selected,
                look,
            };
            line.draw(row, buffer);
        }
        if is_wide {
            let beside = Rect {
                x: body.right(),
                width: area.right() - body.right(),
                ..body
            };
            self.draw_preview(beside, buffer, look);
        }
        area
    }

    /// Draws the preview of the selected row: the beginning of the file or of a command of one's own; of others what
    /// they are.
    fn draw_preview(&self, area: Rect, buffer: &mut Buffer, look: Look<'_>) {
        for y in area.top()..area.bottom() {
            buffer.set_stringn(area.x, y, look.symbols.divider(), 1, look.style(Meaning::Rule));
        }
        let Some((token, item)) = self.selected() else {
            return;
        };
        let columns = area.width.saturating_sub(3);
        let lines = match (&item.pick, &self.look) {
            (CompletionKind::File(path), Some((known, text))) if known == path => {
                beginning(text, token.first_line(), area, look)
            }
            (CompletionKind::File(_), _) => return,
            (CompletionKind::Own { text, .. }, _) => beginning(text, 1, area, look),
            (CompletionKind::Command(command), _) => command.preview(columns, look),
            (CompletionKind::Agent(agent), _) => agent_lines(agent, columns, look),
        };
        for (row, line) in area.rows().zip(&lines) {
            buffer.set_line(area.x + 2, row.y, line, columns);
        }
    }
}

/// The lines of a text from this one on, as many as there are rows.
fn beginning(text: &str, first_line: usize, area: Rect, look: Look<'_>) -> Vec<Line<'static>> {
    let room = usize::from(area.width).saturating_sub(3);
    let lines = text.lines().skip(first_line.saturating_sub(1));
    let line = |line| {
        let line = sanitize_line(line).replace('\t', "    ");
        Line::styled(truncate(&line, room).into_owned(), look.style(Meaning::TextMuted))
    };
    lines.take(usize::from(area.height)).map(line).collect()
}

impl List {
    fn keep_in_sight(&mut self, height: usize) {
        let last_top = self.items.len().saturating_sub(height);
        let lowest = (self.selected + 1).saturating_sub(height);
        self.top = self.top.clamp(lowest, self.selected.max(lowest)).min(last_top);
    }

    /// A rule, and how many there are where not all are in sight.
    fn draw_head(&self, area: Rect, buffer: &mut Buffer, look: Look<'_>) {
        let columns = usize::from(area.width);
        let rule = look.symbols.rule().repeat(columns);
        buffer.set_stringn(area.x, area.y, rule, columns, look.style(Meaning::Rule));
        let count = format!(" {} of {} ", self.selected + 1, self.items.len());
        let x = area
            .right()
            .saturating_sub(u16::try_from(str_width(&count)).unwrap_or(0) + 2);
        let line = Line::from(Span::styled(count, look.style(Meaning::TextMuted)));
        buffer.set_line(x, area.y, &line, area.right().saturating_sub(x));
    }
}

/// Returns the columns of the widest title.
pub(super) fn title_columns(items: &[CompletionItem]) -> usize {
    let widths = items.iter().map(|item| str_width(item.row.fields()[0]));
    widths.max().unwrap_or(0)
}
