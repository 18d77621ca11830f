//! `background_output`: reads a task, its end or how far it is.

use std::fmt::Write as _;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::start::failure_text;
use super::{Details, card, delegation, now, tree};
use crate::conversation::{TaskRow, TaskStatus};
use crate::tool::builtin::conversation::{ConversationQuery, render};
use crate::tool::{
    Concurrency, DrawnArgs, Output, ParamAlias, Prepared, RenderCx, ResultView, TaskState, TaskWatch, Tool,
    ToolCx, ToolError,
};
use crate::view::card::Card;
use crate::view::spinner;

/// Milliseconds.
const LONGEST_WAIT: u64 = 600_000;
const MOST_MESSAGES: u64 = 200;
/// Characters of the text of a task that runs.
const TAIL: usize = 500;

pub(in crate::tool::builtin) struct BackgroundOutputTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tool::builtin) struct Args {
    /// Id of the task, or of its session.
    task_id: String,
    /// Wait for its end.
    #[serde(default)]
    block: bool,
    /// Milliseconds to wait at most.
    #[serde(default = "default_timeout")]
    #[schemars(range(min = 1, max = 600_000))]
    timeout: u64,
    /// The conversation instead of the result.
    #[serde(default)]
    full_session: bool,
    /// Reasoning too, with `full_session`.
    #[serde(default)]
    include_thinking: bool,
    /// Results of calls too, with `full_session`.
    #[serde(default)]
    include_tool_results: bool,
    /// Messages at most, with `full_session`.
    #[serde(default = "default_messages")]
    #[schemars(range(min = 1, max = 200))]
    message_limit: u64,
    /// Only messages after this one, with `full_session`.
    #[serde(default)]
    since_message_id: Option<String>,
    /// The newest messages, with `full_session`.
    #[serde(default)]
    from_end: bool,
}

fn default_timeout() -> u64 {
    60_000
}

fn default_messages() -> u64 {
    100
}

pub(in crate::tool::builtin) struct Plan {
    args: Args,
    watch: TaskWatch,
}

impl Tool for BackgroundOutputTool {
    type Args = Args;
    type Plan = Plan;
    type Details = Details;

    const NAME: &'static str = "background_output";
    const DESCRIPTION: &'static str = "\
        Read a task: its result when it has ended, else how far it is. Do not poll: you are told when it ends.";
    const CONCURRENCY: Concurrency = Concurrency::Shared;
    const LOOP_CHECKED: bool = false;
    const PARAM_ALIASES: &'static [ParamAlias] = &[
        ParamAlias::name("session_id", "task_id"),
        ParamAlias::name("background_task_id", "task_id"),
    ];

    async fn prepare(&self, args: Args, cx: &ToolCx) -> Result<Prepared<Plan>, ToolError> {
        let (delegation, caller) = delegation(cx)?;
        let watch = delegation.find(&caller, &args.task_id)?;
        Ok(Prepared::new(Plan { args, watch }, Vec::new()))
    }

    async fn execute(&self, plan: Plan, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        let Plan { args, mut watch } = plan;
        let waited = args.block && !wait(&mut watch, &args, cx).await?;
        let state = watch.borrow_and_update().clone();
        let row = &state.row;
        let mut details = Details::new(row);
        let text = if args.full_session {
            conversation(&args, row, cx).await?
        } else if row.status.is_ended() {
            result(&state, &mut details, cx).await?
        } else {
            let timeout = Duration::from_millis(args.timeout.min(LONGEST_WAIT));
            progress(&state, waited.then_some(timeout))
        };
        let title = format!("{} · {}", row.agent, row.status.name());
        Ok(Output::new(title, text, details))
    }

    fn render_call(&self, args: DrawnArgs<'_>, _: RenderCx) -> Card {
        // The id of a task says nothing to a person.
        let named = if args.text("task_id").is_empty() {
            ""
        } else {
            "of a task"
        };
        Card::new("Output", named)
    }

    fn render_result(&self, result: ResultView<'_, Details>, cx: RenderCx) -> Card {
        card::output(&result, cx)
    }
}

/// Waits for the end of a task, as long as the call may; says whether it came.
async fn wait(watch: &mut TaskWatch, args: &Args, cx: &ToolCx) -> Result<bool, ToolError> {
    let timeout = Duration::from_millis(args.timeout.min(LONGEST_WAIT));
    let end = watch.wait_for(|state| state.row.status.is_ended());
    tokio::select! {
        end = tokio::time::timeout(timeout, end) => Ok(end.is_ok()),
        () = cx.cancel.cancelled() => {
            let kind = crate::conversation::ErrorKind::Cancelled;
            Err(ToolError::new(kind, "waiting for the task was cancelled; the task goes on"))
        }
    }
}

async fn conversation(args: &Args, row: &TaskRow, cx: &ToolCx) -> Result<String, ToolError> {
    let (store, session) = (cx.services.tree.store.clone(), row.session.clone());
    let limit = args.message_limit.clamp(1, MOST_MESSAGES);
    let query = ConversationQuery {
        since: args.since_message_id.clone(),
        limit: usize::try_from(limit).unwrap_or(usize::MAX),
        is_from_end: args.from_end,
        with_thinking: args.include_thinking,
        with_results: args.include_tool_results,
        with_ids: true,
        cut: None,
    };
    let (header, agent) = (header(row), row.agent.clone());
    cx.blocking(move || {
        Ok(format!(
            "{header}\n{}",
            render(&store.load(&session)?, &agent, &query)?
        ))
    })
    .await
}

/// All that a task has said and that the caller has not read, or why it did not complete.
async fn result(state: &TaskState, details: &mut Details, cx: &ToolCx) -> Result<String, ToolError> {
    let (delegation, caller) = delegation(cx)?;
    let new = delegation.fetch(&caller, &state.row.task).await?;
    let row = &state.row;
    let (tag, text) = match row.status {
        TaskStatus::Completed if new.is_empty() => ("task_result", "(no new output)".to_owned()),
        TaskStatus::Completed => ("task_result", new),
        _ => ("task_error", failure_text(row, &new)),
    };
    let tree = tree::lines(&*delegation, details).await;
    Ok(format!("{}{tree}\n<{tag}>\n{text}\n</{tag}>", header(row)))
}

fn header(row: &TaskRow) -> String {
    format!(
        "task_id: {}\ndescription: {}\nagent: {}\nstatus: {}\nduration: {}\nsession_id: {}\n",
        row.task,
        row.description,
        row.agent,
        row.status.name(),
        time(row.elapsed(now())),
        row.session,
    )
}

fn progress(state: &TaskState, timeout: Option<Duration>) -> String {
    let row = &state.row;
    let mut text = header(row);
    if !row.now.is_empty() {
        let _ = writeln!(text, "last tool: {}", row.now);
    }
    let (word, since) = match row.status {
        TaskStatus::Queued => ("queued", row.since),
        _ => ("running", row.started.unwrap_or(row.since)),
    };
    let _ = writeln!(text, "{word} for: {}", time(now() - since));
    let tail = tail(&state.text);
    if !tail.is_empty() {
        let _ = writeln!(text, "\n{tail}");
    }
    if let Some(timeout) = timeout {
        let _ = write!(
            text,
            "\n[still {} after {} s]",
            row.status.name(),
            timeout.as_secs_f32()
        );
    }
    text
}

fn tail(text: &str) -> &str {
    let text = text.trim();
    let start = text.char_indices().rev().nth(TAIL - 1);
    start.map_or(text, |(start, _)| &text[start..])
}

fn time(milliseconds: i64) -> String {
    let milliseconds = u64::try_from(milliseconds).unwrap_or(0);
    spinner::elapsed(Duration::from_millis(milliseconds))
}
