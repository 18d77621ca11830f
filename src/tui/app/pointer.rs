//! The mouse: the wheel scrolls what lies under it, a click gives the transcript or the composer the keys, a drag
//! selects.
//!
//! Nothing needs them. Terminals keep `shift` and a drag for their own selection, and `ctrl+x M` leaves the mouse to
//! them altogether.

use std::time::{Duration, Instant};

use termina::event::{MouseButton, MouseEvent, MouseEventKind};

use super::{App, Effect, Focus};
use crate::tui::MouseCapture;
use crate::tui::keymap::{Action, Context};
use crate::tui::layer::Layer;
use crate::tui::transcript::{RedrawUrgency, Unit};
use crate::view::theme::Meaning;

/// Presses closer than this on one cell are a double or a triple click.
const AGAIN: Duration = Duration::from_millis(400);

/// The last press on the transcript or the composer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Press {
    at: Instant,
    cell: (u16, u16),
    /// How many presses it is of; 0 for a drag.
    count: u8,
    is_held: bool,
    is_in_composer: bool,
}

/// The mouse: how it is set, and what it did last.
#[derive(Debug)]
pub(super) struct Pointer {
    pub(super) wheel_lines: u16,
    pub(super) mouse: MouseCapture,
    pub(super) copies_on_select: bool,
    /// The last press on the transcript or the composer.
    pub(super) press: Option<Press>,
    pub(super) due: Option<PendingCopy>,
}

impl Pointer {
    pub(super) fn new(mouse: MouseCapture, wheel_lines: u16, copies_on_select: bool) -> Self {
        Self {
            wheel_lines,
            mouse,
            copies_on_select,
            press: None,
            due: None,
        }
    }
}

/// An action that follows once the next frame has settled what is selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PendingCopy {
    /// The person asked for it; the selection ends with that.
    Copy,
    /// The button was let go.
    CopyOnSelect,
}

impl App {
    pub(crate) fn mouse(&mut self, event: MouseEvent, now: Instant) -> RedrawUrgency {
        self.attention.seen(now);
        if let Some(change) = self.mouse_in_pane(event, now) {
            return change;
        }
        let turn = isize::try_from(self.pointer.wheel_lines).unwrap_or(isize::MAX);
        let rows = match event.kind {
            MouseEventKind::ScrollUp => -turn,
            MouseEventKind::ScrollDown => turn,
            _ => return self.pointer(event, now),
        };
        if self.scroll_layer(rows, now) {
            return RedrawUrgency::Urgent;
        }
        if self.shown.dialog.contains((event.column, event.row).into()) {
            if let Some(dialog) = self.open_question_mut() {
                dialog.scroll(rows);
            }
        } else {
            self.views.front.transcript.scroll_by(rows);
        }
        RedrawUrgency::Urgent
    }

    pub(super) fn pointer(&mut self, event: MouseEvent, now: Instant) -> RedrawUrgency {
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) => self.press(event.column, event.row, now),
            MouseEventKind::Drag(MouseButton::Left) => self.drag(event.column, event.row),
            MouseEventKind::Up(MouseButton::Left) => self.release(),
            _ => RedrawUrgency::None,
        }
    }

    fn press(&mut self, column: u16, row: u16, now: Instant) -> RedrawUrgency {
        if let Some(change) = self.with_opened(now, |layer| layer.press(column, row)) {
            return change;
        }
        let layers = self.stack().filter_map(|slot| self.layer(slot));
        if layers.into_iter().any(Layer::takes_mouse) {
            return RedrawUrgency::None;
        }
        if self.press_panel(column, row) {
            return RedrawUrgency::Urgent;
        }
        if self.shown.dialog.contains((column, row).into()) {
            self.press_question(now);
            return RedrawUrgency::Urgent;
        }
        if self.views.front.completion.is_at((column, row).into()) {
            if self.views.front.completion.select(row) {
                self.act_in(Context::Completion, Action::TakeItem, now);
            }
            return RedrawUrgency::Urgent;
        }
        let cell = (column, row);
        let before = self
            .pointer
            .press
            .take()
            .filter(|press| press.cell == cell && now < press.at + AGAIN);
        let count = before.map_or(1, |press| press.count % 3 + 1);
        let unit = match count {
            1 => Unit::Cluster,
            2 => Unit::Word,
            _ => Unit::Line,
        };
        if self.views.front.transcript.press(column, row, unit) {
            let is_held = true;
            self.pointer.press = Some(Press {
                at: now,
                cell,
                count,
                is_held,
                is_in_composer: false,
            });
            if !self.is_asking() {
                self.views.front.focus = Focus::Transcript;
            }
        } else if self.shown.composer.contains(cell.into()) {
            self.focus_composer();
            self.views.front.composer.point(cell.into());
            self.pointer.press = Some(Press {
                at: now,
                cell,
                count: 0,
                is_held: true,
                is_in_composer: true,
            });
        } else if self.shown.queue.contains(cell.into()) && !self.is_asking() {
            self.focus_queue_row(row - self.shown.queue.y);
        } else {
            return RedrawUrgency::None;
        }
        RedrawUrgency::Urgent
    }

    fn drag(&mut self, column: u16, row: u16) -> RedrawUrgency {
        let Some(press) = self.pointer.press.as_mut().filter(|press| press.is_held) else {
            return RedrawUrgency::None;
        };
        if press.cell != (column, row) {
            // The next press begins anew: what was dragged is no click.
            press.count = 0;
        }
        if press.is_in_composer {
            self.views.front.composer.drag((column, row).into());
        } else {
            self.views.front.transcript.drag(column, row);
        }
        RedrawUrgency::Urgent
    }

    fn release(&mut self) -> RedrawUrgency {
        let Some(press) = self.pointer.press.as_mut().filter(|press| press.is_held) else {
            return RedrawUrgency::None;
        };
        press.is_held = false;
        if press.is_in_composer {
            return RedrawUrgency::None;
        }
        if self.pointer.copies_on_select {
            self.pointer.due = Some(PendingCopy::CopyOnSelect);
        }
        RedrawUrgency::Urgent
    }

    /// Copies what is selected, with the next frame.
    pub(super) fn copy_selection(&mut self) {
        self.pointer.due = Some(PendingCopy::Copy);
    }

    /// Does what waited for the frame that was just drawn.
    pub(super) fn settle_selection(&mut self, now: Instant) {
        match (
            self.pointer.due.take(),
            self.views.front.transcript.selected_text(),
        ) {
            (Some(PendingCopy::Copy), text) => {
                self.views.front.transcript.end_selection();
                self.copy(text, "the selection", now);
            }
            (Some(PendingCopy::CopyOnSelect), Some(text)) => self.copy(Some(text), "the selection", now),
            (Some(PendingCopy::CopyOnSelect), None) | (None, _) => {}
        }
    }

    /// Leaves the mouse to the terminal, or takes it again.
    pub(super) fn toggle_mouse(&mut self, now: Instant) {
        let (mouse, words) = match self.pointer.mouse {
            MouseCapture::Caught => (MouseCapture::LeftAlone, "mouse off: the terminal selects"),
            MouseCapture::LeftAlone => (
                MouseCapture::Caught,
                "mouse on: the wheel scrolls, a drag selects",
            ),
        };
        self.pointer.mouse = mouse;
        self.effects.push(Effect::Mouse(mouse));
        self.say(words, Meaning::TextMuted, now);
    }
}
