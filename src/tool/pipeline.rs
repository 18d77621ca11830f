//! The one way a call goes, whoever makes it: resolve, normalise, access, validate, loop check, permission, execute,
//! truncate. Recording and showing are the session's.
//!
//! [`resolve`] is the part without IO: it runs for all calls of a reply before the first starts, so that the scheduler
//! knows which may stand side by side. [`run`] is the rest. Both answer with a result when the call cannot go on; a call
//! always gets exactly one.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use serde_json::{Map, Value, json};

use super::registry::switched;
use super::truncate::{Cut, cut, cut_error};
use super::{
    Asker, Concurrency, DynTool, Output, Registry, Resolution, ToolCx, ToolError, ToolSettings, args,
};
use crate::conversation::{CallId, CallResult, ErrorKind};
use crate::permission::{Ask, Subject};
use crate::text::partial_json::PartialJson;
use crate::text::sanitize::{sanitize_line, strip_controls};
use crate::text::width::truncate;
use crate::view::card::Card;

/// Longest title, in columns.
const TITLE_COLUMNS: usize = 80;
/// A name that is no tool's is shown up to here.
const NAME_COLUMNS: usize = 60;

/// A call whose tool and arguments are known.
pub struct Ready {
    tool: Arc<dyn DynTool>,
    args: Map<String, Value>,
    ignored: Vec<String>,
    /// The same tool with the same arguments as the two calls before it.
    repeats: bool,
}

impl Ready {
    pub fn cancel_grace(&self) -> Duration {
        self.tool.cancel_grace()
    }
}

/// What became of a call's name and arguments.
pub struct Resolved {
    /// The arguments for the `tool_call` event: normalised, or as far as they could be read.
    pub args: Value,
    pub outcome: Result<Ready, Box<CallResult>>,
}

impl Resolved {
    /// Calls that cannot run stand beside anything.
    pub fn concurrency(&self) -> Concurrency {
        match &self.outcome {
            Ok(ready) => ready.tool.concurrency(&ready.args),
            Err(_) => Concurrency::Shared,
        }
    }
}

/// Remembers the last calls of a turn, to notice a model that goes in circles.
#[derive(Debug, Default)]
pub struct LoopGuard {
    last: VecDeque<(String, Value)>,
}

impl LoopGuard {
    /// Notes a call and says whether the two before it were the same. Calls that cannot run are noted too: they stand
    /// between others as much as any.
    fn repeats(&mut self, tool: &str, args: &Value) -> bool {
        let this = (tool.to_owned(), canonical(args));
        let repeats = self.last.len() == 2 && self.last.iter().all(|last| *last == this);
        if self.last.len() == 2 {
            self.last.pop_front();
        }
        self.last.push_back(this);
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

/// Finds the tool and brings the arguments into its form.
pub fn resolve(
    registry: &Registry,
    settings: &ToolSettings,
    guard: &mut LoopGuard,
    name: &str,
    raw_args: &str,
) -> Resolved {
    let given = parse_object(raw_args);
    let mut shown = match &given {
        Ok(given) => Value::Object(given.clone()),
        Err(_) => Value::from(raw_args),
    };
    let work = AssertUnwindSafe(|| resolve_call(registry, settings, guard, name, given, &mut shown));
    let outcome = catch_unwind(work).unwrap_or_else(|_| Err(failed_inside(name)));
    Resolved {
        args: shown,
        outcome: outcome.map_err(|error| Box::new(error_result(error))),
    }
}

/// `shown` becomes the normalised arguments as soon as there are any.
fn resolve_call(
    registry: &Registry,
    settings: &ToolSettings,
    guard: &mut LoopGuard,
    name: &str,
    given: Result<Map<String, Value>, String>,
    shown: &mut Value,
) -> Result<Ready, ToolError> {
    let tool = match registry.resolve(name) {
        Resolution::Tool(tool) => tool,
        Resolution::Unknown { suggestions } => {
            guard.repeats(name, shown);
            return Err(unknown_tool(registry, settings, name, &suggestions));
        }
    };
    let given = given.map_err(|message| {
        guard.repeats(tool.name(), shown);
        unusable_args(tool.name(), &message)
    })?;
    let schema = registry.schema(tool.name()).cloned().unwrap_or_default();
    let args::Normalised { args, ignored } = args::normalise(given, &schema, tool.param_aliases());
    *shown = Value::Object(args.clone());
    let repeats = tool.is_loop_checked() && guard.repeats(tool.name(), shown);
    if switched(tool.name(), settings) == Some(false) {
        return Err(switched_off(tool.name()));
    }
    let named = |error: ToolError| {
        if ignored.is_empty() {
            error
        } else {
            error.extra(json!({ "ignored_params": ignored }))
        }
    };
    if let Some(misfit) = args::explain(tool.name(), &args, &schema) {
        return Err(named(ToolError::new(ErrorKind::InvalidArgs, misfit)));
    }
    tool.validate(&args).map_err(named)?;
    Ok(Ready {
        tool,
        args,
        ignored,
        repeats,
    })
}

/// No arguments at all mean none; anything but an object is told with the place where it breaks.
fn parse_object(raw: &str) -> Result<Map<String, Value>, String> {
    if raw.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str::<Value>(raw) {
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

/// Says that the call went to `invalid`; that is no part of `details.error`, so the pipeline puts it beside.
const RESOLVED: &str = "resolved";

fn unusable_args(tool: &str, message: &str) -> ToolError {
    ToolError::new(
        ErrorKind::InvalidArgs,
        format!("the arguments of `{tool}` could not be used: {message}"),
    )
    .hint("Nothing was run. Send the call again with one whole JSON object.")
    .extra(json!({ RESOLVED: "invalid" }))
}

fn switched_off(tool: &str) -> ToolError {
    ToolError::new(
        ErrorKind::Denied,
        format!("`{tool}` is denied by the rule `tools`: `{tool}` → false, from the configuration"),
    )
    .hint("Do it another way, or tell the user.")
    .extra(json!({
        "key": "tools",
        "pattern": tool,
        "rule": format!("tools: {tool} → false"),
        "source": "the configuration",
    }))
}

fn unknown_tool(
    registry: &Registry,
    settings: &ToolSettings,
    name: &str,
    suggestions: &[String],
) -> ToolError {
    let quoted = |names: &mut dyn Iterator<Item = &str>| {
        names
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let name = sanitize_line(name);
    let name = truncate(&name, NAME_COLUMNS);
    let text = if suggestions.is_empty() {
        let shown = registry.tools().filter(|tool| {
            let by_default = tool.set() == super::Set::Core;
            tool.set() != super::Set::Hidden && switched(tool.name(), settings).unwrap_or(by_default)
        });
        format!(
            "no tool named `{name}`; there are {}",
            quoted(&mut shown.map(|tool| tool.name()))
        )
    } else {
        let near = quoted(&mut suggestions.iter().map(String::as_str));
        format!("no tool named `{name}`; did you mean {near}?")
    };
    ToolError::new(ErrorKind::UnknownTool, text).extra(json!({ RESOLVED: "invalid" }))
}

fn failed_inside(tool: &str) -> ToolError {
    ToolError::new(
        ErrorKind::Internal,
        format!("`{tool}` failed inside lathe; please report this"),
    )
    .hint("Nothing is known of what it did. Look before you try another way.")
}

/// Turns an error into a result whose texts are clean. Some facts stand beside `details.error`, not in it.
fn error_result(error: ToolError) -> CallResult {
    let mut result = error.into_result();
    for key in [RESOLVED, "ignored_params"] {
        let beside = result.details["error"]
            .as_object_mut()
            .and_then(|error| error.shift_remove(key));
        if let Some(value) = beside {
            result.details[key] = value;
        }
    }
    clean(&mut result);
    result
}

/// No control characters reach the model or a title.
fn clean(result: &mut CallResult) {
    result.title = truncate(&sanitize_line(&result.title), TITLE_COLUMNS).into_owned();
    if let Cow::Owned(clean) = strip_controls(&result.output) {
        result.output = clean;
    }
}

/// What happened on the way, for whoever shows it.
pub trait Progress: Send + Sync {
    /// The call is allowed and begins.
    fn running(&self, call: &CallId);
}

/// Takes a resolved call through permission, execution and truncation.
pub async fn run(ready: Ready, cx: &ToolCx, progress: &dyn Progress) -> CallResult {
    let started = Instant::now();
    let mut waited = Duration::ZERO;
    let work = AssertUnwindSafe(whole(&ready, cx, progress, &mut waited)).catch_unwind();
    let mut result = tokio::select! {
        // A call that has ended keeps its real result.
        biased;
        ended = work => ended.unwrap_or_else(|_| error_result(failed_inside(ready.tool.name()))),
        () = given_up(cx, ready.cancel_grace()) => error_result(ToolError::new(
            ErrorKind::Cancelled,
            "cancelled before it had ended; a part of it may have been done",
        )),
    };
    let took = started.elapsed().saturating_sub(waited);
    result.duration_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    if !ready.ignored.is_empty() && (result.details.is_object() || result.details.is_null()) {
        result.details["ignored_params"] = json!(ready.ignored);
    }
    result
}

/// Waits until a cancelled call has had its time to return.
async fn given_up(cx: &ToolCx, grace: Duration) {
    cx.cancel.cancelled().await;
    tokio::time::sleep(grace).await;
}

async fn whole(ready: &Ready, cx: &ToolCx, progress: &dyn Progress, waited: &mut Duration) -> CallResult {
    match attempt(ready, cx, progress, waited).await {
        Ok(output) => finish(ready, output, cx).await,
        Err(error) => {
            let result = error_result(error);
            cut_error(ready.tool.name(), result, cx).await
        }
    }
}

/// `waited` is how long the call stood before somebody who was to allow it.
async fn attempt(
    ready: &Ready,
    cx: &ToolCx,
    progress: &dyn Progress,
    waited: &mut Duration,
) -> Result<Output<Value>, ToolError> {
    let name = ready.tool.name();
    if cx.cancel.is_cancelled() {
        return Err(ToolError::not_executed());
    }
    let mut asks = Vec::new();
    if ready.repeats {
        asks.push(Ask::new("doom_loop", Subject::new(name)).always(name));
    }
    let gate = &cx.services.gate;
    let asker = Asker {
        tool: name,
        family: ready.tool.family(),
    };
    let prepared = match ready.tool.prepare(ready.args.clone(), cx).await {
        Ok(prepared) => prepared,
        Err(mut error) => {
            let first = error.take_first();
            gate.refuse_denied(asker, &first.judged)?;
            asks.extend(first.asks);
            let began = Instant::now();
            let passed = gate.pass(cx, asker, &asks, || call_card(ready)).await;
            *waited = began.elapsed();
            passed?;
            return Err(error);
        }
    };
    asks.extend(prepared.asks);
    let card = prepared.card;
    let began = Instant::now();
    let passed = gate
        .pass(cx, asker, &asks, || card.unwrap_or_else(|| call_card(ready)))
        .await;
    *waited = began.elapsed();
    if let Err(mut error) = passed {
        if error.kind == ErrorKind::Denied {
            error.hint = error.hint.or(prepared.why);
        }
        return Err(error);
    }
    if cx.cancel.is_cancelled() {
        return Err(ToolError::not_executed());
    }
    progress.running(&cx.call);
    ready.tool.execute(prepared.plan, cx).await
}

/// The call's own card, for a question that has none.
fn call_card(ready: &Ready) -> Card {
    let mut partial = PartialJson::new();
    let args = Value::Object(ready.args.clone());
    partial.feed(&args.to_string());
    ready
        .tool
        .render_call(&partial, Some(&args), super::RenderCx { expanded: true })
}

/// Cuts the output and turns it into the result.
async fn finish(ready: &Ready, output: Output<Value>, cx: &ToolCx) -> CallResult {
    let mut details = output.details;
    if let Some(kind) = output.failure {
        details["error"] = super::output::error_details(kind);
    }
    let text = match strip_controls(&output.text) {
        Cow::Owned(clean) => clean,
        Cow::Borrowed(_) => output.text,
    };
    let cut = match output.spilled {
        Some(spilled) => Cut::by_tool(text, spilled),
        None if output.paged => Cut::whole(text),
        None => cut(&*ready.tool, text, cx).await,
    };
    let mut result = CallResult {
        ok: output.failure.is_none(),
        title: output.title,
        output: cut.text,
        details,
        truncated: cut.truncated,
        output_path: cut.output_path,
        duration_ms: 0,
        attachments: output.attachments,
    };
    clean(&mut result);
    result
}

#[cfg(test)]
mod tests;
