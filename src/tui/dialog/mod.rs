//! Dialogs: questions that take the composer's place.
//!
//! A dialog opens by itself, so it is deaf at first ([`guard`]): what a person was typing answers nothing. It handles
//! keys and draws; the owner sends what it answers with.

mod asks;
mod body;
mod draw;
mod form;
mod ground;
mod guard;
mod keys;
mod leaving;
mod permission;
mod proposal;
mod trust;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::conversation::CallId;
use crate::tui::keymap::{Context, Keymap};
pub(crate) use draw::DialogCx;
pub(crate) use form::{Filled, FormDialog};
pub(crate) use ground::on_ground;
pub(crate) use guard::{Guard, Pass};
pub(crate) use leaving::Leaving;
pub(crate) use permission::{Permission, PermissionOutcome};
pub(crate) use trust::Trust;
pub use trust::{TrustAnswer, TrustPart, TrustQuestion};

/// A question of any kind, as it is on screen.
pub(crate) trait Dialog {
    /// Its name for programs that drive the screen.
    fn name(&self) -> &'static str;

    /// Whose keys are read now.
    fn context(&self) -> Context;

    fn guard(&self) -> &Guard;

    fn guard_mut(&mut self) -> &mut Guard;

    /// The call that it is about.
    fn call(&self) -> Option<&CallId> {
        None
    }

    /// Returns true if it takes the whole screen.
    fn is_full(&self) -> bool {
        false
    }

    /// Goes back one step within the question; returns false where `esc` leaves it.
    fn back(&mut self) -> bool;

    /// Answers a key that means nothing here.
    fn hear_unknown(&mut self, _keymap: &Keymap) {}

    /// Adds to what is being written; returns false if it takes no text now.
    fn write(&mut self, _text: &str) -> bool {
        false
    }

    /// Scrolls by pages; returns true if there is more than fits.
    fn page(&mut self, pages: isize) -> bool;

    /// Scrolls by rows; returns true if there is more than fits.
    fn scroll(&mut self, rows: isize) -> bool;

    /// Returns how many rows it would like.
    fn rows(&mut self, width: u16, cx: &DialogCx<'_>) -> u16;

    /// Draws, and returns where the caret stands while something is being written.
    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &DialogCx<'_>) -> Option<Position>;
}
