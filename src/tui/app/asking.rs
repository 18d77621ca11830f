//! The question on screen, of whatever kind, which has the composer's place.

use std::time::Instant;

use super::App;
use super::session_view::SessionView;
use super::view_frame::ViewCx;
use crate::tui::dialog::{Dialog, DialogCx, Guard, Trust, TrustAnswer};

/// The one that is on screen. Trust is asked about before there is a session.
fn shown<'a>(trust: Option<&'a mut Trust>, view: &'a mut SessionView) -> Option<&'a mut dyn Dialog> {
    match trust {
        Some(trust) => Some(trust),
        None => view.asking_mut(),
    }
}

impl SessionView {
    /// The question of the session that has the composer's place. A form waits for permissions.
    pub(super) fn asking(&self) -> Option<&dyn Dialog> {
        if let Some(dialog) = &self.dialog {
            return Some(dialog);
        }
        let form = self.forms.shown()?;
        Some(form)
    }

    fn asking_mut(&mut self) -> Option<&mut dyn Dialog> {
        if let Some(dialog) = &mut self.dialog {
            return Some(dialog);
        }
        let form = self.forms.shown_mut()?;
        Some(form)
    }

    /// Gives the question on screen the context of drawing.
    pub(super) fn with_asking<T>(
        &mut self,
        is_low: bool,
        cx: &mut ViewCx<'_>,
        body: impl FnOnce(&mut dyn Dialog, &DialogCx<'_>) -> T,
    ) -> Option<T> {
        let dialog_cx = DialogCx {
            look: cx.appearance.look(),
            keymap: cx.keymap,
            home: cx.appearance.surroundings.home.as_deref(),
            place: if cx.trust.is_some() {
                (1, 1)
            } else {
                self.place_of_asking()
            },
            is_low,
        };
        let dialog = shown(cx.trust.as_deref_mut(), self)?;
        Some(body(dialog, &dialog_cx))
    }

    /// Which question is on screen, and of how many that come in turn.
    fn place_of_asking(&self) -> (usize, usize) {
        let permissions = self.questions.len();
        let Some(dialog) = &self.dialog else {
            return (permissions + self.forms.place(), permissions + self.forms.len());
        };
        let id = dialog.question().id;
        let place = self.questions.iter().position(|question| question.id == id);
        (place.map_or(1, |place| place + 1), permissions)
    }
}

impl App {
    /// The question that has the composer's place.
    pub(super) fn asking(&self) -> Option<&dyn Dialog> {
        match &self.trust {
            Some(trust) => Some(trust),
            None => self.view.asking(),
        }
    }

    pub(super) fn asking_mut(&mut self) -> Option<&mut dyn Dialog> {
        shown(self.trust.as_mut(), &mut self.view)
    }

    pub(super) fn is_asking(&self) -> bool {
        self.asking().is_some()
    }

    /// Says on screen which keys answer.
    pub(super) fn hear_unknown(&mut self) {
        if let Some(dialog) = shown(self.trust.as_mut(), &mut self.view) {
            dialog.hear_unknown(&self.keymap);
        }
    }

    /// Has the question that is seen or heard again from now on be deaf at first: no key was meant for it yet.
    pub(super) fn begin_guard_anew(&mut self, now: Instant) {
        if let Some(dialog) = self.asking_mut() {
            *dialog.guard_mut() = Guard::begin(now, None);
        }
    }

    /// Goes back within the question, or leaves it for later; returns false if there is none.
    pub(super) fn leave_asking(&mut self, now: Instant) -> bool {
        let Some(dialog) = self.asking_mut() else {
            return false;
        };
        if dialog.back() {
            return true;
        }
        if self.trust.is_some() {
            self.answer_trust(TrustAnswer::NotNow, now);
            return true;
        }
        match &self.view.dialog {
            Some(dialog) => drop(self.view.put_off.insert(dialog.question().id)),
            None => self.view.forms.put_off_shown(),
        }
        self.show_question(now);
        true
    }
}
