//! Keys while a question is on screen: those that are its own, and those of somebody who types.

use std::time::Instant;

use termina::event::{KeyCode, KeyEvent};

use crate::tui::app::App;
use crate::tui::app::hearing::{KeyRoute, KeyUse};
use crate::tui::app::layers::LayerSlot;
use crate::tui::dialog::{ActionEffect, Dialog};
use crate::tui::keymap::{Action, Context, typed};
use crate::tui::layer::Layer;
use crate::tui::transcript::RedrawUrgency;

impl App {
    /// Gives a key to a question, or to the draft where it is prose.
    pub(super) fn key_in_question(&mut self, slot: LayerSlot, key: KeyEvent, now: Instant) -> RedrawUrgency {
        let Some(context) = self.layer(slot).map(Layer::context) else {
            return RedrawUrgency::None;
        };
        let key_use = self.key_use(slot, context, key);
        match self.hearing.route(key, key_use, now) {
            KeyRoute::Question => {
                if key_use == KeyUse::Moves
                    && let Some(dialog) = self.dialog_mut(slot)
                {
                    dialog.moved();
                }
                self.press_in_layer(slot, key, now)
            }
            KeyRoute::Later => RedrawUrgency::None,
            KeyRoute::Draft => {
                let mut keys = self.hearing.take_burst();
                keys.push(key);
                self.leave_question(slot, now);
                for key in keys {
                    self.key_below(Context::Composer, key, now);
                }
                RedrawUrgency::Urgent
            }
        }
    }

    /// Presses the key that waited for a pause in typing, if there was one.
    pub(in crate::tui::app) fn press_due_key(&mut self, now: Instant) -> RedrawUrgency {
        let Some(key) = self.hearing.take_due(now) else {
            return RedrawUrgency::None;
        };
        match self.top() {
            Some(slot @ (LayerSlot::Question | LayerSlot::Trust)) => self.press_in_layer(slot, key, now),
            // The question was settled meanwhile.
            None => self.key_below(Context::Composer, key, now),
            Some(_) => RedrawUrgency::None,
        }
    }

    /// Returns the use that a question has for a key.
    fn key_use(&self, slot: LayerSlot, context: Context, key: KeyEvent) -> KeyUse {
        let is_character = typed(key).is_some();
        let Some(action) = self.keymap.action(context, key) else {
            return match (context.takes_text(), is_character) {
                (true, _) => KeyUse::Writes,
                (false, true) => KeyUse::Prose,
                (false, false) => KeyUse::Unknown,
            };
        };
        if context.takes_text() {
            return KeyUse::Writes;
        }
        if !is_character && key.code != KeyCode::Enter {
            return KeyUse::Moves;
        }
        let dialog = match slot {
            LayerSlot::Trust => self.trust.as_ref().map(|trust| trust as &dyn Dialog),
            _ => self.tree().questions.shown(),
        };
        match dialog.map(|dialog| dialog.effect(action)) {
            Some(ActionEffect::Answers) => KeyUse::Answers,
            Some(ActionEffect::Commits) => KeyUse::Commits,
            Some(ActionEffect::Looks) | None => KeyUse::Looks,
        }
    }

    /// Returns true if a key means the same whatever question is on screen: it looks around, leads elsewhere, or stops.
    pub(super) fn passes_question(&self, slot: LayerSlot, key: KeyEvent) -> bool {
        let context = self.layer(slot).map(Layer::context);
        let is_own = context.is_some_and(|context| self.keymap.has(context, key));
        let everywhere = self.keymap.action(Context::Global, key);
        !is_own && everywhere.is_some_and(|action| action != Action::Escape) && typed(key).is_none()
    }
}
