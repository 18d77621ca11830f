//! The lines of a question that say what its keys do now: those that answer below the title, the others at the end.

use ratatui::text::Line;

use super::Dialog;
use super::permission::{Permission, Stage};
use crate::text::sanitize::{Revealed, reveal_line};
use crate::tui::keymap::{Action, Context, key_name};
use crate::tui::layer::LayerCx;
use crate::view::approval::{ApprovalText, INDENT};
use crate::view::theme::Meaning;

/// Under this width keys stand closer together.
const NARROW: usize = 60;
/// Columns between keys that stand close together.
const CLOSE: usize = 2;
/// Under this width they begin further left.
const LEAST: usize = 48;

impl Permission {
    /// Returns as many lines as the keys that answer need.
    pub(super) fn key_lines(&self, width: u16, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
        let mut keys = KeyLines::new(usize::from(width), *cx);
        match self.stage {
            Stage::Answering => return self.answer_lines(usize::from(width), cx),
            Stage::Always => {
                let label = |action| cx.key(Context::QuestionAlways, action);
                keys.add(&[label(Action::StoreAlways)], "stores ticked rows");
                let scope = Revealed::own("scope: ").and(self.scope.as_str());
                keys.add(&[label(Action::Scope)], scope);
                keys.add(&[label(Action::Tick)], "tick");
                keys.add(&[label(Action::EditPattern)], "edit");
                if self.proposals.len() > 1 {
                    keys.add(&[label(Action::RowUp), label(Action::RowDown)], "row");
                }
            }
            Stage::Pattern => keys.add(&[finish(cx)], "uses the pattern"),
            Stage::Reason => keys.add(&[finish(cx)], "denies with this reason"),
            Stage::Call => {
                keys.add(&[finish(cx)], "checks it again");
                keys.add(&[cx.key(Context::QuestionText, Action::Newline)], "newline");
                keys.add(&[cx.key(Context::Global, Action::Editor)], "$EDITOR");
            }
        }
        keys.done()
    }

    /// Returns the lines of the keys that answer, in fewer words where that saves one.
    fn answer_lines(&self, width: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
        let lines = |is_narrow| {
            let mut keys = KeyLines::new(width, *cx);
            for (place, (action, verb)) in self.answers(is_narrow).into_iter().enumerate() {
                let is_chosen = self.choice == Some(place);
                keys.add_chosen(&[cx.key(Context::Question, action)], &verb, is_chosen);
            }
            keys.done()
        };
        let (whole, narrow) = (lines(false), lines(true));
        if width < NARROW || narrow.len() < whole.len() {
            narrow
        } else {
            whole
        }
    }

    /// Returns the keys that answer, in their order.
    pub(super) fn answers(&self, is_narrow: bool) -> Vec<(Action, Revealed)> {
        let always = !self.proposals.is_empty();
        let always = always.then_some((Action::AllowAlways, "always…".into()));
        let edit = self.question.about.editable.is_some();
        let edit = edit.then_some((Action::EditCall, "edit".into()));
        let full = match (self.is_full(), is_narrow) {
            (true, _) => "smaller",
            (false, true) => "full",
            (false, false) => "full screen",
        };
        let once = Some((Action::AllowOnce, "once".into()));
        let others = [
            (Action::Reject, self.refusal()),
            (Action::RejectBecause, "no, because…".into()),
        ];
        let views = [(Action::Why, "why".into()), (Action::FullScreen, full.into())];
        let answers = once.into_iter().chain(always).chain(others);
        answers.chain(edit).chain(views).collect()
    }

    /// Returns what a no does: it ends the turn of the agent that asks, and of no other.
    fn refusal(&self) -> Revealed {
        let inquiry = &self.question.about;
        let above = inquiry
            .delegated
            .as_ref()
            .and_then(|delegated| delegated.by.last());
        match above {
            None => "no".into(),
            Some(above) => Revealed::own("no, stops ")
                .and(reveal_line(&self.question.agent))
                .and("; ")
                .and(reveal_line(above))
                .and(" goes on"),
        }
    }

    /// Returns what `esc` does now.
    pub(crate) fn escape_verb(&self) -> &'static str {
        if self.stage == Stage::Answering && !self.is_full() && !self.explains {
            "later"
        } else {
            "back"
        }
    }

    /// Returns the line of keys that do not answer; none on a low screen. A remark takes its place until the next key, so
    /// that nothing moves for it.
    pub(super) fn foot(&self, width: u16, is_cut: bool, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
        if self.remark.is_some() {
            return Vec::new();
        }
        let mut keys = KeyLines::with_dots(usize::from(width), *cx);
        let is_answering = self.stage == Stage::Answering;
        if is_answering && cx.place.1 > 1 {
            keys.add(&[cx.key(Context::Question, Action::AnotherAsk)], "next ask");
        }
        if cx.is_low {
            return keys.done();
        }
        keys.add(&[cx.key(Context::Global, Action::Escape)], self.escape_verb());
        if is_answering && self.hunks.len() > 1 {
            let label = |action| cx.key(Context::Question, action);
            keys.add(&[label(Action::NextHunk), label(Action::PreviousHunk)], "hunks");
        }
        // A body that is cut says with which key it goes on.
        if is_answering && !is_cut && !self.is_full() {
            keys.add(&[cx.key(Context::Global, Action::PageUp)], "reads the transcript");
        }
        keys.done()
    }
}

fn finish(cx: &LayerCx<'_>) -> Revealed {
    cx.key(Context::QuestionText, Action::FinishText)
}

/// Keys with their verbs, on as many lines as they need.
pub(super) struct KeyLines<'a> {
    cx: LayerCx<'a>,
    width: usize,
    /// Between one key and the next.
    gap: ApprovalText<'a>,
    key: Meaning,
    keys: Vec<ApprovalText<'a>>,
}

impl<'a> KeyLines<'a> {
    /// Keys that answer.
    pub(super) fn new(width: usize, cx: LayerCx<'a>) -> Self {
        let gap = if width < NARROW { CLOSE } else { 3 };
        Self {
            cx,
            width,
            gap: ApprovalText::new(cx.look).gap(gap),
            key: Meaning::Accent,
            keys: Vec::new(),
        }
    }

    /// Keys that do not answer, as the hint row writes them.
    pub(super) fn with_dots(width: usize, cx: LayerCx<'a>) -> Self {
        Self {
            gap: cx.text(cx.dot(), Meaning::TextMuted),
            key: Meaning::Text,
            ..Self::new(width, cx)
        }
    }

    /// Adds keys that do one thing together.
    pub(super) fn add(&mut self, keys: &[Revealed], verb: impl Into<Revealed>) {
        self.add_chosen(keys, &verb.into(), false);
    }

    pub(super) fn add_chosen(&mut self, keys: &[Revealed], verb: &Revealed, is_chosen: bool) {
        let symbols = self.cx.look.symbols;
        let verb = symbols.plain_revealed(verb);
        let keys = keys.iter().filter(|key| !key.is_empty());
        let keys = keys.map(|key| match key_name(key.as_str(), symbols) {
            name if name == key.as_str() => key.clone(),
            sign => reveal_line(sign),
        });
        let Some(keys) = keys.reduce(|all, key| all.and(" ").and(key)) else {
            return;
        };
        let (key, rest) = if is_chosen {
            (Meaning::Selection, Meaning::Selection)
        } else {
            (self.key, Meaning::TextMuted)
        };
        self.keys
            .push(self.cx.text(keys, key).and(" ", rest).and(verb, rest));
    }

    /// Returns the keys on one line, closer together where that saves a second one, else on several.
    pub(super) fn done(self) -> Vec<Line<'static>> {
        let lines = self.broken(&self.gap);
        if lines.len() > 1 && self.gap.width() > CLOSE {
            let closer = self.broken(&ApprovalText::new(self.cx.look).gap(CLOSE));
            if closer.len() == 1 {
                return closer;
            }
        }
        lines
    }

    fn broken(&self, gap: &ApprovalText<'a>) -> Vec<Line<'static>> {
        let indent = if self.width < LEAST { 1 } else { INDENT };
        let mut lines: Vec<ApprovalText<'a>> = Vec::new();
        for text in &self.keys {
            match lines.last_mut() {
                Some(line) if line.width() + gap.width() + text.width() <= self.width => {
                    *line = line.clone().join(gap).join(text);
                }
                _ => lines.push(ApprovalText::new(self.cx.look).gap(indent).join(text)),
            }
        }
        lines.iter().map(ApprovalText::line).collect()
    }
}
