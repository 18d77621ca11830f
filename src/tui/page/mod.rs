//! Pages: what covers the screen between the title and the hints, to be read or worked in, until `esc`.
//!
//! A [`Page`] looks after itself: it reads actions, draws, and names its hints. What it cannot do goes out as a [`Wish`],
//! which the screen carries out; what the session says comes in as [`News`]. Nothing here waits or reads a file.
//! Most pages are text alone. Such a one is a [`Sheet`], which gives lines for a width; [`Reader`] scrolls and searches.
//!
//! A new page is one file here, its name in [`PageKind`] and its line in [`open`].

mod context;
mod costs;
mod diff;
mod export;
mod hooks;
mod keys;
mod leader;
mod reader;
mod rows;
mod rules;
mod status;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::tz::TimeZone;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

pub(crate) use export::written;
pub(crate) use hooks::HookRuns;
pub(crate) use leader::draw_leader;
pub(crate) use reader::{Reader, Sheet};

use super::keymap::{Action, Context, Keymap};
use super::statusbar::Hints;
use super::transcript::FilePlace;
use crate::conversation::SessionId;
use crate::session::Op;
use crate::session::query::{Answer, Query, StatusGroup};
use crate::store::Grant;
use crate::view::Look;

/// Which page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum PageKind {
    Keys,
    Hooks,
    Rules,
    Context,
    Costs,
    Status,
    Export,
    Diff,
}

/// Makes a page. `title` is the session's.
pub(crate) fn open(kind: PageKind, title: &str) -> Box<dyn Page> {
    match kind {
        PageKind::Keys => Box::new(Reader::new(keys::Keys)),
        PageKind::Hooks => Box::new(Reader::new(hooks::Hooks)),
        PageKind::Rules => Box::new(rules::RuleList::default()),
        PageKind::Context => Box::new(Reader::new(context::Context::default())),
        PageKind::Costs => Box::new(Reader::new(costs::CostSheet::default())),
        PageKind::Status => Box::new(Reader::new(status::Status::default())),
        PageKind::Diff => Box::new(diff::Diff::default()),
        PageKind::Export => Box::new(export::Export::new(title)),
    }
}

/// Requests to the screen.
#[derive(Debug)]
pub(crate) enum Wish {
    /// Leaves the page.
    Close,
    Send(Op),
    /// Comes back as [`News::Answer`].
    Ask(Query),
    /// Opens a file in the editor.
    Open(FilePlace),
    /// Adds to what stands in the composer.
    Draft(String),
    /// Leaves the page, whose session was written to this file.
    CloseWith {
        path: PathBuf,
        bytes: usize,
    },
    /// Leaves the page and puts the session's text on the clipboard.
    Copy(String),
    /// Leaves the page and shows the session's text in the editor.
    View(String),
}

/// The result of an action.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It is none of the page's.
    Ignored,
    Done,
    Wish(Wish),
}

/// News of the session that a page may have waited for.
#[derive(Debug)]
pub(crate) enum News<'a> {
    Grants(&'a Arc<Vec<Grant>>),
    /// To what was asked.
    Answer(&'a Query, &'a Answer),
}

/// The context of drawing, besides the page itself.
pub(crate) struct PageCx<'a> {
    pub(crate) look: Look<'a>,
    pub(crate) keymap: &'a Keymap,
    pub(crate) home: Option<&'a Path>,
    pub(crate) session: Option<&'a SessionId>,
    pub(crate) hooks: &'a HookRuns,
    pub(crate) zone: TimeZone,
    /// Facts about the terminal.
    pub(crate) terminal: StatusGroup,
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

    /// Returns the request for its data, when it opens and when the session is there.
    fn wants(&self) -> Option<Wish> {
        None
    }

    /// Takes what the session says; may wish for something in turn.
    fn hear(&mut self, _news: &News<'_>) -> Option<Wish> {
        None
    }

    /// Returns the request that it leaves behind when it is closed.
    fn leave(&mut self) -> Option<Wish> {
        None
    }

    /// One rung of `esc`; says whether something was left to go back from.
    fn back(&mut self) -> bool;

    /// By rows of the wheel.
    fn scroll(&mut self, rows: isize);

    /// Adds what its keys do now.
    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap);

    /// Draws over everything in the area, and returns where the caret stands.
    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &PageCx<'_>) -> Option<Position>;
}
