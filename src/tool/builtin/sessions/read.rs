//! `session_read`: shows a conversation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ID, KEY, card, find, in_store, mark, title};
use crate::conversation::{PermissionKey, SessionId, Todo};
use crate::text::count::plural;
use crate::tool::builtin::conversation::{ConversationQuery, PartCut, render};
use crate::tool::builtin::limit_of;
use crate::tool::{
    Concurrency, DrawnArgs, Output, ParamAlias, Prepared, RenderCx, ResultView, Tool, ToolCx, ToolError,
    ToolSet,
};
use crate::view::card::Card;

const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 1000;
const CUT: PartCut = PartCut {
    thinking: 200,
    input: 100,
    result: 200,
};

pub(in crate::tool::builtin) struct SessionReadTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tool::builtin) struct Args {
    /// Id of a session, as `session_list` shows it.
    session_id: String,
    /// The todo list of the session too.
    #[serde(default)]
    include_todos: bool,
    /// Thinking, arguments and results in full instead of their beginnings.
    #[serde(default)]
    include_transcript: bool,
    /// Most messages to show (default 50, at most 1000).
    #[serde(default)]
    #[schemars(range(min = 1, max = MAX_LIMIT))]
    limit: Option<i64>,
    /// The newest messages instead of the oldest.
    #[serde(default)]
    from_end: bool,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(in crate::tool::builtin) struct Details {
    session: Option<SessionId>,
    #[serde(default)]
    title: String,
    #[serde(default)]
    messages: usize,
    #[serde(default)]
    todos: Vec<serde_json::Value>,
}

impl Tool for SessionReadTool {
    type Args = Args;
    type Plan = Args;
    type Details = Details;

    const NAME: &'static str = "session_read";
    const DESCRIPTION: &'static str = "Read an earlier conversation of this project, message by message.";
    const CONCURRENCY: Concurrency = Concurrency::Shared;
    const SET: ToolSet = ToolSet::Extended;
    const FAMILY: &'static PermissionKey = KEY;
    const PARAM_ALIASES: &'static [ParamAlias] = ID;

    async fn prepare(&self, args: Args, cx: &ToolCx) -> Result<Prepared<Args>, ToolError> {
        let (_, asks) = super::project(cx, None, "read")?;
        Ok(Prepared::new(args, asks))
    }

    async fn execute(&self, args: Args, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        let own = cx.services.session.clone();
        let (details, text) = in_store(cx, None, move |store, project| {
            let row = find(store, project, &args.session_id)?;
            let messages = store.load(&row.id)?;
            let query = ConversationQuery {
                since: None,
                limit: limit_of(args.limit, DEFAULT_LIMIT),
                is_from_end: args.from_end,
                with_thinking: true,
                with_results: true,
                with_ids: false,
                cut: (!args.include_transcript).then_some(CUT),
            };
            let mut text = format!("{}{} · {}\n\n", row.id, mark(&row.id, &own), title(&row));
            text.push_str(&render(&messages, &row.agent, &query)?);
            let todos = if args.include_todos {
                store.todos(&row.id)?
            } else {
                Vec::new()
            };
            if args.include_todos {
                let list = Todo::list(&todos);
                text.push_str("\n\n[todos]\n");
                text.push_str(&match list.as_slice() {
                    [] => "none".to_owned(),
                    list => Todo::lines(list),
                });
            }
            let details = Details {
                title: title(&row),
                session: Some(row.id),
                messages: messages.len(),
                todos,
            };
            Ok((details, text))
        })
        .await?;
        let title = format!("{} · {}", details.title, plural(details.messages, "message"));
        Ok(Output::new(title, text, details))
    }

    fn render_call(&self, args: DrawnArgs<'_>, _: RenderCx) -> Card {
        card::one(args)
    }

    fn render_result(&self, result: ResultView<'_, Details>, _: RenderCx) -> Card {
        card::session(&result.details.title, result.args, result.details.messages)
    }
}
