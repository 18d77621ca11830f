//! Hooks: the user's own commands, run around calls, prompts and turns.
//!
//! `event` says when and what a hook is told, `matcher` for which tools, `runner` starts them, `decision` says what exit
//! and output mean, `call` and `turn` what follows from that, `run` is what others are told of it, and `transcript` writes
//! the conversation down for hooks that want to read it. The hooks of one event run one after another.
//!
//! A hook before a call fails closed: what it cannot judge is denied or asked, never allowed. Elsewhere one that fails is
//! a warning and the work goes on. Nothing here knows where hooks were configured, whether the project that brought them
//! is trusted, or what a ruling does to a permission: that is for `session::wire` and for the pipeline.

mod call;
mod decision;
mod event;
mod matcher;
mod run;
mod runner;
mod transcript;
mod turn;

pub use call::HookedResult;
pub use decision::Ruling;
pub use event::{CallFacts, HookContext, HookEvent, claude_name};
pub use matcher::Matcher;
pub use run::{HookEffect, HookExit, HookRun};
pub use runner::{Hook, HookSettings, Hooks};
pub use transcript::Transcript;
pub use turn::{PromptVerdict, StopVerdict};
