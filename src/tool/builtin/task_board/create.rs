//! `task_create`: puts an item on the task board.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{ItemDetails, KEY, card, ids, line, subject};
use crate::conversation::PermissionKey;
use crate::store::NewBoardItem;
use crate::tool::builtin::in_store;
use crate::tool::{
    Concurrency, DrawnArgs, Output, Prepared, RenderCx, ResultView, Tool, ToolCx, ToolError, ToolSet,
};
use crate::view::card::Card;

pub(in crate::tool::builtin) struct TaskCreateTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tool::builtin) struct Args {
    /// The work to be done, in a few words.
    subject: String,
    /// Everything needed to do it.
    #[serde(default)]
    description: String,
    /// Wording while it is in progress.
    #[serde(default)]
    active_form: Option<String>,
    /// Keys and values of your own.
    #[serde(default)]
    metadata: Map<String, Value>,
    /// Ids of items that wait for it.
    #[serde(default)]
    blocks: Vec<String>,
    /// Ids of items that it waits for.
    #[serde(default)]
    blocked_by: Vec<String>,
    /// Name of the agent or person that works on it.
    #[serde(default)]
    owner: Option<String>,
}

impl Tool for TaskCreateTool {
    type Args = Args;
    type Plan = NewBoardItem;
    type Details = ItemDetails;

    const NAME: &'static str = "task_create";
    const DESCRIPTION: &'static str = "\
        Put a work item on the project's task board, which outlives this session and which other sessions and agents \
        see. For the steps of the work at hand use todowrite.";
    const CONCURRENCY: Concurrency = Concurrency::Shared;
    const SET: ToolSet = ToolSet::Extended;
    const FAMILY: &'static PermissionKey = KEY;

    async fn prepare(&self, args: Args, cx: &ToolCx) -> Result<Prepared<NewBoardItem>, ToolError> {
        let new = NewBoardItem {
            subject: subject(&args.subject)?,
            description: args.description,
            active_form: args.active_form.map(|text| line(&text)),
            owner: args.owner.map(|name| line(&name)),
            metadata: args.metadata,
            blocks: ids(&args.blocks)?,
            blocked_by: ids(&args.blocked_by)?,
            session: cx.session().clone(),
        };
        Ok(Prepared::of_tool(KEY.as_str(), new))
    }

    async fn execute(&self, new: NewBoardItem, cx: &ToolCx) -> Result<Output<ItemDetails>, ToolError> {
        let item = in_store(cx, None, move |store, project| {
            Ok(store.create_board_item(project, &new)?)
        })
        .await?;
        let id = item.id.clone();
        let answer = json!({ "task": { "id": item.id, "subject": item.subject } });
        Ok(ItemDetails::of(Some(item)).output(&answer, &id))
    }

    fn render_call(&self, args: DrawnArgs<'_>, _: RenderCx) -> Card {
        card::call(args.text("subject"), "pending")
    }

    fn render_result(&self, result: ResultView<'_, ItemDetails>, cx: RenderCx) -> Card {
        card::item(&result.details, cx)
    }
}
