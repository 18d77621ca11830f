//! What may happen without asking, what must be asked, and what never happens.
//!
//! A tool says what it is about to do as [`Ask`]s; [`decide`] judges them by the [`Permissions`] of the session, and
//! whatever is left open goes to the [`Broker`], which puts one question after the other to the user. Decisions are pure:
//! rules and subjects in, a [`Decision`] out. Nothing here reads a file or a configuration; paths arrive resolved.
//!
//! ```text
//!  Ask {key, subject}  ──►  Permissions::judge_tool  ──►  Verdict  ──►  decide (mode)  ──►  Allow | Ask | Deny
//!                           user list, project list                                          │
//!                                                                                  Broker::ask ──► Reply
//! ```
//!
//! What holds everywhere: within one list the last matching rule wins; lists of other origin can only be stricter; a
//! grant lifts an ask and never a deny; no mode lifts a deny; what nothing matches is asked.

pub mod broker;
mod check;
pub mod command;
mod defaults;
mod editable;
mod grant;
mod harm;
mod pattern;
mod read_gate;
mod rule;
mod runners;
mod verdict;

pub use broker::{
    AlreadyAnswered, Broker, BrokerEvent, FrontEnd, Inquiry, Question, QuestionId, Reply, Row, Scope,
};
pub use check::{Ask, Decision, Denial, Floor, Location, Mode, Open, UnknownMode, decide, plan_rules};
pub use defaults::{Places, defaults, protected_subject};
pub use editable::{Editable, Fit};
pub use grant::{Floored, floor, grants, too_wide};
pub use harm::Deleted;
pub use pattern::Pattern;
pub use read_gate::ReadGate;
pub use rule::{Action, Rule, RuleProblem, Source, parse};
pub use verdict::{Permissions, Subject, Verdict};
