//! Pages over the screen: which are open, where their keys go, and what follows from them.

use std::time::Instant;

use jiff::tz::TimeZone;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{App, ESC_DEAF};
use crate::tui::dialog::Guard;
use crate::tui::keymap::Action;
use crate::tui::page::{self, News, Outcome, PageCx, PageKind, Wish};
use crate::tui::statusbar::Hints;
use crate::view::Look;
use crate::view::theme::Meaning;

impl App {
    /// Opens a page over those that are open; the one that is read is closed by its own key.
    pub(super) fn open_page(&mut self, kind: PageKind, now: Instant) {
        self.leave_list(now);
        if self.pages.last().is_some_and(|page| page.kind() == kind) {
            return self.close_page(now);
        }
        self.keep_search(now);
        let (page, wish) = page::open(kind);
        self.pages.push(page);
        if let Some(wish) = wish {
            self.grant_page(wish, now);
        }
    }

    /// Lets the page that is read perform an action; says whether it did.
    pub(super) fn page_act(&mut self, action: Action, now: Instant) -> bool {
        let Some(page) = self.pages.last_mut() else {
            return false;
        };
        match page.act(action) {
            Outcome::Ignored => return false,
            Outcome::Done => {}
            Outcome::Wish(wish) => self.grant_page(wish, now),
        }
        true
    }

    /// Hands over what is typed or pasted, where the page takes text.
    pub(super) fn page_write(&mut self, text: &str) {
        if let Some(page) = self.pages.last_mut() {
            page.write(text);
        }
    }

    /// One rung: what the page has open, then the page.
    pub(super) fn page_back(&mut self, now: Instant) {
        if self.pages.last_mut().is_some_and(|page| !page.back()) {
            self.close_page(now);
        }
        self.esc.deaf_until = Some(now + ESC_DEAF);
    }

    pub(super) fn close_page(&mut self, now: Instant) {
        self.pages.pop();
        // A question that came meanwhile was not seen: no key was meant for it.
        if let Some(guard) = self.asking_guard_mut() {
            *guard = Guard::begin(now, None);
        }
    }

    pub(super) fn tell_pages(&mut self, news: &News<'_>) {
        for page in &mut self.pages {
            page.hear(news);
        }
    }

    fn grant_page(&mut self, wish: Wish, now: Instant) {
        match wish {
            Wish::Close => self.close_page(now),
            Wish::Send(op) => self.send(op),
        }
    }

    /// Draws the page that is read over the area, and returns where the caret stands.
    pub(super) fn draw_page(&mut self, area: Rect, buffer: &mut Buffer) -> Option<Position> {
        let page = self.pages.last_mut()?;
        let cx = PageCx {
            look: Look {
                theme: &self.theme,
                symbols: self.surroundings.symbols,
                highlighter: &self.highlighter,
            },
            keymap: &self.keymap,
            home: self.surroundings.home.as_deref(),
            session: self.root.as_ref(),
            hooks: &self.hooks,
            zone: TimeZone::system(),
        };
        page.draw(area, buffer, &cx)
    }

    pub(super) fn page_hints(&self, hints: &mut Hints<'_>) {
        let Some(page) = self.pages.last() else { return };
        if self.is_asking() {
            hints.say("a question waits", Meaning::StateAsking);
        }
        page.hints(hints, &self.keymap);
    }
}
