//! `task_update`: changes an item of the task board.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{ItemDetails, KEY, card, id, ids, line, subject};
use crate::conversation::{BoardItemId, BoardStatus, PermissionKey};
use crate::store::BoardItemChange;
use crate::tool::builtin::in_store;
use crate::tool::{
    Concurrency, DrawnArgs, Output, ParamAlias, Prepared, RenderCx, ResultView, Tool, ToolCx, ToolError,
    ToolSet,
};
use crate::view::card::Card;

pub(in crate::tool::builtin) struct TaskUpdateTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tool::builtin) struct Args {
    /// Id of an item of the task board: `T-1a2b3c4d`.
    id: String,
    /// The work to be done, in a few words.
    #[serde(default)]
    subject: Option<String>,
    /// Everything needed to do it.
    #[serde(default)]
    description: Option<String>,
    /// `deleted` takes it off the board.
    #[serde(default)]
    status: Option<BoardStatus>,
    /// Wording while it is in progress; empty takes it away.
    #[serde(default)]
    active_form: Option<String>,
    /// Name of the agent or person that works on it; empty takes it away.
    #[serde(default)]
    owner: Option<String>,
    /// Ids of items that wait for it from now on.
    #[serde(default)]
    add_blocks: Vec<String>,
    /// Ids of items that it waits for from now on.
    #[serde(default)]
    add_blocked_by: Vec<String>,
    /// Ids of items that wait for it no more.
    #[serde(default)]
    remove_blocks: Vec<String>,
    /// Ids of items that it waits for no more.
    #[serde(default)]
    remove_blocked_by: Vec<String>,
    /// Joins what is there; `null` takes a key away.
    #[serde(default)]
    metadata: Map<String, Value>,
}

impl Tool for TaskUpdateTool {
    type Args = Args;
    type Plan = (BoardItemId, BoardItemChange);
    type Details = ItemDetails;

    const NAME: &'static str = "task_update";
    const DESCRIPTION: &'static str = "\
        Change an item of the project's task board. Completing one answers with `unblocked`: the items that waited for \
        it alone.";
    const CONCURRENCY: Concurrency = Concurrency::Shared;
    const SET: ToolSet = ToolSet::Extended;
    const FAMILY: &'static PermissionKey = KEY;
    const PARAM_ALIASES: &'static [ParamAlias] = &[ParamAlias::name("task_id", "id")];

    async fn prepare(&self, args: Args, _: &ToolCx) -> Result<Prepared<Self::Plan>, ToolError> {
        let change = BoardItemChange {
            subject: args.subject.as_deref().map(subject).transpose()?,
            description: args.description,
            status: args.status,
            active_form: args.active_form.map(|text| line(&text)),
            owner: args.owner.map(|name| line(&name)),
            add_blocks: ids(&args.add_blocks)?,
            add_blocked_by: ids(&args.add_blocked_by)?,
            remove_blocks: ids(&args.remove_blocks)?,
            remove_blocked_by: ids(&args.remove_blocked_by)?,
            metadata: args.metadata,
        };
        Ok(Prepared::of_tool(KEY.as_str(), (id(&args.id)?, change)))
    }

    async fn execute(&self, (id, change): Self::Plan, cx: &ToolCx) -> Result<Output<ItemDetails>, ToolError> {
        let wanted = id.clone();
        let changed = in_store(cx, None, move |store, project| {
            Ok(store.change_board_item(project, &wanted, &change)?)
        });
        let changed = changed.await?;
        let mut answer = json!({ "task": changed.item });
        if !changed.unblocked.is_empty() {
            let freed: Vec<_> = changed.unblocked.iter().map(|name| &name.id).collect();
            answer["unblocked"] = json!(freed);
        }
        let details = ItemDetails {
            task: Some(changed.item),
            unblocked: changed.unblocked,
            previous: Some(changed.previous),
        };
        Ok(details.output(&answer, &id))
    }

    fn render_call(&self, args: DrawnArgs<'_>, _: RenderCx) -> Card {
        let name = match args.text("subject") {
            "" => args.text("id"),
            subject => subject,
        };
        card::call(name, args.text("status"))
    }

    fn render_result(&self, result: ResultView<'_, ItemDetails>, cx: RenderCx) -> Card {
        card::item(&result.details, cx)
    }
}
