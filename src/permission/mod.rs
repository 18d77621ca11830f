//! Decides what may happen without asking, what must be asked, and what never happens.
//!
//! A tool says what it is about to do as [`Ask`]s; [`decide`] judges them by the [`Permissions`] of the session, and
//! whatever is left open is an [`Inquiry`], which the queue of questions puts to the user. Decisions are pure:
//! rules and subjects in, a [`Decision`] out. Nothing here reads a file or a configuration; paths arrive resolved.
//!
//! ```text
//!  Ask {key, subject}  ──►  Permissions::judge_tool  ──►  Verdict  ──►  decide (mode)  ──►  Allow | Ask | Deny
//!                           user list, project list                                          │
//!                                                                                  Questions::ask ──► PermissionReply
//! ```
//!
//! These rules hold everywhere: within one list the last matching rule wins; lists of other origin can only be
//! stricter; a grant lifts an ask and never a deny; no mode lifts a deny; what nothing matches is asked.

mod check;
mod claude;
pub mod command;
mod defaults;
mod editable;
mod grant;
mod harm;
mod inquiry;
mod keys;
mod pattern;
mod proposed;
mod read_gate;
mod reply;
mod rule;
mod runners;
mod verdict;
mod words;

pub use check::{Ask, Decision, Denial, Floor, Location, Mode, Open, UnknownMode, decide, plan_rules};
pub use claude::{ClaudeFile, ClaudePlaces, LeftOut, Translation, Why, translate};
pub use defaults::{Places, defaults, may_be_protected, protected_subject};
pub use editable::{Editable, Fit};
pub use grant::{Floored, floor, grants, too_wide};
pub use harm::Deleted;
pub use inquiry::{Delegated, Inquiry, Row};
pub use keys::{is_key, keys, own_key};
pub use pattern::Pattern;
pub use proposed::Proposed;
pub use read_gate::ReadGate;
pub use reply::{PermissionReply, Scope};
pub use rule::{Action, Rule, RuleProblem, Source, parse};
pub use runners::CommandWord;
pub use verdict::{ImportedRules, Permissions, Subject, Verdict};
pub use words::in_words;
