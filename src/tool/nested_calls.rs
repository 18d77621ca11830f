//! Calls inside a call: each goes the whole way that any call goes, under the id `CALL.1` …
//!
//! Whoever runs a call says with [`NestedCalls`] what calls inside it are run with, and hears of them through the same
//! [`Progress`]. They keep the order of calls in a reply. A call inside never has calls inside of its own.
//!
//! When one of them ends the turn (a person said no without a word, or a hook wants no more), what has not been begun
//! is not, and what runs is cancelled, as it is among the calls of a reply.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::{Map, Value};
use tokio::sync::{Mutex, mpsc};
use tokio_util::sync::CancellationToken;

use super::pipeline::{
    self, CallResolution, CallTurn, EndsTurn, KnownTools, LoopGuard, Progress, in_order, may_be_inside,
};
use super::{CallSettings, Registry, ToolCx, ToolError, ToolSettings};
use crate::conversation::{CallId, CallResult, CallState, ErrorKind, ToolPart};

/// The means that calls inside a call are run with, beside those of the call itself.
#[derive(Clone)]
pub struct NestedCalls {
    pub calls: CallSettings,
    pub guard: Arc<Mutex<LoopGuard>>,
    pub progress: Arc<dyn Progress>,
}

impl NestedCalls {
    /// Makes the context of the call `call` inside another.
    fn context(
        &self,
        call: CallId,
        cancel: CancellationToken,
        updates: mpsc::UnboundedSender<(CallId, super::Update)>,
    ) -> ToolCx {
        let mut cx = ToolCx::new(&self.calls, call, cancel, updates);
        cx.outside = Some(self.clone());
        cx
    }
}

/// A call as another call gives it.
#[derive(Debug, Clone)]
pub struct NestedCall {
    pub tool: String,
    pub args: Map<String, Value>,
}

/// The end of a call inside a call.
#[derive(Debug)]
pub struct NestedCallEnd {
    pub call: CallId,
    /// The tool's own name, or what was given when there is no such tool.
    pub tool: String,
    pub result: CallResult,
}

impl ToolCx {
    /// Runs calls inside this one and answers with all their ends, in their order. Those after the first `limit` are
    /// told that they were too many.
    pub async fn run_inside(
        &self,
        calls: Vec<NestedCall>,
        limit: usize,
    ) -> Result<Vec<NestedCallEnd>, ToolError> {
        let Some(inside) = &self.inside else {
            return Err(ToolError::new(
                ErrorKind::Unavailable,
                "no calls can be run inside this one",
            ));
        };
        let runner = NestedCallRunner {
            outer: self,
            inside,
            stop: self.cancel.child_token(),
        };
        Ok(runner.run(calls, limit).await)
    }

    /// Returns true if the session has a tool and the agent may use it, so that a result can recommend it.
    pub fn offers(&self, tool: &str) -> bool {
        let means = self.inside.as_ref().or(self.outside.as_ref());
        means.is_some_and(|means| {
            means.calls.registry.get(tool).is_some() && means.calls.settings.switched(tool) != Some(false)
        })
    }
}

struct NestedCallRunner<'a> {
    outer: &'a ToolCx,
    inside: &'a NestedCalls,
    /// Cancelled when the call outside is, and when one inside ends the turn.
    stop: CancellationToken,
}

/// A call inside that was resolved.
struct ResolvedNestedCall {
    call: CallId,
    tool: String,
    resolved: CallResolution,
}

impl NestedCallRunner<'_> {
    async fn run(&self, calls: Vec<NestedCall>, limit: usize) -> Vec<NestedCallEnd> {
        let resolved = self.resolve(calls, limit).await;
        let parts = resolved.iter().map(|(part, _)| part.clone()).collect();
        self.inside.progress.inside(&self.outer.call, parts);
        let turns = pipeline::turns(resolved.len());
        let runs = resolved
            .into_iter()
            .zip(turns)
            .map(|((_, inner), starts)| (inner.resolved.concurrency(), self.one(inner, starts)));
        in_order(runs).await
    }

    /// Resolves all of them before the first begins, so that it is known which may stand side by side.
    async fn resolve(&self, calls: Vec<NestedCall>, limit: usize) -> Vec<(ToolPart, ResolvedNestedCall)> {
        let known = self.inside.calls.known();
        let KnownTools {
            registry, settings, ..
        } = known;
        let mut guard = self.inside.guard.lock().await;
        let numbered = calls.into_iter().zip(1..);
        let resolved = numbered.map(|(NestedCall { tool, args }, number)| {
            let raw_args = Value::Object(args.clone()).to_string();
            let refusal = if number > limit {
                Some(too_many(limit))
            } else {
                refused(registry, settings, &tool)
            };
            let resolved = match refusal {
                Some(refusal) => CallResolution::refused(Value::Object(args), refusal),
                None => pipeline::resolve_parsed(known, &mut guard, &tool, args),
            };
            let part = ToolPart {
                call: self.outer.call.inner(number),
                provider_id: None,
                tool,
                raw_args,
                args: Some(resolved.args.clone().into()),
                state: CallState::Pending,
                result: None,
                native: None,
                inner: Vec::new(),
            };
            let inner = ResolvedNestedCall {
                call: part.call.clone(),
                tool: registry.advertised_name(&part.tool, &resolved.args),
                resolved,
            };
            (part, inner)
        });
        resolved.collect()
    }

    async fn one(&self, inner: ResolvedNestedCall, starts: CallTurn) -> NestedCallEnd {
        let ResolvedNestedCall { call, tool, resolved } = inner;
        let progress = &*self.inside.progress;
        let result = match resolved.outcome {
            Err(result) => *result,
            Ok(_) if self.stop.is_cancelled() => ToolError::not_executed().into_result(),
            Ok(ready) => {
                let ending = EndsTurnWatch {
                    progress,
                    stop: &self.stop,
                };
                let (sender, updates) = mpsc::unbounded_channel();
                let cx = self.inside.context(call.clone(), self.stop.child_token(), sender);
                let cx = cx.with_start_turn(starts);
                pipeline::attend(ready, &cx, updates, &ending).await
            }
        };
        if pipeline::wants_to_speak(&result) {
            self.stop.cancel();
            progress.ends_turn(&call, EndsTurn::Person);
        }
        progress.ended(&call, &result);
        NestedCallEnd { call, tool, result }
    }
}

/// Stops the other calls inside when one of them ends the turn.
struct EndsTurnWatch<'a> {
    progress: &'a dyn Progress,
    stop: &'a CancellationToken,
}

impl Progress for EndsTurnWatch<'_> {
    fn running<'a>(&'a self, call: &'a CallId) -> BoxFuture<'a, bool> {
        self.progress.running(call)
    }

    fn updated(&self, call: &CallId, update: super::Update) {
        self.progress.updated(call, update);
    }

    fn ends_turn(&self, call: &CallId, by: EndsTurn) {
        self.stop.cancel();
        self.progress.ends_turn(call, by);
    }
}

fn refused(registry: &Registry, settings: &ToolSettings, name: &str) -> Option<ToolError> {
    if may_be_inside(registry, name) {
        return None;
    }
    let allowed = registry
        .tools()
        .filter(|tool| tool.may_be_inside() && settings.switched(tool.name()) != Some(false));
    let allowed: Vec<String> = allowed.map(|tool| format!("`{}`", tool.name())).collect();
    let name = registry.advertised_name(name, &Value::Null);
    let refusal = ToolError::new(
        ErrorKind::Refused,
        format!("`{name}` cannot be called inside another call"),
    );
    Some(refusal.hint(format!(
        "Call it by itself. Inside, there are {}.",
        allowed.join(", ")
    )))
}

fn too_many(limit: usize) -> ToolError {
    ToolError::new(
        ErrorKind::Limit,
        format!("not executed: at most {limit} calls are run at once"),
    )
    .hint("Send the rest in another call.")
}
