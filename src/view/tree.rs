//! Nested names, each on a line of its own.

use ratatui::text::Line;

use super::card::TreeRow;
use super::look::Look;
use super::styled_text::StyledText;
use super::theme::Meaning;

/// Columns a level moves in.
const STEP: usize = 2;

pub(crate) fn lines(rows: &[TreeRow], width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let line = |row: &TreeRow| {
        let mut flow = StyledText::default();
        // A deep name keeps half of the row.
        let indent = row.depth.saturating_mul(STEP).min(width / 2);
        flow.push_clean(&" ".repeat(indent), look.style(Meaning::Text));
        flow.push_line(&row.text, look.style(Meaning::Text));
        Line::from(flow.cut(width, look.symbols.ellipsis()))
    };
    rows.iter().map(line).collect()
}
