//! A command that the person gave: nobody is asked, nothing confines it, and only they end it.

use std::any::Any;
use std::time::Duration;

use serde_json::Value;

use super::{BashTool, Plan, TERMINALS, shell};
use crate::process::ShellCommand;
use crate::tool::{DynTool, Output, ToolCx, ToolError};

/// No limit, as far as clocks can count with it.
const NEVER: Duration = Duration::from_hours(365 * 24);

/// A command as the person wrote it.
pub(in crate::tool) struct OwnCommand<'a>(pub(in crate::tool) &'a str);

impl OwnCommand<'_> {
    /// The tool that runs it, and says how its output is cut and drawn.
    pub(in crate::tool) const TOOL: &'static dyn DynTool = &BashTool;

    /// Runs it in the session's directory to its end.
    pub(in crate::tool) async fn run(self, cx: &ToolCx) -> Result<Output<Value>, ToolError> {
        let plan: Box<dyn Any + Send> = Box::new(self.plan(cx)?);
        Self::TOOL.execute(plan, cx).await
    }

    fn plan(self, cx: &ToolCx) -> Result<Plan, ToolError> {
        Ok(Plan {
            command: ShellCommand {
                shell: shell(&cx.services)?,
                command: self.0.to_owned(),
                cwd: cx.directory().to_owned(),
                environment: cx.services.environment.clone(),
                confinement: None,
            },
            title: self.0.trim().lines().next().unwrap_or_default().to_owned(),
            workdir: cx.services.roots.display(cx.directory()),
            judged: None,
            timeout: NEVER,
            clamped: false,
            has_terminals: cx.offers(TERMINALS),
        })
    }
}
