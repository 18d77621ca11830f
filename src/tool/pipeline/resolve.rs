//! The part of a call without IO: which tool is meant, its arguments in their final form, and what speaks against it.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::uncut_result::{RESOLVED, error_result};
use crate::conversation::{CallResult, ErrorKind};
use crate::permission::{Editable, Fit};
use crate::provider::ToolSpec;
use crate::text::sanitize::sanitize_line;
use crate::text::surrogates;
use crate::text::width::truncate;
use crate::tool::registry::switched;
use crate::tool::{
    Concurrency, DynTool, NestedCall, Registry, Resolution, ToolAccess, ToolError, ToolSettings, TypedArgs,
    args,
};

/// A name that is no tool's is shown up to here.
const NAME_COLUMNS: usize = 60;
/// The model is told of a value that a person wrote up to here.
const EDIT_COLUMNS: usize = 2000;

/// A call whose tool and arguments are known.
pub struct ResolvedCall {
    pub(super) tool: Arc<dyn DynTool>,
    pub(super) args: Map<String, Value>,
    pub(super) ignored: Vec<String>,
    /// Arguments that the tool takes, or why they are not the tool's; a hook may still replace these. Each attempt takes
    /// them, and other arguments bring their own.
    pub(super) typed: Result<TypedArgs, Box<ToolError>>,
    /// The same tool with the same arguments as the two calls before it.
    pub(super) repeats: bool,
    /// The arguments before a person changed them.
    pub(super) unedited: Option<Map<String, Value>>,
}

impl ResolvedCall {
    pub fn cancel_grace(&self) -> Duration {
        self.tool.cancel_grace()
    }

    /// Takes other arguments, which are brought into form and looked at like any; says whether they differ.
    pub(super) fn revise(&mut self, mut input: Map<String, Value>) -> bool {
        self.tool.reshape(&mut input);
        let schema = self.tool.schema();
        let args::NormalizedArgs { args, ignored } =
            args::normalise(input, &schema, self.tool.param_aliases());
        let typed = self.tool.typed(&args);
        self.typed = fitting(&*self.tool, typed, &args, &schema, &ignored);
        self.ignored = ignored;
        let differ = self.args != args;
        self.args = args;
        differ
    }

    /// Takes the arguments that a person wrote in the question.
    pub(super) fn edit(&mut self, input: Map<String, Value>) -> bool {
        let before = self.args.clone();
        let differ = self.revise(input);
        self.unedited.get_or_insert(before);
        self.repeats = false;
        differ
    }

    /// Returns the part that a person may change, and the check of a changed one.
    pub(super) fn editable(&self) -> (Editable, Arc<Fit>) {
        let tool = Arc::clone(&self.tool);
        let fit = move |input| {
            let schema = tool.schema();
            let args::NormalizedArgs { args, ignored } =
                args::normalise(input, &schema, tool.param_aliases());
            match fitting(&*tool, tool.typed(&args), &args, &schema, &ignored) {
                Err(error) => Err(error.message),
                Ok(_) => Ok(args),
            }
        };
        (
            Editable::new(self.args.clone(), self.tool.edited()),
            Arc::new(fit),
        )
    }

    /// Tells the model what a person made of its call.
    pub(super) fn edit_notice(&self) -> Option<String> {
        let before = self.unedited.as_ref()?;
        let names = before
            .keys()
            .chain(self.args.keys().filter(|name| !before.contains_key(*name)));
        let changes = names.filter(|name| before.get(*name) != self.args.get(*name));
        let changes: Vec<_> = changes
            .map(|name| match self.args.get(name) {
                Some(value) => format!("`{name}` is now {}", truncate(&value.to_string(), EDIT_COLUMNS)),
                None => format!("`{name}` is left out"),
            })
            .collect();
        let is_changed = !changes.is_empty();
        is_changed.then(|| {
            format!(
                "[the user changed this call before it ran: {}]",
                changes.join("; ")
            )
        })
    }
}

/// The result of resolving a call's name and arguments.
pub struct CallResolution {
    /// The arguments for the `tool_call` event: normalised, or as far as they could be read.
    pub args: Value,
    pub outcome: Result<ResolvedCall, Box<CallResult>>,
}

impl CallResolution {
    /// Calls that cannot run stand beside anything; of one that a hook may mend nothing is known yet.
    pub fn concurrency(&self) -> Concurrency {
        match &self.outcome {
            Ok(ready) => {
                let typed = ready.typed.as_ref();
                typed.map_or(Concurrency::Exclusive, |typed| typed.concurrency)
            }
            Err(_) => Concurrency::Shared,
        }
    }

    /// A call that somebody refuses before its tool is looked for.
    pub(in crate::tool) fn refused(args: Value, refusal: ToolError) -> Self {
        Self {
            args,
            outcome: Err(Box::new(error_result(refusal))),
        }
    }

    /// Returns true if the arguments are the tool's.
    pub fn fits(&self) -> bool {
        matches!(&self.outcome, Ok(ready) if ready.typed.is_ok())
    }
}

/// Remembers the last calls of a turn, to notice a model that goes in circles.
#[derive(Debug, Default)]
pub struct LoopGuard {
    last: LastCalls,
    /// Calls that consist of others are counted among themselves: what they consist of stands between them otherwise.
    last_whole: LastCalls,
}

/// The last two calls.
#[derive(Debug, Default)]
struct LastCalls(VecDeque<(String, Value)>);

impl LoopGuard {
    /// Notes a call and says whether the two before it were the same. Calls that cannot run are noted too: they stand
    /// between others as much as any.
    fn repeats(&mut self, tool: &str, args: &Value) -> bool {
        self.last.note(tool, args)
    }

    /// The same for a call that consists of others.
    fn repeats_whole(&mut self, tool: &str, args: &Value) -> bool {
        self.last_whole.note(tool, args)
    }
}

impl LastCalls {
    fn note(&mut self, tool: &str, args: &Value) -> bool {
        let this = (tool.to_owned(), canonical(args));
        let repeats = self.0.len() == 2 && self.0.iter().all(|last| *last == this);
        if self.0.len() == 2 {
            self.0.pop_front();
        }
        self.0.push_back(this);
        repeats
    }
}

/// Sorts the keys of every object, so that order makes no difference.
fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut sorted: Vec<_> = fields
                .iter()
                .map(|(key, value)| (key.clone(), canonical(value)))
                .collect();
            sorted.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(sorted.into_iter().collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(canonical).collect()),
        other => other.clone(),
    }
}

/// The tools that a call can name.
#[derive(Clone, Copy)]
pub struct KnownTools<'a> {
    pub registry: &'a Registry,
    pub settings: &'a ToolSettings,
    /// The tools that were described to the model.
    pub advertised: &'a [ToolSpec],
}

/// Finds the tool and brings the arguments into its form.
pub fn resolve(known: KnownTools<'_>, guard: &mut LoopGuard, name: &str, raw_args: &str) -> CallResolution {
    match parse_object(raw_args) {
        Ok(given) => resolve_parsed(known, guard, name, given),
        Err(message) => resolve_given(known, guard, name, Err(message), Value::from(raw_args)),
    }
}

/// The same for arguments that were read before.
pub(in crate::tool) fn resolve_parsed(
    known: KnownTools<'_>,
    guard: &mut LoopGuard,
    name: &str,
    given: Map<String, Value>,
) -> CallResolution {
    let shown = Value::Object(given.clone());
    resolve_given(known, guard, name, Ok(given), shown)
}

fn resolve_given(
    known: KnownTools<'_>,
    guard: &mut LoopGuard,
    name: &str,
    given: Result<Map<String, Value>, String>,
    mut shown: Value,
) -> CallResolution {
    let work = AssertUnwindSafe(|| resolve_call(known, guard, name, given, &mut shown));
    let outcome = catch_unwind(work).unwrap_or_else(|_| Err(failed_inside(name)));
    CallResolution {
        args: shown,
        outcome: outcome.map_err(|error| Box::new(error_result(error))),
    }
}

/// How a call stands that consists of these: as the strictest of them.
fn concurrency_of(known: KnownTools<'_>, calls: &[NestedCall]) -> Concurrency {
    let is_exclusive = |call: &NestedCall| {
        let args = call.args.clone();
        let resolve = || resolve_parsed(known, &mut LoopGuard::default(), &call.tool, args);
        may_be_inside(known.registry, &call.tool) && resolve().concurrency() == Concurrency::Exclusive
    };
    if calls.iter().any(is_exclusive) {
        Concurrency::Exclusive
    } else {
        Concurrency::Shared
    }
}

/// A name that is no tool's is told as such.
pub(in crate::tool) fn may_be_inside(registry: &Registry, name: &str) -> bool {
    match registry.resolve(name) {
        Resolution::Tool(tool) => tool.may_be_inside(),
        Resolution::Unknown { .. } => true,
    }
}

/// `shown` becomes the normalised arguments as soon as there are any.
fn resolve_call(
    known: KnownTools<'_>,
    guard: &mut LoopGuard,
    name: &str,
    given: Result<Map<String, Value>, String>,
    shown: &mut Value,
) -> Result<ResolvedCall, ToolError> {
    let KnownTools {
        registry, settings, ..
    } = known;
    let (named, tool) = match (registry.resolve(name), registry.resolve_call(name, shown)) {
        (Resolution::Tool(named), Resolution::Tool(tool)) => (named, tool),
        (Resolution::Unknown { suggestions }, _) | (_, Resolution::Unknown { suggestions }) => {
            guard.repeats(name, shown);
            return Err(unknown_tool(known.advertised, name, &suggestions));
        }
    };
    let mut given = given.map_err(|message| {
        guard.repeats(tool.name(), shown);
        unusable_args(tool.name(), &message)
    })?;
    tool.reshape(&mut given);
    let schema = registry.schema(tool.name()).cloned().unwrap_or_default();
    let args::NormalizedArgs { args, ignored } = args::normalise(given, &schema, tool.param_aliases());
    *shown = Value::Object(args.clone());
    let mut typed = tool.typed(&args);
    let inner = typed
        .as_ref()
        .map_or(&[][..], |typed| typed.inner_calls.as_slice());
    let is_loop_checked = match &typed {
        Ok(typed) => typed.is_loop_checked,
        Err(_) => tool.is_loop_checked(),
    };
    let repeats = is_loop_checked
        && if inner.is_empty() {
            guard.repeats(tool.name(), shown)
        } else {
            guard.repeats_whole(tool.name(), shown)
        };
    // Who may not use the one may not reach the other through it.
    for name in [named.name(), tool.name()] {
        if switched(name, settings) == Some(false) {
            return Err(switched_off(name, settings));
        }
    }
    if let Ok(typed) = &mut typed
        && !typed.inner_calls.is_empty()
    {
        typed.concurrency = concurrency_of(known, &typed.inner_calls);
    }
    let typed = fitting(&*tool, typed, &args, &schema, &ignored);
    Ok(ResolvedCall {
        tool,
        args,
        ignored,
        typed,
        repeats,
        unedited: None,
    })
}

/// Returns the typed arguments, or why they do not fit: in the words of the schema where that says it.
fn fitting(
    tool: &dyn DynTool,
    typed: Result<TypedArgs, ToolError>,
    args: &Map<String, Value>,
    schema: &Value,
    ignored: &[String],
) -> Result<TypedArgs, Box<ToolError>> {
    let typed = match args::explain(tool.name(), args, schema) {
        Some(argument_error) => Err(ToolError::invalid_args(argument_error)),
        None => typed,
    };
    typed.map_err(|error| {
        Box::new(if ignored.is_empty() {
            error
        } else {
            error.extra(json!({ "ignored_params": ignored }))
        })
    })
}

/// No arguments at all mean none; anything but an object is told with the place where it breaks.
fn parse_object(raw: &str) -> Result<Map<String, Value>, String> {
    if raw.trim().is_empty() {
        return Ok(Map::new());
    }
    // Half of a character that a model escaped does not make the rest unusable.
    let raw = surrogates::replace_escapes(raw);
    match serde_json::from_str::<Value>(&raw) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(Value::Null) => Ok(Map::new()),
        // Some models send the object as a string of JSON.
        Ok(Value::String(text)) => match serde_json::from_str::<Value>(&text) {
            Ok(Value::Object(fields)) => Ok(fields),
            _ => Err("they are a string, not an object".to_owned()),
        },
        Ok(_) => Err("they are not an object".to_owned()),
        Err(error) => Err(format!("they are not valid JSON: {error}")),
    }
}

fn unusable_args(tool: &str, message: &str) -> ToolError {
    ToolError::invalid_args(format!("the arguments of `{tool}` could not be used: {message}"))
        .hint("Nothing was run. Send the call again with one whole JSON object.")
        .extra(json!({ RESOLVED: "invalid" }))
}

fn switched_off(tool: &str, settings: &ToolSettings) -> ToolError {
    if settings.switches.get(tool) != Some(&false) {
        return not_the_agents(tool, &settings.access);
    }
    let message = format!("`{tool}` is denied by the rule `tools`: `{tool}` → false, from the configuration");
    denied_tool(tool, message, "the configuration")
}

fn not_the_agents(tool: &str, access: &ToolAccess) -> ToolError {
    let agent = &access.agent;
    let why = if access.barred.iter().any(|barred| barred == tool) {
        ""
    } else {
        ": its `tools` leave it out"
    };
    let message = format!("agent `{agent}` may not use `{tool}`{why}");
    denied_tool(tool, message, &format!("agent `{agent}`"))
}

fn denied_tool(tool: &str, message: String, source: &str) -> ToolError {
    ToolError::new(ErrorKind::Denied, message)
        .hint("Do it another way, or tell the user.")
        .extra(json!({
            "key": "tools",
            "pattern": tool,
            "rule": format!("tools: {tool} → false"),
            "source": source,
        }))
}

fn unknown_tool(advertised: &[ToolSpec], name: &str, suggestions: &[String]) -> ToolError {
    let quoted = |names: &mut dyn Iterator<Item = &str>| {
        names
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let name = sanitize_line(name);
    let name = truncate(&name, NAME_COLUMNS);
    let text = if !suggestions.is_empty() {
        let near = quoted(&mut suggestions.iter().map(String::as_str));
        format!("no tool named `{name}`; did you mean {near}?")
    } else if advertised.is_empty() {
        format!("no tool named `{name}`; no tool may be used here")
    } else {
        let there = quoted(&mut advertised.iter().map(|tool| tool.name.as_str()));
        format!("no tool named `{name}`; there are {there}")
    };
    ToolError::new(ErrorKind::UnknownTool, text).extra(json!({ RESOLVED: "invalid" }))
}

pub(super) fn failed_inside(tool: &str) -> ToolError {
    ToolError::new(
        ErrorKind::Internal,
        format!("`{tool}` failed inside lathe; please report this"),
    )
    .hint("Nothing is known of what it did. Look before you try another way.")
}
