//! What can be picked. A new place is its file, its `mod` line here, and its line where the screen opens it.

mod agents;
mod models;
mod palette;
mod themes;

pub(crate) use agents::AgentRows;
pub(crate) use models::ModelRows;
pub(crate) use palette::Palette;
pub(crate) use themes::ThemeRows;

use super::{Row, Wish};
use crate::view::Look;
use ratatui::text::Line;

/// What a list is of. Rows are named by their number, which holds as long as the list is open.
pub(crate) trait Place {
    /// Heads the list.
    fn title(&self) -> &'static str;

    /// What `enter` does, as the hints say it.
    fn verb(&self) -> &'static str;

    fn rows(&self) -> Vec<Row>;

    /// Said where there is not one row.
    fn nothing(&self) -> &'static str {
        "There is nothing to pick."
    }

    fn pick(&mut self, row: usize) -> Option<Wish>;

    /// The selection has come to this row.
    fn pass(&mut self, _row: usize) -> Option<Wish> {
        None
    }

    /// The list is left without a choice.
    fn leave(&mut self) -> Option<Wish> {
        None
    }

    /// Whether there is something to be shown beside the list.
    fn previews(&self) -> bool {
        false
    }

    /// What is shown beside the list while the selection is on this row, for so many columns. It has to be clean.
    fn preview(&self, _row: usize, _columns: u16, _look: Look<'_>) -> Vec<Line<'static>> {
        Vec::new()
    }
}
