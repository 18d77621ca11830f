//! `call_omo_agent`: asks `explore` or `librarian`.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::task::{described, prompt};
use super::{Details, card, start};
use crate::conversation::{ErrorKind, PermissionKey, TaskRow};
use crate::tool::{
    CheckedOrder, Concurrency, DrawnArgs, Output, ParamAlias, Prepared, RenderCx, ResultView, TaskOrder,
    TaskTarget, Tool, ToolCx, ToolError, ToolSet,
};
use crate::view::card::Card;

/// How long one in the foreground may take.
const LONGEST: Duration = Duration::from_mins(10);
const AGENTS: [&str; 2] = ["explore", "librarian"];

pub(in crate::tool::builtin) struct CallOmoAgentTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tool::builtin) struct Args {
    /// `explore` (searches this project) or `librarian` (documentation and code of dependencies on this disk).
    subagent_type: String,
    /// The question, with all that the agent has to know.
    prompt: String,
    /// Do not wait for it: you are told when it has ended.
    run_in_background: bool,
    /// Three to five words for the person.
    #[serde(default)]
    description: Option<String>,
    /// Let this ended task go on; in the foreground only.
    #[serde(default)]
    task_id: Option<String>,
}

impl Tool for CallOmoAgentTool {
    type Args = Args;
    type Plan = CheckedOrder;
    type Details = Details;

    const NAME: &'static str = "call_omo_agent";
    const ALIASES: &'static [&'static str] = &["call_agent"];
    const DESCRIPTION: &'static str = "Ask agent explore (searches this project) or librarian (documentation and code \
                                       of dependencies on this disk).";
    const CONCURRENCY: Concurrency = Concurrency::Shared;
    const SET: ToolSet = ToolSet::Extended;
    const FAMILY: &'static PermissionKey = &PermissionKey::own("task");
    const CANCEL_GRACE: Duration = crate::tool::delegation::STOP_GRACE;
    const PARAM_ALIASES: &'static [ParamAlias] = &[
        ParamAlias::name("background", "run_in_background"),
        ParamAlias::name("session_id", "task_id"),
        ParamAlias::name("background_task_id", "task_id"),
    ];
    const FOLLOWED: Option<fn(Details, &TaskRow) -> Option<Details>> = Some(Details::follow);

    async fn prepare(&self, args: Args, cx: &ToolCx) -> Result<Prepared<CheckedOrder>, ToolError> {
        let agent = args.subagent_type.to_lowercase();
        if !AGENTS.contains(&agent.as_str()) {
            return Err(ToolError::new(
                ErrorKind::Denied,
                format!(
                    "`call_omo_agent` asks `explore` or `librarian`, not `{}`",
                    args.subagent_type
                ),
            )
            .hint("Use `task` for other agents, where you have it."));
        }
        let resumed = args.task_id.filter(|id| !id.trim().is_empty());
        if resumed.is_some() && args.run_in_background {
            return Err(ToolError::invalid_args(
                "`task_id` lets a task go on in the foreground only; it was given with `run_in_background: true`",
            ));
        }
        let target = resumed.map_or(TaskTarget::Agent(agent), TaskTarget::Resume);
        let description = described(args.description, &args.prompt);
        let order = TaskOrder {
            is_background: args.run_in_background,
            ..TaskOrder::new(Self::NAME, target, description, prompt(args.prompt)?)
        };
        start::prepare(order, cx)
    }

    async fn execute(&self, plan: CheckedOrder, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        match tokio::time::timeout(LONGEST, start::execute(plan, cx)).await {
            Ok(done) => done,
            Err(_) => Err(ToolError::new(
                ErrorKind::Timeout,
                "the agent had no answer after 10 minutes and was cancelled",
            )
            .hint("Ask for less, or use run_in_background.")),
        }
    }

    fn render_call(&self, args: DrawnArgs<'_>, _: RenderCx) -> Card {
        card::call("Task", args)
    }

    fn render_result(&self, result: ResultView<'_, Details>, cx: RenderCx) -> Card {
        card::result("Task", &result, cx)
    }
}
