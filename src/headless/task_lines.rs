//! Tasks in lines of progress: who works, when a task begins and how it ends.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use crate::conversation::{CallResult, SessionId, TaskRow, TaskStatus};
use crate::text::sanitize::sanitize_line;
use crate::view::spinner;

/// The tasks of a run, as they were told last.
#[derive(Debug, Default)]
pub(super) struct TaskLines {
    tasks: Vec<ToldTask>,
}

#[derive(Debug)]
struct ToldTask {
    row: Arc<TaskRow>,
    /// That it works was told, and that it has ended was not.
    is_told: bool,
}

impl TaskLines {
    /// Takes in how a task stands now. Returns a line when it begins, and one when it has ended; one that waits for a slot
    /// has not begun.
    pub(super) fn note(&mut self, row: &Arc<TaskRow>) -> Option<String> {
        let known = self.tasks.iter().position(|task| task.row.session == row.session);
        let place = known.unwrap_or_else(|| {
            let (row, is_told) = (Arc::clone(row), false);
            self.tasks.push(ToldTask { row, is_told });
            self.tasks.len() - 1
        });
        let task = &mut self.tasks[place];
        let before = std::mem::replace(&mut task.row, Arc::clone(row));
        let was_told = std::mem::replace(&mut task.is_told, row.status == TaskStatus::Running);
        match row.status {
            TaskStatus::Running if !was_told => Some(format!("task {} · started", self.named(row))),
            status if status.is_ended() && !before.status.is_ended() => Some(self.ended(row)),
            _ => None,
        }
    }

    /// `task finder: who calls it · completed in 0:41 · In a.txt.`
    fn ended(&self, row: &TaskRow) -> String {
        let mut line = format!("task {} · {}", self.named(row), row.status.name());
        if row.started.is_some() {
            let elapsed = u64::try_from(row.elapsed(0)).unwrap_or(0);
            let took = spinner::elapsed(Duration::from_millis(elapsed));
            let _ = write!(line, " in {took}");
        }
        let words = match row.status {
            TaskStatus::Completed => row.now.as_str(),
            _ => row.error.as_deref().unwrap_or_default(),
        };
        if !words.is_empty() {
            let _ = write!(line, " · {}", sanitize_line(words));
        }
        line
    }

    /// `finder: who calls it`, behind the agents above it.
    fn named(&self, row: &TaskRow) -> String {
        let above = self.agents(&row.parent);
        format!("{above}{}: {}", row.agent, sanitize_line(&row.description))
    }

    /// Returns what stands before a line about a session: the agent whose task it is, behind those above it. Nothing of the
    /// root.
    pub(super) fn agents(&self, session: &SessionId) -> String {
        let mut path = Vec::new();
        let mut next = self.get(session);
        // A row names a task before it as its parent, so the way up ends.
        while let Some(row) = next.filter(|_| path.len() < self.tasks.len()) {
            path.push(format!("{} › ", self.told_apart(row)));
            next = self.get(&row.parent);
        }
        path.reverse();
        path.concat()
    }

    /// The agent of a task, with what it was asked where it is not the only task of its agent.
    fn told_apart(&self, row: &TaskRow) -> String {
        let is_only = self
            .tasks
            .iter()
            .filter(|task| task.row.agent == row.agent)
            .count()
            == 1;
        if is_only {
            row.agent.clone()
        } else {
            format!("{} \"{}\"", row.agent, sanitize_line(&row.description))
        }
    }

    fn get(&self, session: &SessionId) -> Option<&TaskRow> {
        let task = self.tasks.iter().find(|task| task.row.session == *session)?;
        Some(&task.row)
    }

    /// Returns true if a call started a task, whose own lines say what becomes of it.
    pub(super) fn is_start(&self, session: &SessionId, tool: &str, result: &CallResult) -> bool {
        let details = result.details.value();
        let id = details["task_id"].as_str();
        let is_it =
            |row: &TaskRow| row.started_by == tool && row.parent == *session && id == Some(row.task.as_str());
        self.tasks.iter().any(|task| is_it(&task.row))
    }
}
