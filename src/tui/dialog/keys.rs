//! The lines of a question that say what its keys do now: those that answer below the title, the others at the end.

use ratatui::text::Line;

use super::draw::DialogCx;
use super::permission::{Permission, Stage};
use crate::permission::Scope;
use crate::text::sanitize::{Revealed, reveal_line};
use crate::tui::keymap::{Action, Context, words};
use crate::view::judged::{INDENT, JudgedText};
use crate::view::theme::Meaning;

/// Under this width keys stand closer together.
const NARROW: usize = 60;
/// Under this width they begin further left.
const LEAST: usize = 48;

impl Permission {
    /// Returns as many lines as the keys that answer need.
    pub(super) fn key_lines(&self, width: u16, cx: &DialogCx<'_>) -> Vec<Line<'static>> {
        let mut keys = KeyLines::new(usize::from(width), *cx);
        match self.stage {
            Stage::Answering => {
                for (place, (action, verb)) in
                    self.answers(usize::from(width) < NARROW).into_iter().enumerate()
                {
                    let is_chosen = self.choice == Some(place);
                    keys.add_chosen(&[cx.key(Context::Question, action)], &verb.into(), is_chosen);
                }
            }
            Stage::Always => {
                let label = |action| cx.key(Context::QuestionAlways, action);
                keys.add(&[label(Action::StoreAlways)], "stores what is ticked");
                let scope = Revealed::own("scope: ").and(scope_words(self.scope));
                keys.add(&[label(Action::Scope)], scope);
                keys.add(&[label(Action::Tick)], "tick");
                keys.add(&[label(Action::EditPattern)], "edit");
                if self.proposals.len() > 1 {
                    keys.add(&[label(Action::RowUp), label(Action::RowDown)], "row");
                }
            }
            Stage::Pattern => keys.add(&[finish(cx)], "takes the pattern"),
            Stage::Reason => keys.add(&[finish(cx)], "says no with this reason"),
            Stage::Call => {
                keys.add(&[finish(cx)], "has it judged again");
                keys.add(&[cx.key(Context::QuestionText, Action::Newline)], "newline");
                keys.add(&[cx.key(Context::Global, Action::Editor)], "$EDITOR");
            }
        }
        keys.done()
    }

    /// Returns the keys that answer, in their order.
    pub(super) fn answers(&self, is_narrow: bool) -> Vec<(Action, &'static str)> {
        let always = (!self.proposals.is_empty()).then_some((Action::AllowAlways, "always…"));
        let edit = self.question.inquiry.editable.is_some();
        let edit = edit.then_some((Action::EditCall, "edit"));
        let full = match (self.is_full(), is_narrow) {
            (true, _) => "smaller",
            (false, true) => "full",
            (false, false) => "full screen",
        };
        let once = Some((Action::AllowOnce, "once"));
        let others = [(Action::Reject, "no"), (Action::RejectBecause, "no, because…")];
        let views = [(Action::Why, "why"), (Action::FullScreen, full)];
        let answers = once.into_iter().chain(always).chain(others);
        answers.chain(edit).chain(views).collect()
    }

    /// Returns the line of keys that do not answer; none on a low screen, and none while something is written.
    pub(super) fn foot(&self, width: u16, is_cut: bool, cx: &DialogCx<'_>) -> Vec<Line<'static>> {
        let mut keys = KeyLines::new(usize::from(width), *cx);
        let is_answering = self.stage == Stage::Answering;
        if is_answering && cx.place.1 > 1 {
            keys.add(&[cx.key(Context::Question, Action::AnotherAsk)], "next ask");
        }
        if cx.is_low {
            return keys.done();
        }
        keys.add(
            &[cx.key(Context::Global, Action::Escape)],
            if is_answering && !self.is_full() && !self.explains {
                "later"
            } else {
                "back"
            },
        );
        if is_answering && self.laid.as_ref().is_some_and(|laid| laid.hunks.len() > 1) {
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

fn finish(cx: &DialogCx<'_>) -> Revealed {
    cx.key(Context::QuestionText, Action::FinishText)
}

fn scope_words(scope: Scope) -> &'static str {
    match scope {
        Scope::Session => "this session",
        Scope::Project => "this project",
        Scope::Everywhere => "everywhere",
    }
}

/// Keys with their verbs, on as many lines as they need.
pub(super) struct KeyLines<'a> {
    cx: DialogCx<'a>,
    width: usize,
    lines: Vec<JudgedText<'a>>,
}

impl<'a> KeyLines<'a> {
    pub(super) fn new(width: usize, cx: DialogCx<'a>) -> Self {
        Self {
            cx,
            width,
            lines: Vec::new(),
        }
    }

    /// Adds keys that do one thing together.
    pub(super) fn add(&mut self, keys: &[Revealed], verb: impl Into<Revealed>) {
        self.add_chosen(keys, &verb.into(), false);
    }

    fn add_chosen(&mut self, keys: &[Revealed], verb: &Revealed, is_chosen: bool) {
        let symbols = self.cx.look.symbols;
        let verb = reveal_line(&symbols.words(verb.as_str()));
        let keys = keys.iter().filter(|key| !key.is_empty());
        let keys = keys.map(|key| reveal_line(words(key.as_str(), symbols)));
        let Some(keys) = keys.reduce(|all, key| all.and(" ").and(key)) else {
            return;
        };
        let (key, rest) = if is_chosen {
            (Meaning::Selection, Meaning::Selection)
        } else {
            (Meaning::Accent, Meaning::TextMuted)
        };
        let text = self.cx.text(keys, key).and(" ", rest).and(verb, rest);
        let gap = if self.width < NARROW { 2 } else { 3 };
        let indent = if self.width < LEAST { 1 } else { INDENT };
        match self.lines.last_mut() {
            Some(line) if line.width() + gap + text.width() <= self.width => {
                *line = line.clone().gap(gap).join(&text);
            }
            _ => self
                .lines
                .push(JudgedText::new(self.cx.look).gap(indent).join(&text)),
        }
    }

    pub(super) fn done(self) -> Vec<Line<'static>> {
        self.lines.iter().map(JudgedText::line).collect()
    }
}
