//! A stand-in for the agent that looks.

use std::sync::{Arc, Mutex};

use futures::future::BoxFuture;
use tokio::sync::watch;

use crate::conversation::{Isolation, SessionId, TaskActivity, TaskId, TaskRow, TaskStatus, Usage};
use crate::tool::{
    Abilities, CancelledTask, CheckedOrder, Delegation, TaskCaller, TaskModel, TaskOrder, TaskState,
    TaskTarget, TaskWatch, ToolError, TreeReport,
};

/// Runs every task to an end that was settled before.
pub(super) struct Looker {
    pub(super) model: TaskModel,
    pub(super) status: TaskStatus,
    pub(super) is_background: bool,
    pub(super) answer: &'static str,
    pub(super) started: Mutex<Vec<CheckedOrder>>,
    pub(super) stopped: Mutex<Vec<TaskId>>,
    /// Keeps a task that runs.
    pub(super) watches: Mutex<Vec<watch::Sender<Arc<TaskState>>>>,
}

impl Looker {
    pub(super) fn with(images: bool, pdf: bool) -> Self {
        Self {
            model: TaskModel {
                reference: "local/eyes".parse().unwrap(),
                abilities: Abilities { images, pdf },
                context: 4000,
            },
            status: TaskStatus::Completed,
            is_background: false,
            answer: "A red square.\nNothing else.",
            started: Mutex::default(),
            stopped: Mutex::default(),
            watches: Mutex::default(),
        }
    }

    fn row(&self, caller: &TaskCaller, order: &CheckedOrder) -> TaskRow {
        let session = SessionId::new();
        TaskRow {
            task: TaskId::of(&session),
            session,
            parent: caller.session.clone(),
            started_by: order.order.tool.to_owned(),
            depth: 1,
            agent: order.agent.clone(),
            category: None,
            description: order.order.description.clone(),
            model: order.model.clone(),
            is_background: self.is_background,
            status: self.status,
            activity: TaskActivity::default(),
            since: 1,
            now: String::new(),
            calls: 0,
            usage: Usage {
                input: 7,
                ..Usage::default()
            },
            cost: None,
            created: 1,
            started: None,
            ended: None,
            error: (self.status == TaskStatus::Failed).then(|| "the model said no".to_owned()),
            failure: None,
            worktree: None,
        }
    }
}

impl Delegation for Looker {
    fn check(&self, _: &TaskCaller, order: TaskOrder) -> Result<CheckedOrder, ToolError> {
        let TaskTarget::Agent(agent) = &order.target else {
            panic!("{order:?}")
        };
        Ok(CheckedOrder {
            agent: agent.clone(),
            category: None,
            model: order.model.clone().unwrap(),
            isolation: Isolation::None,
            resumes: None,
            order,
        })
    }

    fn model_for(&self, _: &TaskCaller, order: &TaskOrder, _: bool) -> Result<TaskModel, ToolError> {
        assert_eq!(order.target, TaskTarget::Agent("multimodal-looker".to_owned()));
        Ok(self.model.clone())
    }

    fn start(
        &self,
        caller: &TaskCaller,
        order: CheckedOrder,
    ) -> BoxFuture<'static, Result<TaskWatch, ToolError>> {
        let row = self.row(caller, &order);
        self.started.lock().unwrap().push(order);
        let text = self.answer.into();
        let (sender, watch) = watch::channel(Arc::new(TaskState { row, text }));
        self.watches.lock().unwrap().push(sender);
        Box::pin(async { Ok(watch) })
    }

    fn find(&self, _: &TaskCaller, _: &str) -> Result<TaskWatch, ToolError> {
        unreachable!()
    }

    fn tree(&self, _: &TaskId) -> BoxFuture<'static, Option<TreeReport>> {
        unreachable!()
    }

    fn stop(&self, task: &TaskId) {
        self.stopped.lock().unwrap().push(task.clone());
        for watch in &*self.watches.lock().unwrap() {
            watch.send_modify(|state| {
                let mut row = state.row.clone();
                row.status = TaskStatus::Cancelled;
                let text = Arc::clone(&state.text);
                *state = Arc::new(TaskState { row, text });
            });
        }
    }

    fn fetch(&self, _: &TaskCaller, _: &TaskId) -> BoxFuture<'static, Result<String, ToolError>> {
        unreachable!()
    }

    fn cancel(
        &self,
        _: &TaskCaller,
        _: Option<&TaskId>,
    ) -> BoxFuture<'static, Result<Vec<CancelledTask>, ToolError>> {
        unreachable!()
    }
}
