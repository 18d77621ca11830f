//! The keys, from the table that reads them: all of them as a page, those of the leader as a table that follows it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use super::{PageCx, PageKind, Sheet};
use crate::tui::keymap::{Action, Binding, Context, Keymap};
use crate::view::Symbols;
use crate::view::theme::{Meaning, Theme};

/// Columns for the names of keys.
const KEY_COLUMNS: usize = 26;
/// Keys that are named of each line; the others are there for habits from elsewhere.
const KEYS: usize = 2;

pub(super) struct Keys;

impl Sheet for Keys {
    fn kind(&self) -> PageKind {
        PageKind::Keys
    }

    fn name(&self) -> &'static str {
        "help"
    }

    fn title(&self) -> String {
        "Keys".to_owned()
    }

    fn lines(&self, _width: usize, cx: &PageCx<'_>) -> Vec<Line<'static>> {
        lines(cx.keymap, cx.look.theme, cx.look.symbols)
    }
}

fn lines(keymap: &Keymap, theme: &Theme, symbols: Symbols) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for context in Context::ALL {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.push(Line::styled(
            format!(" {}", title(context, keymap)),
            theme.style(Meaning::TextStrong),
        ));
        lines.extend(
            keymap
                .bindings(context)
                .map(|binding| row(binding, theme, symbols)),
        );
    }
    lines
}

fn title(context: Context, keymap: &Keymap) -> String {
    match context {
        Context::Leader => format!("After {}", keymap.label(Context::Global, Action::Leader)),
        _ => context.title().to_owned(),
    }
}

fn row(binding: &Binding, theme: &Theme, symbols: Symbols) -> Line<'static> {
    let keys = &binding.keys[..binding.keys.len().min(KEYS)];
    let keys = keys.join(&format!(" {} ", symbols.dot()));
    let padding = KEY_COLUMNS
        .saturating_sub(crate::text::width::str_width(&keys))
        .max(2);
    Line::from(vec![
        Span::styled(format!("   {keys}"), theme.style(Meaning::Accent)),
        Span::styled(
            format!("{}{}", " ".repeat(padding), binding.description),
            theme.style(Meaning::Text),
        ),
    ])
}

/// Draws what may follow the leader, at the bottom of `area`.
pub(crate) fn draw_leader(area: Rect, buffer: &mut Buffer, keymap: &Keymap, theme: &Theme, symbols: Symbols) {
    let lines: Vec<_> = keymap
        .bindings(Context::Leader)
        .map(|binding| row(binding, theme, symbols))
        .collect();
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(area.height);
    let table = Rect {
        y: area.bottom() - height,
        height,
        ..area
    };
    Clear.render(table, buffer);
    for (row, line) in table.rows().zip(&lines) {
        buffer.set_line(row.x, row.y, line, row.width);
    }
}
