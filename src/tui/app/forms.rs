//! Forms among the rest of the screen: which is shown, what a person left for later, and where their words go.
//!
//! A form that was begun is kept with all that was chosen and written until it is settled; words that were never sent
//! go to the composer then. Questions of permission come first, but never take the place of a form that is on screen.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use super::App;
use crate::question::{Form, FormReply, Question, QuestionId, Reply};
use crate::session::Op;
use crate::tui::dialog::{Dialog, Filled, FormDialog, Guard};
use crate::tui::keymap::{Action, Context};
use crate::tui::statusbar::Hints;

/// Forms that wait for the person, oldest first.
#[derive(Default)]
pub(super) struct OpenForms {
    dialogs: Vec<FormDialog>,
    shown: Option<QuestionId>,
    put_off: HashSet<QuestionId>,
}

impl OpenForms {
    pub(super) fn shown(&self) -> Option<&FormDialog> {
        let shown = self.shown?;
        self.dialogs.iter().find(|dialog| dialog.form().id == shown)
    }

    pub(super) fn shown_mut(&mut self) -> Option<&mut FormDialog> {
        let shown = self.shown?;
        self.dialogs.iter_mut().find(|dialog| dialog.form().id == shown)
    }

    pub(super) fn put_off(&self) -> usize {
        self.put_off.len()
    }

    pub(super) fn len(&self) -> usize {
        self.dialogs.len()
    }

    /// Which of them is shown, from 1.
    pub(super) fn place(&self) -> usize {
        let is_shown = |dialog: &FormDialog| Some(dialog.form().id) == self.shown;
        self.dialogs
            .iter()
            .position(is_shown)
            .map_or(1, |place| place + 1)
    }

    fn add(&mut self, form: &Question<Arc<Form>>, now: Instant) {
        if self.dialogs.iter().all(|dialog| dialog.form().id != form.id) {
            // The guard begins when it is shown.
            let dialog = FormDialog::new(form.clone(), Guard::begin(now, None));
            self.dialogs.push(dialog);
        }
    }

    fn remove(&mut self, id: QuestionId) -> Option<FormDialog> {
        let place = self.dialogs.iter().position(|dialog| dialog.form().id == id)?;
        self.put_off.remove(&id);
        self.shown = self.shown.filter(|shown| *shown != id);
        Some(self.dialogs.remove(place))
    }

    fn hide(&mut self) {
        self.shown = None;
    }

    /// Leaves the one on screen for later.
    pub(super) fn put_off_shown(&mut self) {
        self.put_off.extend(self.shown.take());
    }

    /// Shows the one that is to be shown next, if none is.
    fn show(&mut self, now: Instant, typed: Option<Instant>) {
        if self.shown().is_some() {
            return;
        }
        let put_off = &self.put_off;
        let next = self
            .dialogs
            .iter_mut()
            .find(|dialog| !put_off.contains(&dialog.form().id));
        self.shown = next.map(|dialog| {
            *dialog.guard_mut() = Guard::begin(now, typed);
            dialog.form().id
        });
    }

    pub(super) fn recall(&mut self) {
        self.put_off.clear();
    }
}

impl App {
    /// Takes over what waits in a session that was attached to. What was begun here stays.
    pub(super) fn attach_forms(&mut self, forms: &[Question<Arc<Form>>], now: Instant) {
        let is_open = |dialog: &FormDialog| forms.iter().any(|form| form.id == dialog.form().id);
        let gone = self.view.forms.dialogs.iter().filter(|dialog| !is_open(dialog));
        let gone: Vec<QuestionId> = gone.map(|dialog| dialog.form().id).collect();
        for id in gone {
            self.settle_form(id, now);
        }
        for form in forms {
            self.view.forms.add(form, now);
        }
    }

    pub(super) fn put_form(&mut self, form: &Question<Arc<Form>>, now: Instant) {
        self.view.forms.add(form, now);
        self.show_question(now);
    }

    /// A form is gone that was not answered here: what was written for it is not lost.
    pub(super) fn settle_form(&mut self, id: QuestionId, now: Instant) {
        let words = self.view.forms.remove(id).and_then(|dialog| dialog.words());
        if let Some(words) = words {
            self.write_before(&words, now);
        }
        self.show_question(now);
        self.count_asks();
    }

    /// The session is gone, and with it who asked.
    pub(super) fn drop_forms(&mut self, now: Instant) {
        for id in self
            .view
            .forms
            .dialogs
            .iter()
            .map(|dialog| dialog.form().id)
            .collect::<Vec<_>>()
        {
            self.settle_form(id, now);
        }
    }

    /// Shows the oldest form that was not put off, where no permission is asked for.
    pub(super) fn show_form(&mut self, now: Instant) {
        let typed = self.view.typed.filter(|_| !self.view.composer.is_empty());
        if self.view.dialog.is_none() {
            self.view.forms.show(now, typed);
        }
        self.count_asks();
    }

    pub(super) fn count_asks(&mut self) {
        self.view.facts.asks = self.view.put_off.len() + self.view.forms.put_off();
    }

    pub(super) fn fill_in(&mut self, action: Action, now: Instant) {
        let filled = self.view.forms.shown_mut().map(|form| form.act(action));
        self.filled(filled, now);
    }

    pub(super) fn pick(&mut self, digit: char, now: Instant) {
        let filled = self.view.forms.shown_mut().map(|form| form.pick(digit));
        self.filled(filled, now);
    }

    fn filled(&mut self, filled: Option<Filled>, now: Instant) {
        let Some(Filled::Reply(reply)) = filled else {
            return;
        };
        let Some(id) = self.view.forms.shown().map(|form| form.form().id) else {
            return;
        };
        let dialog = self.view.forms.remove(id);
        if reply == FormReply::Dismissed
            && let Some(words) = dialog.and_then(|dialog| dialog.words())
        {
            self.write_before(&words, now);
        }
        self.send(Op::Answer {
            id,
            reply: Reply::Form(reply),
        });
        self.show_question(now);
    }

    /// Another question in the place of the form on screen; says whether there was a form.
    pub(super) fn pass_form(&mut self, now: Instant) -> bool {
        if self.view.forms.shown().is_none() {
            return false;
        }
        let place = self.view.forms.place();
        if !self.view.questions.is_empty() && place == self.view.forms.len() {
            self.view.forms.hide();
            self.view.put_off.clear();
            self.show_question(now);
        } else if self.view.forms.len() > 1 {
            let next = place % self.view.forms.len();
            let next = &mut self.view.forms.dialogs[next];
            *next.guard_mut() = Guard::begin(now, None);
            let id = next.form().id;
            self.view.forms.put_off.remove(&id);
            self.view.forms.shown = Some(id);
        }
        true
    }

    /// The oldest form in the place of a permission question, which waits on.
    pub(super) fn pass_to_forms(&mut self, now: Instant) -> bool {
        if self.view.forms.len() == 0 {
            return false;
        }
        self.view.dialog = None;
        self.view.forms.recall();
        self.show_form(now);
        true
    }

    pub(super) fn form_hints(&self, hints: &mut Hints<'_>) {
        let esc = self.keymap.label(Context::Global, Action::Escape);
        let is_outermost = self.view.forms.shown().is_some_and(FormDialog::is_outermost);
        hints.key(esc, if is_outermost { "later" } else { "back" });
    }
}
