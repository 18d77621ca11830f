//! What a person does themselves with the means of a tool: they name a file to be read, or give a command.
//!
//! A command goes past everything that judges what a model wants: access, hooks, permission, sandbox and timeout. How it
//! runs, streams and is cut is as with `bash`.

use std::panic::AssertUnwindSafe;
use std::time::Instant;

use futures::FutureExt;
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use super::raw::{Raw, error_result};
use super::{Progress, failed_inside, given_up, tell_updates};
use crate::conversation::{CallId, CallResult, ErrorKind};
use crate::tool::builtin::OwnCommand;
use crate::tool::{Asker, Registry, ToolCx, ToolError, Update};

/// Runs the command to its end and tells its updates.
pub async fn own_command(
    command: &str,
    cx: &ToolCx,
    mut updates: mpsc::UnboundedReceiver<(CallId, Update)>,
    progress: &dyn Progress,
) -> CallResult {
    tell_updates(run(command, cx), &mut updates, progress).await
}

async fn run(command: &str, cx: &ToolCx) -> CallResult {
    let tool = OwnCommand::TOOL;
    let started = Instant::now();
    let whole = async {
        let output = OwnCommand(command).run(cx).await;
        let raw = output.map_or_else(Raw::failed, Raw::of);
        raw.cut(tool, cx).await
    };
    let mut result = tokio::select! {
        biased;
        ended = AssertUnwindSafe(whole).catch_unwind() => {
            ended.unwrap_or_else(|_| error_result(failed_inside(tool.name())))
        }
        () = given_up(cx, tool.cancel_grace()) => error_result(ToolError::new(
            ErrorKind::Cancelled,
            "cancelled before it had ended; a part of it may have been done",
        )),
    };
    result.duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    result
}

/// Reads a file for the person, as the model would read it: they name it themselves, so only what is denied is refused.
pub async fn own_read(
    registry: &Registry,
    args: Map<String, Value>,
    cx: &ToolCx,
) -> Result<CallResult, ToolError> {
    let Some(tool) = registry.get("read") else {
        return Err(ToolError::new(
            ErrorKind::Unavailable,
            "there is no tool that reads",
        ));
    };
    let asker = Asker {
        tool: tool.name(),
        family: tool.family(),
    };
    let prepared = match tool.prepare(args, cx).await {
        Ok(prepared) => prepared,
        Err(mut error) => {
            let first = error.take_first();
            cx.services.gate.refuse_denied(asker, &first.judged)?;
            cx.services.gate.refuse_denied(asker, &first.asks)?;
            return Err(error);
        }
    };
    cx.services.gate.refuse_denied(asker, &prepared.asks)?;
    let raw = Raw::of(tool.execute(prepared.plan, cx).await?);
    Ok(raw.cut(&**tool, cx).await)
}
