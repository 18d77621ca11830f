//! The question on screen, of whatever kind, which has the composer's place.

use std::time::Instant;

use super::App;
use super::questions::OpenQuestions;
use super::session_view::SessionView;
use super::view_cx::ViewCx;
use crate::tui::dialog::{Dialog, Trust, TypeAheadGuard};
use crate::tui::layer::LayerCx;

/// Returns the one that is on screen. Trust is asked about before there is a session.
fn shown_dialog<'a>(trust: Option<&'a Trust>, questions: &'a OpenQuestions) -> Option<&'a dyn Dialog> {
    match trust {
        Some(trust) => Some(trust),
        None => questions.shown(),
    }
}

fn shown_dialog_mut<'a>(
    trust: Option<&'a mut Trust>,
    questions: &'a mut OpenQuestions,
) -> Option<&'a mut (dyn Dialog + 'static)> {
    match trust {
        Some(trust) => Some(trust),
        None => questions.shown_mut(),
    }
}

impl ViewCx<'_> {
    /// Returns the question that has the composer's place.
    pub(super) fn asking<'a>(&'a self, view: &'a SessionView) -> Option<&'a dyn Dialog> {
        shown_dialog(self.trust.as_deref(), &view.questions)
    }

    pub(super) fn is_asking(&self, view: &SessionView) -> bool {
        self.asking(view).is_some()
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
        let layer_cx = LayerCx {
            look: cx.appearance.look(),
            keymap: cx.keymap,
            terminal_environment: &cx.appearance.terminal_environment,
            screen: cx.screen,
            pictures: cx.pictures.protocol(),
            session: self.root.as_ref(),
            hooks: &self.hooks,
            place: self.questions.place(),
            is_low,
        };
        let dialog = shown_dialog_mut(cx.trust.as_deref_mut(), &mut self.questions)?;
        Some(body(dialog, &layer_cx))
    }
}

impl App {
    /// The question that has the composer's place.
    pub(super) fn open_question(&self) -> Option<&dyn Dialog> {
        shown_dialog(self.trust.as_ref(), &self.view.questions)
    }

    pub(super) fn open_question_mut(&mut self) -> Option<&mut (dyn Dialog + 'static)> {
        shown_dialog_mut(self.trust.as_mut(), &mut self.view.questions)
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
