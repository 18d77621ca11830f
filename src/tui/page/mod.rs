//! Pages: what covers the screen between the title and the hints, to be read or worked in, until `esc`.
//!
//! A [`Page`] looks after itself: it reads actions, draws, and names its hints. What it cannot do goes out as a [`Wish`],
//! which the screen carries out; what the session says comes in as [`News`]. Nothing here waits or reads a file.
//! Most pages are text alone. Such a one is a [`Sheet`], which gives lines for a width; [`Reader`] scrolls and searches.
//!
//! A new page is one file here, its name in [`PageKind`] and its line in [`open`].

mod hooks;
mod keys;
mod reader;
mod rules;

use std::path::Path;
use std::sync::Arc;

use jiff::tz::TimeZone;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

pub(crate) use hooks::HookRuns;
pub(crate) use keys::draw_leader;
pub(crate) use reader::{Reader, Sheet};

use super::keymap::{Action, Context, Keymap};
use super::statusbar::Hints;
use crate::conversation::SessionId;
use crate::session::Op;
use crate::store::Grant;
use crate::view::Look;

/// Which page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PageKind {
    Keys,
    Hooks,
    Rules,
}

/// Makes a page, and says what it has to be told first.
pub(crate) fn open(kind: PageKind) -> (Box<dyn Page>, Option<Wish>) {
    match kind {
        PageKind::Keys => (Box::new(Reader::new(keys::Keys)), None),
        PageKind::Hooks => (Box::new(Reader::new(hooks::Hooks)), None),
        PageKind::Rules => (
            Box::new(rules::RuleList::default()),
            Some(Wish::Send(Op::ListGrants)),
        ),
    }
}

/// What the screen is asked to do.
#[derive(Debug)]
pub(crate) enum Wish {
    /// Leaves the page.
    Close,
    Send(Op),
}

/// What became of an action.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It is none of the page's.
    Ignored,
    Done,
    Wish(Wish),
}

/// What the session says that a page may have waited for.
#[derive(Debug)]
pub(crate) enum News<'a> {
    Grants(&'a Arc<Vec<Grant>>),
}

/// What drawing depends on besides the page itself.
pub(crate) struct PageCx<'a> {
    pub(crate) look: Look<'a>,
    pub(crate) keymap: &'a Keymap,
    pub(crate) home: Option<&'a Path>,
    pub(crate) session: Option<&'a SessionId>,
    pub(crate) hooks: &'a HookRuns,
    pub(crate) zone: TimeZone,
}

pub(crate) trait Page {
    fn kind(&self) -> PageKind;

    /// Its name for programs that drive the screen.
    fn name(&self) -> &'static str;

    /// Who reads the keys now.
    fn context(&self) -> Context;

    fn act(&mut self, action: Action) -> Outcome;

    /// Takes what is typed or pasted where the context takes text.
    fn write(&mut self, _text: &str) {}

    fn hear(&mut self, _news: &News<'_>) {}

    /// One rung of `esc`; says whether something was left to go back from.
    fn back(&mut self) -> bool;

    /// By rows of the wheel.
    fn scroll(&mut self, rows: isize);

    /// Adds what its keys do now.
    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap);

    /// Draws over everything in the area, and returns where the caret stands.
    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &PageCx<'_>) -> Option<Position>;
}
