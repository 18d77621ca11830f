//! `background_task`: a task that nobody waits for.

use schemars::JsonSchema;
use serde::Deserialize;

use super::task::{described, prompt};
use super::{BudgetArgs, Details, IsolationArg, card, start};
use crate::conversation::{PermissionKey, TaskRow};
use crate::tool::{
    CheckedOrder, Concurrency, DrawnArgs, Output, Prepared, RenderCx, ResultView, TaskOrder, TaskTarget,
    Tool, ToolCx, ToolError, ToolSet,
};
use crate::view::card::Card;

pub(in crate::tool::builtin) struct BackgroundTaskTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tool::builtin) struct Args {
    /// Three to five words for the person.
    description: String,
    /// The work, with all that the agent has to know: it sees nothing of this conversation.
    prompt: String,
    /// Name of the agent.
    subagent_type: String,
    /// Place of its work.
    #[serde(default)]
    isolation: Option<IsolationArg>,
    /// Ends it before a request above it.
    #[serde(default)]
    budget: Option<BudgetArgs>,
}

impl Tool for BackgroundTaskTool {
    type Args = Args;
    type Plan = CheckedOrder;
    type Details = Details;

    const NAME: &'static str = "background_task";
    const DESCRIPTION: &'static str = "\
        Let another agent work in the background. Answers with its task_id at once; you are told when it has ended.";
    const CONCURRENCY: Concurrency = Concurrency::Shared;
    const SET: ToolSet = ToolSet::Extended;
    const FAMILY: &'static PermissionKey = &PermissionKey::own("task");
    const FOLLOWED: Option<fn(Details, &TaskRow) -> Option<Details>> = Some(Details::follow);

    async fn prepare(&self, args: Args, cx: &ToolCx) -> Result<Prepared<CheckedOrder>, ToolError> {
        let target = TaskTarget::Agent(args.subagent_type);
        let description = described(Some(args.description), &args.prompt);
        let order = TaskOrder {
            is_background: true,
            isolation: args.isolation.map(Into::into),
            budget: args.budget.unwrap_or_default().checked()?,
            ..TaskOrder::new(Self::NAME, target, description, prompt(args.prompt)?)
        };
        start::prepare(order, cx)
    }

    async fn execute(&self, plan: CheckedOrder, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        start::execute(plan, cx).await
    }

    fn render_call(&self, args: DrawnArgs<'_>, _: RenderCx) -> Card {
        card::call("Background", args)
    }

    fn render_result(&self, result: ResultView<'_, Details>, cx: RenderCx) -> Card {
        card::result("Background", &result, cx)
    }
}
