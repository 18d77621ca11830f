//! Dialogs: questions that take the composer's place.
//!
//! A dialog opens by itself, so it is deaf at first ([`guard`]): what a person was typing answers nothing. It handles
//! keys and draws; the owner sends what it answers with.

mod draw;
mod guard;
mod permission;

pub(crate) use draw::DialogCx;
pub(crate) use guard::{Guard, Pass};
pub(crate) use permission::{Outcome, Permission, Stage};
