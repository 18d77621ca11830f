//! A question with two answers over the last rows of the screen: [`ChoiceDialog`] as a layer of its own, [`Choice`] as its
//! picture.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Clear, Widget};

use super::on_ground;
use super::type_ahead_guard::TypeAheadGuard;
use crate::text::sanitize::{Revealed, reveal_line};
use crate::tui::area::{below, last_rows};
use crate::tui::keymap::{Action, Context, Keymap, LayerKeys};
use crate::tui::layer::{Layer, LayerCx, LayerKind, LayerReply, LayerRequest};
use crate::tui::statusbar::Hints;
use crate::view::approval::ApprovalText;
use crate::view::theme::Meaning;

/// A rule, the question and the answers.
const ROWS: u16 = 3;

/// A question that takes the keys until it is answered or left with `esc`.
pub(crate) struct ChoiceDialog {
    pub(super) choice: Choice,
    /// The request that each answer makes; none where everything stays as it is.
    pub(super) requests: [Option<LayerRequest>; 2],
    /// A verb for `esc`, which closes it.
    pub(super) escape: &'static str,
    pub(super) kind: Option<LayerKind>,
    /// The request of `ctrl+c`, which closes it too.
    pub(super) interrupt: Option<LayerRequest>,
    /// The time without keys of one that can open while a person types.
    pub(super) guard: Option<TypeAheadGuard>,
}

impl ChoiceDialog {
    pub(super) fn new(choice: Choice, requests: [Option<LayerRequest>; 2], escape: &'static str) -> Self {
        Self {
            choice,
            requests,
            escape,
            kind: None,
            interrupt: None,
            guard: None,
        }
    }
}

impl Layer for ChoiceDialog {
    fn kind(&self) -> Option<LayerKind> {
        self.kind
    }

    fn name(&self) -> Option<&'static str> {
        Some("dialog")
    }

    fn context(&self) -> Context {
        Context::Layer(self.choice.keys)
    }

    fn opens_by_itself(&self) -> bool {
        self.guard.is_some()
    }

    fn yields_to_prose(&self) -> bool {
        true
    }

    fn guard_mut(&mut self) -> Option<&mut TypeAheadGuard> {
        self.guard.as_mut()
    }

    fn act(&mut self, action: Action) -> LayerReply {
        let answer = self.choice.answers.iter().position(|(own, _)| *own == action);
        match (answer, action) {
            (Some(answer), _) => LayerReply::Close(self.requests[answer].clone()),
            (None, Action::Redraw | Action::Suspend) => LayerReply::Ignored,
            (None, Action::ClearOrQuit) => LayerReply::Close(self.interrupt.clone()),
            // A key of the whole screen neither answers nor opens anything over the question.
            (None, _) => LayerReply::Done,
        }
    }

    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap) {
        hints.key(keymap.label(Context::Global, Action::Escape), self.escape);
    }

    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        self.choice.draw(area, buffer, cx);
        None
    }
}

pub(crate) struct Choice {
    question: Revealed,
    /// Rows below the question, each cut at the end of its row.
    details: Vec<Revealed>,
    keys: &'static LayerKeys,
    /// Each with a verb for what it does, such as `stops`.
    answers: [(Action, &'static str); 2],
}

impl Choice {
    pub(crate) fn new(
        question: Revealed,
        details: Vec<Revealed>,
        keys: &'static LayerKeys,
        answers: [(Action, &'static str); 2],
    ) -> Self {
        Self {
            question,
            details,
            keys,
            answers,
        }
    }

    /// Draws over the last rows of the area.
    pub(crate) fn draw(&self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) {
        let LayerCx { look, keymap, .. } = *cx;
        let details = u16::try_from(self.details.len()).unwrap_or(u16::MAX);
        let area = last_rows(area, ROWS.saturating_add(details));
        Clear.render(area, buffer);
        let text = |words: Revealed, meaning| ApprovalText::of(words, meaning, look);
        let key = |action| reveal_line(keymap.label(Context::Layer(self.keys), action));
        let rule = (0..area.width).fold(Revealed::default(), |rule, _| rule.and(look.symbols.rule()));
        let [(yes, done), (no, left)] = self.answers;
        let mut lines = vec![
            text(rule, Meaning::Rule).line(),
            text(Revealed::own(" ").and(&self.question), Meaning::Warning).line(),
        ];
        let details = self.details.iter();
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
        on_ground(below(area, 1), buffer, look, |buffer| {
            rows.for_each(|row| put(buffer, row));
        });
    }
}
