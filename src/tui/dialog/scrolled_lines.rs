//! The part of a question that scrolls: lines that are laid out once, and those of them that are on screen.

use ratatui::text::Line;

use crate::text::sanitize::Revealed;
use crate::tui::keymap::{Action, Context};
use crate::tui::layer::{LayerCx, page_rows};
use crate::view::approval::indent;
use crate::view::theme::Meaning;

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

    /// Returns all lines.
    pub(super) fn all(&self) -> &[Line<'static>] {
        &self.lines
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

/// Returns so many lines from `top`; where there are more, the last one says how many and which key goes on.
pub(super) fn window(
    lines: &[Line<'static>],
    top: usize,
    rows: usize,
    width: u16,
    cx: &LayerCx<'_>,
) -> Vec<Line<'static>> {
    let width = usize::from(width);
    let end = (top + rows).min(lines.len());
    let mut shown = lines[top.min(end)..end].to_vec();
    let left = lines.len() - end;
    match shown.as_mut_slice() {
        _ if left == 0 => {}
        [] => {}
        // What there is comes before how much more there is, and is told from it.
        [only] => {
            let dots = Revealed::own("  ").and(cx.look.symbols.ellipsis());
            let count = dots.clone().and(" ").and(left).and(" more rows");
            let key = count
                .clone()
                .and(cx.dot())
                .and(cx.key(Context::Global, Action::PageDown));
            let room = width.saturating_sub(only.width());
            let told = [key, count].into_iter().find(|told| told.width() < room);
            let told = cx.text(told.unwrap_or(dots), Meaning::TextMuted).line();
            only.spans.extend(told.spans);
        }
        [.., last] => {
            let count = Revealed::own(cx.look.symbols.ellipsis()).and(" ").and(left + 1);
            let text = count
                .and(" more rows")
                .and(cx.dot())
                .and(cx.key(Context::Global, Action::PageDown));
            *last = indent(cx.text(text, Meaning::TextMuted).line());
        }
    }
    shown
}
