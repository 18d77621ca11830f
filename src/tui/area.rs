//! Parts of an area of the screen, and of a list that it shows.

use ratatui::layout::Rect;

/// Returns what is left of an area below its first rows.
pub(crate) fn below(area: Rect, rows: u16) -> Rect {
    let rows = rows.min(area.height);
    Rect {
        y: area.y + rows,
        height: area.height - rows,
        ..area
    }
}

/// Returns the last rows of an area.
pub(crate) fn last_rows(area: Rect, rows: u16) -> Rect {
    below(area, area.height.saturating_sub(rows))
}

/// Returns what is left of an area without its last rows.
pub(crate) fn above(area: Rect, rows: u16) -> Rect {
    Rect {
        height: area.height.saturating_sub(rows),
        ..area
    }
}

/// Returns this many rows of an area from one of its rows on, or as many as are there.
pub(crate) fn rows_at(area: Rect, row: u16, rows: u16) -> Rect {
    let rest = below(area, row);
    above(rest, rest.height.saturating_sub(rows))
}

/// Returns the first row on screen of a list that is this high, from where it was: the chosen row is in sight, and no
/// row is left free that the list could fill.
pub(crate) fn top_in_sight(top: usize, chosen: usize, rows: usize, height: usize) -> usize {
    let lowest = (chosen + 1).saturating_sub(height);
    let top = top.clamp(lowest, chosen.max(lowest));
    top.min(rows.saturating_sub(height))
}
