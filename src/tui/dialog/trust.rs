//! The question about trust in the project, before the session uses what needs it.
//!
//! It names what the project brings, shows all of it on request, and what changed when something else was trusted before.
//! Nothing is cut: what is trusted is what can be read here.

use std::path::{Path, PathBuf};
use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::Dialog;
use super::keys::KeyLines;
use super::scrolled_lines::ScrolledLines;
use super::type_ahead_guard::{KeyRoute, TypeAheadGuard};
use crate::text::sanitize::{Revealed, reveal, reveal_line};
use crate::tui::keymap::{Action, Context, Keymap};
use crate::tui::layer::{Layer, LayerCx, LayerReply, LayerRequest};
use crate::tui::statusbar::Hints;
use crate::tui::terminal_environment::path_words;
use crate::view::LookKey;
use crate::view::approval::INDENT;
use crate::view::styled_text::draw_lines;
use crate::view::theme::Meaning;

/// The question about a project.
#[derive(Debug, Clone, Default)]
pub struct TrustQuestion {
    pub root: PathBuf,
    pub parts: Vec<TrustPart>,
    /// True if whole files are among the parts, because an agent or a command wrote them.
    pub has_files_of_commands: bool,
    /// A unified diff, when other parts were trusted before.
    pub change: Option<String>,
}

/// One thing that the project brings.
#[derive(Debug, Clone)]
pub struct TrustPart {
    pub file: String,
    pub key: String,
    /// All of it.
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustAnswer {
    Trust,
    /// The session goes on without the parts; the next one asks again.
    NotNow,
}

/// The question on screen.
pub(crate) struct Trust {
    question: TrustQuestion,
    guard: TypeAheadGuard,
    shows_parts: bool,
    body: ScrolledLines<(u16, LookKey, bool)>,
    /// The keys that answer, after one that does not; until the next key.
    remark: Option<Revealed>,
}

impl Trust {
    pub(crate) fn new(question: TrustQuestion, now: Instant) -> Self {
        Self {
            question,
            guard: TypeAheadGuard::begin(now, None),
            shows_parts: false,
            body: ScrolledLines::default(),
            remark: None,
        }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.question.root
    }

    fn head(&self, width: u16, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
        let project = reveal_line(&path_words(self.root(), cx.home()));
        let question = match self.question.change {
            None => Revealed::own("Trust ").and(project).and("?"),
            Some(_) => project.and(" changed. Trust it?"),
        };
        cx.title(question)
            .rows(usize::from(width).saturating_sub(1), INDENT)
    }

    fn keys(&self, width: u16, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
        let parts = match (self.shows_parts, &self.question.change) {
            (false, _) => "parts",
            (true, None) => "names",
            (true, Some(_)) => "change",
        };
        let mut keys = KeyLines::new(usize::from(width), *cx);
        for (action, verb) in [
            (Action::TrustProject, "trust"),
            (Action::TrustNotNow, "not now"),
            (Action::TrustParts, parts),
        ] {
            keys.add(&[cx.key(Context::Trust, action)], verb);
        }
        keys.done()
    }

    fn lay_out(&mut self, width: u16, cx: &LayerCx<'_>) {
        let key = (width, cx.look.key(), self.shows_parts);
        if !self.body.is_laid_out_for(&key) {
            self.body.set(key, self.body_lines(usize::from(width), cx));
        }
    }

    fn body_lines(&self, width: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
        let files = "An agent or a command wrote the files marked `whole file`; they are not read without your trust.";
        let files = self.question.has_files_of_commands.then_some(files);
        let name = |part: &TrustPart| reveal_line(&part.key).and(cx.dot()).and(reveal_line(&part.file));
        let say = |text: Revealed, meaning| cx.text(text, meaning).indented(width);
        if self.shows_parts {
            let part = |part: &TrustPart| {
                let mut lines = say(name(part), Meaning::TextStrong);
                lines.extend(say(reveal(&part.text), Meaning::Text));
                lines
            };
            return self.question.parts.iter().flat_map(part).collect();
        }
        let why = match self.question.change {
            Some(_) => "Its settings are not the ones you trusted, and are ignored until you trust them.",
            None => {
                "Its settings can run code, send data elsewhere or allow things without asking. They are \
                ignored unless you trust it."
            }
        };
        let mut lines = say(why.into(), Meaning::TextMuted);
        let files = files.into_iter();
        lines.extend(files.flat_map(|files| say(files.into(), Meaning::TextMuted)));
        let Some(change) = &self.question.change else {
            let parts = self.question.parts.iter();
            lines.extend(parts.flat_map(|part| say(name(part), Meaning::Text)));
            return lines;
        };
        // The names of the two sides say nothing here.
        for line in change.split_terminator('\n').skip(2) {
            let meaning = match line.as_bytes().first() {
                Some(b'+') => Meaning::DiffAdded,
                Some(b'-') => Meaning::DiffRemoved,
                Some(b'@') => Meaning::TextMuted,
                _ => Meaning::Text,
            };
            let (sign, text) = line.split_at(line.len().min(1));
            lines.extend(say(Revealed::own(sign_of(sign)).and(reveal(text)), meaning));
        }
        lines
    }
}

impl Layer for Trust {
    fn name(&self) -> Option<&'static str> {
        Some("trust")
    }

    fn context(&self) -> Context {
        Context::Trust
    }

    /// It comes before there is anything to paste into.
    fn pass_paste(&mut self, _now: Instant) -> KeyRoute {
        KeyRoute::Drop
    }

    fn act(&mut self, action: Action) -> LayerReply {
        let page = self.body.page_rows();
        match action {
            Action::PageUp => return self.scroll(-page),
            Action::PageDown => return self.scroll(page),
            Action::TrustProject => return LayerReply::Close(Some(LayerRequest::Trust(TrustAnswer::Trust))),
            Action::TrustNotNow => return LayerReply::Close(Some(LayerRequest::Trust(TrustAnswer::NotNow))),
            Action::TrustParts => {
                self.shows_parts = !self.shows_parts;
                self.body = ScrolledLines::default();
            }
            Action::ScrollUp => drop(self.scroll(-1)),
            Action::ScrollDown => drop(self.scroll(1)),
            _ => return LayerReply::Ignored,
        }
        self.remark = None;
        LayerReply::Done
    }

    fn guard(&self) -> Option<&TypeAheadGuard> {
        Some(&self.guard)
    }

    fn guard_mut(&mut self) -> Option<&mut TypeAheadGuard> {
        Some(&mut self.guard)
    }

    fn back(&mut self) -> LayerReply {
        LayerReply::Close(Some(LayerRequest::Trust(TrustAnswer::NotNow)))
    }

    fn on_unknown_key(&mut self, keymap: &Keymap) -> LayerReply {
        let key = |action| reveal_line(keymap.label(Context::Trust, action));
        let yes = key(Action::TrustProject).and(" trusts · ");
        self.remark = Some(yes.and(key(Action::TrustNotNow)).and(" does not"));
        LayerReply::Done
    }

    fn scroll(&mut self, rows: isize) -> LayerReply {
        self.body.scroll_by(rows);
        LayerReply::Done
    }

    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap) {
        let global = |action| keymap.label(Context::Global, action);
        hints.key(global(Action::Escape), "not now");
        hints.key(global(Action::PageDown), "scrolls");
        hints.key(global(Action::ClearOrQuit), "quits");
    }

    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        let mut lines = self.head(area.width, cx);
        lines.extend(self.keys(area.width, cx));
        self.lay_out(area.width, cx);
        let remark = cx.remark(self.remark.as_ref(), area.width);
        self.body.height = usize::from(area.height).saturating_sub(lines.len() + remark.len());
        self.body.scroll_by(0);
        lines.extend(self.body.shown(area.width, cx));
        lines.extend(remark);
        draw_lines(&lines, area, buffer);
        None
    }
}

impl Dialog for Trust {
    fn rows(&mut self, width: u16, cx: &LayerCx<'_>) -> u16 {
        self.lay_out(width, cx);
        let fixed = self.head(width, cx).len()
            + self.keys(width, cx).len()
            + cx.remark(self.remark.as_ref(), width).len();
        u16::try_from(self.body.len() + fixed).unwrap_or(u16::MAX)
    }
}

/// Returns the sign of a line in a diff.
fn sign_of(sign: &str) -> &'static str {
    match sign {
        "+" => "+",
        "-" => "-",
        "@" => "@",
        "\\" => "\\",
        _ => " ",
    }
}
