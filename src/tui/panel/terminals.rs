//! The section of terminals: one row for each, with what its program waits for.

use ratatui::text::Span;

use super::row::{Row, apart};
use super::{CursorPosition, Panel};
use crate::conversation::{TerminalInput, TerminalOwner, TerminalRow, TerminalStatus};
use crate::text::sanitize::sanitize_line;
use crate::text::width::truncate;
use crate::view::styled_text::columns;
use crate::view::theme::Meaning;
use crate::view::{Look, Symbols};

/// Columns of a name.
const NAME: usize = 12;

impl Panel {
    pub(super) fn terminal_rows(&self, width: usize, look: Look<'_>, rows: &mut Vec<Row>) {
        for (place, row) in self.terminals.iter().enumerate() {
            let spot = CursorPosition::Terminal(place);
            rows.push(Row::new(spot, terminal_row(row, width, look)));
        }
    }

    pub(super) fn terminal_figures(&self, look: Look<'_>) -> Vec<Span<'static>> {
        let running = self
            .terminals
            .iter()
            .filter(|row| row.status.is_running())
            .count();
        let figures = format!("{running} running");
        vec![Span::styled(figures, look.theme.style(Meaning::TextMuted))]
    }
}

/// Returns the row of one terminal: `? dev  python3 manage.py    hidden input`.
fn terminal_row(row: &TerminalRow, width: usize, look: Look<'_>) -> Vec<Span<'static>> {
    let (sign, meaning) = sign(row, look.symbols);
    let text = if row.status.is_running() {
        Meaning::Text
    } else {
        Meaning::TextMuted
    };
    let (state, state_meaning) = state(row);
    let right = vec![Span::styled(state, look.style(state_meaning))];
    let name = truncate(&sanitize_line(&row.name), NAME).replace('…', look.symbols.ellipsis());
    let mut left = vec![
        Span::styled(format!("{sign} "), look.style(meaning)),
        Span::styled(format!("{name}  "), look.style(text)),
    ];
    let room = width.saturating_sub(columns(&left) + columns(&right) + 1);
    let command = sanitize_line(row.title.as_ref().unwrap_or(&row.command)).into_owned();
    let command = truncate(&command, room).replace('…', look.symbols.ellipsis());
    left.push(Span::styled(command, look.style(Meaning::TextMuted)));
    apart(left, right, width)
}

/// Returns how a terminal stands, in a word or two.
fn state(row: &TerminalRow) -> (String, Meaning) {
    match (row.status, row.waits_for, row.owner) {
        (TerminalStatus::Running, Some(TerminalInput::Hidden), _) => {
            ("hidden input".to_owned(), Meaning::StateAsking)
        }
        (TerminalStatus::Running, Some(TerminalInput::Line), _) => {
            ("waiting for input".to_owned(), Meaning::StateAsking)
        }
        (TerminalStatus::Running, None, TerminalOwner::Person) => ("yours".to_owned(), Meaning::TextMuted),
        (TerminalStatus::Running, None, TerminalOwner::Shared) if row.is_exclusive => {
            ("in your control".to_owned(), Meaning::TextMuted)
        }
        (TerminalStatus::Running, None, TerminalOwner::Shared) => (String::new(), Meaning::TextMuted),
        (ended, _, _) => (ended.words(), Meaning::TextMuted),
    }
}

fn sign(row: &TerminalRow, symbols: Symbols) -> (&'static str, Meaning) {
    let (unicode, ascii, meaning) = match (row.status, row.waits_for) {
        (TerminalStatus::Running, Some(_)) => ("?", "?", Meaning::StateAsking),
        (TerminalStatus::Running, None) => ("▸", ">", Meaning::Accent),
        (TerminalStatus::Exited(0), _) => ("✓", "+", Meaning::Success),
        _ => ("✗", "x", Meaning::StateFailed),
    };
    (symbols.pick(unicode, ascii), meaning)
}
