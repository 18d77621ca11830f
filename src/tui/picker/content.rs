//! The content of a list.

use ratatui::layout::Size;
use ratatui::text::Line;

use super::Row;
use crate::conversation::SessionId;
use crate::session::host::FoundText;
use crate::tui::layer::LayerRequest;
use crate::view::Look;

/// The content of a list. Rows are named by their number, which holds as long as the list is open.
pub(crate) trait ListContent {
    /// Heads the list.
    fn title(&self) -> &'static str;

    fn rows(&self) -> Vec<Row>;

    /// Said where there is not one row.
    fn nothing(&self) -> &'static str {
        "There is nothing to choose."
    }

    /// Said where no row is what is looked for.
    fn nothing_matches(&self) -> &'static str {
        "Nothing matches."
    }

    /// Returns the request for its rows, where they are looked up once it is open.
    fn request(&self) -> Option<LayerRequest> {
        None
    }

    fn pick(&mut self, row: usize) -> Option<LayerRequest>;

    /// The selection has come to this row.
    fn pass(&mut self, _row: usize) -> Option<LayerRequest> {
        None
    }

    /// The list is left without a choice.
    fn leave(&mut self) -> Option<LayerRequest> {
        None
    }

    /// Returns the identity of the row, where the list may be listed anew while it is open.
    fn key(&self, _row: usize) -> Option<&str> {
        None
    }

    /// Something else is looked for.
    fn typed(&mut self, _text: &str) -> Option<LayerRequest> {
        None
    }

    /// Lists more, or less again.
    fn widen(&mut self) -> Option<LayerRequest> {
        None
    }

    /// Returns the effect of the key that lists more or less, where there is one, as the hints say it.
    fn widen_verb(&self) -> Option<&'static str> {
        None
    }

    /// Returns true if rows can be renamed and deleted.
    fn is_editable(&self) -> bool {
        false
    }

    /// Returns the request that deletes the row, or a notice where it cannot be deleted.
    fn delete(&mut self, _row: usize) -> Option<LayerRequest> {
        None
    }

    /// The name to begin with when the row is renamed, or what is said where it cannot be.
    fn name(&self, _row: usize) -> Option<Result<String, LayerRequest>> {
        None
    }

    fn rename(&mut self, _row: usize, _name: &str) -> Option<LayerRequest> {
        None
    }

    /// Lists the row before others, or no longer.
    fn pin(&mut self, _row: usize) -> Option<LayerRequest> {
        None
    }

    /// Returns the tags of the row, where it can have some, and a remark for whoever writes them.
    fn tags(&self, _row: usize) -> Option<(String, String)> {
        None
    }

    fn tag(&mut self, _row: usize, _tags: &str) -> Option<LayerRequest> {
        None
    }

    /// Takes in texts of a session that were looked up: around what was searched for, or last.
    fn looked(&mut self, _session: &SessionId, _searched: &str, _words: Vec<FoundText>) {}

    /// Returns true if there is something to be shown beside the list.
    fn previews(&self) -> bool {
        true
    }

    /// Returns the lines beside the list while the selection is on this row, for an area of this size. They have to be
    /// clean.
    fn preview(&self, _row: usize, _size: Size, _look: Look<'_>) -> Vec<Line<'static>> {
        Vec::new()
    }
}
