//! The search row: what is typed there is searched in the transcript.

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{App, Focus};
use crate::text::width::str_width;
use crate::tui::composer::{Composer, ComposerStyle, Draft};
use crate::tui::keymap::{Action, Context, Keymap};
use crate::tui::layer::{Layer, LayerCx, LayerReply, LayerRequest};
use crate::tui::statusbar::Hints;
use crate::view::theme::Meaning;

/// The row that is searched by, in the place of the hints.
#[derive(Default)]
pub(super) struct SearchRow {
    query: Composer,
    /// The result as words, as of the last frame.
    result: String,
}

impl SearchRow {
    pub(super) fn set_result(&mut self, result: Option<String>) {
        self.result = result.filter(|_| !self.query.is_blank()).unwrap_or_default();
    }

    fn search(&self) -> LayerReply {
        LayerReply::Request(LayerRequest::Search(self.query.text()))
    }
}

impl Layer for SearchRow {
    fn name(&self) -> Option<&'static str> {
        Some("search")
    }

    fn context(&self) -> Context {
        Context::Search
    }

    fn act(&mut self, action: Action) -> LayerReply {
        match action {
            Action::KeepSearch => {
                let is_blank = self.query.is_blank();
                LayerReply::Close(Some(LayerRequest::KeepSearch { is_blank }))
            }
            Action::Edit(edit) => {
                self.query.edit(edit);
                self.search()
            }
            _ => LayerReply::Ignored,
        }
    }

    fn write(&mut self, text: &str) -> LayerReply {
        text.chars().for_each(|c| self.query.insert_char(c));
        self.search()
    }

    /// Adds a paste to the query, as one line.
    fn paste(&mut self, text: &str) -> LayerReply {
        let line: Vec<&str> = text.split_whitespace().collect();
        let text = self.query.text() + &line.join(" ");
        self.query.set(Draft::from_text(&text));
        self.search()
    }

    fn back(&mut self) -> LayerReply {
        LayerReply::Close(Some(LayerRequest::EndSearch))
    }

    fn clear(&mut self) -> LayerReply {
        self.back()
    }

    fn takes_mouse(&self) -> bool {
        false
    }

    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap) {
        if !self.result.is_empty() {
            hints.say(&self.result, Meaning::Text);
        }
        for (action, verb) in [(Action::KeepSearch, "stays"), (Action::NextMatch, "next")] {
            hints.key(keymap.label(Context::Search, action), verb);
        }
        hints.key(keymap.label(Context::Global, Action::Escape), "back");
    }

    /// Draws the query and its hints, and returns where the caret stands.
    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        let theme = cx.look.theme;
        let mut hints = Hints::new(theme, cx.look.symbols);
        self.hints(&mut hints, cx.keymap);
        // Half of the row is for the query, whatever there is to say.
        let said = u16::try_from(str_width(&self.result) + 36).unwrap_or(u16::MAX);
        let said = said.min(area.width / 2);
        let right = Rect {
            x: area.right() - said,
            width: said,
            ..area
        };
        let left = Rect {
            x: area.x + 1,
            width: (area.width - said).saturating_sub(1),
            ..area
        };
        hints.draw(right, buffer);
        let look = ComposerStyle::new("/ ", "Search the conversation.", theme);
        self.query.draw(left, buffer, &look)
    }
}

impl App {
    /// Opens the row.
    pub(super) fn open_search(&mut self) {
        self.views.front.focus = Focus::Transcript;
        self.views.front.search = Some(SearchRow::default());
        self.views.front.transcript.search();
    }

    /// Leaves the row, if it is open, and stays at the match.
    pub(super) fn leave_search_row(&mut self, now: Instant) {
        if let Some(row) = self.views.front.search.take() {
            self.keep_search(row.query.is_blank(), now);
        }
    }

    /// Stays at the match; says so where nothing was found.
    pub(super) fn keep_search(&mut self, is_blank: bool, now: Instant) {
        let cut = self
            .views
            .front
            .transcript
            .search_tally()
            .map_or(0, |tally| tally.cut);
        self.views.front.transcript.keep_search();
        if !is_blank && self.views.front.transcript.search_tally().is_none() {
            self.say(not_found(cut), Meaning::Warning, now);
        }
    }

    /// Ends the search that was kept; says whether there was one.
    pub(super) fn end_search(&mut self) -> bool {
        let is_kept = self.views.front.transcript.search_tally().is_some();
        self.views.front.transcript.end_search();
        is_kept
    }

    pub(super) fn next_match(&mut self, step: isize, now: Instant) {
        if self.views.front.transcript.search_tally().is_none() {
            let key = self.keymap.label(Context::Transcript, Action::Search);
            self.say(format!("no search yet; {key} searches"), Meaning::TextMuted, now);
        } else if !self.views.front.transcript.search_step(step) {
            self.say("not found any more", Meaning::Warning, now);
        }
    }

    /// Returns `3 of 17`.
    pub(super) fn search_words(&self) -> Option<String> {
        let tally = self.views.front.transcript.search_tally()?;
        Some(match tally.total {
            0 => not_found(tally.cut),
            total => format!("{} of {total}", tally.current),
        })
    }
}

/// Says that nothing was found, and how many outputs were searched as far as they are shown.
fn not_found(cut: usize) -> String {
    match cut {
        0 => "not found".to_owned(),
        1 => "not found; 1 output is cut".to_owned(),
        more => format!("not found; {more} outputs are cut"),
    }
}
