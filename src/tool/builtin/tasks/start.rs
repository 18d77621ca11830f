//! Starting a task, and waiting for one in the foreground.

use std::sync::Arc;

use serde::Serialize;

use super::{Details, delegation, tree};
use crate::conversation::{ErrorKind, TaskId, TaskRow, TaskStatus};
use crate::permission::{Ask, PermissionKey, Subject};
use crate::text::count::grouped;
use crate::tool::{
    CheckedOrder, Delegation, Output, Prepared, TaskCaller, TaskOrder, TaskState, TaskWatch, ToolCx,
    ToolError,
};

/// Settles who works on an order, and what has to be asked before.
pub(super) fn prepare(order: TaskOrder, cx: &ToolCx) -> Result<Prepared<CheckedOrder>, ToolError> {
    let (delegation, caller) = delegation(cx)?;
    let checked = delegation.check(&caller, order)?;
    let pattern = match &checked.category {
        Some(category) => format!("category:{category}"),
        None => checked.agent.clone(),
    };
    let ask = Ask::new(PermissionKey::own("task"), Subject::new(pattern.as_str())).always(pattern);
    Ok(Prepared::new(checked, vec![ask]))
}

/// Said of a task that nobody waits for.
pub(in crate::tool::builtin) const IN_BACKGROUND: &str = "\
    It works in the background. Do not poll: you are told when it has ended; then read it with background_output. Go on \
    with other work, or end your turn.";

/// Starts a task, after those of the calls before this one.
async fn start_in_turn(
    delegation: &dyn Delegation,
    caller: &TaskCaller,
    checked: CheckedOrder,
    cx: &ToolCx,
) -> Result<TaskWatch, ToolError> {
    // The calls behind this one wait until it is dropped.
    let turn = cx.take_start_turn();
    if let Some(turn) = &turn {
        tokio::select! {
            biased;
            () = cx.cancel.cancelled() => return Err(ToolError::not_executed()),
            () = turn.come() => {}
        }
    }
    delegation.start(caller, checked).await
}

/// Starts a task, and waits for its end where it is not in the background.
pub(super) async fn execute(checked: CheckedOrder, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
    let resumed_with = checked.resumes.as_ref().map(|(_, tokens)| *tokens);
    if checked.order.is_background {
        let (delegation, caller) = delegation(cx)?;
        let watch = start_in_turn(&*delegation, &caller, checked, cx).await?;
        let state = watch.borrow().clone();
        return Ok(started(&state.row, resumed_with));
    }
    let state = follow(checked, cx, |row| Details {
        resumed_with,
        ..Details::new(row)
    });
    let state = state.await?;
    if state.row.status.is_ended() {
        let (delegation, _) = delegation(cx)?;
        Ok(ended(&*delegation, &state, resumed_with).await)
    } else {
        Ok(started(&state.row, resumed_with))
    }
}

/// Stops a task that nobody waits for any more.
struct StopOnDrop<'a> {
    delegation: &'a dyn Delegation,
    /// `None` when it is not to be stopped.
    task: Option<TaskId>,
}

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            self.delegation.stop(task);
        }
    }
}

/// Starts a task and follows it to its end, or until the person sends it to the background; the card shows the details
/// of each step. It is stopped when the call is cancelled, and when this is dropped.
pub(in crate::tool::builtin) async fn follow<D: Serialize>(
    checked: CheckedOrder,
    cx: &ToolCx,
    details: impl Fn(&TaskRow) -> D,
) -> Result<Arc<TaskState>, ToolError> {
    let (delegation, caller) = delegation(cx)?;
    let mut watch = start_in_turn(&*delegation, &caller, checked, cx).await?;
    let task = Some(watch.borrow().row.task.clone());
    let mut guard = StopOnDrop {
        delegation: &*delegation,
        task,
    };
    loop {
        let state = watch.borrow_and_update().clone();
        cx.show_details(&details(&state.row));
        if state.row.status.is_ended() || state.row.is_background {
            guard.task = None;
            return Ok(state);
        }
        tokio::select! {
            changed = watch.changed() => if changed.is_err() {
                return Err(ToolError::new(ErrorKind::Cancelled, "the session is closing"));
            },
            () = cx.cancel.cancelled() => {
                drop(guard);
                return Err(stopped(&mut watch).await);
            }
        }
    }
}

/// Waits until a task that was stopped has ended.
async fn stopped(watch: &mut TaskWatch) -> ToolError {
    let ended = watch.wait_for(|state| state.row.status.is_ended()).await;
    let task = match ended {
        Ok(state) => state.row.task.clone(),
        Err(_) => return ToolError::new(ErrorKind::Cancelled, "the task was cancelled"),
    };
    ToolError::new(
        ErrorKind::Cancelled,
        format!("task `{task}` was cancelled with this call"),
    )
    .hint("background_output reads what it had found; task with its task_id lets it go on.")
}

fn started(row: &TaskRow, resumed_with: Option<u64>) -> Output<Details> {
    let mut text = format!("task_id: {}\nstatus: {}\n", row.task, row.status.name());
    text.push_str(&resumed_line(resumed_with));
    if let Some(worktree) = &row.worktree {
        text.push_str(&tree::submodule_line(worktree));
    }
    text.push_str(IN_BACKGROUND);
    let details = Details {
        resumed_with,
        ..Details::new(row)
    };
    Output::new(format!("{} · {}", row.agent, row.status.name()), text, details)
}

async fn ended(delegation: &dyn Delegation, state: &TaskState, resumed_with: Option<u64>) -> Output<Details> {
    let row = &state.row;
    let answer = state.text.trim();
    let (tag, said) = match row.status {
        TaskStatus::Completed if answer.is_empty() => {
            ("task_result", "(the agent ended without an answer)".to_owned())
        }
        TaskStatus::Completed => ("task_result", answer.to_owned()),
        _ => ("task_error", failure_text(row, answer)),
    };
    let mut details = Details {
        resumed_with,
        ..Details::new(row)
    };
    let tree = tree::lines(delegation, &mut details).await;
    let text = format!(
        "task_id: {}\n{}{tree}\n<{tag}>\n{said}\n</{tag}>",
        row.task,
        resumed_line(resumed_with)
    );
    let mut output = Output::new(format!("{} · {}", row.agent, row.status.name()), text, details);
    output.failure = failure(row);
    output
}

/// Says why a task failed, with what it had said by then.
pub(in crate::tool::builtin) fn failure_text(row: &TaskRow, answer: &str) -> String {
    let why = row.error.as_deref().unwrap_or_else(|| row.status.name());
    if answer.is_empty() {
        why.to_owned()
    } else {
        format!("{why}\n\nIts text so far:\n{answer}")
    }
}

/// The kind of a call whose task did not complete.
pub(in crate::tool::builtin) fn failure(row: &TaskRow) -> Option<ErrorKind> {
    match row.status {
        TaskStatus::Completed | TaskStatus::Queued | TaskStatus::Running => None,
        TaskStatus::Cancelled => Some(ErrorKind::Cancelled),
        TaskStatus::Interrupted => Some(ErrorKind::Interrupted),
        TaskStatus::Failed => row.failure.or(Some(ErrorKind::Unavailable)),
    }
}

fn resumed_line(resumed_with: Option<u64>) -> String {
    match resumed_with {
        Some(tokens) => format!("resumed with {} tokens of context\n", grouped(tokens)),
        None => String::new(),
    }
}
