//! The summary of a conversation before it is used: a person reads it, changes it, and uses it or leaves it.

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Clear, Widget};

use super::type_ahead_guard::TypeAheadGuard;
use crate::session::SummaryDraft;
use crate::text::sanitize::{Revealed, reveal_line};
use crate::text::size::short_count;
use crate::tui::area::{above, below, last_rows};
use crate::tui::caret::CaretMove;
use crate::tui::composer::{Composer, ComposerStyle, Draft};
use crate::tui::keymap::{Action, Context, Edit, KeyRow, Keymap, LayerKeys};
use crate::tui::layer::{Layer, LayerCx, LayerReply, LayerRequest};
use crate::tui::statusbar::Hints;
use crate::view::approval::ApprovalText;
use crate::view::theme::Meaning;

pub(super) static KEYS: LayerKeys = LayerKeys {
    name: "summary",
    title: "Summary",
    takes_text: true,
    rows: &[
        KeyRow::new(&["enter"], USE, "use the summary"),
        KeyRow::new(&["ctrl+j", "shift+enter"], Action::Newline, "new line"),
        KeyRow::new(&["up"], Action::RowUp, "line up"),
        KeyRow::new(&["down"], Action::RowDown, "line down"),
    ],
};

const USE: Action = Action::OfLayer("use");

/// Rows around the text: the rule, the question, an empty row, the keys.
const AROUND: u16 = 4;
/// From this width on the question says what the summary takes the place of.
const WIDE: u16 = 78;

pub(crate) struct SummaryDialog {
    text: Composer,
    before: u64,
    after: u64,
    guard: TypeAheadGuard,
}

impl SummaryDialog {
    pub(crate) fn new(draft: &SummaryDraft, now: Instant) -> Self {
        let mut text = Composer::default();
        text.set(Draft::from_text(&draft.summary));
        text.edit(Edit::Move(CaretMove::Top));
        Self {
            text,
            before: draft.before,
            after: draft.after,
            guard: TypeAheadGuard::begin(now),
        }
    }

    /// The question, and the keys that answer it.
    fn rows(&self, columns: u16, cx: &LayerCx<'_>) -> [Line<'static>; 2] {
        let text = |words: Revealed, meaning| ApprovalText::of(words, meaning, cx.look);
        let own = |action| cx.keymap.label(Context::Layer(&KEYS), action);
        let question = if columns >= WIDE {
            " Replace the older conversation with this summary? From "
        } else {
            " Use this summary? From "
        };
        let question = Revealed::own(question)
            .and(reveal_line(&short_count(self.before)))
            .and(" to ")
            .and(reveal_line(&short_count(self.after)))
            .and(" tokens");
        let keys = [(own(USE), " uses it   "), (own(Action::Newline), " new line   ")];
        let mut row = text(Revealed::own(" "), Meaning::Text);
        for (key, does) in keys {
            row = row.and(reveal_line(key), Meaning::Accent);
            row = row.and(Revealed::own(does), Meaning::TextMuted);
        }
        row = row.and(Revealed::own("edit it freely"), Meaning::TextMuted);
        [text(question, Meaning::Warning).line(), row.line()]
    }
}

impl Layer for SummaryDialog {
    fn name(&self) -> Option<&'static str> {
        Some("dialog")
    }

    fn context(&self) -> Context {
        Context::Layer(&KEYS)
    }

    fn act(&mut self, action: Action) -> LayerReply {
        match action {
            USE => return LayerReply::Close(Some(LayerRequest::UseSummary(self.text.text()))),
            Action::Newline => self.text.newline(),
            Action::RowUp => drop(self.text.edit(Edit::Move(CaretMove::Up))),
            Action::RowDown => drop(self.text.edit(Edit::Move(CaretMove::Down))),
            Action::Edit(edit) => drop(self.text.edit(edit)),
            _ => return LayerReply::Ignored,
        }
        LayerReply::Done
    }

    fn write(&mut self, text: &str) -> LayerReply {
        for c in text.chars() {
            self.text.insert_char(c);
        }
        LayerReply::Done
    }

    fn paste(&mut self, text: &str) -> LayerReply {
        self.text.paste(text);
        LayerReply::Done
    }

    fn opens_by_itself(&self) -> bool {
        true
    }

    fn guard_mut(&mut self) -> Option<&mut TypeAheadGuard> {
        Some(&mut self.guard)
    }

    /// It was paid for, so it is not thrown away by `esc`: `/compact` shows it again as it was written.
    fn back(&mut self) -> LayerReply {
        LayerReply::Close(Some(LayerRequest::KeepSummary(SummaryDraft {
            summary: self.text.text(),
            before: self.before,
            after: self.after,
        })))
    }

    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap) {
        hints.key(
            keymap.label(Context::Global, Action::Escape),
            "later, nothing changes",
        );
    }

    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        let look = cx.look;
        // One row more than it has, for what is added.
        let most = (area.height * 3 / 4).max(AROUND + 1) - AROUND;
        let text_rows = self.text.rows_within(area.width, most.saturating_sub(1)) + 1;
        let height = (text_rows + AROUND).min(area.height);
        let area = last_rows(area, height);
        Clear.render(area, buffer);
        let rule = (0..area.width).fold(Revealed::default(), |rule, _| rule.and(look.symbols.rule()));
        let rule = ApprovalText::of(rule, Meaning::Rule, look).line();
        let [question, keys] = self.rows(area.width, cx);
        buffer.set_line(area.x, area.y, &rule, area.width);
        buffer.set_line(area.x, area.y + 1, &question, area.width);
        buffer.set_line(area.x, area.bottom() - 1, &keys, area.width);
        let text = above(below(area, 2), AROUND - 2);
        self.text
            .draw(text, buffer, &ComposerStyle::new(" ", "", look.theme))
    }
}
