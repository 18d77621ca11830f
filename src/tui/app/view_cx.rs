//! The context that a conversation is drawn in.

use std::time::Instant;

use ratatui::layout::Rect;

use super::Effect;
use super::appearance::Appearance;
use super::questions::OpenQuestions;
use crate::tui::dialog::Trust;
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
    /// The question that stands over the conversation in front, before there is a session.
    pub(super) trust: Option<&'a mut Trust>,
    /// The questions of its tree, where they are shown in this conversation.
    pub(super) questions: Option<&'a mut OpenQuestions>,
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
    /// The whole terminal.
    pub(super) screen: Rect,
    /// Of the spinner.
    pub(super) frame: usize,
    pub(super) now: Instant,
}
