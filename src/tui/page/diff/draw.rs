//! The page on screen: which changes, the rows with the one that is pointed at, and what is written about it.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use super::super::rows::{changed_file, failure, remark};
use super::rows::DiffRow;
use super::{Diff, SCOPES};
use crate::session::query::{ChangeScope, ChangedFile, FileState};
use crate::text::count::plural;
use crate::text::sanitize::sanitize_line;
use crate::text::width::{str_width, truncate};
use crate::tui::composer::{ComposerStyle, field};
use crate::tui::layer::LayerCx;
use crate::view::card::DiffBody;
use crate::view::diff;
use crate::view::styled_text::draw_lines;
use crate::view::theme::Meaning;

/// Columns before a row: the pointer and the sign of a comment.
const MARGIN: usize = 3;
/// Columns of a file's row at most: the figures stand near the names, where the eye finds them.
const LISTED: usize = 76;

impl Diff {
    pub(super) fn draw_all(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        Clear.render(area, buffer);
        self.draw_heading(area, buffer, cx);
        let below = u16::from(self.writing.is_some() || self.comment_at().is_some());
        let body = Rect {
            y: area.y + 2,
            height: area.height.saturating_sub(2 + below),
            ..area
        };
        self.height = usize::from(body.height);
        if self.rows.is_empty() {
            draw_lines(&self.nothing(usize::from(area.width), cx), body, buffer);
            return None;
        }
        self.keep_in_sight();
        self.draw_rows(body, buffer, cx);
        let line = Rect {
            y: body.bottom(),
            height: below,
            ..area
        };
        self.draw_comment(line, buffer, cx)
    }

    fn keep_in_sight(&mut self) {
        let last_top = self.rows.len().saturating_sub(self.height);
        let lowest = (self.at + 1).saturating_sub(self.height);
        self.top = self.top.clamp(lowest, self.at.max(lowest)).min(last_top);
    }

    fn draw_heading(&self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) {
        let muted = cx.look.style(Meaning::TextMuted);
        let mut spans = vec![Span::styled(" Changes", cx.look.style(Meaning::TextStrong))];
        for scope in SCOPES {
            let is_narrow = area.width < 60;
            let name = match scope {
                ChangeScope::Session => "session",
                ChangeScope::Turn if is_narrow => "turn",
                ChangeScope::Turn => "last turn",
                ChangeScope::WorkTree if is_narrow => "tree",
                ChangeScope::WorkTree => "work tree",
            };
            let is_chosen = scope == self.scope;
            spans.push(Span::styled(format!(" {} ", cx.look.symbols.dot()), muted));
            let style = if is_chosen {
                Meaning::Accent
            } else {
                Meaning::TextMuted
            };
            spans.push(Span::styled(name, cx.look.style(style)));
        }
        let left = Line::from(spans);
        let files = self.files();
        let sum = |count: fn(&ChangedFile) -> usize| files.iter().map(count).sum::<usize>();
        let text = format!(
            "{} +{} {}{} ",
            plural(files.len(), "file"),
            sum(|file| file.additions),
            cx.look.symbols.minus(),
            sum(|file| file.deletions)
        );
        let room = usize::from(area.width).saturating_sub(left.width() + 2);
        buffer.set_line(area.x, area.y, &left, area.width);
        if !files.is_empty() && str_width(&text) <= room {
            // Above the figures of the files.
            let end = area.width.min((MARGIN + LISTED + 1) as u16);
            let x = area.x + end.max((left.width() + 2 + str_width(&text)) as u16) - str_width(&text) as u16;
            buffer.set_string(x, area.y, text, muted);
        }
    }

    /// Returns the lines in the place of changes.
    fn nothing(&self, width: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
        let changes = match &self.change_set {
            None => return remark("Comparing.", width, cx),
            Some(Err(sentence)) => return failure(sentence, width, cx),
            Some(Ok(changes)) => changes,
        };
        let mut lines = remark(self.scope.nothing(), width, cx);
        if let Some(note) = &changes.note {
            lines.extend(remark(note, width, cx));
        }
        lines
    }

    fn draw_rows(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) {
        let width = usize::from(area.width).saturating_sub(MARGIN + 1);
        let wanted = Some((width, cx.look.key()));
        if self.drawn_for != wanted {
            self.drawn.clear();
            self.drawn_for = wanted;
        }
        for (row, place) in area.rows().zip(self.top..self.rows.len()) {
            let line = self.row(place, width, cx);
            let text = Rect {
                x: row.x + MARGIN as u16,
                width: row.width.saturating_sub(MARGIN as u16),
                ..row
            };
            buffer.set_line(text.x, text.y, &line, text.width);
            let accent = cx.look.style(Meaning::Accent);
            if place == self.at {
                buffer.set_string(row.x + 1, row.y, cx.look.symbols.pointer(), accent);
            }
            if self.has_comment(place) {
                buffer.set_string(row.x, row.y, "\"", accent);
            }
        }
    }

    fn row(&mut self, place: usize, width: usize, cx: &LayerCx<'_>) -> Line<'static> {
        let row = self.rows[place];
        match row {
            DiffRow::Blank => Line::default(),
            DiffRow::Remark => {
                let note = self
                    .change_set
                    .as_ref()
                    .and_then(|change_set| change_set.as_ref().ok());
                let note = note.and_then(|changes| changes.note.clone()).unwrap_or_default();
                Line::styled(
                    truncate(&note, width).into_owned(),
                    cx.look.style(Meaning::TextMuted),
                )
            }
            DiffRow::Listed(file) => listed(&self.files()[file], width, Meaning::Text, cx),
            DiffRow::File(file) => listed(&self.files()[file], width, Meaning::TextStrong, cx),
            DiffRow::Note(file) => {
                let note = self.files()[file].note.clone().unwrap_or_default();
                Line::styled(
                    truncate(&note, width).into_owned(),
                    cx.look.style(Meaning::Warning),
                )
            }
            DiffRow::Gap { file, .. } | DiffRow::Line { file, .. } => {
                let first = self.first_row(file);
                self.drawn(file, width, cx)
                    .get(place - first)
                    .cloned()
                    .unwrap_or_default()
            }
        }
    }

    /// Returns the first row of a file's diff.
    fn first_row(&self, file: usize) -> usize {
        let is_first = |row: &DiffRow| matches!(row, DiffRow::Line { file: other, .. } if *other == file);
        self.rows.iter().position(is_first).unwrap_or(0)
    }

    fn drawn(&mut self, file: usize, width: usize, cx: &LayerCx<'_>) -> &[Line<'static>] {
        if !self.drawn.contains_key(&file) {
            let changed = &self.files()[file];
            let body = DiffBody {
                path: changed.path.clone(),
                unified: changed.diff.clone(),
                max_lines: 0,
                is_unplaced: false,
            };
            let lines = diff::lines(&body, width, cx.look);
            self.drawn.insert(file, lines);
        }
        &self.drawn[&file]
    }

    fn has_comment(&self, place: usize) -> bool {
        let Some(DiffRow::Line { file, hunk, line }) = self.rows.get(place).copied() else {
            return false;
        };
        if self.comments.is_empty() {
            return false;
        }
        let Some(changed) = self.files().get(file) else {
            return false;
        };
        let hunks = crate::text::diff::parse_unified(&changed.diff);
        let line = hunks.get(hunk).and_then(|hunk| hunk.lines.get(line));
        let Some(line) = line else { return false };
        let mut comments = self.comments.iter();
        comments.any(|comment| {
            comment.path == changed.path
                && Some(comment.line) == line.new_line.or(line.old_line)
                && comment.is_gone == line.new_line.is_none()
        })
    }

    fn draw_comment(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        if area.height == 0 {
            return None;
        }
        if let Some(writing) = &mut self.writing {
            let look = ComposerStyle::new("\" ", "What about this line?", cx.look.theme);
            return writing.draw(field(area), buffer, &look);
        }
        let text = self
            .comment_at()
            .map(|comment| sanitize_line(&comment.text).into_owned())?;
        let line = Line::from(vec![
            Span::styled(" \" ", cx.look.style(Meaning::Accent)),
            Span::styled(text, cx.look.style(Meaning::Text)),
        ]);
        buffer.set_line(area.x, area.y, &line, area.width);
        None
    }
}

/// `src/a.rs · moved from b.rs        +6 -2`.
fn listed(file: &ChangedFile, width: usize, meaning: Meaning, cx: &LayerCx<'_>) -> Line<'static> {
    let dot = cx.look.symbols.dot();
    let state = match &file.state {
        FileState::Changed => String::new(),
        FileState::Added => format!(" {dot} new"),
        FileState::Removed => format!(" {dot} removed"),
        FileState::Moved(from) => format!(" {dot} was {}", sanitize_line(from)),
    };
    let name = format!("{}{state}", sanitize_line(&file.path));
    let figures = (file.additions as u64, file.deletions as u64);
    Line::from(changed_file(&name, figures, width.min(LISTED), meaning, cx))
}
