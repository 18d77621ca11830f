//! The question on screen, of whatever kind, which has the composer's place.

use std::time::Instant;

use super::App;
use super::session_view::SessionView;
use super::view_cx::ViewCx;
use crate::tui::dialog::{Dialog, Trust, TypeAheadGuard};
use crate::tui::layer::LayerCx;

/// The one that is on screen. Trust is asked about before there is a session.
pub(super) fn shown_dialog<'a>(
    trust: Option<&'a mut Trust>,
    view: &'a mut SessionView,
) -> Option<&'a mut (dyn Dialog + 'static)> {
    match trust {
        Some(trust) => Some(trust),
        None => view.questions.shown_mut(),
    }
}

impl SessionView {
    /// Gives the question on screen the context of drawing.
    pub(super) fn with_asking<T>(
        &mut self,
        is_low: bool,
        cx: &mut ViewCx<'_>,
        body: impl FnOnce(&mut dyn Dialog, &LayerCx<'_>) -> T,
    ) -> Option<T> {
        let appearance = cx.appearance;
        let place = match cx.trust {
            Some(_) => (1, 1),
            None => self.questions.place(),
        };
        let layer_cx = LayerCx {
            look: appearance.look(),
            keymap: cx.keymap,
            terminal_environment: &appearance.terminal_environment,
            screen: cx.screen,
            pictures: cx.pictures.protocol(),
            session: self.root.as_ref(),
            hooks: &self.hooks,
            place,
            is_low,
        };
        let dialog = match cx.trust.as_deref_mut() {
            Some(trust) => trust,
            None => self.questions.shown_mut()?,
        };
        Some(body(dialog, &layer_cx))
    }
}

impl App {
    /// The question that has the composer's place.
    pub(super) fn open_question(&self) -> Option<&dyn Dialog> {
        match &self.trust {
            Some(trust) => Some(trust),
            None => self.view.questions.shown(),
        }
    }

    pub(super) fn open_question_mut(&mut self) -> Option<&mut (dyn Dialog + 'static)> {
        shown_dialog(self.trust.as_mut(), &mut self.view)
    }

    pub(super) fn is_asking(&self) -> bool {
        self.open_question().is_some()
    }

    /// Makes the visible question ignore keys for a moment again: no key was meant for it yet.
    pub(super) fn begin_guard_anew(&mut self, now: Instant) {
        if let Some(guard) = self.open_question_mut().and_then(|dialog| dialog.guard_mut()) {
            *guard = TypeAheadGuard::begin(now, None);
        }
    }
}
