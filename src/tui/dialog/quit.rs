//! The question before quitting while other sessions are at work. A person has asked for it, so it takes keys at once.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Clear, Widget};

use super::on_ground;
use crate::text::sanitize::{Revealed, reveal_line};
use crate::tui::keymap::{Action, Context, KeyRow, Keymap, LayerKeys};
use crate::tui::layer::{Layer, LayerCx, LayerKind, LayerReply, LayerRequest};
use crate::tui::statusbar::Hints;
use crate::view::approval::ApprovalText;
use crate::view::theme::Meaning;

pub(super) static KEYS: LayerKeys = LayerKeys {
    name: "leaving",
    title: "Quitting",
    takes_text: false,
    rows: &[
        KeyRow::new(&["y"], QUIT_ANYWAY, "quit: what they do is interrupted"),
        KeyRow::new(&["n"], STAY, "stay"),
    ],
};

const QUIT_ANYWAY: Action = Action::OfLayer("quit-anyway");
const STAY: Action = Action::OfLayer("stay");

/// A rule, the question and the answers.
const ROWS: u16 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QuitDialog {
    /// How many others are at work; at least one.
    pub(crate) sessions: usize,
}

impl Layer for QuitDialog {
    fn kind(&self) -> Option<LayerKind> {
        Some(LayerKind::Quit)
    }

    fn context(&self) -> Context {
        Context::Layer(&KEYS)
    }

    fn act(&mut self, action: Action) -> LayerReply {
        match action {
            Action::Redraw | Action::Suspend => LayerReply::Ignored,
            QUIT_ANYWAY | Action::ClearOrQuit => LayerReply::Close(Some(LayerRequest::Quit)),
            STAY => LayerReply::Close(None),
            // A key of the whole screen neither answers nor opens anything over the question.
            _ => LayerReply::Done,
        }
    }

    fn back(&mut self) -> LayerReply {
        LayerReply::Close(None)
    }

    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap) {
        hints.key(keymap.label(Context::Global, Action::Escape), "stays");
    }

    /// Draws over the last rows of the area.
    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        let LayerCx { look, keymap, .. } = *cx;
        let height = ROWS.min(area.height);
        let area = Rect {
            y: area.bottom() - height,
            height,
            ..area
        };
        Clear.render(area, buffer);
        let text = |words: Revealed, meaning| ApprovalText::of(words, meaning, look);
        let key = |action| reveal_line(keymap.label(Context::Layer(&KEYS), action));
        let question = match self.sessions {
            1 => " Another session is at work.".into(),
            count => Revealed::own(" ").and(count).and(" other sessions are at work."),
        };
        let rule = (0..area.width).fold(Revealed::default(), |rule, _| rule.and(look.symbols.rule()));
        let lines = [
            text(rule, Meaning::Rule).line(),
            text(question, Meaning::Warning).line(),
            text(Revealed::own(" ").and(key(QUIT_ANYWAY)), Meaning::Accent)
                .and(" interrupts and quits   ", Meaning::TextMuted)
                .and(key(STAY), Meaning::Accent)
                .and(" stays", Meaning::TextMuted)
                .line(),
        ];
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
        None
    }
}
