//! The page on screen: which changes, the rows with the one that is pointed at, and what is written about it.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use super::super::file_diffs::{DiffRow, FileDiffs, LISTED};
use super::super::rows::{MARGIN, failure, remark};
use super::{Comment, Diff, SCOPES};
use crate::session::query::{ChangeScope, ChangedFile};
use crate::text::count::plural;
use crate::text::sanitize::sanitize_line;
use crate::text::width::str_width;
use crate::tui::area::{above, below, last_rows};
use crate::tui::composer::{ComposerStyle, field};
use crate::tui::layer::LayerCx;
use crate::view::styled_text::draw_lines;
use crate::view::theme::Meaning;

impl Diff {
    pub(super) fn draw_all(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        Clear.render(area, buffer);
        self.draw_heading(area, buffer, cx);
        let comment = u16::from(self.writing.is_some() || self.comment_at().is_some());
        let body = above(below(area, 2), comment);
        if self.list.is_empty() {
            draw_lines(&self.nothing(usize::from(area.width), cx), body, buffer);
            return None;
        }
        let comments = &self.comments;
        self.list
            .draw(body, buffer, cx, |list, place| has_comment(comments, list, place));
        self.draw_comment(last_rows(area, comment), buffer, cx)
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
        let files = self.list.files();
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
        let note = match &self.compared {
            None => return remark("Comparing.", width, cx),
            Some(Err(sentence)) => return failure(sentence, width, cx),
            Some(Ok(note)) => note,
        };
        let mut lines = remark(self.scope.nothing(), width, cx);
        if let Some(note) = note {
            lines.extend(remark(note, width, cx));
        }
        lines
    }

    fn draw_comment(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        if area.height == 0 {
            return None;
        }
        if let Some(writing) = &mut self.writing {
            let look = ComposerStyle::new("\" ", "Comment on this line.", cx.look.theme);
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

/// Returns true if there is a comment about the row.
fn has_comment(comments: &[Comment], list: &FileDiffs, place: usize) -> bool {
    let Some(DiffRow::Line { file, hunk, line }) = list.row_at(place) else {
        return false;
    };
    if comments.is_empty() {
        return false;
    }
    let Some(changed) = list.files().get(file) else {
        return false;
    };
    let hunks = crate::text::diff::parse_unified(&changed.diff);
    let line = hunks.get(hunk).and_then(|hunk| hunk.lines.get(line));
    let Some(line) = line else { return false };
    comments.iter().any(|comment| {
        comment.path == changed.path
            && Some(comment.line) == line.new_line.or(line.old_line)
            && comment.is_gone == line.new_line.is_none()
    })
}
