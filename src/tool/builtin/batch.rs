//! `batch`: several calls at once.
//!
//! Each of them goes the whole way of a call, with its own id, permission, events and card ([`crate::tool::NestedCalls`]);
//! this file only puts together what came of them. Their results are the batch's text, so that the model reads one.

use crate::permission::PermissionKey;
use crate::tool::builtin::with_lines;
use std::fmt::Write as _;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::conversation::{CallId, ErrorKind};
use crate::permission::{Ask, Subject};
use crate::tool::{
    AskingTool, Concurrency, DrawnArgs, InitCx, NestedCall, NestedCallEnd, Output, ParamAlias, Prepared,
    RenderCx, ResultView, Tool, ToolCx, ToolError, ToolSet, plural,
};
use crate::view::card::{Card, Tone, ToneLine, ToneSpan};

pub(super) struct BatchTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// The calls, at least one. Those that change nothing run side by side, the others in order.
    tool_calls: Vec<OneCall>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct OneCall {
    /// The tool's name.
    tool: String,
    /// Its arguments.
    #[serde(default)]
    parameters: Map<String, Value>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Details {
    total: usize,
    succeeded: usize,
    failed: usize,
    calls: Vec<CallOutcome>,
    /// Why none of them counts, where that is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<Value>,
}

#[derive(Debug, Serialize, Deserialize)]
struct CallOutcome {
    call: CallId,
    tool: String,
    ok: bool,
}

impl Tool for BatchTool {
    type Args = Args;
    type Plan = Vec<OneCall>;
    type Details = Details;

    const NAME: &'static str = "batch";
    /// Of no calls; otherwise it is theirs.
    const CONCURRENCY: Concurrency = Concurrency::Shared;
    const PARAM_ALIASES: &'static [ParamAlias] = &[
        ParamAlias::name("calls", "tool_calls"),
        ParamAlias::name("name", "tool"),
        ParamAlias::name("arguments", "parameters"),
        ParamAlias::name("args", "parameters"),
        ParamAlias::name("input", "parameters"),
    ];
    const SET: ToolSet = ToolSet::Extended;
    const MAY_BE_INSIDE: bool = false;
    /// Longer than that of any tool, so that a call inside returns before it is given up with the batch.
    const CANCEL_GRACE: Duration = Duration::from_secs(5);

    fn description(&self, cx: InitCx<'_>) -> String {
        format!(
            "Make several calls of other tools at once, up to {}. Use it for calls that do not need each other's \
             results.",
            cx.settings.batch.max_calls
        )
    }

    fn inner_calls(&self, args: &Args) -> Vec<NestedCall> {
        args.tool_calls.iter().cloned().map(NestedCall::from).collect()
    }

    async fn prepare(&self, args: Args, cx: &ToolCx) -> Result<Prepared<Vec<OneCall>>, ToolError> {
        if args.tool_calls.is_empty() {
            return Err(ToolError::invalid_args(
                "`tool_calls` is empty; give at least one `{tool, parameters}`",
            ));
        }
        let asker = AskingTool {
            tool: Self::NAME,
            family: Self::FAMILY,
        };
        let whole = Ask::new(PermissionKey::own(Self::NAME), Subject::new("*"));
        cx.services.gate.refuse_denied(asker, &[whole])?;
        Ok(Prepared::new(args.tool_calls, Vec::new()))
    }

    async fn execute(&self, plan: Vec<OneCall>, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        let calls = plan.into_iter().map(NestedCall::from).collect();
        let limit = cx.services.settings.batch.max_calls;
        let ended = cx.run_inside(calls, limit).await?;
        Ok(output(ended, cx.cancel.is_cancelled()))
    }

    fn render_call(&self, args: DrawnArgs<'_>, _: RenderCx) -> Card {
        if !args.get("tool_calls").is_some_and(Value::is_array) {
            return Card::new("Batch", "");
        }
        let calls = args.items("tool_calls");
        let card = Card::new("Batch", plural(calls.len(), "call"));
        with_lines(card, calls.map(line).collect())
    }

    fn render_result(&self, result: ResultView<'_, Details>, _: RenderCx) -> Card {
        let Details {
            total,
            succeeded,
            failed,
            ..
        } = result.details;
        let mut card = Card::new("Batch", plural(total, "call")).meta(format!("{succeeded} ok"));
        if failed > 0 {
            card = card.meta(format!("{failed} failed"));
        }
        card.look = failed > 0;
        card
    }
}

impl From<OneCall> for NestedCall {
    fn from(call: OneCall) -> Self {
        Self {
            tool: call.tool,
            args: call.parameters,
        }
    }
}

/// Puts the results together. It failed when all of them did, or when somebody stopped it.
fn output(ended: Vec<NestedCallEnd>, is_cancelled: bool) -> Output<Details> {
    let total = ended.len();
    let succeeded = ended.iter().filter(|end| end.result.ok).count();
    let failed = total - succeeded;
    let is_stopped = |end: &&NestedCallEnd| end.result.error_kind() == Some(ErrorKind::Cancelled);
    let stopped = ended.iter().find(is_stopped).filter(|_| is_cancelled);
    let culprit = stopped.or_else(|| ended.first().filter(|_| succeeded == 0));
    let failure = culprit.map(|end| end.result.error_kind().unwrap_or(ErrorKind::Internal));
    let error = culprit.and_then(|end| end.result.details.get("error").cloned());
    let why = match (stopped.is_some(), culprit.is_some()) {
        (true, _) => "Error: stopped before all had ended: ",
        (false, true) => "Error: no call succeeded: ",
        (false, false) => "",
    };
    let mut text = format!("{why}{succeeded} succeeded, {failed} failed");
    let mut calls = Vec::with_capacity(total);
    let mut attachments = Vec::new();
    for (end, number) in ended.into_iter().zip(1..) {
        let NestedCallEnd { call, tool, result } = end;
        let state = if result.ok { "ok" } else { "error" };
        let output = result.output.trim_end_matches('\n');
        // Writing to a string does not fail.
        let _ = write!(text, "\n\n[{number}] {tool} {state}\n\n{output}");
        attachments.extend(result.attachments);
        let ok = result.ok;
        calls.push(CallOutcome { call, tool, ok });
    }
    let details = Details {
        total,
        succeeded,
        failed,
        calls,
        error,
    };
    let mut title = format!("{} · {succeeded} ok", plural(total, "call"));
    if failed > 0 {
        let _ = write!(title, " · {failed} failed");
    }
    Output {
        attachments,
        failure,
        ..Output::new(title, text, details)
    }
}

/// A call as far as it has streamed: its tool, and the first text among its arguments.
fn line(call: DrawnArgs<'_>) -> ToneLine {
    let args = call.get("parameters").and_then(Value::as_object);
    let first = args.and_then(|args| args.values().find_map(Value::as_str));
    let first = first.and_then(|first| first.lines().next()).unwrap_or_default();
    vec![
        ToneSpan::new(Tone::Normal, call.text("tool")),
        ToneSpan::new(Tone::Muted, format!(" {first}")),
    ]
    .into()
}

#[cfg(test)]
mod tests;
