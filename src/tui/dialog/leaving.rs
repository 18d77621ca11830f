//! Whether to quit while other sessions are at work. A person has asked for it, so it is never deaf.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use crate::tui::keymap::{Action, Context, Keymap};
use crate::view::Look;
use crate::view::theme::Meaning;

/// A rule, the question and the answers.
const ROWS: u16 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Leaving {
    /// How many others are at work; at least one.
    pub(crate) sessions: usize,
}

impl Leaving {
    /// Draws over the last rows of the area.
    pub(crate) fn draw(self, area: Rect, buffer: &mut Buffer, look: Look<'_>, keymap: &Keymap) {
        let height = ROWS.min(area.height);
        let area = Rect {
            y: area.bottom() - height,
            height,
            ..area
        };
        Clear.render(area, buffer);
        let key = |action| {
            let key = keymap.label(Context::Leaving, action);
            Span::styled(key, look.style(Meaning::Accent))
        };
        let question = match self.sessions {
            1 => " Another session is at work.".to_owned(),
            count => format!(" {count} other sessions are at work."),
        };
        let muted = look.style(Meaning::TextMuted);
        let lines = [
            Line::styled(
                look.symbols.rule().repeat(usize::from(area.width)),
                look.style(Meaning::Rule),
            ),
            Line::styled(question, look.style(Meaning::Warning)),
            Line::from(vec![
                Span::raw(" "),
                key(Action::QuitAnyway),
                Span::styled(" interrupts and quits   ", muted),
                key(Action::Stay),
                Span::styled(" stays", muted),
            ]),
        ];
        for (row, line) in area.rows().zip(&lines) {
            buffer.set_line(row.x, row.y, line, row.width);
        }
    }
}
