//! Ways out: `esc`, which closes one layer a press, and `ctrl+c`.

use std::time::Instant;

use crate::session::Op;
use crate::tui::app::pickers::OWN_MESSAGES;
use crate::tui::app::{AGAIN, App, ESCAPE_PAUSE, Focus};
use crate::tui::layer::Layer;
use crate::tui::transcript::RedrawUrgency;

impl App {
    /// Closes one layer a press.
    pub(super) fn escape(&mut self, now: Instant) -> RedrawUrgency {
        let is_deaf = self
            .views
            .front
            .esc
            .ignores_keys_until
            .is_some_and(|until| until > now);
        // Going to normal mode stops nothing, and who knows vim does it many times a minute.
        if is_deaf && !self.is_escape_vims() {
            self.dropped_keys += 1;
            return RedrawUrgency::None;
        }
        // A press that closes something is not the first of two.
        let armed = self.views.front.esc.armed.take();
        let top = self.top();
        let layer = top.and_then(|top| self.layer(top));
        let is_marked = layer.is_none_or(Layer::comes_after_marks) && self.end_marks();
        if is_marked || top.is_none() && self.is_escape_vims() && self.views.front.composer.vim_escape() {
            self.views.front.esc.ignores_keys_until = Some(now + ESCAPE_PAUSE);
        } else if let Some(top) = top {
            self.layer_back(top, now);
        } else if self.views.front.focus != Focus::Composer {
            self.focus_composer();
            self.views.front.esc.ignores_keys_until = Some(now + ESCAPE_PAUSE);
        } else if self.views.front.task.is_some() {
            self.leave_task(now);
        } else if self.can_interrupt() {
            self.arm_or_interrupt(armed, now);
        } else if self.can_hold() {
            self.hold(now);
        } else if self.can_go_back() {
            self.arm_or_list_messages(armed, now);
        } else {
            return RedrawUrgency::None;
        }
        RedrawUrgency::Urgent
    }

    /// Ends the search that was kept and what is selected; says whether there was anything.
    fn end_marks(&mut self) -> bool {
        self.end_search()
            || self.views.front.transcript.end_selection()
            || self.views.front.composer.end_selection()
    }

    /// Nothing goes on, nothing is written, and something was said.
    pub(in crate::tui::app) fn can_go_back(&self) -> bool {
        self.views.front.composer.is_empty() && !self.views.front.transcript.is_empty()
    }

    /// Twice within a second lists the messages to go back to; once does nothing, so that it bites nobody.
    fn arm_or_list_messages(&mut self, armed: Option<Instant>, now: Instant) {
        match armed {
            Some(armed) if now < armed + AGAIN => self.open_list(&OWN_MESSAGES, now),
            _ => self.views.front.esc.armed = Some(now),
        }
    }

    fn arm_or_interrupt(&mut self, armed: Option<Instant>, now: Instant) {
        match armed {
            Some(armed) if now < armed + AGAIN => {
                self.send(Op::Interrupt);
                // The press after these two means the turn that has just ended.
                self.views.front.esc.ignores_keys_until = Some(now + AGAIN);
            }
            _ => self.views.front.esc.armed = Some(now),
        }
    }

    pub(super) fn clear_or_quit(&mut self, now: Instant) {
        let cleared = self
            .top()
            .and_then(|top| self.with_layer(top, now, |layer| layer.clear()));
        if cleared.is_some() {
            return;
        }
        if !self.is_asking() && !self.views.front.composer.is_empty() {
            self.clear_draft(now);
        } else if self.can_interrupt() {
            self.send(Op::Interrupt);
        } else if self.quit_armed.is_some_and(|armed| now < armed + AGAIN) {
            self.quit();
        } else {
            self.quit_armed = Some(now);
        }
    }
}
