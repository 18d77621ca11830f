//! The way out: `esc`, one rung a press, and `ctrl+c`.

use std::time::Instant;

use crate::session::Op;
use crate::tui::app::{AGAIN, App, ESC_DEAF, Focus};
use crate::tui::keymap::Context;
use crate::tui::transcript::Change;

impl App {
    /// One rung a press.
    pub(super) fn escape(&mut self, now: Instant) -> Change {
        let is_deaf = self.view.esc.deaf_until.is_some_and(|until| until > now);
        // Going to normal mode stops nothing, and who knows vim does it many times a minute.
        if is_deaf && !self.is_escape_vims() {
            self.dropped_keys += 1;
            return Change::None;
        }
        // A press that closes something is not the first of two.
        let armed = self.view.esc.armed.take();
        if !self.layers.is_empty() {
            self.layer_back(now);
        } else if self.context() == Context::Completion {
            self.view.completion.dismiss();
            self.view.esc.deaf_until = Some(now + ESC_DEAF);
        } else if self.end_search(now)
            || self.leave_todo()
            || self.view.transcript.end_selection()
            || self.view.composer.end_selection()
            || self.context() == Context::Composer && self.view.composer.vim_escape()
            || self.leave_asking(now)
        {
            self.view.esc.deaf_until = Some(now + ESC_DEAF);
        } else if self.view.focus != Focus::Composer {
            self.focus_composer();
            self.view.esc.deaf_until = Some(now + ESC_DEAF);
        } else if self.can_interrupt() {
            self.arm_or_interrupt(armed, now);
        } else if self.view.composer.is_empty() && !self.view.transcript.is_empty() {
            self.focus_transcript();
        } else {
            return Change::None;
        }
        Change::Urgent
    }

    fn arm_or_interrupt(&mut self, armed: Option<Instant>, now: Instant) {
        match armed {
            Some(armed) if now < armed + AGAIN => self.send(Op::Interrupt),
            _ => self.view.esc.armed = Some(now),
        }
    }

    pub(super) fn clear_or_quit(&mut self, now: Instant) {
        if !self.layers.is_empty() {
            return self.close_layer(now);
        }
        if self.view.search.is_some() && self.end_search(now) || self.leave_todo() {
            return;
        }
        if !self.is_asking() && !self.view.composer.is_empty() {
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
