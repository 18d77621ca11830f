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

mod action;
mod check;
mod claude;
pub mod command;
mod counterpart;
mod defaults;
mod destructive;
mod editable;
mod floor;
mod folded;
mod grant;
mod inquiry;
mod keys;
mod pattern;
mod proposal;
mod read_gate;
mod reply;
mod rule;
mod rule_list;
mod runners;
mod subject;
mod verdict;
mod words;
mod wrappers;

pub use crate::conversation::PermissionKey;
pub use action::Action;
pub use check::{Ask, Decision, Denial, Floor, Location, Mode, OpenAsk, UnknownMode, decide, plan_rules};
pub use claude::{ClaudeFile, ClaudePlaces, Translation, UntranslatedReason, UntranslatedRule, translate};
pub use counterpart::Counterpart;
pub use defaults::{DefaultPaths, defaults, may_be_protected, protected_subject};
pub use destructive::DeletedFiles;
pub use editable::{Editable, Fit};
pub use floor::{FloorError, floor, too_wide};
pub use grant::grants;
pub use inquiry::{DelegatedTask, Inquiry, InquiryRow};
pub use keys::{is_key, keys, own_key};
pub use pattern::Pattern;
pub use proposal::ProposedRule;
pub use read_gate::ReadGate;
pub use reply::{ChosenScopes, PermissionReply, Scope};
pub use rule::{Rule, RuleProblem, Source, parse};
pub use rule_list::RuleList;
pub use subject::{CommandWord, Subject};
pub use verdict::{ImportedRules, Permissions, Verdict};
pub use words::in_words;
