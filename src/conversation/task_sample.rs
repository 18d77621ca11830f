//! Tasks for tests.

use std::sync::Arc;

use super::{SessionId, TaskActivity, TaskId, TaskRow, TaskStatus, Usage};

/// A task of agent `explore`, queued at the time 0 until it is told otherwise.
#[derive(Debug, Clone)]
pub(crate) struct Sample(pub(crate) TaskRow);

/// Begins with a task that a session starts and waits for.
pub(crate) fn task(parent: &SessionId, description: &str) -> Sample {
    let session = SessionId::new();
    Sample(TaskRow {
        task: TaskId::of(&session),
        session,
        parent: parent.clone(),
        started_by: "task".to_owned(),
        depth: 1,
        agent: "explore".to_owned(),
        category: None,
        description: description.to_owned(),
        model: "local/test-model".parse().unwrap(),
        is_background: false,
        status: TaskStatus::Queued,
        activity: TaskActivity::WaitingForModel,
        since: 0,
        now: String::new(),
        calls: 0,
        usage: Usage::default(),
        cost: Some(0.0),
        created: 0,
        started: None,
        ended: None,
        error: None,
        failure: None,
        worktree: None,
    })
}

impl Sample {
    pub(crate) fn session(&self) -> SessionId {
        self.0.session.clone()
    }

    pub(crate) fn row(&self) -> Arc<TaskRow> {
        Arc::new(self.0.clone())
    }

    pub(crate) fn agent(mut self, name: &str) -> Self {
        name.clone_into(&mut self.0.agent);
        self
    }

    pub(crate) fn background(mut self) -> Self {
        self.0.is_background = true;
        self
    }

    /// At the time `now`, in milliseconds.
    pub(crate) fn at(mut self, now: i64) -> Self {
        (self.0.created, self.0.since) = (now, now);
        self
    }

    pub(crate) fn running(mut self) -> Self {
        self.0.status = TaskStatus::Running;
        self.0.started = Some(self.0.since);
        self
    }

    /// Running, and doing this.
    pub(crate) fn doing(self, activity: TaskActivity, now: &str) -> Self {
        let mut this = self.running();
        this.0.activity = activity;
        now.clone_into(&mut this.0.now);
        this
    }

    /// So many calls and tokens so far.
    pub(crate) fn spent(mut self, calls: u64, tokens: u64) -> Self {
        self.0.calls = calls;
        self.0.usage.input = tokens;
        self
    }

    pub(crate) fn ended(mut self, status: TaskStatus) -> Self {
        self.0.started = self.0.started.or(Some(self.0.since));
        self.0.status = status;
        self.0.ended = Some(self.0.since);
        self
    }

    /// With its end so many milliseconds later.
    pub(crate) fn later(mut self, millis: i64) -> Self {
        self.0.ended = self.0.ended.map(|ended| ended + millis);
        self
    }

    /// With these words: the beginning of its result, or why it did not complete.
    pub(crate) fn with(mut self, words: &str) -> Self {
        match self.0.status {
            TaskStatus::Completed => words.clone_into(&mut self.0.now),
            _ => self.0.error = Some(words.to_owned()),
        }
        self
    }
}
