//! Layers: what lies over the conversation and reads its keys until it is closed. Pages, lists to pick from, and the
//! question about quitting are layers.
//!
//! A [`Layer`] looks after itself: it performs actions, draws, and names its hints. Everything it is asked to do ends in a
//! [`Reply`]. What it cannot do itself goes out as a [`Wish`], which the screen carries out; what the session says comes in
//! as [`News`]. Nothing here waits or reads a file.
//!
//! The screen keeps open layers in a stack. The topmost one reads the keys, and what it does not know goes on to the keys
//! of the whole screen.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::tz::TimeZone;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::app::{NamedThemes, Themes};
use super::composer::Draft;
use super::keymap::{Action, Context, Keymap, List};
use super::page::{HookRuns, PageKind};
use super::picker::{Picker, SessionWish};
use super::statusbar::Hints;
use super::transcript::FilePlace;
use crate::conversation::{ModelRef, SessionId};
use crate::session::Grant;
use crate::session::Op;
use crate::session::query::{Answer, Query, StatusGroup};
use crate::view::Look;

/// Which layer. One that is opened while it is the topmost already is closed instead, if it is a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LayerKind {
    Page(PageKind),
    List(List),
    /// The question about quitting while other sessions are at work.
    Quit,
}

/// The result of everything that a layer is asked to do.
#[derive(Debug)]
pub(crate) enum Reply {
    /// It is none of the layer's: the key means what it means without it.
    Ignored,
    Done,
    Wish(Wish),
    /// The layer is done with, perhaps with a request that it leaves behind.
    Close(Option<Wish>),
}

impl Reply {
    /// Returns a reply of a layer that stays, perhaps with a request.
    pub(crate) fn stay(wish: Option<Wish>) -> Self {
        wish.map_or(Self::Done, Self::Wish)
    }
}

/// Requests to the screen.
#[derive(Debug, Clone)]
pub(crate) enum Wish {
    Send(Op),
    /// Comes back as [`News::Answer`].
    Ask(Query),
    /// Opens a file in the editor.
    Open(FilePlace),
    /// Adds to what stands in the composer.
    AddToDraft(String),
    /// Puts this into the composer in place of what stands there.
    WriteDraft(Draft),
    /// Tells that the session was written to this file.
    TellOfExport {
        path: PathBuf,
        bytes: usize,
    },
    /// Puts the session's text on the clipboard.
    CopySession(String),
    /// Shows the session's text in the editor.
    ViewSession(String),
    /// As if its key had been pressed where that is read.
    Act(Context, Action),
    /// Draws everything in this theme from now on.
    ShowTheme(Themes),
    /// The same, and says how to have it for good.
    KeepTheme(NamedThemes),
    /// Goes on with this agent.
    GoOnAs(String),
    /// Goes on with this model.
    GoOnWith(ModelRef),
    Session(SessionWish),
    Quit,
}

/// News of the session that a layer may have waited for.
#[derive(Debug)]
pub(crate) enum News<'a> {
    Grants(&'a Arc<Vec<Grant>>),
    /// To what was asked.
    Answer(&'a Query, &'a Answer),
}

/// The context of drawing, besides the layer itself.
pub(crate) struct LayerCx<'a> {
    pub(crate) look: Look<'a>,
    pub(crate) keymap: &'a Keymap,
    pub(crate) home: Option<&'a Path>,
    pub(crate) session: Option<&'a SessionId>,
    pub(crate) hooks: &'a HookRuns,
    pub(crate) zone: TimeZone,
    /// Facts about the terminal.
    pub(crate) terminal: StatusGroup,
}

pub(crate) trait Layer {
    fn kind(&self) -> LayerKind;

    /// Its name for programs that drive the screen.
    fn name(&self) -> &'static str;

    /// Whose keys are read now.
    fn context(&self) -> Context;

    fn act(&mut self, action: Action) -> Reply;

    /// Takes what is typed where the context takes text.
    fn write(&mut self, _text: &str) -> Reply {
        Reply::Done
    }

    /// Takes what is pasted, whatever the context.
    fn paste(&mut self, text: &str) -> Reply {
        self.write(text)
    }

    /// Performs one step of `esc`: closes what the layer has open, or the layer.
    fn back(&mut self) -> Reply;

    /// Returns the request that it leaves behind when it is closed without having done what it is for.
    fn close(&mut self) -> Option<Wish> {
        None
    }

    /// Scrolls by rows of the wheel.
    fn scroll(&mut self, rows: isize) -> Reply;

    /// Returns the request for its data, when it opens and when the session is there.
    fn wants(&self) -> Option<Wish> {
        None
    }

    /// Takes what the session says.
    fn hear(&mut self, _news: &News<'_>) -> Reply {
        Reply::Ignored
    }

    /// Returns true while it has something to look at in steps.
    fn is_working(&self) -> bool {
        false
    }

    /// Performs such a step.
    fn work(&mut self) -> Reply {
        Reply::Done
    }

    /// Returns true if nothing below it is seen.
    fn covers(&self) -> bool {
        true
    }

    /// Adds what its keys do now.
    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap);

    /// Draws over everything in the area, and returns where the caret stands.
    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position>;

    /// Returns the list, if it is one: what is found for a list comes to it by its own methods.
    fn as_picker(&mut self) -> Option<&mut Picker> {
        None
    }
}
