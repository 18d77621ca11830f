//! `task_get`: reads one item of the task board.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{ItemDetails, KEY, card, id};
use crate::conversation::{BoardItemId, PermissionKey};
use crate::tool::builtin::in_store;
use crate::tool::{
    Concurrency, DrawnArgs, Output, ParamAlias, Prepared, RenderCx, ResultView, Tool, ToolCx, ToolError,
    ToolSet,
};
use crate::view::card::Card;

pub(in crate::tool::builtin) struct TaskGetTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tool::builtin) struct Args {
    /// Id of an item of the task board: `T-1a2b3c4d`.
    id: String,
}

impl Tool for TaskGetTool {
    type Args = Args;
    type Plan = BoardItemId;
    type Details = ItemDetails;

    const NAME: &'static str = "task_get";
    const DESCRIPTION: &'static str =
        "Read one item of the project's task board, with all that is known of it.";
    const CONCURRENCY: Concurrency = Concurrency::Shared;
    const SET: ToolSet = ToolSet::Extended;
    const FAMILY: &'static PermissionKey = KEY;
    const PARAM_ALIASES: &'static [ParamAlias] = &[ParamAlias::name("task_id", "id")];

    async fn prepare(&self, args: Args, _: &ToolCx) -> Result<Prepared<BoardItemId>, ToolError> {
        Ok(Prepared::of_tool(KEY.as_str(), id(&args.id)?))
    }

    async fn execute(&self, id: BoardItemId, cx: &ToolCx) -> Result<Output<ItemDetails>, ToolError> {
        let wanted = id.clone();
        let item = in_store(cx, None, move |store, project| {
            Ok(store.board_item(project, &wanted)?)
        })
        .await?;
        let answer = json!({ "task": item });
        Ok(ItemDetails::of(item).output(&answer, &id))
    }

    fn render_call(&self, args: DrawnArgs<'_>, _: RenderCx) -> Card {
        card::call(args.text("id"), "")
    }

    fn render_result(&self, result: ResultView<'_, ItemDetails>, cx: RenderCx) -> Card {
        match &result.details.task {
            Some(_) => card::item(&result.details, cx),
            None => card::call(result.args.text("id"), "").meta("no such item"),
        }
    }
}
