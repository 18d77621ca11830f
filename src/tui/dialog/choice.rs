//! A question with two answers over the last rows of the screen. A person has asked for it, so it takes keys at once.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Clear, Widget};

use super::on_ground;
use crate::text::sanitize::{Revealed, reveal_line};
use crate::tui::keymap::{Action, Context, LayerKeys};
use crate::tui::layer::LayerCx;
use crate::view::approval::ApprovalText;
use crate::view::theme::Meaning;

/// A rule, the question and the answers.
const ROWS: u16 = 3;

pub(crate) struct Choice {
    pub(crate) question: Revealed,
    /// Rows below the question, each cut at the end of its row.
    pub(crate) details: Vec<Revealed>,
    pub(crate) keys: &'static LayerKeys,
    /// Each with what it does.
    pub(crate) answers: [(Action, &'static str); 2],
}

impl Choice {
    /// Draws over the last rows of the area.
    pub(crate) fn draw(self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) {
        let LayerCx { look, keymap, .. } = *cx;
        let details = u16::try_from(self.details.len()).unwrap_or(u16::MAX);
        let height = ROWS.saturating_add(details).min(area.height);
        let area = Rect {
            y: area.bottom() - height,
            height,
            ..area
        };
        Clear.render(area, buffer);
        let text = |words: Revealed, meaning| ApprovalText::of(words, meaning, look);
        let key = |action| reveal_line(keymap.label(Context::Layer(self.keys), action));
        let rule = (0..area.width).fold(Revealed::default(), |rule, _| rule.and(look.symbols.rule()));
        let [(yes, done), (no, left)] = self.answers;
        let mut lines = vec![
            text(rule, Meaning::Rule).line(),
            text(Revealed::own(" ").and(self.question), Meaning::Warning).line(),
        ];
        let details = self.details.into_iter();
        lines.extend(details.map(|row| text(Revealed::own("   ").and(row), Meaning::Text).line()));
        lines.push(
            text(Revealed::own(" ").and(key(yes)), Meaning::Accent)
                .and(Revealed::own(" ").and(done).and("   "), Meaning::TextMuted)
                .and(key(no), Meaning::Accent)
                .and(Revealed::own(" ").and(left), Meaning::TextMuted)
                .line(),
        );
        let mut rows = area.rows().zip(&lines);
        let put = |buffer: &mut Buffer, (row, line): (Rect, &Line<'_>)| {
            buffer.set_line(row.x, row.y, line, row.width);
        };
        if let Some(rule) = rows.next() {
            put(buffer, rule);
        }
        let asked = Rect {
            y: area.y + 1.min(area.height),
            height: area.height.saturating_sub(1),
            ..area
        };
        on_ground(asked, buffer, look, |buffer| {
            rows.for_each(|row| put(buffer, row));
        });
    }
}
