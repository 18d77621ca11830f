//! The question on screen, of whatever kind, which has the composer's place.

use std::time::Instant;

use super::App;
use super::session_view::SessionView;
use crate::tui::dialog::{Dialog, DialogCx, Guard, Trust, TrustAnswer};

/// The one that is on screen. Trust is asked about before there is a session, and a form waits for permissions.
fn shown<'a>(trust: &'a mut Option<Trust>, view: &'a mut SessionView) -> Option<&'a mut dyn Dialog> {
    if let Some(trust) = trust {
        return Some(trust);
    }
    if let Some(dialog) = &mut view.dialog {
        return Some(dialog);
    }
    let form = view.forms.shown_mut()?;
    Some(form)
}

impl App {
    /// The question that has the composer's place.
    pub(super) fn asking(&self) -> Option<&dyn Dialog> {
        if let Some(trust) = &self.trust {
            return Some(trust);
        }
        if let Some(dialog) = &self.view.dialog {
            return Some(dialog);
        }
        let form = self.view.forms.shown()?;
        Some(form)
    }

    pub(super) fn asking_mut(&mut self) -> Option<&mut dyn Dialog> {
        shown(&mut self.trust, &mut self.view)
    }

    pub(super) fn is_asking(&self) -> bool {
        self.asking().is_some()
    }

    /// The same, with the context of drawing.
    pub(super) fn with_asking<T>(
        &mut self,
        is_low: bool,
        body: impl FnOnce(&mut dyn Dialog, &DialogCx<'_>) -> T,
    ) -> Option<T> {
        let place = self.place_of_asking();
        let dialog = shown(&mut self.trust, &mut self.view)?;
        let cx = DialogCx {
            look: self.appearance.look(),
            keymap: &self.keymap,
            home: self.appearance.surroundings.home.as_deref(),
            place,
            is_low,
        };
        Some(body(dialog, &cx))
    }

    /// Which question is on screen, and of how many that come in turn.
    fn place_of_asking(&self) -> (usize, usize) {
        let view = &self.view;
        let permissions = view.questions.len();
        if self.trust.is_some() {
            return (1, 1);
        }
        let Some(dialog) = &view.dialog else {
            return (permissions + view.forms.place(), permissions + view.forms.len());
        };
        let id = dialog.question().id;
        let place = view.questions.iter().position(|question| question.id == id);
        (place.map_or(1, |place| place + 1), permissions)
    }

    /// Says on screen which keys answer.
    pub(super) fn hear_unknown(&mut self) {
        if let Some(dialog) = shown(&mut self.trust, &mut self.view) {
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
