//! Styled text before it is broken into rows.
//!
//! Every text that is drawn passes through here, and so does the rule that nothing from outside reaches the terminal as
//! a control: [`StyledText::push`] sanitises. Breaking is left to `text::wrap`, which speaks of bytes; styles are laid over
//! its answer.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use unicode_segmentation::GraphemeCursor;

use super::highlight::CodeRun;
use super::look::Look;
use super::theme::Meaning;
use crate::text::sanitize::{self, MarkKind, Revealed};
use crate::text::width;
use crate::text::wrap;

pub(crate) const TAB: usize = 4;
/// Maximum columns of a line of prose: longer lines are hard to read. Source and tables take what there is.
pub(crate) const MEASURE: usize = 100;

/// A text and the styles of its runs.
#[derive(Debug, Clone, Default)]
pub(crate) struct StyledText {
    text: String,
    /// End of each run, and its style. A run is never empty.
    runs: Vec<(usize, Style)>,
}

impl StyledText {
    /// Adds a text from outside; line breaks in it stay.
    pub(crate) fn push(&mut self, text: &str, style: Style) {
        let clean = sanitize::sanitize(text);
        self.push_clean(&sanitize::expand_tabs(&clean, TAB), style);
    }

    /// Adds a text from outside on the line that is open.
    pub(crate) fn push_line(&mut self, text: &str, style: Style) {
        self.push_clean(&sanitize::sanitize_line(text), style);
    }

    /// Adds a text that is our own or was sanitised.
    pub(crate) fn push_clean(&mut self, text: &str, style: Style) {
        if text.is_empty() {
            return;
        }
        self.text.push_str(text);
        match self.runs.last_mut() {
            Some((end, last)) if *last == style => *end = self.text.len(),
            _ => self.runs.push((self.text.len(), style)),
        }
    }

    /// Adds a text that is judged; what stands in it for something unseen has a style of its own.
    pub(crate) fn push_revealed(&mut self, text: &Revealed, style: Style, look: Look<'_>) {
        let start = self.text.len();
        self.push_clean(text.as_str(), style);
        self.patch_marks(start, text, look);
    }

    /// Adds source that is judged, with the runs the highlighter found.
    pub(crate) fn push_revealed_code(&mut self, text: &Revealed, runs: &[CodeRun], look: Look<'_>) {
        let start = self.text.len();
        self.push_code(text.as_str(), runs, look);
        self.patch_marks(start, text, look);
    }

    /// Lays the styles of its marks over a text that was added at `start`.
    fn patch_marks(&mut self, start: usize, text: &Revealed, look: Look<'_>) {
        for mark in text.marks() {
            let meaning = match mark.kind {
                MarkKind::Name => Meaning::Warning,
                MarkKind::Blank => Meaning::Rule,
            };
            let range = mark.range.start + start..mark.range.end + start;
            self.patch(range, look.style(meaning));
        }
    }

    /// Adds source that was sanitised, with the runs the highlighter found.
    pub(crate) fn push_code(&mut self, text: &str, runs: &[CodeRun], look: Look<'_>) {
        let mut start = 0;
        for run in runs {
            self.push_clean(&text[start..run.end], look.style(run.meaning));
            start = run.end;
        }
    }

    /// Takes line breaks off the end.
    pub(crate) fn trimmed(mut self) -> Self {
        let kept = self.text.trim_end_matches('\n').len();
        self.text.truncate(kept);
        let runs = self.runs.partition_point(|(end, _)| *end < kept);
        self.runs.truncate(runs + 1);
        if let Some((end, _)) = self.runs.last_mut() {
            *end = kept;
        }
        self
    }

    pub(crate) fn append(&mut self, other: &Self) {
        let mut start = 0;
        for (end, style) in &other.runs {
            self.push_clean(&other.text[start..*end], *style);
            start = *end;
        }
    }

    /// Returns the first bytes.
    pub(crate) fn until(&self, limit: usize) -> Self {
        let mut first = Self::default();
        let mut start = 0;
        for (end, style) in &self.runs {
            let end = (*end).min(limit);
            if end > start {
                first.push_clean(&self.text[start..end], *style);
                start = end;
            }
        }
        first
    }

    /// Returns what stands after the first bytes.
    pub(crate) fn after(&self, mut start: usize) -> Self {
        let mut rest = Self::default();
        for (end, style) in &self.runs {
            if *end > start {
                rest.push_clean(&self.text[start..*end], *style);
                start = *end;
            }
        }
        rest
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.runs.clear();
    }

    /// Returns the columns of a flow without line breaks.
    pub(crate) fn width(&self) -> usize {
        width::str_width(&self.text)
    }

    /// Lays `style` over a range of bytes.
    pub(crate) fn patch(&mut self, range: Range<usize>, style: Style) {
        let mut patched = Vec::with_capacity(self.runs.len() + 2);
        let mut start = 0;
        for (end, run) in std::mem::take(&mut self.runs) {
            let inner = range.start.clamp(start, end)..range.end.clamp(start, end);
            for (stop, style) in [(inner.start, run), (inner.end, run.patch(style)), (end, run)] {
                if stop > start {
                    patched.push((stop, style));
                    start = stop;
                }
            }
        }
        self.runs = patched;
    }

    /// Moves the ends of runs that lie within a cluster behind it: its parts may be wider apart than they are together.
    pub(crate) fn keep_clusters(&mut self) {
        if self.runs.len() < 2 || self.text.is_ascii() {
            return;
        }
        let text = &self.text;
        let mut last = 0;
        self.runs.retain_mut(|(end, _)| {
            let mut cursor = GraphemeCursor::new(*end, text.len(), true);
            if cursor.is_boundary(text, 0) != Ok(true) {
                *end = cursor.next_boundary(text, 0).ok().flatten().unwrap_or(text.len());
            }
            let is_kept = *end > last;
            last = last.max(*end);
            is_kept
        });
    }

    /// Breaks at words.
    pub(crate) fn rows(&self, width: usize) -> Vec<Vec<Span<'static>>> {
        self.spans_of(wrap::wrap(&self.text, width))
    }

    /// Breaks at words too, and keeps of the blanks behind a row those that can be seen by their style.
    pub(crate) fn rows_with_blanks(&self, width: usize) -> Vec<Vec<Span<'static>>> {
        let mut rows = wrap::wrap(&self.text, width);
        let starts: Vec<usize> = rows.iter().map(|row| row.start).skip(1).collect();
        let limits = starts.into_iter().chain([self.text.len()]);
        for (row, limit) in rows.iter_mut().zip(limits) {
            let room = width.saturating_sub(width::str_width(&self.text[row.clone()]));
            let behind = self.text[row.end..limit].bytes().take(room);
            let blanks = behind.take_while(|byte| *byte == b' ').count();
            let last = (0..blanks)
                .rev()
                .find(|at| shows_blanks(self.style_at(row.end + at)));
            row.end += last.map_or(0, |last| last + 1);
        }
        self.spans_of(rows)
    }

    /// Breaks where the row is full, as source must be.
    pub(crate) fn chopped(&self, width: usize) -> Vec<Vec<Span<'static>>> {
        let mut rows = Vec::new();
        let mut run = 0;
        let mut start = 0;
        while start < self.text.len() || rows.is_empty() {
            let rest = &self.text[start..];
            let taken = width::prefix(rest, width.max(1)).len();
            if taken == 0 && !rest.is_empty() {
                // A wide character has no place in one column.
                start += rest.chars().next().map_or(1, char::len_utf8);
                continue;
            }
            rows.push(self.spans_from(start..start + taken, &mut run));
            start += taken;
        }
        rows
    }

    /// Returns one row, its end replaced by the ellipsis where it is too wide.
    pub(crate) fn cut(&self, width: usize, ellipsis: &str) -> Vec<Span<'static>> {
        let mut run = 0;
        if width::fits(&self.text, width) {
            return self.spans_from(0..self.text.len(), &mut run);
        }
        let room = width.checked_sub(width::str_width(ellipsis));
        let Some(room) = room else {
            let end = width::prefix(&self.text, width).len();
            return self.spans_from(0..end, &mut run);
        };
        let end = width::prefix(&self.text, room).len();
        let mut spans = self.spans_from(0..end, &mut run);
        let style = self.style_at(end);
        spans.push(Span::styled(ellipsis.to_owned(), style));
        spans
    }

    fn style_at(&self, at: usize) -> Style {
        let index = self.runs.partition_point(|(end, _)| *end <= at);
        self.runs
            .get(index)
            .map_or_else(Style::default, |(_, style)| *style)
    }

    /// Returns the spans of ranges that follow each other.
    pub(crate) fn spans_of(&self, rows: Vec<Range<usize>>) -> Vec<Vec<Span<'static>>> {
        let mut run = 0;
        rows.into_iter()
            .map(|range| self.spans_from(range, &mut run))
            .collect()
    }

    /// Returns the spans of a range; `run` is the first run that can touch it, and moves on.
    fn spans_from(&self, range: Range<usize>, run: &mut usize) -> Vec<Span<'static>> {
        let mut spans = Vec::new();
        let mut start = range.start;
        while let Some((end, style)) = self.runs.get(*run) {
            let stop = range.end.min(*end);
            if stop > start {
                spans.push(Span::styled(self.text[start..stop].to_owned(), *style));
                start = stop;
            }
            if *end > range.end {
                break;
            }
            *run += 1;
        }
        spans
    }
}

fn shows_blanks(style: Style) -> bool {
    let lines = Modifier::REVERSED | Modifier::UNDERLINED | Modifier::CROSSED_OUT;
    style.bg.is_some() || style.add_modifier.intersects(lines)
}

/// Returns one styled line of a text from outside, cut at the width.
pub(crate) fn cut_line(text: &str, style: Style, width: usize, ellipsis: &str) -> Line<'static> {
    let mut flow = StyledText::default();
    flow.push_line(text, style);
    Line::from(flow.cut(width, ellipsis))
}

/// Returns how many columns spans take.
pub(crate) fn columns(spans: &[Span<'_>]) -> usize {
    spans.iter().map(|span| width::str_width(&span.content)).sum()
}

/// Draws lines from the top of an area, as many as fit.
pub(crate) fn draw_lines<'a>(
    lines: impl IntoIterator<Item = &'a Line<'static>>,
    area: Rect,
    buffer: &mut Buffer,
) {
    for (row, line) in area.rows().zip(lines) {
        buffer.set_line(row.x, row.y, line, row.width);
    }
}

/// Returns the first line of a text and whether there are more.
pub(crate) fn first_line(text: &str) -> (&str, bool) {
    let trimmed = text.trim();
    match trimmed.split_once('\n') {
        Some((first, _)) => (first.trim_end(), true),
        None => (trimmed, false),
    }
}

#[cfg(test)]
mod tests {
    use ratatui::style::Color;

    use super::*;

    fn text(spans: &[Span<'_>]) -> String {
        spans.iter().map(|span| span.content.as_ref()).collect()
    }

    #[test]
    fn styles_follow_the_text_over_a_break() {
        let red = Style::new().fg(Color::Red);
        let mut flow = StyledText::default();
        flow.push("one ", Style::new());
        flow.push("two three", red);
        let rows = flow.rows(7);
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0], [Span::raw("one "), Span::styled("two", red)]);
        assert_eq!(rows[1], [Span::styled("three", red)]);
    }

    #[test]
    fn a_patch_splits_the_runs_it_touches() {
        let bold = Style::new().bold();
        let mut flow = StyledText::default();
        flow.push("abcdef", Style::new());
        flow.patch(2..4, bold);
        let spans = flow.cut(10, "…");
        assert_eq!(
            spans,
            [Span::raw("ab"), Span::styled("cd", bold), Span::raw("ef")]
        );
    }

    #[test]
    fn a_cluster_has_one_style() {
        let (red, blue) = (Style::new().fg(Color::Red), Style::new().fg(Color::Blue));
        let mut flow = StyledText::default();
        for (text, style) in [("a👩", red), ("\u{200d}", blue), ("💻b", red), ("c", blue)] {
            flow.push_clean(text, style);
        }
        flow.keep_clusters();
        assert_eq!(
            flow.cut(10, "…"),
            [
                Span::styled("a👩\u{200d}💻", red),
                Span::styled("b", red),
                Span::styled("c", blue)
            ]
        );
    }

    #[test]
    fn a_cut_row_fits_and_says_so() {
        let mut flow = StyledText::default();
        flow.push("世界人", Style::new());
        assert_eq!(text(&flow.cut(6, "…")), "世界人");
        assert_eq!(text(&flow.cut(4, "…")), "世…");
        assert_eq!(text(&flow.cut(0, "…")), "");
        assert_eq!(text(&flow.cut(2, "...")), "世");
    }

    #[test]
    fn source_is_broken_where_the_row_is_full() {
        let mut flow = StyledText::default();
        flow.push("  ab cd", Style::new());
        let rows: Vec<_> = flow.chopped(3).iter().map(|row| text(row)).collect();
        assert_eq!(rows, ["  a", "b c", "d"]);
        let mut wide = StyledText::default();
        wide.push("世", Style::new());
        assert_eq!(wide.chopped(1).len(), 1);
    }

    #[test]
    fn controls_do_not_get_in() {
        let mut flow = StyledText::default();
        flow.push("a\u{1b}[31mb\u{7}\tc", Style::new());
        assert_eq!(flow.text(), "ab  c");
    }
}
