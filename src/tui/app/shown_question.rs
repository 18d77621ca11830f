//! The question on screen, of whatever kind, which has the composer's place.

use super::App;
use super::layers::LayerSlot;
use super::session_view::SessionView;
use super::view_cx::ViewCx;
use crate::tui::dialog::Dialog;
use crate::tui::layer::LayerCx;

impl ViewCx<'_> {
    pub(super) fn is_asking(&self) -> bool {
        self.asking.is_some()
    }
}

impl SessionView {
    /// Gives the question on screen the context of drawing.
    pub(super) fn with_asking<T>(
        &self,
        is_low: bool,
        cx: &mut ViewCx<'_>,
        body: impl FnOnce(&mut dyn Dialog, &LayerCx<'_>) -> T,
    ) -> Option<T> {
        let layer_cx = LayerCx {
            look: cx.appearance.look(),
            keymap: cx.keymap,
            terminal_environment: &cx.appearance.terminal_environment,
            screen: cx.screen,
            pictures: cx.pictures.protocol(),
            session: self.root.as_ref(),
            hooks: &self.hooks,
            directory: &self.directory,
            tasks: cx.tasks,
            unix: cx.unix,
            place: cx.place,
            is_low,
        };
        let dialog = cx.asking.as_deref_mut()?;
        Some(body(dialog, &layer_cx))
    }
}

impl App {
    /// The question that has the composer's place: the first in the order of the layers.
    pub(super) fn open_question(&self) -> Option<&dyn Dialog> {
        self.stack().find_map(|slot| match slot {
            LayerSlot::Trust => self.trust.as_ref().map(|trust| trust as &dyn Dialog),
            LayerSlot::Question => self.tree().questions.shown(),
            _ => None,
        })
    }

    pub(super) fn open_question_mut(&mut self) -> Option<&mut (dyn Dialog + 'static)> {
        let slot = self.question_slot()?;
        self.dialog_mut(slot)
    }

    /// The question in a slot of the stack.
    pub(super) fn dialog_mut(&mut self, slot: LayerSlot) -> Option<&mut (dyn Dialog + 'static)> {
        match slot {
            LayerSlot::Trust => self.trust.as_mut().map(|trust| trust as &mut dyn Dialog),
            LayerSlot::Question => self.tree_mut().questions.shown_mut(),
            _ => None,
        }
    }

    /// The slot of the question that has the composer's place.
    pub(super) fn question_slot(&self) -> Option<LayerSlot> {
        self.stack()
            .find(|slot| matches!(slot, LayerSlot::Trust | LayerSlot::Question))
    }

    pub(super) fn is_asking(&self) -> bool {
        self.open_question().is_some()
    }
}
