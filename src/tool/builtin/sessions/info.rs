//! `session_info`: tells facts about a session.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ID, KEY, card, find, in_store, mark, moment, title};
use crate::conversation::{PermissionKey, SessionId, Todo, TodoStatus, Usage};
use crate::store::SessionFacts;
use crate::tool::{
    Concurrency, DrawnArgs, Output, ParamAlias, Prepared, RenderCx, ResultView, Tool, ToolCx, ToolError,
    ToolSet,
};
use crate::view::card::Card;
use crate::view::spinner;

pub(in crate::tool::builtin) struct SessionInfoTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tool::builtin) struct Args {
    /// Id of a session, as `session_list` shows it.
    session_id: String,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(in crate::tool::builtin) struct Details {
    session: Option<SessionId>,
    #[serde(default)]
    title: String,
    #[serde(default)]
    facts: SessionFacts,
    #[serde(default)]
    usage: Usage,
    /// US dollars; `None` when no price is known.
    #[serde(default)]
    cost: Option<f64>,
    #[serde(default)]
    todos_open: usize,
    #[serde(default)]
    todos_done: usize,
    #[serde(default)]
    children: Vec<SessionId>,
    #[serde(default)]
    parent: Option<SessionId>,
}

impl Tool for SessionInfoTool {
    type Args = Args;
    type Plan = Args;
    type Details = Details;

    const NAME: &'static str = "session_info";
    const DESCRIPTION: &'static str = "\
        Tell facts about a conversation of this project: messages, tool calls, times, agents, models, tokens, cost, \
        todos, and the sessions of its tasks.";
    const CONCURRENCY: Concurrency = Concurrency::Shared;
    const SET: ToolSet = ToolSet::Extended;
    const FAMILY: &'static PermissionKey = KEY;
    const PARAM_ALIASES: &'static [ParamAlias] = ID;

    async fn prepare(&self, args: Args, cx: &ToolCx) -> Result<Prepared<Args>, ToolError> {
        let (_, asks) = super::project(cx, None, "info")?;
        Ok(Prepared::new(args, asks))
    }

    async fn execute(&self, args: Args, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        let details = in_store(cx, None, move |store, project| {
            let row = find(store, project, &args.session_id)?;
            let todos = Todo::list(&store.todos(&row.id)?);
            let is_done = |todo: &&Todo| matches!(todo.status, TodoStatus::Completed | TodoStatus::Cancelled);
            let done = todos.iter().filter(is_done).count();
            Ok(Details {
                title: title(&row),
                facts: store.facts(&row.id)?,
                usage: row.usage,
                cost: row.cost,
                todos_open: todos.len() - done,
                todos_done: done,
                children: store
                    .children(&row.id)?
                    .into_iter()
                    .map(|child| child.id)
                    .collect(),
                parent: row.parent,
                session: Some(row.id),
            })
        })
        .await?;
        let text = text(&details, &cx.services.session);
        Ok(Output::new(details.title.clone(), text, details))
    }

    fn render_call(&self, args: DrawnArgs<'_>, _: RenderCx) -> Card {
        card::one(args)
    }

    fn render_result(&self, result: ResultView<'_, Details>, _: RenderCx) -> Card {
        let details = &result.details;
        let messages = details.facts.user_messages + details.facts.assistant_messages;
        let messages = usize::try_from(messages).unwrap_or(usize::MAX);
        card::session(&details.title, result.args, messages)
    }
}

fn text(details: &Details, own: &SessionId) -> String {
    let facts = &details.facts;
    let mut lines = Vec::new();
    if let Some(id) = &details.session {
        lines.push(format!("{id}{} · {}", mark(id, own), details.title));
    }
    lines.push(format!(
        "messages: {} user, {} assistant · tool calls: {}",
        facts.user_messages, facts.assistant_messages, facts.tool_calls
    ));
    if let (Some(first), Some(last)) = (facts.first, facts.last) {
        let took = std::time::Duration::from_millis(u64::try_from(last - first).unwrap_or_default());
        let (first, last, took) = (moment(first), moment(last), spinner::elapsed(took));
        lines.push(format!("first: {first} · last: {last} · duration: {took}"));
    }
    lines.push(format!(
        "agents: {} · models: {}",
        named(&facts.agents),
        named(&facts.models)
    ));
    let usage = &details.usage;
    let cost = details
        .cost
        .map_or_else(|| "not known".to_owned(), |cost| format!("${cost:.4}"));
    lines.push(format!(
        "tokens: {} input, {} output, {} cache read, {} cache write · cost: {cost}",
        usage.input, usage.output, usage.cache_read, usage.cache_write
    ));
    lines.push(format!(
        "todos: {} open, {} done",
        details.todos_open, details.todos_done
    ));
    if let Some(parent) = &details.parent {
        lines.push(format!("parent: {parent}"));
    }
    if !details.children.is_empty() {
        let children: Vec<&str> = details.children.iter().map(SessionId::as_str).collect();
        lines.push(format!("children: {}", children.join(", ")));
    }
    lines.join("\n")
}

fn named(names: &[String]) -> String {
    match names {
        [] => "none".to_owned(),
        names => names.join(", "),
    }
}
