//! The part of a question that scrolls: lines that are laid out once, and those of them that are on screen.

use ratatui::text::Line;

use super::draw::window;
use crate::tui::layer::{LayerCx, page_rows};

/// Lines that were laid out for `K`: the width, the look and whatever else they depend on.
pub(super) struct ScrolledLines<K> {
    key: Option<K>,
    lines: Vec<Line<'static>>,
    /// The first line on screen.
    pub(super) top: usize,
    /// Rows on screen; 0 before the first frame.
    pub(super) height: usize,
}

impl<K> Default for ScrolledLines<K> {
    fn default() -> Self {
        Self {
            key: None,
            lines: Vec::new(),
            top: 0,
            height: 0,
        }
    }
}

impl<K: PartialEq> ScrolledLines<K> {
    pub(super) fn is_laid_out_for(&self, key: &K) -> bool {
        self.key.as_ref() == Some(key)
    }

    pub(super) fn set(&mut self, key: K, lines: Vec<Line<'static>>) {
        self.key = Some(key);
        self.lines = lines;
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn last_top(&self) -> usize {
        self.lines.len().saturating_sub(self.height)
    }

    /// Scrolls by rows; says whether there is more than fits.
    pub(super) fn scroll_by(&mut self, rows: isize) -> bool {
        self.top = self.top.saturating_add_signed(rows).min(self.last_top());
        self.last_top() > 0
    }

    pub(super) fn page_rows(&self) -> isize {
        page_rows(self.height)
    }

    /// Returns the lines that are on screen.
    pub(super) fn shown(&self, width: u16, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
        window(&self.lines, self.top, self.height, width, cx)
    }
}
