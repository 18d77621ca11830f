//! Whether the project is trusted: asked before the session uses what needs it.
//!
//! It names what the project brings, shows all of it on request, and what changed when something else was trusted before.
//! Nothing is cut: what is trusted is what can be read here.

use std::path::{Path, PathBuf};
use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::guard::Guard;
use crate::text::sanitize::{expand_tabs, reveal, sanitize_line};
use crate::text::width::{str_width, truncate_start};
use crate::text::wrap::wrap;
use crate::tui::keymap::{Action, Context, Keymap, words};
use crate::view::theme::Meaning;
use crate::view::{Look, LookKey};

/// Columns left of everything, as in other questions.
const INDENT: usize = 3;

/// What is asked.
#[derive(Debug, Clone, Default)]
pub struct TrustQuestion {
    pub root: PathBuf,
    pub parts: Vec<TrustPart>,
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
    pub(crate) guard: Guard,
    shows_parts: bool,
    top: usize,
    /// Rows of the body on screen; 0 before the first frame.
    body_rows: usize,
    laid: Option<Laid>,
}

struct Laid {
    key: (u16, LookKey, bool),
    lines: Vec<Line<'static>>,
}

impl Trust {
    pub(crate) fn new(question: TrustQuestion, now: Instant) -> Self {
        Self {
            question,
            guard: Guard::begin(now, None),
            shows_parts: false,
            top: 0,
            body_rows: 0,
            laid: None,
        }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.question.root
    }

    /// Takes a key's action; returns the answer when it is one.
    pub(crate) fn act(&mut self, action: Action) -> Option<TrustAnswer> {
        match action {
            Action::TrustProject => return Some(TrustAnswer::Trust),
            Action::TrustNotNow => return Some(TrustAnswer::NotNow),
            Action::TrustParts => {
                self.shows_parts = !self.shows_parts;
                self.top = 0;
                self.laid = None;
            }
            Action::ScrollUp => self.scroll(-1),
            Action::ScrollDown => self.scroll(1),
            _ => {}
        }
        None
    }

    pub(crate) fn page(&mut self, pages: isize) {
        let rows = isize::try_from(self.body_rows.max(2) - 1).unwrap_or(1);
        self.scroll(pages * rows);
    }

    pub(crate) fn scroll(&mut self, rows: isize) {
        self.top = self.top.saturating_add_signed(rows).min(self.last_top());
    }

    /// Returns how many rows it would like.
    pub(crate) fn rows(&mut self, width: u16, look: Look<'_>) -> u16 {
        // The question and the keys stay.
        u16::try_from(self.lay_out(width, look).len() + 2).unwrap_or(u16::MAX)
    }

    pub(crate) fn draw(
        &mut self,
        area: Rect,
        buffer: &mut Buffer,
        look: Look<'_>,
        keymap: &Keymap,
        project: &str,
    ) {
        let count = self.lay_out(area.width, look).len();
        self.body_rows = usize::from(area.height).saturating_sub(2);
        self.top = self.top.min(self.last_top());
        let end = (self.top + self.body_rows).min(count);
        let body = self
            .laid
            .as_ref()
            .map_or(&[][..], |laid| &laid.lines[self.top..end]);
        let mut rows = area.rows();
        let mut put = |line: &Line<'_>| {
            if let Some(row) = rows.next() {
                buffer.set_line(row.x, row.y, line, row.width);
            }
        };
        put(&self.head(area.width, look, project));
        for (index, line) in body.iter().enumerate() {
            if index + 1 == self.body_rows && end < count {
                put(&more(count - end + 1, look, keymap));
            } else {
                put(line);
            }
        }
        put(&self.keys(look, keymap));
    }

    fn last_top(&self) -> usize {
        let lines = self.laid.as_ref().map_or(0, |laid| laid.lines.len());
        lines.saturating_sub(self.body_rows)
    }

    fn head(&self, width: u16, look: Look<'_>, project: &str) -> Line<'static> {
        let (before, after) = match self.question.change {
            None => ("Trust ", "?"),
            Some(_) => ("", " changed. Trust it?"),
        };
        let room = usize::from(width).saturating_sub(INDENT + str_width(before) + str_width(after) + 1);
        let project = sanitize_line(project).into_owned();
        let project = truncate_start(&project, room);
        let strong = look.theme.style(Meaning::TextStrong);
        Line::from(vec![
            Span::raw(" "),
            Span::styled("?", look.theme.style(Meaning::StateAsking)),
            Span::raw(" "),
            Span::styled(format!("{before}{project}{after}"), strong),
        ])
    }

    fn keys(&self, look: Look<'_>, keymap: &Keymap) -> Line<'static> {
        let parts = match (self.shows_parts, &self.question.change) {
            (false, _) => "parts",
            (true, None) => "names",
            (true, Some(_)) => "change",
        };
        let pairs = [
            (Action::TrustProject, "trust"),
            (Action::TrustNotNow, "not now"),
            (Action::TrustParts, parts),
        ];
        let mut spans = vec![Span::raw(" ".repeat(INDENT))];
        for (action, verb) in pairs {
            if spans.len() > 1 {
                spans.push(Span::raw("   "));
            }
            let key = words(keymap.label(Context::Trust, action), look.symbols);
            spans.push(Span::styled(key.to_owned(), look.theme.style(Meaning::Accent)));
            spans.push(Span::styled(
                format!(" {verb}"),
                look.theme.style(Meaning::TextMuted),
            ));
        }
        Line::from(spans)
    }

    fn lay_out(&mut self, width: u16, look: Look<'_>) -> &[Line<'static>] {
        let key = (width, look.key(), self.shows_parts);
        if self.laid.as_ref().is_none_or(|laid| laid.key != key) {
            let lines = self.body(usize::from(width), look);
            self.laid = Some(Laid { key, lines });
        }
        self.laid.as_ref().map_or(&[][..], |laid| laid.lines.as_slice())
    }

    fn body(&self, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
        let style = |meaning| look.theme.style(meaning);
        let text = style(Meaning::Text);
        let dot = look.symbols.dot();
        if self.shows_parts {
            let part = |part: &TrustPart| {
                let mut lines = wrapped(
                    &format!("{} {dot} {}", part.key, part.file),
                    style(Meaning::TextStrong),
                    width,
                );
                lines.extend(wrapped(&part.text, text, width));
                lines
            };
            return self.question.parts.iter().flat_map(part).collect();
        }
        if let Some(change) = &self.question.change {
            let why = "What it brings is not what you trusted before, and is left out until you do.";
            let mut lines = wrapped(why, style(Meaning::TextMuted), width);
            // The names of the two sides say nothing here.
            for line in change.lines().skip(2) {
                let meaning = match line.as_bytes().first() {
                    Some(b'+') => Meaning::DiffAdded,
                    Some(b'-') => Meaning::DiffRemoved,
                    Some(b'@') => Meaning::TextMuted,
                    _ => Meaning::Text,
                };
                lines.extend(wrapped(line, style(meaning), width));
            }
            return lines;
        }
        let why = "It brings what can run code, send data elsewhere or allow things without asking. Without your \
                   trust that is left out.";
        let mut lines = wrapped(why, style(Meaning::TextMuted), width);
        for part in &self.question.parts {
            lines.extend(wrapped(&format!("{} {dot} {}", part.key, part.file), text, width));
        }
        lines
    }
}

/// Breaks a text that a person must judge, with nothing hidden in it.
fn wrapped(text: &str, style: Style, width: usize) -> Vec<Line<'static>> {
    let shown = reveal(text);
    let shown = expand_tabs(&shown, 4);
    let rows = wrap(&shown, width.saturating_sub(INDENT + 1).max(1));
    let line = |row: std::ops::Range<usize>| {
        Line::from(vec![
            Span::raw(" ".repeat(INDENT)),
            Span::styled(shown[row].to_owned(), style),
        ])
    };
    rows.into_iter().map(line).collect()
}

fn more(rows: usize, look: Look<'_>, keymap: &Keymap) -> Line<'static> {
    let key = keymap.label(Context::Global, Action::PageDown);
    let (ellipsis, dot) = (look.symbols.ellipsis(), look.symbols.dot());
    Line::from(vec![
        Span::raw(" ".repeat(INDENT)),
        Span::styled(
            format!("{ellipsis} {rows} more rows {dot} {key}"),
            look.theme.style(Meaning::TextMuted),
        ),
    ])
}
