//! `background_cancel`: stops tasks and everything that they started.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::delegation;
use crate::conversation::{ErrorKind, TaskId, TaskStatus};
use crate::tool::{
    Concurrency, DrawnArgs, Output, ParamAlias, Prepared, RenderCx, ResultView, Tool, ToolCx, ToolError,
    plural,
};
use crate::view::card::Card;

pub(in crate::tool::builtin) struct BackgroundCancelTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tool::builtin) struct Args {
    /// The task to cancel.
    #[serde(default)]
    task_id: Option<String>,
    /// Cancel every task below you.
    #[serde(default)]
    all: bool,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(in crate::tool::builtin) struct Details {
    tasks: Vec<CancelledRow>,
}

#[derive(Debug, Serialize, Deserialize)]
struct CancelledRow {
    task_id: TaskId,
    previous: TaskStatus,
    status: TaskStatus,
}

pub(in crate::tool::builtin) enum Plan {
    One(TaskId),
    All,
}

impl Tool for BackgroundCancelTool {
    type Args = Args;
    type Plan = Plan;
    type Details = Details;

    const NAME: &'static str = "background_cancel";
    const DESCRIPTION: &'static str =
        "Cancel a task of yours, or all of them, with everything that they started.";
    const CONCURRENCY: Concurrency = Concurrency::Shared;
    const PARAM_ALIASES: &'static [ParamAlias] = &[
        ParamAlias::name("session_id", "task_id"),
        ParamAlias::name("background_task_id", "task_id"),
    ];

    async fn prepare(&self, args: Args, cx: &ToolCx) -> Result<Prepared<Plan>, ToolError> {
        let (delegation, caller) = delegation(cx)?;
        let Some(id) = args.task_id.filter(|id| !id.trim().is_empty()) else {
            if args.all {
                return Ok(Prepared::new(Plan::All, Vec::new()));
            }
            return Err(ToolError::invalid_args(
                "`task_id` or `all: true` must say what is to be cancelled",
            ));
        };
        let state = delegation.find(&caller, &id)?.borrow().clone();
        let row = &state.row;
        if row.status.is_ended() {
            return Err(ToolError::new(
                ErrorKind::Refused,
                format!("task `{}` has ended: it is {}", row.task, row.status.name()),
            )
            .hint("There is nothing to cancel; background_output reads it."));
        }
        Ok(Prepared::new(Plan::One(row.task.clone()), Vec::new()))
    }

    async fn execute(&self, plan: Plan, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        let (delegation, caller) = delegation(cx)?;
        let task = match &plan {
            Plan::One(task) => Some(task),
            Plan::All => None,
        };
        let cancelled = delegation.cancel(&caller, task).await?;
        let lines = cancelled.iter().map(|cancelled| {
            let row = &cancelled.row;
            let (status, previous) = (row.status.name(), cancelled.previous.name());
            format!("{} {status} (was {previous}) {}", row.task, row.description)
        });
        let text = if cancelled.is_empty() {
            "No tasks to cancel".to_owned()
        } else {
            lines.collect::<Vec<_>>().join("\n")
        };
        let rows = cancelled.iter().map(|cancelled| CancelledRow {
            task_id: cancelled.row.task.clone(),
            previous: cancelled.previous,
            status: cancelled.row.status,
        });
        let details = Details {
            tasks: rows.collect(),
        };
        let title = format!("{} cancelled", plural(details.tasks.len(), "task"));
        Ok(Output::new(title, text, details))
    }

    fn render_call(&self, args: DrawnArgs<'_>, _: RenderCx) -> Card {
        let task = args.text("task_id");
        Card::new("Cancel", if task.is_empty() { "all tasks" } else { "one task" })
    }

    fn render_result(&self, result: ResultView<'_, Details>, cx: RenderCx) -> Card {
        let card = self.render_call(result.args, cx);
        if result.running {
            return card;
        }
        card.meta(format!("{} cancelled", result.details.tasks.len()))
    }
}
