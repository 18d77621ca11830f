//! Calls that a person makes themselves with the means of a tool: they name a file to be read, or give a command.
//!
//! A command goes past everything that judges what a model wants: access, hooks, permission, sandbox and timeout. How it
//! runs, streams and is cut is as with `bash`.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Map, Value};
use tokio::sync::mpsc;

use super::uncut_result::UncutResult;
use super::{Progress, forward_updates, guarded};
use crate::conversation::{CallId, CallResult, ErrorKind};
use crate::permission::Ask;
use crate::tool::builtin::OwnCommand;
use crate::tool::{AskingTool, DynTool, Registry, ToolCx, ToolError, Update};

/// Runs the command to its end and tells its updates.
pub async fn own_command(
    command: &str,
    cx: &ToolCx,
    mut updates: mpsc::UnboundedReceiver<(CallId, Update)>,
    progress: &dyn Progress,
) -> CallResult {
    forward_updates(run(command, cx), &mut updates, progress).await
}

async fn run(command: &str, cx: &ToolCx) -> CallResult {
    let tool = OwnCommand::TOOL;
    let started = Instant::now();
    let whole = async {
        let output = OwnCommand(command).run(cx).await;
        let raw = output.map_or_else(UncutResult::failed, UncutResult::of);
        raw.cut(tool, cx).await
    };
    let mut result = guarded(whole, tool.name(), tool.cancel_grace(), cx).await;
    result.duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    result
}

/// A file that a person named, found as the model would find it and not read yet.
pub struct OwnRead {
    tool: Arc<dyn DynTool>,
    plan: Box<dyn Any + Send>,
    asks: Vec<Ask>,
}

/// Finds a file that a person named; what is denied is refused.
pub async fn find_own(
    registry: &Registry,
    args: Map<String, Value>,
    cx: &ToolCx,
) -> Result<OwnRead, ToolError> {
    let Some(tool) = registry.get("read") else {
        return Err(ToolError::new(
            ErrorKind::Unavailable,
            "there is no tool that reads",
        ));
    };
    let asker = AskingTool::of(&**tool);
    let prepared = match tool.prepare(tool.typed(&args)?, cx).await {
        Ok(prepared) => prepared,
        Err(mut error) => {
            let first = error.take_first();
            cx.services.gate.refuse_denied(asker, &first.judged)?;
            cx.services.gate.refuse_denied(asker, &first.asks)?;
            return Err(error);
        }
    };
    cx.services.gate.refuse_denied(asker, &prepared.asks)?;
    Ok(OwnRead {
        tool: Arc::clone(tool),
        plan: prepared.plan,
        asks: prepared.asks,
    })
}

impl OwnRead {
    /// Returns true if the model would have to ask for it: it lies outside of the project, or a rule says so.
    pub fn would_ask(&self, cx: &ToolCx) -> bool {
        !cx.services.gate.allows(AskingTool::of(&*self.tool), &self.asks)
    }

    /// Reads it as the model would. Nobody is asked: whoever calls this knows that the person means the file.
    pub async fn read(self, cx: &ToolCx) -> Result<CallResult, ToolError> {
        let raw = UncutResult::of(self.tool.execute(self.plan, cx).await?);
        Ok(raw.cut(&*self.tool, cx).await)
    }
}
