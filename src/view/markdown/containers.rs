//! The containers that are open at one place of a block: lists, and quotes and items, which put something before every
//! line of the leaves in them. An empty line stands between two leaves where their container is loose.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::text::width;
use crate::view::styled_text::MEASURE;

pub(super) struct Containers {
    /// Columns of the whole.
    width: usize,
    prefixes: Vec<Prefix>,
    levels: Vec<Level>,
    /// True if the next leaf stands right under the last one.
    hugs: bool,
}

/// The text before the lines of a container.
pub(super) struct Prefix {
    /// Before the first line; taken by it.
    marker: Option<String>,
    rest: String,
    style: Style,
    width: usize,
}

/// A container's memory of what was drawn in it.
struct Level {
    is_loose: bool,
    has_content: bool,
    /// Prefixes that stand before the gaps in it.
    prefixes: usize,
}

impl Prefix {
    pub(super) fn new(marker: Option<String>, rest: String, style: Style) -> Self {
        Self {
            width: width::str_width(&rest),
            marker,
            rest,
            style,
        }
    }

    fn empty(style: Style) -> Self {
        Self::new(None, String::new(), style)
    }
}

impl Containers {
    pub(super) fn new(width: usize) -> Self {
        let mut containers = Self {
            width,
            prefixes: Vec::new(),
            levels: Vec::new(),
            hugs: false,
        };
        containers.open_list(true);
        containers
    }

    /// Opens a container, without its prefix where too little room would be left for the lines.
    pub(super) fn open(&mut self, prefix: Prefix, is_loose: bool) {
        let fits = self.used() + prefix.width <= self.width / 2;
        self.prefixes
            .push(if fits { prefix } else { Prefix::empty(prefix.style) });
        self.open_list(is_loose);
    }

    pub(super) fn open_list(&mut self, is_loose: bool) {
        self.levels.push(Level {
            is_loose,
            has_content: false,
            prefixes: self.prefixes.len(),
        });
    }

    pub(super) fn close(&mut self) {
        self.prefixes.pop();
        self.close_list();
    }

    pub(super) fn close_list(&mut self) {
        self.levels.pop();
    }

    /// Returns true if no line has taken the marker of the innermost item.
    pub(super) fn is_empty_item(&self) -> bool {
        self.prefixes.last().is_some_and(|prefix| prefix.marker.is_some())
    }

    /// No gap stands before the next leaf.
    pub(super) fn hug_next(&mut self) {
        self.hugs = true;
    }

    /// Puts a mark in the place of the innermost item's bullet; returns false where it has none or no room.
    pub(super) fn tick(&mut self, bullet: &str, mark: &str) -> bool {
        let (used, room) = (self.used(), self.width / 2);
        let item = self.prefixes.last_mut().filter(|prefix| {
            let marker = prefix.marker.as_ref();
            let has_bullet = marker.is_some_and(|marker| marker.trim_end() == bullet);
            has_bullet && used - prefix.width + mark.len() <= room
        });
        let Some(item) = item else { return false };
        *item = Prefix::new(Some(mark.to_owned()), " ".repeat(mark.len()), item.style);
        true
    }

    pub(super) fn room(&self) -> usize {
        self.left_of(self.width)
    }

    /// Columns that a line of prose has.
    pub(super) fn measure(&self) -> usize {
        self.left_of(self.width.min(MEASURE))
    }

    /// Returns how many of these columns the containers leave.
    fn left_of(&self, columns: usize) -> usize {
        columns.saturating_sub(self.used()).max(1)
    }

    fn used(&self) -> usize {
        self.prefixes.iter().map(|prefix| prefix.width).sum()
    }

    /// Adds the lines of a leaf, with what stands before them and the gap that is due.
    pub(super) fn add(&mut self, leaf: Vec<Line<'static>>, lines: &mut Vec<Line<'static>>) {
        if leaf.is_empty() {
            return;
        }
        // The innermost container that was there before decides.
        let before = self.levels.iter().rev().find(|level| level.has_content);
        let hugs = std::mem::take(&mut self.hugs);
        let gap = before.filter(|level| level.is_loose && !hugs);
        if let Some(prefixes) = gap.map(|level| level.prefixes) {
            let bars = self.prefix_spans(prefixes);
            lines.push(without_blank_end(Line::from(bars)));
        }
        for level in &mut self.levels {
            level.has_content = true;
        }
        for line in leaf {
            let mut spans = self.first_prefix_spans();
            let style = line.style;
            spans.extend(line.spans);
            lines.push(without_blank_end(Line::from(spans).style(style)));
        }
    }

    fn first_prefix_spans(&mut self) -> Vec<Span<'static>> {
        let mut spans = Vec::with_capacity(self.prefixes.len() + 2);
        for prefix in self.prefixes.iter_mut().filter(|prefix| prefix.width > 0) {
            let text = prefix.marker.take().unwrap_or_else(|| prefix.rest.clone());
            spans.push(Span::styled(text, prefix.style));
        }
        spans
    }

    fn prefix_spans(&self, count: usize) -> Vec<Span<'static>> {
        let shown = self.prefixes[..count].iter().filter(|prefix| prefix.width > 0);
        shown
            .map(|prefix| Span::styled(prefix.rest.clone(), prefix.style))
            .collect()
    }
}

/// Takes spaces off the end of a line.
fn without_blank_end(mut line: Line<'static>) -> Line<'static> {
    while let Some(last) = line.spans.last_mut() {
        let kept = last.content.trim_end_matches(' ').len();
        if kept == last.content.len() && kept > 0 {
            break;
        }
        if kept == 0 {
            line.spans.pop();
            continue;
        }
        last.content.to_mut().truncate(kept);
        break;
    }
    line
}
