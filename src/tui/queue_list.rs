//! What waits to be sent, above the composer: one row each, the newest last.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::session::{Queued, QueuedKind};
use crate::text::sanitize::sanitize_line;
use crate::text::width::truncate;
use crate::view::Symbols;
use crate::view::theme::{Meaning, Theme};

/// Rows at most; the oldest are counted in the first one.
const LIMIT: usize = 4;

/// One input that waits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Waiting<'a> {
    pub(crate) label: &'static str,
    pub(crate) text: &'a str,
}

impl<'a> Waiting<'a> {
    pub(crate) fn of(queued: &'a Queued) -> Self {
        let label = match queued.kind {
            QueuedKind::Steer => "steer",
            QueuedKind::Queue => "queue",
            QueuedKind::Held => "held",
        };
        Self {
            label,
            text: &queued.text,
        }
    }
}

pub(crate) fn rows(count: usize) -> u16 {
    u16::try_from(count.min(LIMIT)).unwrap_or(u16::MAX)
}

pub(crate) fn draw(
    waiting: &[Waiting<'_>],
    area: Rect,
    buffer: &mut Buffer,
    theme: &Theme,
    symbols: Symbols,
) {
    let muted = theme.style(Meaning::TextMuted);
    let hidden = waiting.len().saturating_sub(usize::from(area.height));
    for (row, input) in area.rows().zip(&waiting[hidden..]) {
        let first_line = input.text.trim().lines().next().unwrap_or_default();
        let room = usize::from(row.width).saturating_sub(9);
        let text = sanitize_line(first_line);
        let mut spans = vec![
            Span::styled(format!(" {:<5} {} ", input.label, symbols.bar()), muted),
            Span::styled(truncate(&text, room).into_owned(), theme.style(Meaning::Text)),
        ];
        if row.y == area.y && hidden > 0 {
            spans.push(Span::styled(format!(" {} {hidden} more", symbols.dot()), muted));
        }
        buffer.set_line(row.x, row.y, &Line::from(spans), row.width);
    }
}
