//! The permission question on screen: who wants what, the keys, the whole of it, and one row for each ask.
//!
//! The title and the keys are always there. What is left goes to the asks and then to the body, which scrolls. Every text
//! comes in as [`Revealed`], and none is cut: it goes on below, or it stands whole in the
//! body.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::Line;

use super::permission::{Permission, Stage};
use crate::text::sanitize::{Revealed, reveal_line};
use crate::tui::composer::{Composer, ComposerStyle};
use crate::tui::keymap::{Action, Context};
use crate::tui::layer::LayerCx;
use crate::tui::terminal_environment::path_words;
use crate::view::approval::{ApprovalText, INDENT};
use crate::view::theme::Meaning;

/// Rows of a title at most; a longer one stands whole in the body.
const TITLE_ROWS: usize = 3;
/// Columns of the task of an agent that works for another.
const TASK: usize = 40;
/// Columns between the left and the right end of a row.
const GAP: usize = 1;
/// Columns left and right of a call that is being edited.
const CALL_MARGIN: u16 = 2;

impl<'a> LayerCx<'a> {
    pub(super) fn text(&self, text: impl Into<Revealed>, meaning: Meaning) -> ApprovalText<'a> {
        ApprovalText::of(text, meaning, self.look)
    }

    /// Returns the rows of a remark, if there is one.
    pub(super) fn remark(&self, remark: Option<&Revealed>, width: u16) -> Vec<Line<'static>> {
        let rows = |remark| self.text(remark, Meaning::Warning).indented(usize::from(width));
        remark.map(rows).unwrap_or_default()
    }

    /// Returns the title of a question, behind the sign of one.
    pub(super) fn title(&self, words: Revealed) -> ApprovalText<'a> {
        let sign = self.text(" ", Meaning::Text).and("?", Meaning::StateAsking);
        sign.and(" ", Meaning::Text).and(words, Meaning::TextStrong)
    }

    /// Returns a sign between facts, with the blanks beside it.
    pub(super) fn dot(&self) -> Revealed {
        Revealed::own(" ").and(self.look.symbols.dot()).and(" ")
    }

    pub(super) fn key(&self, context: Context, action: Action) -> Revealed {
        reveal_line(self.keymap.label(context, action))
    }
}

/// The rows above the keys.
pub(super) struct Head<'a> {
    pub(super) lines: Vec<Line<'static>>,
    /// The directory, where a low screen has room for it only in the body.
    pub(super) place_below: Option<ApprovalText<'a>>,
}

/// The rows of the screen at which a text may be written.
struct TextRows {
    body: u16,
    asks: u16,
    foot: u16,
    /// The place of a pattern among the asks: its row and column.
    pattern: Option<(usize, usize)>,
}

impl Permission {
    /// Returns how many rows it would like.
    pub(super) fn rows_wanted(&mut self, width: u16, cx: &LayerCx<'_>) -> u16 {
        self.list_asks(self.is_grouped(), width, cx);
        let body = match self.stage {
            Stage::Call => usize::from(self.call.rows(width.saturating_sub(CALL_MARGIN))),
            _ => self.body.len(),
        };
        let rows = self.fixed_rows(width, cx) + body + self.ask_rows(width, cx);
        u16::try_from(rows).unwrap_or(u16::MAX)
    }

    /// Draws, and returns where the caret stands while something is being written.
    pub(super) fn draw_in(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        if area.is_empty() {
            return None;
        }
        let width = area.width;
        let head = self.head(width, cx).lines;
        let keys = self.key_lines(width, cx);
        let remark = cx.remark(self.remark.as_ref(), width);
        let mut foot = self.foot(width, false, cx);
        let written = usize::from(self.stage == Stage::Reason);
        let room = |foot: &[Line<'_>]| {
            let fixed = head.len() + keys.len() + remark.len() + foot.len() + written;
            usize::from(area.height).saturating_sub(fixed)
        };
        let mut asks = self.share(room(&foot), width, cx);
        if self.body.last_top() > 0 {
            foot = self.foot(width, true, cx);
            asks = self.share(room(&foot), width, cx);
        }
        self.seek();
        let mut y = area.y;
        let mut put = |line: &Line<'static>| {
            if y < area.bottom() {
                buffer.set_line(area.x, y, line, area.width);
                y += 1;
            }
        };
        head.iter().chain(&keys).for_each(&mut put);
        let body = match self.stage {
            Stage::Call => vec![Line::default(); self.body.height],
            _ => self.body.shown(width, cx),
        };
        let body_at = area.y + u16::try_from(head.len() + keys.len()).unwrap_or(0);
        body.iter().chain(&asks.lines).chain(&remark).for_each(&mut put);
        let above = head.len() + keys.len() + body.len() + asks.lines.len() + remark.len();
        let bottom = area.y + u16::try_from(above).unwrap_or(0);
        if self.stage == Stage::Reason {
            put(&Line::default());
        }
        foot.iter().for_each(&mut put);
        let text = TextRows {
            body: body_at,
            asks: body_at + u16::try_from(body.len()).unwrap_or(0),
            foot: bottom,
            pattern: asks.written,
        };
        self.draw_text(area, &text, buffer, cx)
    }

    /// Draws the text that is being written, and returns where the caret stands.
    fn draw_text(
        &mut self,
        area: Rect,
        rows: &TextRows,
        buffer: &mut Buffer,
        cx: &LayerCx<'_>,
    ) -> Option<Position> {
        let bar = cx.look.symbols.bar();
        match (self.stage, rows.pattern) {
            (Stage::Pattern, Some((row, column))) => {
                let row = rows.asks + u16::try_from(row).unwrap_or(0);
                let column = u16::try_from(column).unwrap_or(0).min(area.width);
                let row = Rect {
                    x: area.x + column,
                    y: row.min(area.bottom() - 1),
                    width: area.width.saturating_sub(column + 1),
                    height: 1,
                };
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
                    y: rows.foot.min(area.bottom() - 1),
                    width: area.width.saturating_sub(2),
                    height: 1,
                };
                let invitation = "the reason, in one line; the model reads it";
                draw_line(&mut self.reason, row, buffer, cx, (bar, invitation))
            }
            (Stage::Call, _) => {
                let call = Rect {
                    x: area.x + 1,
                    y: rows.body,
                    width: area.width.saturating_sub(CALL_MARGIN),
                    height: u16::try_from(self.body.height).unwrap_or(0),
                };
                draw_line(&mut self.call, call, buffer, cx, (bar, "what to run instead"))
            }
            _ => None,
        }
    }

    /// Rows that are neither the body's nor the asks'.
    fn fixed_rows(&self, width: u16, cx: &LayerCx<'_>) -> usize {
        self.head(width, cx).lines.len()
            + self.key_lines(width, cx).len()
            + cx.remark(self.remark.as_ref(), width).len()
            + self.foot(width, false, cx).len()
            + usize::from(self.stage == Stage::Reason)
    }

    /// Keeps the body where there is something to see.
    fn seek(&mut self) {
        if self.seeks_why && self.body.height > 0 {
            self.body.top = self.why_at;
            self.seeks_why = false;
        }
        self.body.scroll_by(0);
    }

    /// Returns who wants what and where, on one line where that fits.
    pub(super) fn head<'a>(&self, width: u16, cx: &LayerCx<'a>) -> Head<'a> {
        let width = usize::from(width);
        let (number, count) = cx.place;
        let [place, sandbox] = self.place_and_sandbox(cx);
        let mut right = self.who(cx);
        if count > 1 {
            let place = cx.dot().and(number).and(" of ").and(count);
            right = right.and(place, Meaning::TextMuted);
        }
        let title = self.title(cx);
        let on_one_line = |facts: &ApprovalText<'_>| {
            let line = title.clone().join(facts);
            (line.width() + GAP + right.width() < width).then(|| line.ends_with(&right, width - 1))
        };
        let dot = cx.text(cx.dot(), Meaning::TextMuted);
        if let Some(line) = on_one_line(&dot.join(&place).join(&sandbox)) {
            return Head {
                lines: vec![line],
                place_below: None,
            };
        }
        if let Some(line) = on_one_line(&sandbox).filter(|_| cx.is_low) {
            return Head {
                lines: vec![line],
                place_below: Some(place),
            };
        }
        let mut lines = self.title_rows(width, cx);
        if lines.len() > TITLE_ROWS {
            let dots = cx.text(cx.look.symbols.ellipsis(), Meaning::TextStrong);
            lines.truncate(TITLE_ROWS);
            lines.extend(dots.indented(width));
        }
        let facts = place
            .join(&sandbox)
            .and(cx.dot(), Meaning::TextMuted)
            .join(&right);
        lines.extend(facts.indented(width));
        Head {
            lines,
            place_below: None,
        }
    }

    /// Returns the directory of the call, and how it is confined: empty, or behind a dot.
    pub(super) fn place_and_sandbox<'a>(&self, cx: &LayerCx<'a>) -> [ApprovalText<'a>; 2] {
        let inquiry = &self.question.about;
        let place = reveal_line(&path_words(&inquiry.directory, cx.home()));
        let place = cx.text(&place, Meaning::TextMuted);
        let sandbox = match inquiry.sandbox.as_deref() {
            None => ApprovalText::new(cx.look),
            Some("off") => cx
                .text(cx.dot(), Meaning::TextMuted)
                .and("no sandbox", Meaning::Warning),
            Some(mode) => cx.text(
                cx.dot().and("sandbox ").and(reveal_line(mode)),
                Meaning::TextMuted,
            ),
        };
        [place, sandbox]
    }

    /// Returns the agent that asks; of one that works for another the way there and the task.
    fn who<'a>(&self, cx: &LayerCx<'a>) -> ApprovalText<'a> {
        let inquiry = &self.question.about;
        let agent = reveal_line(&self.question.agent);
        let Some(delegated) = &inquiry.delegated else {
            return cx.text(agent, Meaning::TextMuted);
        };
        let above = delegated.by.iter().fold(Revealed::default(), |above, agent| {
            let step = Revealed::own(" ").and(cx.look.symbols.step()).and(" ");
            above.and(reveal_line(agent)).and(step)
        });
        let task = cx.text(
            Revealed::own(" \"").and(reveal_line(&delegated.task)),
            Meaning::TextMuted,
        );
        cx.text(above, Meaning::TextMuted)
            .and(agent, Meaning::Text)
            .join(&task.shortened(TASK))
            .and("\"", Meaning::TextMuted)
    }

    pub(super) fn title<'a>(&self, cx: &LayerCx<'a>) -> ApprovalText<'a> {
        cx.title(reveal_line(&self.question.about.title))
    }

    fn title_rows(&self, width: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
        self.title(cx).rows(width.saturating_sub(1), INDENT)
    }

    /// Returns true if the title is too long to stand whole above the body.
    pub(super) fn is_title_long(&self, width: u16, cx: &LayerCx<'_>) -> bool {
        self.title_rows(usize::from(width), cx).len() > TITLE_ROWS
    }
}

/// Draws a line that is being written: its bar and what to write there.
fn draw_line(
    line: &mut Composer,
    row: Rect,
    buffer: &mut Buffer,
    cx: &LayerCx<'_>,
    (bar, invitation): (&str, &str),
) -> Option<Position> {
    let look = ComposerStyle {
        // What was pasted is to be read before it runs.
        chip: cx.look.style(Meaning::Text),
        ..ComposerStyle::new(bar, invitation, cx.look.theme)
    };
    for y in row.rows() {
        buffer.set_string(y.x, y.y, " ".repeat(usize::from(y.width)), Style::new());
    }
    line.draw(row, buffer, &look)
}
