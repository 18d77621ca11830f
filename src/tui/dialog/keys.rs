//! The lines of a question that say what its keys do now.

use ratatui::text::{Line, Span};

use super::draw::{Body, DialogCx, INDENT};
use super::permission::{Permission, Stage};
use crate::text::width::str_width;
use crate::tui::keymap::{Action, Context, words};
use crate::view::theme::Meaning;

/// Under this width keys stand closer together.
const NARROW: usize = 60;

impl Permission {
    /// As many lines as the keys need; on a low screen only the keys that answer.
    pub(super) fn key_lines(&self, width: u16, shown: Body, cx: &DialogCx<'_>) -> Vec<Line<'static>> {
        let mut keys = KeyLines::new(usize::from(width), cx);
        match self.stage {
            Stage::Answering => self.answering(&mut keys, shown, cx),
            Stage::Always => {
                let label = |action| cx.keymap.label(Context::QuestionAlways, action);
                keys.add(&[label(Action::StoreAlways)], "stores what is ticked");
                keys.add(&[label(Action::Scope)], &format!("scope: {}", self.scope));
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
                let label = |action| cx.keymap.label(Context::QuestionText, action);
                keys.add(&[label(Action::Newline)], "newline");
                keys.add(&[cx.keymap.label(Context::Global, Action::Editor)], "$EDITOR");
            }
        }
        keys.done()
    }

    fn answering(&self, keys: &mut KeyLines<'_>, shown: Body, cx: &DialogCx<'_>) {
        let label = |action| cx.keymap.label(Context::Question, action);
        keys.add(&[label(Action::AllowOnce)], "once");
        if !self.proposals.is_empty() {
            keys.add(&[label(Action::AllowAlways)], "always…");
        }
        if self.question.inquiry.editable.is_some() {
            keys.add(&[label(Action::EditCall)], "edit");
        }
        keys.add(&[label(Action::Reject)], "no");
        keys.add(&[label(Action::RejectBecause)], "no, because…");
        keys.add(&[label(Action::Why)], "why");
        let full = if self.is_full() { "smaller" } else { "full screen" };
        keys.add(&[label(Action::FullScreen)], full);
        if cx.place.1 > 1 {
            keys.add(&[label(Action::AnotherAsk)], "next ask");
        }
        if cx.is_low {
            return;
        }
        if self.laid.as_ref().is_some_and(|laid| laid.hunks.len() > 1) {
            keys.add(&[label(Action::NextHunk), label(Action::PreviousHunk)], "hunks");
        }
        // A body that is cut says with which key it goes on.
        if shown == Body::Whole && !self.is_full() {
            let key = cx.keymap.label(Context::Global, Action::PageUp);
            keys.add(&[key], "reads the transcript");
        }
    }
}

fn finish<'a>(cx: &DialogCx<'a>) -> &'a str {
    cx.keymap.label(Context::QuestionText, Action::FinishText)
}

/// Keys with their verbs, on as many lines as they need.
struct KeyLines<'a> {
    cx: &'a DialogCx<'a>,
    width: usize,
    lines: Vec<Vec<Span<'static>>>,
    used: usize,
}

impl<'a> KeyLines<'a> {
    fn new(width: usize, cx: &'a DialogCx<'a>) -> Self {
        Self {
            cx,
            width,
            lines: Vec::new(),
            used: 0,
        }
    }

    /// Adds keys that do one thing together.
    fn add(&mut self, keys: &[&str], verb: &str) {
        let look = self.cx.look;
        let verb = look.symbols.words(verb);
        let keys = keys.iter().filter(|key| !key.is_empty());
        let keys: Vec<_> = keys.map(|key| words(key, look.symbols)).collect();
        if keys.is_empty() {
            return;
        }
        let keys = keys.join(" ");
        let gap = if self.width < NARROW { 2 } else { 3 };
        let columns = str_width(&keys) + 1 + str_width(&verb);
        let is_full = self.used + gap + columns > self.width;
        if self.lines.is_empty() || is_full {
            self.lines.push(vec![Span::raw(" ".repeat(INDENT))]);
            self.used = INDENT + columns;
        } else {
            self.used += gap + columns;
            self.lines
                .last_mut()
                .expect("there is one")
                .push(Span::raw(" ".repeat(gap)));
        }
        let line = self.lines.last_mut().expect("there is one");
        line.push(Span::styled(keys, look.theme.style(Meaning::Accent)));
        line.push(Span::styled(
            format!(" {verb}"),
            look.theme.style(Meaning::TextMuted),
        ));
    }

    fn done(self) -> Vec<Line<'static>> {
        self.lines.into_iter().map(Line::from).collect()
    }
}
