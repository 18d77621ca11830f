//! Pages over the screen: which are open, where their keys go, and what follows from them.

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{App, ESC_DEAF, Effect, Link};
use crate::session::query::{Answer, Query};
use crate::tui::composer::Draft;
use crate::tui::keymap::Action;
use crate::tui::page::{self, News, Outcome, PageCx, PageKind, Wish};
use crate::tui::statusbar::Hints;
use crate::tui::transcript::Change;
use crate::view::theme::Meaning;

impl App {
    /// Opens a page over those that are open; the one that is read is closed by its own key.
    pub(super) fn open_page(&mut self, kind: PageKind, now: Instant) {
        self.leave_list(now);
        if self.pages.last().is_some_and(|page| page.kind() == kind) {
            return self.close_page(now);
        }
        self.keep_search(now);
        let page = page::open(kind, &self.view.facts.title);
        let wish = page.wants();
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
        self.view.esc.deaf_until = Some(now + ESC_DEAF);
    }

    pub(super) fn close_page(&mut self, now: Instant) {
        let left = self.pages.pop().and_then(|mut page| page.leave());
        if let Some(wish) = left {
            self.grant_page(wish, now);
        }
        self.begin_guard_anew(now);
    }

    pub(super) fn close_pages(&mut self, now: Instant) {
        while !self.pages.is_empty() {
            self.close_page(now);
        }
    }

    /// Puts a text below what is being written.
    fn add_to_draft(&mut self, text: &str, now: Instant) {
        let begun = self.view.composer.text();
        let gap = if begun.trim().is_empty() { "" } else { "\n\n" };
        let draft = format!("{}{gap}{text}", begun.trim_end());
        self.view.composer.set(Draft::from_text(&draft));
        self.draft_changed(now);
    }

    pub(super) fn tell_pages(&mut self, news: &News<'_>, now: Instant) {
        let wishes: Vec<Wish> = self.pages.iter_mut().filter_map(|page| page.hear(news)).collect();
        for wish in wishes {
            self.grant_page(wish, now);
        }
    }

    /// The answer to what a page or the dialog asked.
    pub(crate) fn answered(&mut self, query: &Query, answer: &Answer, now: Instant) -> Change {
        self.hear_in_dialog(query, answer, now);
        self.tell_pages(&News::Answer(query, answer), now);
        Change::Urgent
    }

    /// The session is there: what pages wanted to know before can be asked.
    pub(super) fn ask_for_pages(&mut self, now: Instant) {
        let wishes: Vec<Wish> = self.pages.iter().filter_map(|page| page.wants()).collect();
        for wish in wishes {
            self.grant_page(wish, now);
        }
    }

    fn grant_page(&mut self, wish: Wish, now: Instant) {
        match wish {
            Wish::Close => self.close_page(now),
            Wish::Send(op) => self.send(op),
            // Asked once the session is there.
            Wish::Ask(_) if self.view.link == Link::Opening => {}
            Wish::Ask(query) => self.effects.push(Effect::Ask(query)),
            Wish::Open(place) => self.effects.push(Effect::Open(vec![place])),
            Wish::Draft(text) => self.add_to_draft(&text, now),
            Wish::CloseWith { path, bytes } => {
                self.close_page(now);
                let home = self.appearance.surroundings.home.as_deref();
                self.view
                    .transcript
                    .push_notice(page::written(&path, bytes, home));
            }
            Wish::Copy(text) => {
                self.close_page(now);
                self.copy(Some(text), "the session", now);
            }
            Wish::View(text) => {
                self.close_page(now);
                self.effects.push(Effect::View(text));
            }
        }
    }

    /// Draws the page that is read over the area, and returns where the caret stands.
    pub(super) fn draw_page(&mut self, area: Rect, buffer: &mut Buffer) -> Option<Position> {
        let page = self.pages.last_mut()?;
        let pictures = self.pictures.protocol();
        let cx = PageCx {
            look: self.appearance.look(),
            keymap: &self.keymap,
            home: self.appearance.surroundings.home.as_deref(),
            session: self.view.root.as_ref(),
            hooks: &self.view.hooks,
            zone: (self.appearance.surroundings.zone)(),
            terminal: self
                .appearance
                .surroundings
                .told(buffer.area, pictures, self.keymap.heard()),
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
