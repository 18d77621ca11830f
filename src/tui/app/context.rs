//! Reader of the next key.

use super::layers::LayerSlot;
use super::{App, Focus, TurnStatus};
use crate::tui::keymap::Context;
use crate::tui::layer::Layer;
use crate::tui::trace::TracedState;

impl App {
    /// Returns the context in which the next key is read.
    pub(super) fn context(&self) -> Context {
        match self.top().and_then(|top| self.layer(top)) {
            Some(layer) => layer.context(),
            None => self.focus_context(),
        }
    }

    /// The same while the leader waits for the rest of a key.
    pub(super) fn context_below_leader(&self) -> Context {
        let below = self.stack().find(|slot| *slot != LayerSlot::Leader);
        match below.and_then(|slot| self.layer(slot)) {
            Some(layer) => layer.context(),
            None => self.focus_context(),
        }
    }

    /// The same where no layer is there.
    pub(super) fn focus_context(&self) -> Context {
        match self.views.front.focus {
            Focus::Composer => Context::Composer,
            Focus::Queue => Context::Queue,
            // What is copied with the next frame is no selection any more.
            Focus::Transcript
                if self.views.front.transcript.has_selection() && self.pointer.due.is_none() =>
            {
                Context::Select
            }
            Focus::Transcript => Context::Transcript,
            Focus::Panel => Context::Panel,
        }
    }

    /// Returns the state that programs that drive the screen are told.
    pub(crate) fn state(&self) -> TracedState {
        TracedState {
            focus: self.focus_name(),
            dialog: if self.asks_to_quit() {
                Some("quit")
            } else {
                self.open_question().and_then(Layer::name)
            },
            queue: self.views.front.queue.len() + self.views.front.unsent_inputs().count(),
            busy: self.views.front.turn == TurnStatus::Busy,
            dropped_keys: self.dropped_keys,
        }
    }

    /// Returns the name of the part that reads the keys, for programs that drive the screen.
    fn focus_name(&self) -> &'static str {
        for slot in self.stack() {
            match (slot, self.layer(slot).and_then(Layer::name)) {
                (LayerSlot::Trust | LayerSlot::Question, Some(_)) => return "dialog",
                (_, Some(name)) => return name,
                (_, None) => {}
            }
        }
        match self.views.front.focus {
            Focus::Composer => "composer",
            Focus::Queue => "queue",
            Focus::Transcript => "transcript",
            Focus::Panel => "panel",
        }
    }
}
