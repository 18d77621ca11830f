//! The scrollback of a terminal: read, searched and copied from. It is as it was when it was opened; the program goes on.

use std::ops::RangeInclusive;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::{Clear, Widget};
use regex::Regex;

use super::draw_screen::draw_line;
use super::layer::line_text;
use crate::session::query::{Answer, Query, TerminalLine};
use crate::text::sanitize::sanitize_line;
use crate::tui::area::{above, below, last_rows};
use crate::tui::composer::{Composer, ComposerStyle, EditEffect, field};
use crate::tui::keymap::{Action, Context, KeyRow, Keymap, LayerKeys};
use crate::tui::layer::{Layer, LayerCx, LayerReply, LayerRequest, LayerUpdate, page_rows, say};
use crate::tui::page::{draw_title, mark_matches};
use crate::tui::statusbar::Hints;
use crate::tui::transcript::pattern;
use crate::view::theme::Meaning;

const MARK: Action = Action::OfLayer("mark");
const COPY: Action = Action::OfLayer("copy");
const TOP: Action = Action::OfLayer("top");
const END: Action = Action::OfLayer("end");
const LEAVE: Action = Action::OfLayer("leave");

pub(crate) static KEYS: LayerKeys = LayerKeys {
    name: "terminal-history",
    title: "Terminals, scrolled back",
    takes_text: false,
    rows: &[
        KeyRow::new(&["up", "k"], Action::RowUp, "line above"),
        KeyRow::new(&["down", "j"], Action::RowDown, "line below"),
        KeyRow::new(&["g", "home"], TOP, "first line"),
        KeyRow::new(&["G", "end"], END, "last line"),
        KeyRow::new(&["/"], Action::Search, "search"),
        KeyRow::new(&["n"], Action::NextMatch, "next match"),
        KeyRow::new(&["N"], Action::PreviousMatch, "previous match"),
        KeyRow::new(&["space", "v"], MARK, "mark lines from here on"),
        KeyRow::new(&["y"], COPY, "copy the marked lines, or all that is on screen"),
        KeyRow::new(&["q"], LEAVE, "back to the program"),
    ],
};

pub(crate) struct TerminalHistory {
    name: String,
    /// Not there before the session has answered.
    lines: Option<Vec<TerminalLine>>,
    /// Actions on lines that came before them.
    typed_ahead: Vec<Action>,
    top: usize,
    cursor: usize,
    /// The line where marking began.
    mark: Option<usize>,
    height: usize,
    /// The text that is being searched by.
    query: Option<Composer>,
    pattern: Option<Regex>,
}

impl TerminalHistory {
    pub(crate) fn new(name: String) -> Self {
        Self {
            name,
            lines: None,
            typed_ahead: Vec::new(),
            top: 0,
            cursor: 0,
            mark: None,
            height: 0,
            query: None,
            pattern: None,
        }
    }

    fn lines(&self) -> &[TerminalLine] {
        self.lines.as_deref().unwrap_or_default()
    }

    fn last(&self) -> usize {
        self.lines().len().saturating_sub(1)
    }

    /// Moves the cursor and keeps it on screen.
    fn move_to(&mut self, line: usize) {
        self.cursor = line.min(self.last());
        self.keep_in_sight();
    }

    fn move_by(&mut self, lines: isize) {
        self.move_to(self.cursor.saturating_add_signed(lines));
    }

    fn scroll_by(&mut self, lines: isize) {
        let lowest = self.lines().len().saturating_sub(self.height);
        self.top = self.top.saturating_add_signed(lines).min(lowest);
        let bottom = self.top + self.height.saturating_sub(1);
        self.cursor = self.cursor.clamp(self.top, bottom.max(self.top)).min(self.last());
    }

    fn keep_in_sight(&mut self) {
        if self.height == 0 {
            return;
        }
        self.top = self
            .top
            .clamp((self.cursor + 1).saturating_sub(self.height), self.cursor);
    }

    fn marked(&self) -> Option<RangeInclusive<usize>> {
        let mark = self.mark?;
        Some(mark.min(self.cursor)..=mark.max(self.cursor))
    }

    /// Goes to the next line above or below that matches, round the ends.
    fn go_to_match(&mut self, is_below: bool) {
        let Some(pattern) = &self.pattern else { return };
        let lines = self.lines();
        let matches = |line: &usize| pattern.is_match(&line_text(&lines[*line].runs));
        let (before, after) = (0..self.cursor, self.cursor + 1..lines.len());
        let found = if is_below {
            after.chain(before).find(matches)
        } else {
            before.rev().chain(after.rev()).find(matches)
        };
        if let Some(line) = found {
            self.move_to(line);
        }
    }

    /// Looks for what was typed, from the cursor upwards.
    fn look_for(&mut self) {
        let query = self.query.as_ref().map(Composer::text);
        self.pattern = query.and_then(|query| pattern(&query));
        let is_here = self.pattern.as_ref().is_some_and(|pattern| {
            let line = self.lines().get(self.cursor);
            line.is_some_and(|line| pattern.is_match(&line_text(&line.runs)))
        });
        if !is_here {
            self.go_to_match(false);
        }
    }

    fn copy(&self) -> LayerReply {
        let seen = self.top..=(self.top + self.height.saturating_sub(1)).min(self.last());
        let (range, what) = match self.marked() {
            Some(marked) => (marked, "the marked lines"),
            None => (seen, "what is on screen"),
        };
        let mut text = String::new();
        for line in self.lines().get(range).unwrap_or_default() {
            let row: String = line.runs.iter().map(|run| run.text.as_str()).collect();
            // Lines that the width has broken are one.
            if line.is_wrapped {
                text.push_str(&row);
            } else {
                text.push_str(row.trim_end());
                text.push('\n');
            }
        }
        let text = text.trim_end().to_owned();
        if text.is_empty() {
            return say("there is nothing to copy");
        }
        LayerReply::Close(Some(LayerRequest::Copy { text, what }))
    }

    fn draw_heading(&self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) {
        let title = format!(" Scrollback of {}", sanitize_line(&self.name));
        let count = self.lines().len();
        let last = (self.top + self.height).min(count);
        let place = match count {
            0 => String::new(),
            _ => format!("{}-{last} of {count} ", self.top + 1),
        };
        draw_title(&title, &place, area, buffer, cx);
    }

    fn draw_row(&self, number: usize, row: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) {
        let line = &self.lines()[number];
        draw_line(&line.runs, 0, row, buffer, cx.look);
        if self.marked().is_some_and(|marked| marked.contains(&number)) {
            buffer.set_style(row, cx.look.style(Meaning::Selection));
        }
        let Some(pattern) = &self.pattern else { return };
        let text = line_text(&line.runs);
        mark_matches(pattern, &text, number == self.cursor, row, buffer, cx);
    }
}

fn needs_lines(action: Action) -> bool {
    matches!(
        action,
        Action::RowUp
            | Action::RowDown
            | Action::PageUp
            | Action::PageDown
            | Action::NextMatch
            | Action::PreviousMatch
            | TOP
            | END
            | MARK
            | COPY
    )
}

impl Layer for TerminalHistory {
    fn name(&self) -> Option<&'static str> {
        Some("terminal-history")
    }

    fn covers(&self) -> bool {
        true
    }

    fn context(&self) -> Context {
        match self.query {
            Some(_) => Context::Search,
            None => Context::Layer(&KEYS),
        }
    }

    fn act(&mut self, action: Action) -> LayerReply {
        if self.lines.is_none() && needs_lines(action) {
            self.typed_ahead.push(action);
            return LayerReply::Done;
        }
        match action {
            Action::RowUp => self.move_by(-1),
            Action::RowDown => self.move_by(1),
            Action::PageUp => self.move_by(-page_rows(self.height)),
            Action::PageDown => self.move_by(page_rows(self.height)),
            TOP => self.move_to(0),
            END => self.move_to(usize::MAX),
            MARK => {
                self.mark = match self.mark {
                    Some(_) => None,
                    None => Some(self.cursor),
                };
            }
            COPY => return self.copy(),
            LEAVE => return LayerReply::Close(None),
            Action::Search => {
                self.query = Some(Composer::default());
                self.pattern = None;
            }
            Action::KeepSearch => self.query = None,
            Action::NextMatch => self.go_to_match(true),
            Action::PreviousMatch => self.go_to_match(false),
            Action::Edit(edit) => {
                let query = self.query.as_mut();
                if query.map(|query| query.edit(edit)) == Some(EditEffect::Text) {
                    self.look_for();
                }
            }
            _ => return LayerReply::Ignored,
        }
        LayerReply::Done
    }

    fn write(&mut self, text: &str) -> LayerReply {
        let Some(query) = &mut self.query else {
            return LayerReply::Done;
        };
        let text = sanitize_line(text);
        text.chars().for_each(|character| query.insert_char(character));
        self.look_for();
        LayerReply::Done
    }

    fn request(&self) -> Option<LayerRequest> {
        Some(LayerRequest::Ask(Query::TerminalHistory(self.name.clone())))
    }

    fn update(&mut self, news: &LayerUpdate<'_>) -> LayerReply {
        let LayerUpdate::Answer(Query::TerminalHistory(name), answer) = news else {
            return LayerReply::Ignored;
        };
        // What was read stays as it was, whatever is asked again.
        if *name != self.name || self.lines.is_some() {
            return LayerReply::Ignored;
        }
        match answer {
            Answer::TerminalHistory(Some(lines)) => {
                let blank = |line: &TerminalLine| line.runs.is_empty();
                let count = lines.iter().rposition(|line| !blank(line)).map_or(0, |at| at + 1);
                self.lines = Some(lines[..count].to_vec());
                self.move_to(usize::MAX);
                // Who typed ahead of them looks for something already.
                if self.query.is_some() {
                    self.look_for();
                } else {
                    self.go_to_match(false);
                }
                let typed_ahead = std::mem::take(&mut self.typed_ahead);
                let mut replies = typed_ahead.into_iter().map(|action| self.act(action));
                let is_more = |reply: &LayerReply| !matches!(reply, LayerReply::Done | LayerReply::Ignored);
                replies.find(is_more).unwrap_or(LayerReply::Done)
            }
            _ => LayerReply::Close(Some(LayerRequest::Say("that terminal no longer exists"))),
        }
    }

    fn back(&mut self) -> LayerReply {
        if self.query.take().is_some() | self.pattern.take().is_some() | self.mark.take().is_some() {
            LayerReply::Done
        } else {
            LayerReply::Close(None)
        }
    }

    fn scroll(&mut self, rows: isize) -> LayerReply {
        let is_at_end = self.top + self.height >= self.lines().len();
        if rows > 0 && is_at_end && self.mark.is_none() && self.query.is_none() {
            return LayerReply::Close(None);
        }
        self.scroll_by(rows);
        LayerReply::Done
    }

    fn press(&mut self, _column: u16, row: u16) -> LayerReply {
        // Below the title and the heading.
        if let Some(row) = usize::from(row).checked_sub(2) {
            self.move_to(self.top + row);
        }
        LayerReply::Done
    }

    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap) {
        let escape = keymap.label(Context::Global, Action::Escape);
        if self.query.is_some() {
            hints.key(keymap.label(Context::Search, Action::KeepSearch), "stays");
            hints.key(keymap.label(Context::Search, Action::PreviousMatch), "above");
            return hints.key(escape, "back");
        }
        let key = |action| keymap.label(Context::Layer(&KEYS), action);
        hints.key(escape, "back");
        hints.key(key(MARK), if self.mark.is_some() { "unmark" } else { "mark" });
        hints.key(key(COPY), "copy");
        hints.key(key(Action::Search), "search");
        if self.pattern.is_some() {
            hints.pair(key(Action::NextMatch), key(Action::PreviousMatch), "matches");
        }
        hints.pair(key(TOP), key(END), "ends");
    }

    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        Clear.render(area, buffer);
        let search = u16::from(self.query.is_some());
        let body = above(below(area, 1), search);
        self.height = body.height.into();
        self.keep_in_sight();
        self.top = self.top.min(self.lines().len().saturating_sub(self.height));
        self.draw_heading(area, buffer, cx);
        if self.lines.is_none() {
            let muted = cx.look.style(Meaning::TextMuted);
            buffer.set_string(body.x + 1, body.y, "Reading the scrollback.", muted);
        }
        for (number, row) in (self.top..self.lines().len()).zip(body.rows()) {
            self.draw_row(number, row, buffer, cx);
        }
        let row = u16::try_from(self.cursor - self.top).unwrap_or(0);
        let cursor = Position::new(body.x, body.y + row.min(body.height.saturating_sub(1)));
        let line = field(last_rows(area, search));
        let look = ComposerStyle::new("/ ", "Search the scrollback.", cx.look.theme);
        match self.query.as_mut() {
            Some(query) => query.draw(line, buffer, &look),
            None => Some(cursor),
        }
    }
}
