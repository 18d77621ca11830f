//! Dialogs: questions that take the composer's place.
//!
//! A dialog handles keys and draws; the owner sends what it answers with, and keeps from it what a person types as prose
//! (`tui::app::hearing`).
//!
//! Import circle: asks, body, permission: they are one question, whose state is in `permission`.

mod asks;
mod background;
mod body;
mod choice;
mod confirm;
mod draw;
mod form;
mod gone;
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
mod waiting_row;
mod yolo;

use crate::conversation::CallId;
use crate::permission::ChosenScopes;
use crate::question::{Question, QuestionKind};
use crate::tui::keymap::{Action, LayerKeys};
use crate::tui::layer::{Layer, LayerCx};
pub(crate) use background::on_ground;
pub(crate) use choice::Choice;
pub(crate) use confirm::before as confirm_before;
use form::FormDialog;
pub(crate) use gone::directory_gone;
pub(crate) use held::held_session;
use permission::Permission;
pub(crate) use quit::RunningWork;
pub(crate) use stop::{stop_task, stop_tasks, stop_terminal, stop_tree};
pub(crate) use summary::SummaryDialog;
pub(crate) use tile::{TileAnswerKeys, TilePlace, TileQuestion};
pub(crate) use trust::Trust;
pub use trust::{TrustAnswer, TrustPart, TrustQuestion};
pub(crate) use type_ahead_guard::TypeAheadGuard;
pub(crate) use waiting_row::{WaitingRow, waiting_words};
pub(crate) use yolo::change_to_yolo;

/// The keys that dialogs bring along.
pub(crate) static KEYS: &[&LayerKeys] = &[
    &quit::KEYS,
    &stop::KEYS,
    &confirm::KEYS,
    &held::KEYS,
    &gone::KEYS,
    &summary::KEYS,
    &yolo::KEYS,
];

/// The effect of one of a dialog's own actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ActionEffect {
    /// It shows something, ticks, or chooses.
    Looks,
    /// It answers.
    Answers,
    /// It dismisses the question, or leads to a text that takes what is typed after it.
    Commits,
}

/// A question of any kind, as it is on screen.
pub(crate) trait Dialog: Layer {
    /// It comes on screen. `scopes` are those that an "always" begins with.
    fn appear(&mut self, _scopes: &ChosenScopes) {}

    /// It leaves the screen because somebody types: what was opened to look at is closed again.
    fn leave(&mut self) {}

    /// The person has moved in it with a key that nobody writes prose with.
    fn moved(&mut self) {}

    /// Returns the effect of an action of its own.
    fn effect(&self, action: Action) -> ActionEffect;

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
pub(crate) fn open(question: &Question) -> Box<dyn Dialog> {
    match &question.about {
        QuestionKind::Permission(inquiry) => Box::new(Permission::new(question.with(inquiry))),
        QuestionKind::Form(form) => Box::new(FormDialog::new(question.with(form))),
    }
}
