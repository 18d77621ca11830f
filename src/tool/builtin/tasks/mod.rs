//! The tools that let other agents work: `task`, `background_task`, `call_omo_agent`, and those that read and stop what was
//! started. Tasks run elsewhere ([`Delegation`]); these tools start them, wait for them and draw them.

mod background_cancel;
mod background_output;
mod background_task;
mod call_omo_agent;
mod card;
mod start;
mod task;
#[cfg(test)]
mod tests;
mod tree;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) use background_cancel::BackgroundCancelTool;
pub(super) use background_output::BackgroundOutputTool;
pub(super) use background_task::BackgroundTaskTool;
pub(super) use call_omo_agent::CallOmoAgentTool;
pub(super) use card::beginning_of_answer;
pub(super) use start::{IN_BACKGROUND, failure, failure_text, follow};
pub(super) use task::TaskTool;

use crate::conversation::{
    Budget, ErrorKind, Isolation, ModelRef, SessionId, TaskActivity, TaskId, TaskRow, TaskStatus, Usage,
    WorktreeChanges,
};
use crate::tool::{Delegation, TaskCaller, ToolCx, ToolError};

/// How a task stands, for the eye and for scripts.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Details {
    task_id: TaskId,
    session_id: SessionId,
    agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    model: ModelRef,
    status: TaskStatus,
    tool_calls: u64,
    usage: Usage,
    cost: Option<f64>,
    duration_ms: i64,
    #[serde(default)]
    description: String,
    /// Its current work, as the list of tasks says.
    #[serde(default)]
    now: String,
    #[serde(default)]
    activity: TaskActivity,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Tokens of context that a task which went on brought along.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resumed_with: Option<u64>,
    /// The work tree of an isolated task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    worktree: Option<WorktreeChanges>,
    /// They are how the task stands now, and not how it stood when the call had started it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_live: bool,
}

impl Details {
    fn new(row: &TaskRow) -> Self {
        Self {
            task_id: row.task.clone(),
            session_id: row.session.clone(),
            agent: row.agent.clone(),
            category: row.category.clone(),
            model: row.model.clone(),
            status: row.status,
            tool_calls: row.calls,
            usage: row.usage,
            cost: row.cost,
            duration_ms: row.elapsed(now()),
            description: row.description.clone(),
            now: row.now.clone(),
            activity: row.activity,
            reason: row.error.clone(),
            resumed_with: None,
            worktree: row.worktree.clone(),
            is_live: false,
        }
    }

    /// Brings them up to how the task stands now.
    fn follow(self, row: &TaskRow) -> Option<Self> {
        let is_its = self.task_id == row.task && !self.status.is_ended();
        is_its.then(|| Self {
            resumed_with: self.resumed_with,
            is_live: true,
            ..Self::new(row)
        })
    }
}

/// Limits of a task and everything that it starts.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct BudgetArgs {
    /// Uncached input and output tokens.
    #[schemars(range(min = 1))]
    tokens: Option<u64>,
    /// US dollars.
    cost: Option<f64>,
    /// Minutes of work.
    minutes: Option<f64>,
}

impl BudgetArgs {
    fn checked(self) -> Result<Budget, ToolError> {
        let is_amount = |amount: Option<f64>| amount.is_none_or(|amount| amount.is_finite() && amount > 0.0);
        if self.tokens == Some(0) || !is_amount(self.cost) || !is_amount(self.minutes) {
            return Err(ToolError::invalid_args(
                "`budget` must hold amounts above 0: `tokens`, `cost` in dollars, or `minutes`",
            ));
        }
        Ok(Budget {
            tokens: self.tokens,
            cost: self.cost,
            minutes: self.minutes,
        })
    }
}

/// Place of a task's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum IsolationArg {
    /// In the project itself.
    None,
    /// In a repository of its own, from which the user applies its changes.
    Worktree,
}

impl From<IsolationArg> for Isolation {
    fn from(given: IsolationArg) -> Self {
        match given {
            IsolationArg::None => Self::None,
            IsolationArg::Worktree => Self::Worktree,
        }
    }
}

/// Returns who runs tasks, and who asks.
pub(super) fn delegation(cx: &ToolCx) -> Result<(Arc<dyn Delegation>, TaskCaller), ToolError> {
    let caller = TaskCaller {
        session: cx.session().clone(),
        call: cx.call.clone(),
        agent: cx.agent.clone(),
    };
    match cx.services.tree.delegation.get() {
        Some(delegation) => Ok((Arc::clone(delegation), caller)),
        None => Err(ToolError::new(
            ErrorKind::Unavailable,
            "a single call has no session that tasks could belong to",
        )
        .hint("Use `lathe run` with a prompt that asks for it.")),
    }
}

/// Returns the first four words of a prompt.
fn first_words(prompt: &str) -> String {
    let words: Vec<&str> = prompt.split_whitespace().take(4).collect();
    words.join(" ")
}

fn now() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}
