//! `task_list`: lists the items of the task board.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{KEY, ListDetails, card, line};
use crate::conversation::{BoardStatus, PermissionKey};
use crate::tool::builtin::in_store;
use crate::tool::{
    Concurrency, DrawnArgs, Output, Prepared, RenderCx, ResultView, Tool, ToolCx, ToolError, ToolSet, plural,
};
use crate::view::card::Card;

pub(in crate::tool::builtin) struct TaskListTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tool::builtin) struct Args {
    /// Only items with this status; without it those that are neither completed nor deleted.
    #[serde(default)]
    status: Option<BoardStatus>,
    /// Only items of this owner.
    #[serde(default)]
    owner: Option<String>,
}

impl Tool for TaskListTool {
    type Args = Args;
    type Plan = Args;
    type Details = ListDetails;

    const NAME: &'static str = "task_list";
    const DESCRIPTION: &'static str = "\
        List the project's task board: `blocked_by` holds what an item still waits for, `ready` the pending items that \
        wait for nothing.";
    const CONCURRENCY: Concurrency = Concurrency::Shared;
    const SET: ToolSet = ToolSet::Extended;
    const FAMILY: &'static PermissionKey = KEY;

    async fn prepare(&self, args: Args, _: &ToolCx) -> Result<Prepared<Args>, ToolError> {
        let owner = args.owner.map(|owner| line(&owner));
        let owner = owner.filter(|owner| !owner.is_empty());
        Ok(Prepared::of_tool(KEY.as_str(), Args { owner, ..args }))
    }

    async fn execute(&self, args: Args, cx: &ToolCx) -> Result<Output<ListDetails>, ToolError> {
        let rows = move |store: &crate::store::Store, project: &std::path::Path| {
            Ok(store.board_rows(project, args.status, args.owner.as_deref())?)
        };
        let tasks = in_store(cx, None, rows).await?;
        let ready = tasks.iter().filter(|row| row.is_ready());
        let ready = ready.map(|row| row.id.clone()).collect();
        let details = ListDetails { tasks, ready };
        let title = plural(details.tasks.len(), "item");
        let answer = json!(details);
        Ok(Output::new(title, answer.to_string(), details))
    }

    fn render_call(&self, args: DrawnArgs<'_>, _: RenderCx) -> Card {
        card::listed(args)
    }

    fn render_result(&self, result: ResultView<'_, ListDetails>, cx: RenderCx) -> Card {
        card::list(&result, cx)
    }
}
