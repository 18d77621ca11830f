//! Notices: a session is told once of each task of its own that ended in the background.

use super::{Effect, Scheduler};
use crate::conversation::{SessionId, TaskRow, TaskStatus};

/// A task that has ended, for the session that started it.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    pub row: TaskRow,
}

impl Scheduler {
    /// Returns true if nobody has to be told of a task's end any more.
    pub fn is_settled(&self, session: &SessionId) -> bool {
        let Some(node) = self.nodes.get(session) else {
            return true;
        };
        let parent = node.parent.as_ref().and_then(|parent| self.nodes.get(parent));
        let is_pending = parent.is_some_and(|parent| parent.pending.contains(session));
        self.is_ended(session) && !is_pending
    }

    /// Returns true if a session has notices to take.
    pub fn has_notices(&self, session: &SessionId) -> bool {
        self.nodes
            .get(session)
            .is_some_and(|node| !node.pending.is_empty())
    }

    /// Hands a session the notices that wait for it, once, and says how many of its tasks in the background still run.
    pub fn take_notices(&mut self, session: &SessionId) -> (Vec<Notice>, usize) {
        let running = self.running_in_background(session);
        let Some(node) = self.nodes.get_mut(session) else {
            return (Vec::new(), running);
        };
        node.is_woken = false;
        let ended = std::mem::take(&mut node.pending);
        let notices = ended.iter().filter_map(|task| {
            Some(Notice {
                row: self.row(task)?.clone(),
            })
        });
        (notices.collect(), running)
    }

    /// The end of a task was told in another way. Returns false if it waits for nobody.
    pub fn forget_notice(&mut self, session: &SessionId) -> bool {
        let parent = self.nodes.get(session).and_then(|node| node.parent.clone());
        let Some(parent) = parent.and_then(|parent| self.nodes.get_mut(&parent)) else {
            return false;
        };
        let before = parent.pending.len();
        parent.pending.retain(|task| task != session);
        parent.pending.len() < before
    }

    /// Has a session that does nothing take its notices, once the last of its group has ended.
    pub(super) fn wake(&mut self, session: &SessionId) {
        if self.running_in_background(session) > 0 {
            return;
        }
        let Some(node) = self.nodes.get_mut(session) else {
            return;
        };
        let is_alive = node
            .task
            .as_ref()
            .is_none_or(|task| task.row.status == TaskStatus::Running && task.stop.is_none());
        let is_free = !node.progress.is_turn_running && !node.is_held && !node.is_woken;
        if is_alive && is_free && !node.pending.is_empty() {
            node.is_woken = true;
            self.effects.push(Effect::Wake(session.clone()));
        }
    }

    /// How many tasks that a session started in the background are queued or running.
    pub fn running_in_background(&self, session: &SessionId) -> usize {
        let active = self.active_tasks(session);
        active.filter(|row| row.is_background).count()
    }
}
