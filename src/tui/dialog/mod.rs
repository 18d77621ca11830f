//! Dialogs: questions that take the composer's place.
//!
//! A dialog opens by itself, so it ignores keys at first ([`TypeAheadGuard`]): what a person was typing answers nothing.
//! It handles keys and draws; the owner sends what it answers with.
//!
//! Import circle: asks, body, permission: they are one question, whose state is in `permission`.

mod asks;
mod background;
mod body;
mod choice;
mod confirm;
mod draw;
mod form;
mod held;
mod keys;
mod permission;
mod proposal;
mod quit;
mod scrolled_lines;
mod stop;
mod summary;
mod tile;
mod trust;
mod type_ahead_guard;

use crate::conversation::CallId;
use crate::permission::Scope;
use crate::question::{Question, QuestionKind};
use crate::tui::keymap::LayerKeys;
use crate::tui::layer::{Layer, LayerCx};
pub(crate) use background::on_ground;
pub(crate) use choice::Choice;
pub(crate) use confirm::before as confirm_before;
use form::FormDialog;
pub(crate) use held::held_session;
use permission::Permission;
pub(crate) use quit::RunningWork;
pub(crate) use stop::{stop_task, stop_tasks, stop_terminal, stop_tree};
pub(crate) use summary::SummaryDialog;
pub(crate) use tile::{TileAnswerKeys, TilePlace, TileQuestion};
pub(crate) use trust::Trust;
pub use trust::{TrustAnswer, TrustPart, TrustQuestion};
pub(crate) use type_ahead_guard::{KeyRoute, TypeAheadGuard};

/// The keys that dialogs bring along.
pub(crate) static KEYS: &[&LayerKeys] = &[
    &quit::KEYS,
    &stop::KEYS,
    &confirm::KEYS,
    &held::KEYS,
    &summary::KEYS,
];

/// A question of any kind, as it is on screen.
pub(crate) trait Dialog: Layer {
    /// It comes on screen: no key was meant for it yet. `scope` is what an "always" begins with.
    fn appear(&mut self, guard: TypeAheadGuard, _scope: Scope) {
        if let Some(own) = self.guard_mut() {
            *own = guard;
        }
    }

    /// The call that it is about.
    fn call(&self) -> Option<&CallId> {
        None
    }

    /// Returns true if it takes the whole screen.
    fn is_full(&self) -> bool {
        false
    }

    /// Returns the text that is being written and may go to an editor.
    fn editable(&self) -> Option<String> {
        None
    }

    /// Takes back what the editor left.
    fn set_edited(&mut self, _text: &str) {}

    /// Returns text that was written and would be lost with the question.
    fn unsent_text(&self) -> Option<String> {
        None
    }

    /// Returns how many rows it would like.
    fn rows(&mut self, width: u16, cx: &LayerCx<'_>) -> u16;
}

/// Makes the dialog of a question.
pub(crate) fn open(question: &Question, guard: TypeAheadGuard) -> Box<dyn Dialog> {
    match &question.about {
        QuestionKind::Permission(inquiry) => Box::new(Permission::new(question.with(inquiry), guard)),
        QuestionKind::Form(form) => Box::new(FormDialog::new(question.with(form), guard)),
    }
}
