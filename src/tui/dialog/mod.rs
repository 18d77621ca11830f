//! Dialogs: questions that take the composer's place.
//!
//! A dialog opens by itself, so it is deaf at first ([`guard`]): what a person was typing answers nothing. It handles
//! keys and draws; the owner sends what it answers with.

mod asks;
mod body;
mod draw;
mod form;
mod ground;
mod guard;
mod keys;
mod leaving;
mod permission;
mod proposal;
mod trust;

pub(crate) use draw::DialogCx;
pub(crate) use form::{Filled, FormDialog};
pub(crate) use ground::on_ground;
pub(crate) use guard::{Guard, Pass};
pub(crate) use leaving::Leaving;
pub(crate) use permission::{Outcome, Permission};
pub(crate) use trust::Trust;
pub use trust::{TrustAnswer, TrustPart, TrustQuestion};
