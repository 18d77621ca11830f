//! The body of a question: all of the call, and behind that, when a person wants to know, why it is asked.

use ratatui::text::Line;

use super::asks::AskText;
use super::permission::{Permission, Stage};
use crate::permission::InquiryRow;
use crate::text::sanitize::{Revealed, reveal_line};
use crate::tui::layer::LayerCx;
use crate::view::LookKey;
use crate::view::approval::{self, ApprovalBody};
use crate::view::theme::Meaning;

/// Conditions that the body is laid out for: the width, the look, whether it explains and whether it lists what is asked.
pub(super) type BodyKey = (u16, LookKey, bool, bool);

impl Permission {
    /// Lays out the body, with all that is asked where the rows below do not show all of it.
    pub(super) fn list_asks(&mut self, is_cut: bool, width: u16, cx: &LayerCx<'_>) {
        // The explanation has all of them, too.
        let lists = is_cut && !self.explains && matches!(self.stage, Stage::Answering | Stage::Reason);
        let key = (width, cx.look.key(), self.explains, lists);
        if self.body.is_laid_out_for(&key) {
            return;
        }
        let inquiry = &self.question.about;
        let columns = usize::from(width);
        let mut lines = Vec::new();
        if self.is_title_long(width, cx) {
            let title = reveal_line(&inquiry.title);
            lines.extend(cx.text(&title, Meaning::TextStrong).indented(columns));
        }
        let ApprovalBody { lines: body, hunks } = approval::body(&inquiry.card, columns, cx.look);
        self.hunks = hunks.into_iter().map(|row| lines.len() + row).collect();
        lines.extend(body);
        if let Some(place) = self.head(width, cx).place_below {
            lines.extend(cx.text("in ", Meaning::TextMuted).join(&place).indented(columns));
        }
        if lists {
            lines.extend(self.listed(columns, cx));
        }
        self.why_at = lines.len();
        if self.explains {
            lines.extend(why(&inquiry.rows, columns, cx));
        }
        self.body.set(key, lines);
    }

    /// All that is asked, numbered.
    fn listed(&self, width: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
        let rows = &self.question.about.rows;
        let count = Revealed::own("asks for ").and(rows.len()).and(" things:");
        let mut lines = cx.text(count, Meaning::TextMuted).indented(width);
        for (row, place) in rows.iter().zip(1_usize..) {
            let asked = AskText::of(row);
            let what = Revealed::from(place)
                .and(". ")
                .and(reveal_line(row.key().as_str()))
                .and(" `")
                .and(reveal_line(row.pattern()))
                .and("` ");
            let text = cx
                .text(what, asked.why_meaning())
                .and(&asked.why, asked.why_meaning());
            lines.extend(text.indented(width));
        }
        lines
    }
}

/// Returns the explanation: the rule that asks and its file, what "always" would store, and how to revoke it.
fn why(rows: &[InquiryRow], width: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for row in rows {
        let what = reveal_line(row.key().as_str())
            .and(" `")
            .and(reveal_line(row.pattern()));
        let mut text = cx.text(what.and("` "), Meaning::Text);
        if let Some(loss) = row.loss() {
            text = text.and(reveal_line(&loss).and(cx.dot()), Meaning::Warning);
        }
        let text = text.and(reveal_line(&row.why()), Meaning::TextMuted);
        lines.extend(text.indented(width));
        let stored = Revealed::own("  always would store ").and(stored(row));
        lines.extend(cx.text(stored, Meaning::TextMuted).indented(width));
    }
    let mut say = |text: Revealed| lines.extend(cx.text(text, Meaning::TextMuted).indented(width));
    say(Revealed::own(
        "`/permissions` and `lathe permissions` list and revoke stored rules",
    ));
    lines
}

fn stored(row: &InquiryRow) -> Revealed {
    let patterns = row.ask.always.iter().map(|pattern| {
        Revealed::own("`")
            .and(reveal_line(row.key().as_str()))
            .and("`: `")
            .and(reveal_line(pattern))
            .and("`")
    });
    patterns
        .reduce(|all, pattern| all.and(", ").and(pattern))
        .unwrap_or_else(|| Revealed::own("nothing: it asks every time"))
}
