//! A command of the person's own, which goes past everything that judges what a model wants: access, hooks, permission,
//! sandbox and timeout. How it runs, streams and is cut is as with `bash`.

use std::panic::AssertUnwindSafe;
use std::time::Instant;

use futures::FutureExt;
use tokio::sync::mpsc;

use super::raw::{Raw, error_result};
use super::{Progress, failed_inside, given_up, tell_updates};
use crate::conversation::{CallId, CallResult, ErrorKind};
use crate::tool::builtin::OwnCommand;
use crate::tool::{ToolCx, ToolError, Update};

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
