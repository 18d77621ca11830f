//! The permission question on screen: who wants what, the whole of it, one row for each ask, and the keys.
//!
//! The first row and the keys are always there. What is left goes to the asks and then to the body, which scrolls.

use std::path::Path;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::permission::{Permission, Stage};
use crate::text::sanitize::{reveal, sanitize_line};
use crate::text::width::{str_width, truncate, truncate_start};
use crate::text::wrap::wrap;
use crate::tui::composer::{self, Composer};
use crate::tui::keymap::{Action, Context, Keymap};
use crate::tui::surroundings::path_words;
use crate::view::Look;
use crate::view::theme::Meaning;

/// Columns left of everything, as cards have.
pub(super) const INDENT: usize = 3;
/// A directory cut to fewer columns says nothing.
const LEAST_PLACE: usize = 12;
/// Columns left and right of a call that is being edited.
const CALL_MARGIN: u16 = 2;
/// Rows of a remark at most.
const REMARK_ROWS: usize = 3;

/// What drawing depends on besides the question itself.
#[derive(Clone, Copy)]
pub(crate) struct DialogCx<'a> {
    pub(crate) look: Look<'a>,
    pub(crate) keymap: &'a Keymap,
    pub(crate) home: Option<&'a Path>,
    /// Which of how many.
    pub(crate) place: (usize, usize),
    /// The screen is so low that only the keys that answer are named.
    pub(crate) is_low: bool,
}

/// Whether all of the body is in sight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    Whole,
    Cut,
}

impl Permission {
    /// Returns how many rows it would like.
    pub(crate) fn rows(&mut self, width: u16, cx: &DialogCx<'_>) -> u16 {
        self.list_asks(self.ask_count());
        self.lay_out(width, cx);
        let body = match self.stage {
            Stage::Call => usize::from(self.call.rows(width.saturating_sub(CALL_MARGIN))),
            _ => self.laid.as_ref().map_or(0, |laid| laid.lines.len()),
        };
        let keys = self.key_lines(width, Body::Whole, cx).len();
        let rows = 1 + body + self.ask_count() + self.line_rows(width) + keys;
        u16::try_from(rows).unwrap_or(u16::MAX)
    }

    /// Draws, and returns where the caret stands while something is being written.
    pub(crate) fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &DialogCx<'_>) -> Option<Position> {
        if area.is_empty() {
            return None;
        }
        self.lay_out(area.width, cx);
        let mut keys = self.key_lines(area.width, Body::Whole, cx);
        let mut asks = self.share(area, keys.len());
        self.list_asks(asks);
        self.lay_out(area.width, cx);
        if self.last_top() > 0 {
            keys = self.key_lines(area.width, Body::Cut, cx);
            asks = self.share(area, keys.len());
            self.list_asks(asks);
            self.lay_out(area.width, cx);
        }
        self.seek();
        let mut y = area.y;
        let mut put = |line: &Line<'static>| {
            if y < area.bottom() {
                buffer.set_line(area.x, y, line, area.width);
                y += 1;
            }
        };
        put(&self.header(area.width, cx));
        let shown = match self.stage {
            Stage::Call => vec![Line::default(); self.body_rows],
            _ => self.body_lines(cx),
        };
        shown.iter().for_each(&mut put);
        let (lines, written) = self.ask_lines(asks, area.width, cx);
        let asks_at = area.y + u16::try_from(1 + shown.len()).unwrap_or(0);
        lines.iter().for_each(&mut put);
        for row in self.remark_rows(area.width) {
            put(&indented(row, cx.look.theme.style(Meaning::Warning)));
        }
        keys.iter().for_each(&mut put);
        let bottom = y.min(area.bottom().saturating_sub(1));
        match (self.stage, written) {
            (Stage::Pattern, Some(row)) => {
                let column = u16::try_from(self.pattern_column()).unwrap_or(0);
                let row = Rect {
                    x: area.x + column.min(area.width),
                    y: asks_at + u16::try_from(row).unwrap_or(0),
                    width: area.width.saturating_sub(column + 1),
                    height: 1,
                };
                buffer.set_string(row.x, row.y, " ".repeat(usize::from(row.width)), Style::new());
                let bar = cx.look.symbols.bar();
                draw_line(
                    &mut self.pattern,
                    row,
                    buffer,
                    cx,
                    (bar, "what to allow from now on"),
                )
            }
            (Stage::Reason, _) => {
                let row = Rect {
                    x: area.x + 1,
                    y: bottom,
                    width: area.width.saturating_sub(2),
                    height: 1,
                };
                let bar = cx.look.symbols.bar();
                draw_line(
                    &mut self.reason,
                    row,
                    buffer,
                    cx,
                    (bar, "why not, in one line; the model reads it"),
                )
            }
            (Stage::Call, _) => {
                let rows = Rect {
                    x: area.x + 1,
                    y: area.y + 1,
                    width: area.width.saturating_sub(CALL_MARGIN),
                    height: u16::try_from(self.body_rows).unwrap_or(0),
                };
                let bar = cx.look.symbols.bar();
                draw_line(&mut self.call, rows, buffer, cx, (bar, "what to run instead"))
            }
            _ => None,
        }
    }

    /// Shares out the rows between the asks, whose number it returns, and the body.
    fn share(&mut self, area: Rect, keys: usize) -> usize {
        let fixed = 1 + keys + self.line_rows(area.width);
        let rest = usize::from(area.height).saturating_sub(fixed);
        let asks = self.ask_count().min(rest.saturating_sub(1)).max(1);
        self.body_rows = rest.saturating_sub(asks);
        asks
    }

    /// Rows for a remark and for a line that is being written.
    fn line_rows(&self, width: u16) -> usize {
        self.remark_rows(width).len() + usize::from(self.stage == Stage::Reason)
    }

    fn remark_rows(&self, width: u16) -> Vec<String> {
        let Some(remark) = &self.remark else {
            return Vec::new();
        };
        let remark = sanitize_line(remark);
        let rows = wrap(&remark, usize::from(width).saturating_sub(INDENT + 1));
        rows.into_iter()
            .take(REMARK_ROWS)
            .map(|row| remark[row].to_owned())
            .collect()
    }

    /// Keeps the body where there is something to see.
    fn seek(&mut self) {
        if self.seeks_why && self.body_rows > 0 {
            self.top = self.laid.as_ref().map_or(0, |laid| laid.why_at);
            self.seeks_why = false;
        }
        self.top = self.top.min(self.last_top());
    }

    /// Rows of the body that are there to be shown.
    fn shown_rows(&self) -> usize {
        let lines = self.laid.as_ref().map_or(0, |laid| laid.lines.len());
        self.body_rows.min(lines - self.top)
    }

    fn body_lines(&self, cx: &DialogCx<'_>) -> Vec<Line<'static>> {
        let laid = self.laid.as_ref().map_or(&[][..], |laid| laid.lines.as_slice());
        let end = self.top + self.shown_rows();
        let mut lines = laid[self.top..end].to_vec();
        if end < laid.len() {
            match lines.as_mut_slice() {
                // What there is comes before how much more there is.
                [only] => only.push_span(Span::raw(cx.look.symbols.ellipsis())),
                [.., last] => *last = more(laid.len() - end + 1, cx),
                [] => {}
            }
        }
        lines
    }

    fn header(&self, width: u16, cx: &DialogCx<'_>) -> Line<'static> {
        let theme = cx.look.theme;
        let muted = theme.style(Meaning::TextMuted);
        let inquiry = &self.question.inquiry;
        let dot = cx.look.symbols.dot();
        let (number, count) = cx.place;
        let mut right = sanitize_line(&inquiry.agent).into_owned();
        if count > 1 {
            right = format!("{right} {dot} {number} of {count}");
        }
        let room = usize::from(width).saturating_sub(3 + str_width(&right) + 2);
        let title = truncate(&sanitize_line(&inquiry.title), room).into_owned();
        let mut rest = room.saturating_sub(str_width(&title));
        let mut piece = |text: String| {
            let is_fit = str_width(&text) <= rest;
            rest = if is_fit { rest - str_width(&text) } else { rest };
            if is_fit { text } else { String::new() }
        };
        // How a command is confined matters more than where it runs.
        let mut sandbox = piece(match inquiry.sandbox {
            None => String::new(),
            Some("off") => format!(" {dot} no sandbox"),
            Some(mode) => format!(" {dot} sandbox {mode}"),
        });
        if sandbox.is_empty() && !matches!(inquiry.sandbox, None | Some("off")) {
            sandbox = piece(format!(" {dot} sandbox"));
        }
        let words = path_words(&inquiry.directory, cx.home);
        let words = sanitize_line(&words);
        let cut = truncate_start(&words, rest.saturating_sub(3));
        let place = if str_width(&cut) >= LEAST_PLACE.min(str_width(&words)) && !cut.is_empty() {
            format!(" {dot} {cut}")
        } else {
            String::new()
        };
        let used = 3 + str_width(&title) + str_width(&place) + str_width(&sandbox) + str_width(&right) + 1;
        let gap = " ".repeat(usize::from(width).saturating_sub(used));
        let sandbox_style = theme.style(match inquiry.sandbox {
            Some("off") => Meaning::Warning,
            _ => Meaning::TextMuted,
        });
        Line::from(vec![
            Span::raw(" "),
            Span::styled("?", theme.style(Meaning::StateAsking)),
            Span::raw(" "),
            Span::styled(title, theme.style(Meaning::TextStrong)),
            Span::styled(place, muted),
            Span::styled(sandbox, sandbox_style),
            Span::styled(format!("{gap}{right}"), muted),
        ])
    }
}

/// Draws a line that is being written: its bar and what to write there.
fn draw_line(
    line: &mut Composer,
    row: Rect,
    buffer: &mut Buffer,
    cx: &DialogCx<'_>,
    (bar, invitation): (&str, &str),
) -> Option<Position> {
    let theme = cx.look.theme;
    let text = theme.style(Meaning::Text);
    let look = composer::Look {
        text,
        bar,
        bar_style: theme.style(Meaning::Accent),
        chip: text,
        invitation,
        muted: theme.style(Meaning::TextMuted),
    };
    line.draw(row, buffer, &look)
}

fn more(rows: usize, cx: &DialogCx<'_>) -> Line<'static> {
    let key = cx.keymap.label(Context::Global, Action::PageDown);
    let text = format!(
        "{} {rows} more rows {} {key}",
        cx.look.symbols.ellipsis(),
        cx.look.symbols.dot()
    );
    indented(text, cx.look.theme.style(Meaning::TextMuted))
}

pub(super) fn indented(text: String, style: Style) -> Line<'static> {
    Line::from(vec![Span::raw(" ".repeat(INDENT)), Span::styled(text, style)])
}

pub(super) fn one_line(text: &str) -> String {
    reveal(text).replace(['\n', '\t'], " ")
}
