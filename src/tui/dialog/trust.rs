//! The question about trust in the project, before the session uses what needs it.
//!
//! It names what the project brings, shows all of it on request, and what changed when something else was trusted before.
//! Nothing is cut: what is trusted is what can be read here. An answer is chosen with an arrow or its number and given with
//! `enter`, so that no letter of a message trusts anything.

use std::path::{Path, PathBuf};

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::keys::KeyLines;
use super::scrolled_lines::ScrolledLines;
use super::{ActionEffect, Dialog};
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
    /// The answer that was moved to.
    choice: Option<usize>,
    shows_parts: bool,
    body: ScrolledLines<(u16, LookKey, bool)>,
}

/// An answer to choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TrustChoice {
    NotNow,
    Trust,
    Parts,
}

impl TrustChoice {
    /// In the order of their numbers, which begin with 1.
    const ALL: [Self; 3] = [Self::NotNow, Self::Trust, Self::Parts];
}

impl Trust {
    pub(crate) fn new(question: TrustQuestion) -> Self {
        Self {
            question,
            choice: None,
            shows_parts: false,
            body: ScrolledLines::default(),
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
        let mut keys = KeyLines::new(usize::from(width), *cx);
        for (place, choice) in TrustChoice::ALL.into_iter().enumerate() {
            let verb = match (choice, self.shows_parts, &self.question.change) {
                (TrustChoice::NotNow, ..) => "not now",
                (TrustChoice::Trust, ..) => "trust",
                (TrustChoice::Parts, false, _) => "show the parts",
                (TrustChoice::Parts, true, None) => "show the names",
                (TrustChoice::Parts, true, Some(_)) => "show the change",
            };
            let number = Revealed::default().and(place + 1);
            keys.add_chosen(&[number], &verb.into(), self.choice == Some(place));
        }
        let mut lines = keys.done();
        let key = |action| cx.key(Context::Trust, action);
        let mut how = KeyLines::with_dots(usize::from(width), *cx);
        how.add(
            &[key(Action::PreviousAnswer), key(Action::NextAnswer)],
            "or a number chooses",
        );
        how.add(&[key(Action::TakeAnswer)], "answers");
        lines.extend(how.done());
        lines
    }

    /// Moves along the answers; the first arrow only begins there, at the first answer or the last.
    fn choose_next(&mut self, is_forward: bool) {
        let last = TrustChoice::ALL.len() - 1;
        self.choice = Some(match (self.choice, is_forward) {
            (None, true) => 0,
            (None, false) => last,
            (Some(place), true) => (place + 1).min(last),
            (Some(place), false) => place.saturating_sub(1),
        });
    }

    /// Gives the chosen answer; before one is chosen that is none.
    fn take_choice(&mut self) -> LayerReply {
        let answer = |answer| LayerReply::Close(Some(LayerRequest::Trust(answer)));
        match self.choice.and_then(|place| TrustChoice::ALL.get(place)) {
            Some(TrustChoice::NotNow) => return answer(TrustAnswer::NotNow),
            Some(TrustChoice::Trust) => return answer(TrustAnswer::Trust),
            Some(TrustChoice::Parts) => {
                self.shows_parts = !self.shows_parts;
                self.body = ScrolledLines::default();
            }
            None => {}
        }
        LayerReply::Done
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

    fn act(&mut self, action: Action) -> LayerReply {
        let page = self.body.page_rows();
        match action {
            Action::PageUp => return self.scroll(-page),
            Action::PageDown => return self.scroll(page),
            Action::NextAnswer => self.choose_next(true),
            Action::PreviousAnswer => self.choose_next(false),
            Action::TakeAnswer => return self.take_choice(),
            _ => return LayerReply::Ignored,
        }
        LayerReply::Done
    }

    /// Chooses an answer by its number.
    fn pick(&mut self, digit: char) -> LayerReply {
        let place = digit
            .to_digit(10)
            .and_then(|digit| (digit as usize).checked_sub(1));
        self.choice = place.filter(|place| *place < TrustChoice::ALL.len());
        LayerReply::Done
    }

    fn opens_by_itself(&self) -> bool {
        true
    }

    fn back(&mut self) -> LayerReply {
        LayerReply::Close(Some(LayerRequest::Trust(TrustAnswer::NotNow)))
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
        self.body.height = usize::from(area.height).saturating_sub(lines.len());
        self.body.scroll_by(0);
        lines.extend(self.body.shown(area.width, cx));
        draw_lines(&lines, area, buffer);
        None
    }
}

impl Dialog for Trust {
    /// What was chosen while a message began counts no more.
    fn leave(&mut self) {
        self.choice = None;
    }

    fn effect(&self, action: Action) -> ActionEffect {
        match action {
            Action::TakeAnswer => ActionEffect::Answers,
            _ => ActionEffect::Looks,
        }
    }

    fn rows(&mut self, width: u16, cx: &LayerCx<'_>) -> u16 {
        self.lay_out(width, cx);
        let fixed = self.head(width, cx).len() + self.keys(width, cx).len();
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
