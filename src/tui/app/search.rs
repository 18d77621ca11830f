//! The search row: what is typed there is searched in the transcript.

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use termina::event::KeyEvent;

use super::{App, Focus};
use crate::text::width::str_width;
use crate::tui::composer::{self, Composer, Draft};
use crate::tui::keymap::{Action, Context, typed};
use crate::tui::statusbar::Hints;
use crate::tui::transcript::Change;
use crate::view::theme::Meaning;

impl App {
    /// Opens the row.
    pub(super) fn open_search(&mut self) {
        self.view.focus = Focus::Transcript;
        self.view.search = Some(Composer::default());
        self.view.transcript.search();
    }

    /// Takes a key that is no action of the row: what it writes, or a change of what is written.
    pub(super) fn search_key(&mut self, key: KeyEvent) -> Change {
        let Some(query) = &mut self.view.search else {
            return Change::None;
        };
        match (typed(key), self.keymap.action(Context::Composer, key)) {
            (Some(c), _) => query.insert_char(c),
            (None, Some(Action::Edit(edit))) => drop(query.edit(edit)),
            (None, _) => return Change::None,
        }
        self.look_for();
        Change::Urgent
    }

    /// Adds a paste to the query, as one line.
    pub(super) fn paste_into_search(&mut self, text: &str) -> bool {
        let Some(query) = &mut self.view.search else {
            return false;
        };
        let line: Vec<&str> = text.split_whitespace().collect();
        let text = query.text() + &line.join(" ");
        query.set(Draft::from_text(&text));
        self.look_for();
        true
    }

    fn look_for(&mut self) {
        if let Some(query) = &self.view.search {
            self.view.transcript.search_for(&query.text());
        }
    }

    /// Leaves the row and stays at the match.
    pub(super) fn keep_search(&mut self, now: Instant) {
        let Some(query) = self.view.search.take() else {
            return;
        };
        let cut = self.view.transcript.search_tally().map_or(0, |tally| tally.cut);
        self.view.transcript.keep_search();
        self.begin_guard_anew(now);
        if !query.is_blank() && self.view.transcript.search_tally().is_none() {
            self.say(not_found(cut), Meaning::Warning, now);
        }
    }

    /// Ends the search; says whether there was one.
    pub(super) fn end_search(&mut self, now: Instant) -> bool {
        let was_open = self.view.search.take().is_some();
        if was_open {
            self.begin_guard_anew(now);
        }
        let is_kept = self.view.transcript.search_tally().is_some();
        self.view.transcript.end_search();
        was_open || is_kept
    }

    pub(super) fn next_match(&mut self, step: isize, now: Instant) {
        if self.view.transcript.search_tally().is_none() {
            let key = self.keymap.label(Context::Transcript, Action::Search);
            self.say(
                format!("nothing is searched; {key} does"),
                Meaning::TextMuted,
                now,
            );
        } else if !self.view.transcript.search_step(step) {
            self.say("not found any more", Meaning::Warning, now);
        }
    }

    /// Returns `3 of 17`.
    pub(super) fn search_words(&self) -> Option<String> {
        let tally = self.view.transcript.search_tally()?;
        Some(match tally.total {
            0 => not_found(tally.cut),
            total => format!("{} of {total}", tally.current),
        })
    }

    /// Draws the row in the place of the hints, and returns where the caret stands.
    pub(super) fn draw_search(&mut self, area: Rect, buffer: &mut Buffer) -> Option<Position> {
        let is_blank = self.view.search.as_ref()?.is_blank();
        let words = self.search_words().filter(|_| !is_blank).unwrap_or_default();
        let mut hints = Hints::new(&self.appearance.theme, self.appearance.surroundings.symbols);
        if !words.is_empty() {
            hints.say(&words, Meaning::Text);
        }
        for (action, verb) in [(Action::KeepSearch, "stays"), (Action::NextMatch, "next")] {
            hints.key(self.keymap.label(Context::Search, action), verb);
        }
        hints.key(self.keymap.label(Context::Global, Action::Escape), "back");
        // Half of the row is for the query, whatever there is to say.
        let said = u16::try_from(str_width(&words) + 36).unwrap_or(u16::MAX);
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
        let look = composer::Look {
            text: self.appearance.theme.style(Meaning::Text),
            bar: "/ ",
            bar_style: self.appearance.theme.style(Meaning::Accent),
            chip: self.appearance.theme.style(Meaning::Accent),
            invitation: "Search the conversation.",
            muted: self.appearance.theme.style(Meaning::TextMuted),
        };
        self.view.search.as_mut()?.draw(left, buffer, &look)
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
