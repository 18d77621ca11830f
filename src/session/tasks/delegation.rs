//! Tasks for the tools that start, read and cancel them.

use std::sync::{Arc, Weak};

use futures::future::BoxFuture;
use tokio::sync::watch;

use super::runner::Job;
use super::{Tasks, TasksState, now};
use crate::agent::background::{NewTask, StartRefusal};
use crate::conversation::{ErrorKind, Message, MessageState, PartBody, Role, SessionId, TaskId};
use crate::session::{Input, TaskCommand};
use crate::store::StoreError;
use crate::tool::{
    CancelledTask, CheckedOrder, Delegation, TaskCaller, TaskModel, TaskOrder, TaskState, TaskWatch,
    ToolError, TreeReport,
};

/// The tasks of a tree, for tools.
pub(in crate::session) struct TaskDelegation(pub(in crate::session) Weak<Tasks>);

impl TaskDelegation {
    fn tasks(&self) -> Result<Arc<Tasks>, ToolError> {
        self.0.upgrade().ok_or_else(closing)
    }
}

impl Delegation for TaskDelegation {
    fn check(&self, caller: &TaskCaller, order: TaskOrder) -> Result<CheckedOrder, ToolError> {
        self.tasks()?.check(caller, order)
    }

    fn model_for(
        &self,
        caller: &TaskCaller,
        order: &TaskOrder,
        wants_images: bool,
    ) -> Result<TaskModel, ToolError> {
        let sessions = self.tasks()?.lock().sessions.clone().ok_or_else(closing)?;
        sessions.model_for(caller, order, wants_images)
    }

    fn start(
        &self,
        caller: &TaskCaller,
        order: CheckedOrder,
    ) -> BoxFuture<'static, Result<TaskWatch, ToolError>> {
        let (tasks, caller) = (self.tasks(), caller.clone());
        Box::pin(async move {
            let tasks = tasks?;
            blocking(move || tasks.start_order(&caller, order)).await
        })
    }

    fn find(&self, caller: &TaskCaller, id: &str) -> Result<TaskWatch, ToolError> {
        let tasks = self.tasks()?;
        let mut state = tasks.lock();
        let session = state.find(caller, id)?;
        state.watch(&session)
    }

    fn stop(&self, task: &TaskId) {
        if let Some(tasks) = self.0.upgrade() {
            let mut state = tasks.lock();
            state.scheduler.cancel(&task.session(), true, now());
            tasks.perform(&mut state);
        }
    }

    fn fetch(&self, caller: &TaskCaller, task: &TaskId) -> BoxFuture<'static, Result<String, ToolError>> {
        let (tasks, caller, session) = (self.tasks(), caller.session.clone(), task.session());
        Box::pin(async move {
            let tasks = tasks?;
            blocking(move || tasks.fetch(&caller, &session)).await
        })
    }

    fn tree(&self, task: &TaskId) -> BoxFuture<'static, Option<TreeReport>> {
        let (tasks, session) = (self.tasks(), task.session());
        Box::pin(async move {
            let tasks = tasks.ok()?;
            let report = tokio::task::spawn_blocking(move || tasks.tree_report(&session));
            report.await.ok().flatten()
        })
    }

    fn cancel(
        &self,
        caller: &TaskCaller,
        task: Option<&TaskId>,
    ) -> BoxFuture<'static, Result<Vec<CancelledTask>, ToolError>> {
        let (tasks, caller, task) = (self.tasks(), caller.clone(), task.cloned());
        Box::pin(async move {
            let (watches, mut cancelled) = tasks?.cancel_below(&caller, task.as_ref())?;
            for (mut watch, cancelled) in watches.into_iter().zip(&mut cancelled) {
                let is_ended = |state: &Arc<TaskState>| state.row.status.is_ended();
                if let Ok(state) = watch.wait_for(is_ended).await {
                    cancelled.row.clone_from(&state.row);
                }
            }
            Ok(cancelled)
        })
    }
}

impl Tasks {
    fn check(&self, caller: &TaskCaller, order: TaskOrder) -> Result<CheckedOrder, ToolError> {
        let sessions = {
            let state = self.lock();
            state
                .scheduler
                .check_start(&caller.session)
                .map_err(|refusal| refused(&refusal, &self.root))?;
            state.sessions.clone()
        };
        sessions.ok_or_else(closing)?.check(caller, order)
    }

    /// Returns a task that an order wants to go on: it is one below the caller.
    pub(in crate::session) fn resumed(
        &self,
        caller: &TaskCaller,
        id: &str,
    ) -> Result<crate::conversation::TaskRow, ToolError> {
        let state = self.lock();
        let session = state.find(caller, id)?;
        state
            .scheduler
            .row(&session)
            .cloned()
            .ok_or_else(|| not_found(id))
    }

    fn start_order(&self, caller: &TaskCaller, checked: CheckedOrder) -> Result<TaskWatch, ToolError> {
        let input = Input {
            text: checked.order.prompt.clone(),
            files: checked.order.files.clone(),
            is_delegated: true,
            ..Input::default()
        };
        match &checked.resumes {
            Some((task, _)) => self.resume(caller, &checked, &task.session(), input),
            None => self.start_new(caller, checked, input),
        }
    }

    fn start_new(
        &self,
        caller: &TaskCaller,
        checked: CheckedOrder,
        input: Input,
    ) -> Result<TaskWatch, ToolError> {
        let session = SessionId::new();
        let sessions = self.lock().sessions.clone().ok_or_else(closing)?;
        let worktree = sessions.plan_tree(&session, caller, &checked)?;
        let stored = sessions.new_session(&session, caller, &checked);
        let has_cache = sessions.has_cache(&checked.model);
        let mut state = self.lock();
        let new = NewTask {
            session: session.clone(),
            parent: caller.session.clone(),
            waiting_call: (!checked.order.is_background).then(|| caller.call.clone()),
            started_by: checked.order.tool,
            agent: checked.agent,
            category: checked.category,
            description: checked.order.description,
            model: checked.model,
            has_cache,
            budget: checked.order.budget,
            worktree,
        };
        let row = state.scheduler.new_row(&new, now());
        state
            .scheduler
            .check_start(&caller.session)
            .map_err(|refusal| refused(&refusal, &self.root))?;
        self.store.create_task(&stored, &row).map_err(unstored)?;
        state.prompts.insert(session.clone(), input);
        state
            .scheduler
            .start(&new, now())
            .map_err(|refusal| refused(&refusal, &self.root))?;
        let watch = state.watch(&session)?;
        self.perform(&mut state);
        Ok(watch)
    }

    /// A task that runs is given the prompt at its next step; one that has ended goes on with it.
    fn resume(
        &self,
        caller: &TaskCaller,
        checked: &CheckedOrder,
        session: &SessionId,
        input: Input,
    ) -> Result<TaskWatch, ToolError> {
        let mut state = self.lock();
        let call = (!checked.order.is_background).then_some(&caller.call);
        if state.scheduler.is_ended(session) {
            state.prompts.insert(session.clone(), input);
            state
                .scheduler
                .resume(session, call, checked.order.budget, now())
                .map_err(|refusal| refused(&refusal, &self.root))?;
        } else {
            let job = Job::Command(session.clone(), TaskCommand::Prompt(input));
            let _ = self.jobs.send(job);
        }
        let watch = state.watch(session)?;
        self.perform(&mut state);
        Ok(watch)
    }

    fn fetch(&self, caller: &SessionId, session: &SessionId) -> Result<String, ToolError> {
        let messages = self.store.load(session)?;
        let key = (caller.clone(), session.clone());
        let mut state = self.lock();
        let read_to = state.fetched.get(&key);
        let start = read_to.and_then(|last| messages.iter().position(|message| message.id == *last));
        let new = &messages[start.map_or(0, |last| last + 1)..];
        if let Some(last) = new.last() {
            state.fetched.insert(key, last.id.clone());
        }
        if state.scheduler.is_ended(session) && state.scheduler.forget_notice(session) {
            state.scheduler.settle(session);
            self.perform(&mut state);
        }
        Ok(said(new))
    }

    fn cancel_below(
        &self,
        caller: &TaskCaller,
        task: Option<&TaskId>,
    ) -> Result<(Vec<TaskWatch>, Vec<CancelledTask>), ToolError> {
        let mut state = self.lock();
        let sessions = match task {
            Some(task) => vec![state.find(caller, task.as_str())?],
            None => state.active_below(&caller.session),
        };
        let (mut watches, mut cancelled) = (Vec::new(), Vec::new());
        for session in sessions {
            let Some(row) = state.scheduler.row(&session).cloned() else {
                continue;
            };
            let previous = row.status;
            cancelled.push(CancelledTask { row, previous });
            watches.push(state.watch(&session)?);
            state.scheduler.cancel(&session, true, now());
        }
        self.perform(&mut state);
        Ok((watches, cancelled))
    }
}

impl TasksState {
    /// Returns the session of a task by its id or that session's, if it is below the caller.
    fn find(&self, caller: &TaskCaller, id: &str) -> Result<SessionId, ToolError> {
        let of_task = id.parse::<TaskId>().map(|task| task.session());
        let session = of_task.or_else(|_| id.parse::<SessionId>());
        let session = session.map_err(|_| not_found(id))?;
        if self.scheduler.is_above(&caller.session, &session) {
            Ok(session)
        } else {
            Err(not_found(id))
        }
    }

    fn active_below(&self, caller: &SessionId) -> Vec<SessionId> {
        let rows = self.scheduler.rows().filter(|row| !row.status.is_ended());
        let below = rows.filter(|row| self.scheduler.is_above(caller, &row.session));
        below.map(|row| row.session.clone()).collect()
    }

    fn watch(&mut self, session: &SessionId) -> Result<TaskWatch, ToolError> {
        if let Some(watch) = self.watches.get(session) {
            return Ok(watch.subscribe());
        }
        let row = self.scheduler.row(session).cloned();
        let row = row.ok_or_else(|| not_found(session.as_str()))?;
        let text = self.scheduler.text(session).unwrap_or_default().into();
        let (sender, receiver) = watch::channel(Arc::new(TaskState { row, text }));
        self.watches.insert(session.clone(), sender);
        Ok(receiver)
    }
}

/// Does what blocks on another thread.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err(closing()))
}

/// The text of the agent in these messages.
fn said(messages: &[Message]) -> String {
    let replies = messages
        .iter()
        .filter(|message| message.role == Role::Assistant && message.state != MessageState::Void);
    let texts = replies
        .flat_map(|message| &message.parts)
        .filter_map(|part| match &part.body {
            PartBody::Text(text) if !text.text.trim().is_empty() => Some(text.text.trim()),
            _ => None,
        });
    texts.collect::<Vec<_>>().join("\n\n")
}

fn refused(refusal: &StartRefusal, root: &SessionId) -> ToolError {
    match refusal {
        StartRefusal::TooDeep { depth, limit } => ToolError::new(
            ErrorKind::Limit,
            format!(
                "this task would be at depth {depth} below session `{root}`, and tasks may be at most {limit} deep"
            ),
        )
        .hint("Do the work yourself, with the tools that you have."),
        StartRefusal::TooMany { limit } => ToolError::new(
            ErrorKind::Limit,
            format!("{limit} tasks were started in the tree of session `{root}`, and that is the limit"),
        )
        .hint("Let an ended task go on by its task_id, or do the work yourself."),
        StartRefusal::Spent(spent) => ToolError::new(ErrorKind::Limit, spent.clone())
            .hint("No task can be started. Finish with what you have, and say what is left."),
    }
}

fn not_found(id: &str) -> ToolError {
    ToolError::new(ErrorKind::NotFound, format!("there is no task `{id}` of yours"))
        .hint("Use the task_id that task or background_task answered with.")
}

fn closing() -> ToolError {
    ToolError::new(
        ErrorKind::Unavailable,
        "the session is closing: no tasks can be started or read",
    )
}

fn unstored(error: StoreError) -> ToolError {
    ToolError::from(error).hint("The task was not started.")
}
