//! Keys of vim's normal and visual mode, where the composer works with them.

use std::time::Instant;

use termina::event::{KeyCode, KeyEvent, Modifiers};

use super::App;
use crate::tui::composer::{EditEffect, Mode, VimOutcome};
use crate::tui::keymap::{Context, typed};
use crate::tui::statusbar::Hints;
use crate::tui::terminal::CaretShape;
use crate::tui::transcript::RedrawUrgency;
use crate::view::theme::Meaning;

impl App {
    /// Returns true if `esc` is vim's: it leads to normal mode, or takes back a command that was begun.
    pub(super) fn is_escape_vims(&self) -> bool {
        let is_elsewhere = self
            .views
            .front
            .composer
            .vim_mode()
            .is_some_and(|mode| mode != Mode::Normal);
        self.context() == Context::Composer
            && (is_elsewhere || !self.views.front.composer.vim_pending().is_empty())
    }

    /// Takes a key that is a command of normal or visual mode.
    pub(super) fn vim_key(&mut self, key: KeyEvent, now: Instant) -> Option<RedrawUrgency> {
        if !self.views.front.composer.is_commanded() {
            return None;
        }
        let is_control_r = key.code == KeyCode::Char('r') && key.modifiers == Modifiers::CONTROL;
        let (edited, done) = match (typed(key), key.code) {
            // It shows the keys, as it does everywhere.
            (Some('?'), _) if self.views.front.composer.is_empty() => return None,
            (Some(c), _) => self.views.front.composer.command(c),
            (None, KeyCode::Backspace) => self.views.front.composer.command('h'),
            (None, KeyCode::Delete) => self.views.front.composer.command('x'),
            (None, _) if is_control_r => (self.views.front.composer.vim_redo(), VimOutcome::Something),
            (None, _) => return None,
        };
        match edited {
            EditEffect::Text => self.draft_changed(now),
            EditEffect::Caret | EditEffect::Nothing => {}
        }
        match done {
            VimOutcome::Something => {}
            VimOutcome::Above => self.recall(now),
            VimOutcome::Below => {
                if self.views.front.composer.newer() {
                    self.draft_changed(now);
                }
            }
        }
        Some(RedrawUrgency::Urgent)
    }

    pub(crate) fn caret_shape(&self) -> CaretShape {
        if let Some(layer) = self.typing_layer().and_then(|slot| self.layer(slot)) {
            return layer.caret_shape();
        }
        match self.views.front.composer.vim_mode() {
            Some(Mode::Insert) => CaretShape::Bar,
            Some(_) if self.context_below_leader() == Context::Composer => CaretShape::Block,
            Some(_) => CaretShape::Bar,
            None => CaretShape::Own,
        }
    }

    pub(super) fn vim_hints(&self, hints: &mut Hints<'_>) {
        let words = match self.views.front.composer.vim_mode() {
            None => return,
            Some(Mode::Insert) => "insert",
            Some(Mode::Normal) => "normal",
            Some(Mode::Visual) => "visual",
            Some(Mode::VisualLines) => "visual lines",
        };
        let pending = self.views.front.composer.vim_pending();
        let words = format!("{words} {pending}");
        hints.say(words.trim_end(), Meaning::TextStrong);
    }
}
