//! The context that a conversation is drawn in.

use std::time::Instant;

use ratatui::layout::Rect;

use super::Effect;
use super::appearance::Appearance;
use super::layers::LayerSlot;
use crate::tui::dialog::{Dialog, WaitingRow};
use crate::tui::keymap::Keymap;
use crate::tui::pictures::Pictures;
use crate::tui::statusbar::OtherSessionCounts;
use crate::tui::tasks::TaskList;

/// Parts of the screen that a conversation is drawn with.
pub(super) struct ViewCx<'a> {
    pub(super) appearance: &'a Appearance,
    pub(super) keymap: &'a Keymap,
    pub(super) pictures: &'a mut Pictures,
    pub(super) effects: &'a mut Vec<Effect>,
    /// The question that has the composer's place.
    pub(super) asking: Option<&'a mut (dyn Dialog + 'static)>,
    /// The row of the questions that wait, where the composer has the keys.
    pub(super) waiting: Option<WaitingRow>,
    /// Number of that question, and how many there are.
    pub(super) place: (usize, usize),
    /// The topmost of the layers that are drawn as a part of the conversation, where it has the keys.
    pub(super) top: Option<LayerSlot>,
    /// The agents on the way down to that of a task.
    pub(super) path: Vec<String>,
    /// Of its tree.
    pub(super) tasks: &'a TaskList,
    /// Milliseconds since the Unix epoch, as tasks count.
    pub(super) unix: i64,
    /// Of the sessions that are not on screen.
    pub(super) elsewhere: OtherSessionCounts,
    /// True if it is the conversation in front.
    pub(super) has_keys: bool,
    /// True if no layer takes the keys from the composer in front.
    pub(super) composer_has_keys: bool,
    /// The whole terminal.
    pub(super) screen: Rect,
    /// Of the spinner.
    pub(super) frame: usize,
    pub(super) now: Instant,
}
