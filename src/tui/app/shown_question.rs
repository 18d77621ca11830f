//! The question on screen, of whatever kind, which has the composer's place.

use std::time::Instant;

use super::App;
use super::questions::OpenQuestions;
use super::session_view::SessionView;
use super::trees::tree_mut_of;
use super::view_cx::ViewCx;
use crate::tui::dialog::{Dialog, TypeAheadGuard};
use crate::tui::layer::LayerCx;

impl ViewCx<'_> {
    /// Returns the question that has the composer's place.
    pub(super) fn asking(&self) -> Option<&dyn Dialog> {
        match (self.trust.as_deref(), self.questions.as_deref()) {
            (Some(trust), _) => Some(trust),
            (None, questions) => questions?.shown(),
        }
    }

    pub(super) fn is_asking(&self) -> bool {
        self.asking().is_some()
    }

    /// Returns the number of the question on screen, and how many there are.
    fn place(&self) -> (usize, usize) {
        self.questions.as_deref().map_or((1, 1), OpenQuestions::place)
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
            tasks: cx.tasks,
            unix: cx.unix,
            place: cx.place(),
            is_low,
        };
        let dialog: &mut dyn Dialog = match (cx.trust.as_deref_mut(), cx.questions.as_deref_mut()) {
            (Some(trust), _) => trust,
            (None, questions) => questions?.shown_mut()?,
        };
        Some(body(dialog, &layer_cx))
    }
}

impl App {
    /// The question that has the composer's place.
    pub(super) fn open_question(&self) -> Option<&dyn Dialog> {
        // Trust is asked about before there is a session.
        match &self.trust {
            Some(trust) => Some(trust),
            None => self.tree().questions.shown(),
        }
    }

    pub(super) fn open_question_mut(&mut self) -> Option<&mut (dyn Dialog + 'static)> {
        match &mut self.trust {
            Some(trust) => Some(trust),
            None => tree_mut_of(&mut self.trees, &self.views.front)
                .questions
                .shown_mut(),
        }
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
