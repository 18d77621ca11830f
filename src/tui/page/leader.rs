//! The leader's table: what may follow it, in columns at the bottom, until a key comes.
//!
//! It is whole at every size: where the columns do not fit they are narrowed, and what they say is cut.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use crate::text::width::{ELLIPSIS, str_width, truncate};
use crate::tui::keymap::{Action, Context, Keymap, words};
use crate::view::Look;
use crate::view::theme::Meaning;

/// Between columns, and between a key and what it does.
const WIDE: [usize; 2] = [3, 2];
/// The same where the columns do not fit.
const NARROW: [usize; 2] = [1, 1];

/// Draws what may follow the leader, at the bottom of `area`.
pub(crate) fn draw_leader(area: Rect, buffer: &mut Buffer, keymap: &Keymap, look: Look<'_>) {
    let entries: Vec<(&str, &str)> = keymap
        .bindings(Context::Leader)
        .filter_map(|binding| Some((keymap.shown(binding)?, binding.description)))
        .map(|(key, description)| (words(key, look.symbols), description))
        .collect();
    let grid = Grid::new(&entries, usize::from(area.width), usize::from(area.height));
    let height = u16::try_from(grid.rows + 1)
        .unwrap_or(area.height)
        .min(area.height);
    let table = Rect {
        y: area.bottom() - height,
        height,
        ..area
    };
    Clear.render(table, buffer);
    let mut rows = table.rows();
    if let Some(row) = rows.next() {
        buffer.set_line(row.x, row.y, &title(keymap, look, row.width), row.width);
    }
    for (index, row) in rows.enumerate() {
        let line = grid.line(&entries, index, look);
        buffer.set_line(row.x, row.y, &line, row.width);
    }
}

/// A rule that says what was pressed and how to take it back.
fn title(keymap: &Keymap, look: Look<'_>, width: u16) -> Line<'static> {
    let rule = look.symbols.rule();
    let leader = keymap.label(Context::Global, Action::Leader);
    let escape = keymap.label(Context::Global, Action::Escape);
    let (before, back) = (rule.repeat(2), format!(" {escape} back "));
    let used = str_width(leader) + str_width(&back) + 6;
    let between = rule.repeat(usize::from(width).saturating_sub(used));
    let (muted, accent) = (
        look.theme.style(Meaning::TextMuted),
        look.theme.style(Meaning::Accent),
    );
    Line::from(vec![
        Span::styled(before.clone(), muted),
        Span::styled(format!(" {leader} "), accent),
        Span::styled(between, muted),
        Span::styled(back, muted),
        Span::styled(before, muted),
    ])
}

/// How the entries stand: down first, then across.
struct Grid {
    rows: usize,
    columns: usize,
    key: usize,
    gap: usize,
    key_gap: usize,
    /// Columns of text of a cell, its key included.
    cell: usize,
}

impl Grid {
    fn new(entries: &[(&str, &str)], width: usize, height: usize) -> Self {
        let widest = |widths: &mut dyn Iterator<Item = usize>| widths.max().unwrap_or(0);
        let key = widest(&mut entries.iter().map(|(key, _)| str_width(key)));
        let words = widest(&mut entries.iter().map(|(_, words)| str_width(words)));
        let room = width.saturating_sub(2);
        let [gap, key_gap] = WIDE;
        let fit = ((room + gap) / (key + key_gap + words + gap)).max(1);
        let least = entries.len().div_ceil(height.saturating_sub(1).max(1));
        let columns = fit.max(least).max(1);
        let [gap, key_gap] = if columns > fit { NARROW } else { WIDE };
        let whole = key + key_gap + words;
        let cell = whole.min(((room + gap) / columns).saturating_sub(gap));
        Self {
            rows: entries.len().div_ceil(columns),
            columns,
            key,
            gap,
            key_gap,
            cell,
        }
    }

    fn line(&self, entries: &[(&str, &str)], row: usize, look: Look<'_>) -> Line<'static> {
        let mut spans = vec![Span::raw(" ")];
        for column in 0..self.columns {
            let Some((key, words)) = entries.get(column * self.rows + row) else {
                break;
            };
            let room = self.cell.saturating_sub(self.key + self.key_gap);
            let cut = truncate(words, room).replace(ELLIPSIS, look.symbols.ellipsis());
            let key_gap = self.key + self.key_gap - str_width(key);
            let gap = room.saturating_sub(str_width(&cut)) + self.gap;
            spans.push(Span::styled((*key).to_owned(), look.theme.style(Meaning::Accent)));
            spans.push(Span::styled(
                format!("{}{cut}{}", " ".repeat(key_gap), " ".repeat(gap)),
                look.theme.style(Meaning::Text),
            ));
        }
        Line::from(spans)
    }
}
