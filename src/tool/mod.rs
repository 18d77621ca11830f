//! Tools: what a model can call, and how to write one.
//!
//! A tool is one file in `builtin/`, read from top to bottom: module doc, `Args` (its documented fields are the schema that
//! the model reads), `Details` (kept with the result; all that drawing needs), the `impl Tool`, private helpers, tests. Then
//! its line in `builtin/mod.rs`. If a tool's name has to be matched anywhere else, this trait lacks a method.
//!
//! A call is two steps. [`Tool::prepare`] only reads: it resolves paths, computes the edit, parses the command, and
//! answers with a plan, what has to be asked, and the card that the question shows. The pipeline asks. Then
//! [`Tool::execute`] carries the plan out. So the person sees exactly what will happen, and nothing happens before they
//! said yes.
//!
//! Errors are for the model: they say what was expected and what to try. Output is plain text, never terminal escapes.
//! A tool draws itself as a [`Card`] and knows nothing of the screen.

pub mod args;
pub mod builtin;
mod builtin_cards;
mod call_hooks;
mod change;
mod command_permissions;
mod context;
mod delegation;
mod drawn_args;
mod dynamic;
mod file_encoding;
mod file_name;
mod gate;
mod gates;
#[cfg(test)]
#[allow(dead_code)] // Each tool needs some of it.
pub(crate) mod harness;
mod hook_changes;
mod nested_calls;
mod output;
mod path_asks;
pub mod pipeline;
mod protected_names;
mod reads_only;
mod registry;
mod routing;
pub mod sandbox;
mod seen_files;
mod services;
mod settings;
mod terminals;
mod truncate;
mod walk;
mod write_paths;

pub use builtin_cards::BuiltinCards;
pub use command_permissions::JudgedIndexes;
pub use context::{Abilities, CallSettings, CallUpdate, PathAsk, SessionEffect, ToolCx, Update};
pub use delegation::{
    CancelledTask, CheckedOrder, Delegation, TaskCaller, TaskModel, TaskOrder, TaskState, TaskTarget,
    TaskWatch, TreeReport,
};
pub use drawn_args::DrawnArgs;
use dynamic::text_or_null;
pub use dynamic::{DynPrepared, DynTool, ResultSource, TypedArgs};
pub use gate::{AskingTool, Gate, GateAnswerError, GateOwner};
pub use gates::Gates;
pub use nested_calls::{NestedCall, NestedCallEnd, NestedCalls};
pub use output::{Output, SpilledOutput, ToolError};
pub use path_asks::path_asks;
pub use protected_names::ProtectedNames;
pub use registry::{Registry, Resolution, ToolSet};
pub use seen_files::{NoteTime, SeenFiles};
pub use services::{DiskStore, SessionServices, TreeServices, records_dir};
pub use settings::{
    BashSettings, BatchSettings, DelegationSettings, SandboxMode, SandboxSettings, SearchSettings, TaskTree,
    ToolAccess, ToolSettings, TruncateLimits, TruncateSettings,
};
pub use terminals::{
    Recipient, ShellGrammar, ShellPrompt, StartOwnError, TerminalSession, TerminalStartError, Terminals,
    TypedProgram, user_shell,
};
pub use walk::SearchThreads;

pub use crate::text::count::plural;

use std::future::Future;
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::conversation::TaskRow;
use crate::permission::{Ask, PermissionKey, Subject};
use crate::provider::EditMode;
use crate::text::truncate::Keep;
use crate::view::card::Card;

/// The facts that a description may depend on.
#[derive(Debug, Clone, Copy)]
pub struct InitCx<'a> {
    pub settings: &'a ToolSettings,
}

/// Brings details up to how a task stands now.
pub type FollowTask<Details> = fn(Details, &TaskRow) -> Option<Details>;

/// How a call may stand beside others of the same reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Concurrency {
    /// Runs side by side with its neighbours.
    Shared,
    /// Waits for everything before it and holds everything after it.
    Exclusive,
}

/// Arguments that are another tool's: an array whose items have one of these keys.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    pub array: &'static str,
    /// In snake case.
    pub keys: &'static [&'static str],
    pub tool: &'static str,
}

/// Another name for a parameter.
#[derive(Debug, Clone, Copy)]
pub struct ParamAlias {
    pub alias: &'static str,
    pub target: ParamTarget,
}

#[derive(Debug, Clone, Copy)]
pub enum ParamTarget {
    /// The value moves to this parameter.
    Name(&'static str),
    /// The boolean's inverse moves to this parameter.
    Not(&'static str),
}

impl ParamAlias {
    pub const fn name(alias: &'static str, target: &'static str) -> Self {
        Self {
            alias,
            target: ParamTarget::Name(target),
        }
    }

    pub const fn not(alias: &'static str, target: &'static str) -> Self {
        Self {
            alias,
            target: ParamTarget::Not(target),
        }
    }
}

pub trait Tool: Send + Sync + 'static {
    /// Documented fields are the schema. Optional ones carry `#[serde(default)]`.
    type Args: DeserializeOwned + JsonSchema + Send + Sync + 'static;
    /// The result of `prepare`: resolved paths, a parsed command, computed edits.
    type Plan: Send + 'static;
    /// Kept with the result: all that drawing needs.
    type Details: Serialize + DeserializeOwned + Send;

    const NAME: &'static str;
    /// Other names the model may use for this tool.
    const ALIASES: &'static [&'static str] = &[];
    /// Tells the model what it does; see [`Tool::description`] where the settings have a say in it.
    const DESCRIPTION: &'static str = "";
    /// How a call may run beside others. For a call that consists of others, theirs counts.
    const CONCURRENCY: Concurrency = Concurrency::Exclusive;
    /// Other names for its parameters, in snake case.
    const PARAM_ALIASES: &'static [ParamAlias] = &[];
    /// Routes of calls of this name whose arguments belong to another tool; the first match counts.
    const ROUTES: &'static [Route] = &[];
    /// The set that decides if a model is told of it.
    const SET: ToolSet = ToolSet::Core;
    /// The edit modes in which a model is told of it.
    const EDIT_MODES: &'static [EditMode] = &EditMode::ALL;
    /// The permission key whose `deny` for everything takes the tool away.
    const FAMILY: &'static PermissionKey = &PermissionKey::own(Self::NAME);
    /// End of a long output that is kept.
    const KEEP: Keep = Keep::Head;
    /// True if its output is also cut by what the context has left.
    const DYNAMIC: bool = false;
    /// How long a cancelled call may take to return before it is given up.
    const CANCEL_GRACE: Duration = Duration::from_millis(250);
    /// True if three equal calls in a row are a loop worth asking about.
    const LOOP_CHECKED: bool = true;
    /// True if it may be called inside another call.
    const MAY_BE_INSIDE: bool = true;
    /// The parameter that a person edits in the question as plain text; without one, all arguments as JSON.
    const EDITED: Option<&'static str> = None;

    /// Reads from the details which files a call has written, of a tool that writes any.
    const WRITTEN: Option<fn(Self::Details) -> Vec<WrittenFile>> = None;

    /// Brings the details of a call that has started a task up to how the task stands now; `None` where it is about
    /// another task, or has told its end.
    const FOLLOWED: Option<FollowTask<Self::Details>> = None;

    fn description(&self, _cx: InitCx<'_>) -> String {
        Self::DESCRIPTION.to_owned()
    }

    /// Brings other shapes of arguments that are accepted into that of the schema, before names and types are looked at.
    fn reshape(&self, _args: &mut Map<String, Value>) {}

    /// The calls that a call consists of; [`ToolCx::run_inside`] runs them.
    fn inner_calls(&self, _args: &Self::Args) -> Vec<NestedCall> {
        Vec::new()
    }

    /// How this call may run beside others.
    fn concurrency(&self, _args: &Self::Args) -> Concurrency {
        Self::CONCURRENCY
    }

    /// True if three calls with these arguments in a row are a loop worth asking about.
    fn is_loop_checked(&self, _args: &Self::Args) -> bool {
        Self::LOOP_CHECKED
    }

    /// Reads, and changes nothing. An error is returned without asking, unless it carries asks of its own
    /// ([`ToolError::after`]): those are put first, so that nothing of a file is told that could not be read.
    fn prepare(
        &self,
        args: Self::Args,
        cx: &ToolCx,
    ) -> impl Future<Output = Result<Prepared<Self::Plan>, ToolError>> + Send;

    /// Carries out what was allowed. Must return soon after `cx.cancel` is cancelled; dropping the future is allowed.
    fn execute(
        &self,
        plan: Self::Plan,
        cx: &ToolCx,
    ) -> impl Future<Output = Result<Output<Self::Details>, ToolError>> + Send;

    /// Draws the call before it has a result, from the first byte of its arguments on.
    fn render_call(&self, args: DrawnArgs<'_>, cx: RenderCx) -> Card;

    /// Draws what came of it: live output while it runs, the result after. Errors without details of this tool are
    /// drawn by the caller.
    fn render_result(&self, result: ResultView<'_, Self::Details>, cx: RenderCx) -> Card;
}

/// The answer of `prepare`.
#[derive(Debug)]
pub struct Prepared<P> {
    pub plan: P,
    /// Put together in one question, in this order.
    pub asks: Vec<Ask>,
    /// The card in the question; the call's own card when absent.
    pub card: Option<Card>,
    /// Why something is asked that is allowed as a rule; told with a refusal.
    pub why: Option<String>,
    /// The directory of the command that the call runs, where it runs one.
    pub runs_in: Option<PathBuf>,
}

impl<P> Prepared<P> {
    pub fn new(plan: P, asks: Vec<Ask>) -> Self {
        Self {
            plan,
            asks,
            card: None,
            why: None,
            runs_in: None,
        }
    }

    /// Changes the plan alone.
    fn map<Q>(self, change: impl FnOnce(P) -> Q) -> Prepared<Q> {
        Prepared {
            plan: change(self.plan),
            asks: self.asks,
            card: self.card,
            why: self.why,
            runs_in: self.runs_in,
        }
    }

    /// For a call that is about nothing but its tool.
    pub fn of_tool(tool: &'static str, plan: P) -> Self {
        let ask = Ask::new(PermissionKey::own(tool), Subject::new("*")).always("*");
        Self::new(plan, vec![ask])
    }
}

/// How a card is to be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RenderCx {
    pub expanded: bool,
    /// The list of todos stands beside the conversation: a card says what changed in it.
    pub shows_todos: bool,
}

impl RenderCx {
    pub const FOLDED: Self = Self::new(false);
    pub const EXPANDED: Self = Self::new(true);

    pub const fn new(expanded: bool) -> Self {
        Self {
            expanded,
            shows_todos: false,
        }
    }
}

/// A call that runs or has run.
pub struct ResultView<'a, D> {
    pub args: DrawnArgs<'a>,
    pub details: D,
    /// The text for the model; while the call runs, the tail of what it has printed so far.
    pub text: &'a str,
    pub running: bool,
}

/// A file as a call has left it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenFile {
    /// As tools answer with it: from the project's root.
    pub path: String,
    pub moved_to: Option<String>,
    pub is_gone: bool,
    pub additions: usize,
    pub deletions: usize,
}

impl WrittenFile {
    pub fn new(path: impl Into<String>, additions: usize, deletions: usize) -> Self {
        Self {
            path: path.into(),
            additions,
            deletions,
            ..Self::default()
        }
    }
}

/// One text or several.
#[derive(Debug, Clone, serde::Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    pub fn into_vec(self) -> Vec<String> {
        match self {
            Self::One(one) => vec![one],
            Self::Many(many) => many,
        }
    }
}
