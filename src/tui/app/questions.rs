//! Questions that wait for the person in one tree of sessions: which is on screen, and which was put off.
//!
//! A question that was begun is kept with all that was chosen and written until it is settled. Questions of permission
//! come first, but never take the place of a form that is on screen. In the conversation of a task only its own questions
//! and those of its tasks come up by themselves; the others wait, as those do that were put off.

use std::sync::Arc;

use crate::conversation::SessionId;
use crate::permission::ChosenScopes;
use crate::question::{Question, QuestionId, QuestionKind};
use crate::tui::dialog::{self, Dialog};

/// Questions that wait: those of permission before forms, each kind oldest first.
#[derive(Default)]
pub(super) struct OpenQuestions {
    list: Vec<OpenQuestion>,
    shown: Option<QuestionId>,
}

struct OpenQuestion {
    question: Arc<Question>,
    /// Made when it comes on screen for the first time.
    dialog: Option<Box<dyn Dialog>>,
    is_put_off: bool,
}

impl OpenQuestion {
    fn is_permission(&self) -> bool {
        matches!(self.question.about, QuestionKind::Permission(_))
    }
}

impl OpenQuestions {
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many wait besides the one on screen and those that come in turn behind it.
    pub(super) fn waiting(&self, comes_up: impl Fn(&Question) -> bool) -> usize {
        let waits = |open: &OpenQuestion| open.is_put_off || !comes_up(&open.question);
        match self.shown_place() {
            None => self.list.len(),
            Some(shown) => {
                let others = self.list.iter().enumerate().filter(|(place, _)| *place != shown);
                others.filter(|(_, open)| waits(open)).count()
            }
        }
    }

    /// Returns the one that would come up by itself next, if none is on screen.
    pub(super) fn next(&self, comes_up: impl Fn(&Question) -> bool) -> Option<&Arc<Question>> {
        if self.shown_place().is_some() {
            return None;
        }
        let place = self.next_place(comes_up)?;
        Some(&self.list[place].question)
    }

    fn next_place(&self, comes_up: impl Fn(&Question) -> bool) -> Option<usize> {
        let is_next = |open: &OpenQuestion| !open.is_put_off && comes_up(&open.question);
        self.list.iter().position(is_next)
    }

    /// Those of permission before forms, each kind oldest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<Question>> {
        self.list.iter().map(|open| &open.question)
    }

    /// Returns those of one session.
    pub(super) fn of(&self, session: &SessionId) -> impl Iterator<Item = &Arc<Question>> {
        let questions = self.list.iter().map(|open| &open.question);
        questions.filter(move |question| question.session == *session)
    }

    pub(super) fn has_permissions(&self) -> bool {
        self.list.iter().any(OpenQuestion::is_permission)
    }

    /// Returns the number of the one on screen, from 1, and how many there are of those that come in turn. A permission
    /// is counted among permissions.
    pub(super) fn place(&self) -> (usize, usize) {
        let place = self.shown_place().unwrap_or(0);
        let permissions = self.list.iter().filter(|open| open.is_permission()).count();
        let count = if place < permissions {
            permissions
        } else {
            self.list.len()
        };
        (place + 1, count)
    }

    pub(super) fn shown(&self) -> Option<&dyn Dialog> {
        self.list[self.shown_place()?].dialog.as_deref()
    }

    pub(super) fn shown_mut(&mut self) -> Option<&mut (dyn Dialog + 'static)> {
        let place = self.shown_place()?;
        self.list[place].dialog.as_deref_mut()
    }

    /// Returns true if one is on screen and none comes behind it.
    pub(super) fn is_last_shown(&self) -> bool {
        self.shown_place()
            .is_some_and(|place| place + 1 == self.list.len())
    }

    /// Takes over those that are open. Returns those that are not any more.
    pub(super) fn take_over(&mut self, open: &[Arc<Question>]) -> Vec<QuestionId> {
        for question in open {
            self.add(question);
        }
        let known = self.list.iter().map(|known| known.question.id);
        known
            .filter(|known| open.iter().all(|open| open.id != *known))
            .collect()
    }

    /// Takes all away; returns texts that were written for them and never sent.
    pub(super) fn take_all(&mut self) -> Vec<String> {
        self.shown = None;
        let dialogs = self.list.drain(..).filter_map(|open| open.dialog);
        dialogs.filter_map(|dialog| dialog.unsent_text()).collect()
    }

    fn shown_place(&self) -> Option<usize> {
        self.place_of(self.shown?)
    }

    fn place_of(&self, id: QuestionId) -> Option<usize> {
        self.list.iter().position(|open| open.question.id == id)
    }

    pub(super) fn add(&mut self, question: &Arc<Question>) {
        if self.place_of(question.id).is_some() {
            return;
        }
        let open = OpenQuestion {
            question: Arc::clone(question),
            dialog: None,
            is_put_off: false,
        };
        let first_form = self.list.iter().position(|open| !open.is_permission());
        let place = first_form.filter(|_| open.is_permission());
        self.list.insert(place.unwrap_or(self.list.len()), open);
    }

    /// Takes one away; returns text that was written for it and never sent.
    pub(super) fn remove(&mut self, id: QuestionId) -> Option<String> {
        let open = self.list.remove(self.place_of(id)?);
        self.shown = self.shown.filter(|shown| *shown != id);
        open.dialog?.unsent_text()
    }

    /// The one on screen is answered.
    pub(super) fn remove_shown(&mut self) {
        if let Some(place) = self.shown_place() {
            self.list.remove(place);
        }
        self.shown = None;
    }

    /// Leaves the one on screen for later.
    pub(super) fn put_off_shown(&mut self) {
        if let Some(place) = self.shown_place() {
            self.list[place].is_put_off = true;
        }
        self.shown = None;
    }

    /// Brings back what was put off.
    pub(super) fn recall(&mut self) {
        for open in &mut self.list {
            open.is_put_off = false;
        }
    }

    /// Shows the first that comes up by itself and was not put off, if none is shown. Returns true if one is shown by that.
    pub(super) fn show(&mut self, scopes: &ChosenScopes, comes_up: impl Fn(&Question) -> bool) -> bool {
        if self.shown_place().is_some() {
            return false;
        }
        let next = self.next_place(comes_up);
        self.show_at(next, scopes);
        next.is_some()
    }

    /// Shows this one, wherever it waits. Returns false if it is not open.
    pub(super) fn show_this(&mut self, id: QuestionId, scopes: &ChosenScopes) -> bool {
        let place = self.place_of(id);
        if let Some(place) = place {
            self.list[place].is_put_off = false;
            self.show_at(Some(place), scopes);
        }
        place.is_some()
    }

    /// Leaves the one on screen, which comes up again where it does by itself.
    pub(super) fn leave_shown(&mut self) {
        self.shown = None;
    }

    /// Shows the one behind the one on screen; behind the last comes the first.
    pub(super) fn show_next(&mut self, scopes: &ChosenScopes) {
        let Some(place) = self.shown_place().filter(|_| self.list.len() > 1) else {
            return;
        };
        let next = (place + 1) % self.list.len();
        if self.list[next].is_permission() != self.list[place].is_permission() {
            self.recall();
        }
        self.list[next].is_put_off = false;
        self.show_at(Some(next), scopes);
    }

    fn show_at(&mut self, place: Option<usize>, scopes: &ChosenScopes) {
        self.shown = place.map(|place| {
            let open = &mut self.list[place];
            let question = &open.question;
            open.dialog
                .get_or_insert_with(|| dialog::open(question))
                .appear(scopes);
            question.id
        });
    }
}
