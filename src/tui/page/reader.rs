//! A page that is read: a heading that stays, and lines that scroll and are searched.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;
use ratatui::text::Line;
use ratatui::widgets::{Clear, Widget};
use regex::Regex;

use super::Page;
use crate::session::query::{Answer, Query};
use crate::text::sanitize::sanitize_line;
use crate::text::width::str_width;
use crate::tui::area::{above, below, last_rows};
use crate::tui::composer::{Composer, ComposerStyle, EditEffect, field};
use crate::tui::keymap::{Action, Context, Keymap};
use crate::tui::layer::{Layer, LayerCx, LayerKind, LayerReply, LayerRequest, LayerUpdate, page_rows};
use crate::tui::statusbar::Hints;
use crate::tui::transcript::pattern;
use crate::view::theme::Meaning;

/// The content of a page. It is asked anew for each frame, so that it may change while it is read.
pub(crate) trait Sheet {
    /// Returns its lines, each at most this wide. `answer` is there once its query was answered.
    fn lines(&self, answer: Option<&Answer>, width: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>>;

    /// Returns the query for what it shows, which is asked when it opens and when the session is there.
    fn query(&self) -> Option<Query> {
        None
    }

    /// Returns the hint of the key that unfolds, where there is something to fold.
    fn fold_hint(&self) -> Option<&'static str> {
        None
    }

    fn fold(&mut self) {}
}

pub(crate) struct PageReader<T> {
    page: &'static Page,
    title: &'static str,
    sheet: T,
    answer: Option<Answer>,
    top: usize,
    /// Of the last frame.
    rows: usize,
    height: usize,
    search: PageSearch,
}

#[derive(Default)]
struct PageSearch {
    /// The text that is being typed.
    line: Option<Composer>,
    pattern: Option<Regex>,
    /// Rows that have matches, as of the last frame.
    found: Vec<usize>,
    /// Place in `found`.
    current: usize,
    /// A match is to be looked for and to come on screen: so many from the first one at or below the top.
    due: Option<isize>,
}

impl<T: Sheet> PageReader<T> {
    pub(crate) fn new(page: &'static Page, title: &'static str, sheet: T) -> Self {
        Self {
            page,
            title,
            sheet,
            answer: None,
            top: 0,
            rows: 0,
            height: 0,
            search: PageSearch::default(),
        }
    }

    fn scroll_by(&mut self, rows: isize) {
        let last = self.rows.saturating_sub(self.height);
        self.top = self.top.saturating_add_signed(rows).min(last);
    }

    fn page(&mut self, pages: isize) {
        self.scroll_by(pages * page_rows(self.height));
    }

    fn look_for(&mut self) {
        let query = self.search.line.as_ref().map(Composer::text);
        self.search.pattern = query.and_then(|query| pattern(&query));
        self.search.due = Some(0);
    }

    fn step(&mut self, step: isize) {
        // Nothing is found before the next frame.
        if let Some(due) = &mut self.search.due {
            *due += step;
        } else {
            self.go_to_match(self.search.current, step);
        }
    }

    /// Goes so many matches on from one.
    fn go_to_match(&mut self, from: usize, steps: isize) {
        let count = self.search.found.len().cast_signed();
        if count > 0 {
            self.search.current = (from.cast_signed() + steps).rem_euclid(count).cast_unsigned();
            self.show_match();
        }
    }

    /// Brings the row of the current match on screen.
    fn show_match(&mut self) {
        let Some(row) = self.search.found.get(self.search.current).copied() else {
            return;
        };
        if row < self.top || row >= self.top + self.height {
            self.top = row.saturating_sub(self.height / 3);
            self.scroll_by(0);
        }
    }

    fn find(&mut self, lines: &[Line<'_>]) {
        self.search.found.clear();
        let Some(pattern) = &self.search.pattern else {
            return;
        };
        let has_match = |line: &&Line<'_>| pattern.is_match(&line.to_string());
        let rows = lines.iter().enumerate();
        self.search.found = rows
            .filter(|(_, line)| has_match(line))
            .map(|(row, _)| row)
            .collect();
        if let Some(steps) = self.search.due.take() {
            let below = self.search.found.iter().position(|row| *row >= self.top);
            self.go_to_match(below.unwrap_or(0), steps);
        }
    }

    fn tally(&self) -> Option<String> {
        self.search.pattern.as_ref()?;
        Some(match self.search.found.len() {
            0 => "not found".to_owned(),
            count => format!("{} of {count}", (self.search.current + 1).min(count)),
        })
    }

    fn draw_heading(&self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) {
        let last = (self.top + self.height).min(self.rows);
        let place = if self.rows > self.height {
            format!("{}-{last} of {} ", self.top + 1, self.rows)
        } else {
            String::new()
        };
        draw_title(&format!(" {}", self.title), &place, area, buffer, cx);
    }

    fn draw_row(&self, row: Rect, number: usize, line: &Line<'_>, buffer: &mut Buffer, cx: &LayerCx<'_>) {
        buffer.set_line(row.x, row.y, line, row.width);
        let Some(pattern) = &self.search.pattern else {
            return;
        };
        let text = line.to_string();
        let is_current = self.search.found.get(self.search.current) == Some(&number);
        mark_matches(pattern, &text, is_current, row, buffer, cx);
    }
}

/// Draws the title of a page, and at the end of its row which rows are on screen, where there is room for that.
pub(crate) fn draw_title(title: &str, place: &str, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) {
    buffer.set_stringn(
        area.x,
        area.y,
        title,
        usize::from(area.width),
        cx.look.style(Meaning::TextStrong),
    );
    let columns = u16::try_from(str_width(place)).unwrap_or(u16::MAX);
    if str_width(title) + usize::from(columns) + 2 <= usize::from(area.width) {
        buffer.set_string(
            area.right() - columns,
            area.y,
            place,
            cx.look.style(Meaning::TextMuted),
        );
    }
}

/// Gives what a pattern finds in the text of a row this style.
pub(crate) fn mark_matches(
    pattern: &Regex,
    text: &str,
    is_current: bool,
    row: Rect,
    buffer: &mut Buffer,
    cx: &LayerCx<'_>,
) {
    let mut style = cx.look.style(Meaning::Match);
    if is_current {
        style = style.add_modifier(Modifier::REVERSED);
    }
    let columns = |text: &str| u16::try_from(str_width(text)).unwrap_or(u16::MAX);
    for found in pattern.find_iter(text) {
        let area = Rect {
            x: row.x.saturating_add(columns(&text[..found.start()])),
            width: columns(found.as_str()),
            ..row
        };
        buffer.set_style(area.intersection(row), style);
    }
}

impl<T: Sheet> Layer for PageReader<T> {
    fn kind(&self) -> Option<LayerKind> {
        Some(LayerKind::Page(self.page))
    }

    fn context(&self) -> Context {
        match self.search.line {
            Some(_) => Context::Search,
            None => Context::Page,
        }
    }

    fn act(&mut self, action: Action) -> LayerReply {
        match action {
            Action::ScrollUp => self.scroll_by(-1),
            Action::ScrollDown => self.scroll_by(1),
            Action::PageUp => self.page(-1),
            Action::PageDown => self.page(1),
            Action::PageTop => self.top = 0,
            Action::PageEnd => self.scroll_by(isize::MAX),
            Action::Search => {
                self.search = PageSearch {
                    line: Some(Composer::default()),
                    ..PageSearch::default()
                }
            }
            Action::KeepSearch => {
                self.search.line = None;
            }
            Action::NextMatch => self.step(1),
            Action::PreviousMatch => self.step(-1),
            Action::ToggleFold if self.sheet.fold_hint().is_some() => self.sheet.fold(),
            Action::Edit(edit) => {
                let line = self.search.line.as_mut();
                if line.map(|line| line.edit(edit)) == Some(EditEffect::Text) {
                    self.look_for();
                }
            }
            Action::ClosePage => return LayerReply::Close(None),
            _ => return LayerReply::Ignored,
        }
        LayerReply::Done
    }

    fn write(&mut self, text: &str) -> LayerReply {
        let Some(line) = &mut self.search.line else {
            return LayerReply::Done;
        };
        let text = sanitize_line(text);
        text.chars().for_each(|c| line.insert_char(c));
        self.look_for();
        LayerReply::Done
    }

    fn request(&self) -> Option<LayerRequest> {
        self.sheet.query().map(LayerRequest::Ask)
    }

    fn update(&mut self, news: &LayerUpdate<'_>) -> LayerReply {
        if let LayerUpdate::Answer(query, answer) = news
            && self.sheet.query().as_ref() == Some(query)
        {
            self.answer = Some((*answer).clone());
        }
        LayerReply::Done
    }

    fn back(&mut self) -> LayerReply {
        let was_searched = self.search.line.is_some() || self.search.pattern.is_some();
        self.search = PageSearch::default();
        if was_searched {
            LayerReply::Done
        } else {
            LayerReply::Close(None)
        }
    }

    fn scroll(&mut self, rows: isize) -> LayerReply {
        self.scroll_by(rows);
        LayerReply::Done
    }

    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap) {
        let escape = keymap.label(Context::Global, Action::Escape);
        if let Some(words) = self.tally() {
            hints.say(&words, Meaning::Text);
        }
        if self.search.line.is_some() {
            hints.key(keymap.label(Context::Search, Action::KeepSearch), "stays");
            hints.key(keymap.label(Context::Search, Action::NextMatch), "next");
            return hints.key(escape, "back");
        }
        let key = |action| keymap.label(Context::Page, action);
        if self.search.pattern.is_some() {
            hints.pair(key(Action::NextMatch), key(Action::PreviousMatch), "matches");
            hints.key(escape, "ends the search");
        } else {
            hints.key(escape, "closes");
        }
        if let Some(verb) = self.sheet.fold_hint() {
            hints.key(key(Action::ToggleFold), verb);
        }
        if self.rows > self.height {
            hints.pair(key(Action::ScrollDown), key(Action::ScrollUp), "scrolls");
        }
        hints.key(key(Action::Search), "search");
    }

    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        Clear.render(area, buffer);
        let lines = self
            .sheet
            .lines(self.answer.as_ref(), usize::from(area.width), cx);
        // A blank row below the heading, where there is room for one.
        let head = if area.height >= 16 { 2 } else { 1 };
        let search = u16::from(self.search.line.is_some());
        let body = above(below(area, head), search);
        self.rows = lines.len();
        self.height = usize::from(body.height);
        self.scroll_by(0);
        self.find(&lines);
        self.draw_heading(area, buffer, cx);
        let rows = lines.iter().enumerate().skip(self.top);
        for (row, (number, line)) in body.rows().zip(rows) {
            self.draw_row(row, number, line, buffer, cx);
        }
        let line = field(last_rows(area, search));
        let look = ComposerStyle::new("/ ", "Search this page.", cx.look.theme);
        self.search.line.as_mut()?.draw(line, buffer, &look)
    }
}
