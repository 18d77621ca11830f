//! The one way a call goes, whoever makes it: resolve, normalise, access, hooks before it, validate, loop check,
//! permission, execute, hooks after it, truncate. Recording and showing are the session's.
//!
//! [`mod@resolve`] is the part without IO: it runs for all calls of a reply before the first starts, so that the scheduler
//! knows which may stand side by side. It also looks whether the arguments fit and whether the call repeats, but only
//! [`run`], which is the rest, says so, after the hooks: they see every call that is let near a tool, and may give it
//! other arguments. Calls repeat as the model wrote them. Both answer with a result when the call cannot go on; a call
//! always gets exactly one.

mod call_turn;
mod person_calls;
mod resolve;
mod uncut_result;

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::{BoxFuture, join_all, ready};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use super::call_hooks::{self, HookRequests, HookedCall};
use super::gate::{CallForReview, GateOutcome};
use super::{AskingTool, Concurrency, DrawnArgs, Prepared, RenderCx, ToolCx, ToolError, TypedArgs, Update};
use crate::conversation::{CallId, CallResult, ErrorKind, ToolPart};
use crate::permission::{Ask, PermissionKey, Subject};
use crate::view::card::Card;
use call_turn::in_turn;
pub use call_turn::{CallTurn, turns};
pub use person_calls::{find_own, own_command};
use resolve::failed_inside;
pub use resolve::{CallResolution, KnownTools, LoopGuard, ResolvedCall, resolve};
pub(super) use resolve::{may_be_inside, resolve_parsed};
use uncut_result::{TextLength, UncutResult, error_result};

/// Takes reports of a call on its way, for whoever shows it.
pub trait Progress: Send + Sync {
    /// The call is allowed and begins. Resolves when that is written down, so that a process that is killed from then on
    /// is known to have begun it; to `false` when it could not be, and then the call does not begin.
    fn running<'a>(&'a self, _call: &'a CallId) -> BoxFuture<'a, bool> {
        Box::pin(ready(true))
    }

    fn updated(&self, _call: &CallId, _update: Update) {}

    /// The turn is to end after this call.
    fn ends_turn(&self, _call: &CallId, _by: EndsTurn) {}

    /// The call consists of these, which are resolved and wait for their turn.
    fn inside(&self, _outer: &CallId, _calls: Vec<ToolPart>) {}

    /// A call inside another has its result.
    fn ended(&self, _call: &CallId, _result: &CallResult) {}
}

/// Originator of the wish to end the turn after a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndsTurn {
    /// The person said no without a word: they want to speak.
    Person,
    Hook,
}

/// Returns true if the person refused without a word, which means that they want to speak.
pub fn wants_to_speak(result: &CallResult) -> bool {
    result.error_kind() == Some(ErrorKind::Rejected) && result.details["error"].get("message").is_none()
}

/// Waits for calls in their order: neighbours that are shared run side by side, an exclusive one alone. Answers with
/// what came of them, in the same order.
pub async fn in_order<F: Future>(calls: impl Iterator<Item = (Concurrency, F)>) -> Vec<F::Output> {
    let mut ended = Vec::new();
    let mut shared = Vec::new();
    for (concurrency, call) in calls {
        let call = Box::pin(call);
        match concurrency {
            Concurrency::Shared => shared.push(call),
            Concurrency::Exclusive => {
                ended.extend(join_all(std::mem::take(&mut shared)).await);
                ended.push(call.await);
            }
        }
    }
    ended.extend(join_all(shared).await);
    ended
}

/// Runs a call and tells its updates between its beginning and its end, which a channel beside could not promise.
pub async fn attend(
    ready: ResolvedCall,
    cx: &ToolCx,
    mut updates: mpsc::UnboundedReceiver<(CallId, Update)>,
    progress: &dyn Progress,
) -> CallResult {
    forward_updates(run(ready, cx, progress), &mut updates, progress).await
}

async fn forward_updates(
    work: impl Future<Output = CallResult>,
    updates: &mut mpsc::UnboundedReceiver<(CallId, Update)>,
    progress: &dyn Progress,
) -> CallResult {
    tokio::pin!(work);
    let result = loop {
        tokio::select! {
            biased;
            Some((call, update)) = updates.recv() => progress.updated(&call, update),
            result = &mut work => break result,
        }
    };
    while let Ok((call, update)) = updates.try_recv() {
        progress.updated(&call, update);
    }
    result
}

/// Takes a resolved call through hooks, permission, execution and truncation.
pub async fn run(ready: ResolvedCall, cx: &ToolCx, progress: &dyn Progress) -> CallResult {
    let started = Instant::now();
    let mut waited = Duration::ZERO;
    let (called, grace) = (Arc::clone(&ready.tool), ready.cancel_grace());
    if !called.starts_tasks() {
        // Those behind it need not wait for its end.
        drop(cx.take_start_turn());
    }
    let mut result = guarded(
        pin!(whole(ready, cx, progress, &mut waited)),
        called.name(),
        grace,
        cx,
    )
    .await;
    let took = started.elapsed().saturating_sub(waited + cx.waited());
    result.duration_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    result
}

/// Runs a call to its end. One that fails inside, or goes on for too long after it was cancelled, has an error.
async fn guarded(
    work: impl Future<Output = CallResult>,
    tool: &str,
    grace: Duration,
    cx: &ToolCx,
) -> CallResult {
    let grace_over = async {
        cx.cancel.cancelled().await;
        tokio::time::sleep(grace).await;
    };
    tokio::select! {
        // A call that has ended keeps its real result.
        biased;
        ended = AssertUnwindSafe(work).catch_unwind() => {
            ended.unwrap_or_else(|_| error_result(failed_inside(tool)))
        }
        () = grace_over => error_result(ToolError::new(
            ErrorKind::Cancelled,
            "cancelled before it had ended; a part of it may have been done",
        )),
    }
}

async fn whole(
    mut ready: ResolvedCall,
    cx: &ToolCx,
    progress: &dyn Progress,
    waited: &mut Duration,
) -> CallResult {
    let mut has_new_args = false;
    let (mut raw, said) = loop {
        let mut said = HookRequests::default();
        let mut before = match call_hooks::before(ready.tool.name(), &ready.args, cx, &mut said).await {
            Ok(before) => before,
            Err(error) => break (UncutResult::failed(error), said),
        };
        if let Some(input) = before.input.take() {
            has_new_args |= ready.revise(input);
        }
        match attempt(&mut ready, &before, cx, progress, waited, &mut said).await {
            Attempt::Ended(raw) => break (raw, said),
            // What a person wrote goes the same way again, past the hooks too: they may forbid it.
            Attempt::Revised(input) => has_new_args |= ready.edit(input),
        }
    };
    if has_new_args {
        // The call is told with the arguments before hooks or a person changed them.
        call_hooks::set(
            &mut raw.result.details,
            "args",
            Value::Object(std::mem::take(&mut ready.args)),
        );
    }
    let mut result = raw.cut(&*ready.tool, cx).await;
    for words in said.context {
        result.output.push_str("\n\n");
        result.output.push_str(&words);
    }
    if !ready.ignored.is_empty() {
        call_hooks::set(&mut result.details, "ignored_params", json!(ready.ignored));
    }
    if said.stop.is_some() {
        progress.ends_turn(&cx.call, EndsTurn::Hook);
    }
    result
}

enum Attempt {
    Ended(UncutResult),
    /// A person gave the call other arguments.
    Revised(Map<String, Value>),
}

/// Permission, execution, and the hooks that are told of what was run.
async fn attempt(
    ready: &mut ResolvedCall,
    before: &HookedCall,
    cx: &ToolCx,
    progress: &dyn Progress,
    waited: &mut Duration,
    said: &mut HookRequests,
) -> Attempt {
    let taken = Err(Box::new(failed_inside(ready.tool.name())));
    let args = match std::mem::replace(&mut ready.typed, taken) {
        Ok(args) => args,
        Err(argument_error) => return Attempt::Ended(UncutResult::failed(*argument_error)),
    };
    let plan = match permit(ready, args, before, cx, waited).await {
        Ok(plan) => Ok(plan),
        Err(NotExecuted::Refused(error)) => return Attempt::Ended(UncutResult::failed(error)),
        Err(NotExecuted::Revised(args)) => return Attempt::Revised(args),
        Err(NotExecuted::Failed(error)) => Err(error),
    };
    said.context.extend(ready.edit_notice());
    let output = match plan {
        Ok(plan) => {
            if !progress.running(&cx.call).await {
                return Attempt::Ended(UncutResult::failed(ToolError::not_recorded()));
            }
            ready.tool.execute(plan, cx).await
        }
        Err(error) => Err(error),
    };
    let mut raw = output.map_or_else(UncutResult::failed, UncutResult::of);
    if call_hooks::are_told(cx) {
        let is_new = call_hooks::after(ready.tool.name(), &ready.args, &mut raw.result, cx, said).await;
        if is_new {
            raw.size = TextLength::Unknown;
        }
    }
    Attempt::Ended(raw)
}

/// Why a call was not executed.
enum NotExecuted {
    /// It may not be, or nobody wants it any more.
    Refused(ToolError),
    /// A person wants it with other arguments.
    Revised(Map<String, Value>),
    /// The tool itself found that it cannot be; for everybody outside that is how it ended.
    Failed(ToolError),
}

impl From<ToolError> for NotExecuted {
    fn from(refusal: ToolError) -> Self {
        Self::Refused(refusal)
    }
}

/// Finds out what the call would do and has it allowed. `waited` is how long it stood before somebody who was to allow
/// it.
async fn permit(
    ready: &ResolvedCall,
    args: TypedArgs,
    before: &HookedCall,
    cx: &ToolCx,
    waited: &mut Duration,
) -> Result<Box<dyn Any + Send>, NotExecuted> {
    let name = ready.tool.name();
    if cx.cancel.is_cancelled() {
        return Err(ToolError::not_executed().into());
    }
    let mut asks = Vec::new();
    if ready.repeats {
        asks.push(Ask::new(PermissionKey::DOOM_LOOP, Subject::new(name)).always(name));
    }
    asks.extend(before.ask(name));
    let gate = &cx.services.gate;
    let asker = AskingTool::of(&*ready.tool);
    let answerer = before.answerer();
    let turn = cx.take_turn();
    let prepared = match ready.tool.prepare(args, cx).await {
        Ok(prepared) => prepared.map(Ok),
        Err(mut error) => {
            let first = error.take_first();
            // In the order in which a call without an error asks, so that a refusal tells nothing of the error.
            let judged: Vec<Ask> = asks.iter().cloned().chain(first.judged).collect();
            gate.refuse_denied(asker, &judged)?;
            Prepared::new(Err(error), first.asks)
        }
    };
    let Prepared {
        plan,
        asks: own,
        card,
        why,
        runs_in,
    } = prepared;
    asks.extend(own);
    let began = Instant::now();
    let pass = gate.pass_by(answerer, cx, asker, &asks, || CallForReview {
        card: card.unwrap_or_else(|| call_card(ready)),
        runs_in,
        editable: Some(ready.editable()),
    });
    let start = cx.start_turn();
    let passed = in_turn(turn, start.as_deref(), !gate.allows(asker, &asks), pass).await;
    *waited += began.elapsed();
    match passed {
        Ok(GateOutcome::Allowed) => {}
        Ok(GateOutcome::Revised(args)) => return Err(NotExecuted::Revised(args)),
        Err(mut error) => {
            if error.kind == ErrorKind::Denied {
                error.hint = error.hint.or(why);
            }
            return Err(error.into());
        }
    }
    let plan = plan.map_err(NotExecuted::Failed)?;
    if cx.cancel.is_cancelled() {
        return Err(ToolError::not_executed().into());
    }
    Ok(plan)
}

/// The call's own card, for a question that has none.
fn call_card(ready: &ResolvedCall) -> Card {
    let args = Value::Object(ready.args.clone());
    let cx = RenderCx::EXPANDED;
    ready.tool.render_call(DrawnArgs::whole(&args), cx)
}

#[cfg(test)]
mod tests;
