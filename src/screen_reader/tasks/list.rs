//! The tasks of a tree, each with all that is known of it.

use std::sync::Arc;

use crate::conversation::{SessionId, TaskRow, TaskStatus};

/// Number of a task, from 1.
pub(in crate::screen_reader) type TaskNumber = usize;

/// One task.
#[derive(Debug)]
struct TaskEntry {
    row: Arc<TaskRow>,
    /// That it has begun was told, or it had before anybody listened.
    has_begun: bool,
    /// It ended once, so that it goes on when it begins again.
    has_ended: bool,
    /// It ended in the background, and others of its group were still at work.
    awaits_group: bool,
}

/// A change of a task that is worth a line.
#[derive(Debug, PartialEq)]
pub(in crate::screen_reader) enum TaskChange {
    Started,
    /// An ended one works again.
    WentOn,
    /// Nobody waits for it any more.
    ToBackground,
    Ended,
}

/// Background tasks of one session that have ended since the last time that all had.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::screen_reader) struct FinishedGroup {
    pub(in crate::screen_reader) rows: Vec<Arc<TaskRow>>,
}

/// The tasks of one tree, in the order in which they were started.
#[derive(Debug, Default)]
pub(in crate::screen_reader) struct TaskList {
    entries: Vec<TaskEntry>,
}

impl TaskList {
    /// Takes over all tasks of a tree that was attached to.
    pub(in crate::screen_reader) fn reset(&mut self, rows: &[Arc<TaskRow>]) {
        let entry = |row: &Arc<TaskRow>| TaskEntry {
            row: Arc::clone(row),
            has_begun: row.status == TaskStatus::Running,
            has_ended: row.status.is_ended(),
            awaits_group: false,
        };
        self.entries = rows.iter().map(entry).collect();
    }

    /// Takes in how a task stands now; says what has changed, and gives its group if it was the last of it at work.
    pub(in crate::screen_reader) fn note(
        &mut self,
        row: &Arc<TaskRow>,
    ) -> (Option<TaskChange>, Option<FinishedGroup>) {
        let place = self.place(&row.session).unwrap_or_else(|| {
            self.entries.push(TaskEntry {
                row: Arc::clone(row),
                has_begun: false,
                has_ended: false,
                awaits_group: false,
            });
            self.entries.len() - 1
        });
        let entry = &mut self.entries[place];
        let before = std::mem::replace(&mut entry.row, Arc::clone(row));
        if row.status.is_ended() {
            let was_active = !std::mem::replace(&mut entry.has_ended, true) || !before.status.is_ended();
            if !was_active {
                return (None, None);
            }
            entry.has_begun = false;
            entry.awaits_group = row.is_background;
            let group = row.is_background.then(|| self.finished_group(&row.parent));
            return (Some(TaskChange::Ended), group.flatten());
        }
        entry.awaits_group = false;
        let change = match row.status {
            TaskStatus::Running if !std::mem::replace(&mut entry.has_begun, true) => {
                Some(if entry.has_ended {
                    TaskChange::WentOn
                } else {
                    TaskChange::Started
                })
            }
            _ if row.is_background && !before.is_background => Some(TaskChange::ToBackground),
            _ => None,
        };
        (change, None)
    }

    fn finished_group(&mut self, parent: &SessionId) -> Option<FinishedGroup> {
        let is_sibling = |row: &TaskRow| row.parent == *parent && row.is_background;
        let is_at_work = |entry: &TaskEntry| is_sibling(&entry.row) && !entry.row.status.is_ended();
        if self.entries.iter().any(is_at_work) {
            return None;
        }
        let members = self.entries.iter_mut().filter(|entry| is_sibling(&entry.row));
        let ended = members
            .filter_map(|entry| std::mem::take(&mut entry.awaits_group).then(|| Arc::clone(&entry.row)));
        let rows: Vec<_> = ended.collect();
        (!rows.is_empty()).then_some(FinishedGroup { rows })
    }

    fn place(&self, session: &SessionId) -> Option<usize> {
        self.entries
            .iter()
            .position(|entry| entry.row.session == *session)
    }

    pub(in crate::screen_reader) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All of them, with their numbers.
    pub(in crate::screen_reader) fn numbered(&self) -> impl Iterator<Item = (TaskNumber, &Arc<TaskRow>)> {
        (1..).zip(self.entries.iter().map(|entry| &entry.row))
    }

    /// Those that are queued or running.
    pub(in crate::screen_reader) fn active(&self) -> impl Iterator<Item = (TaskNumber, &Arc<TaskRow>)> {
        self.numbered().filter(|(_, row)| !row.status.is_ended())
    }

    /// Returns the number of the task that runs in a session.
    pub(in crate::screen_reader) fn number(&self, session: &SessionId) -> Option<TaskNumber> {
        Some(self.place(session)? + 1)
    }

    /// Returns the task that runs in a session.
    pub(in crate::screen_reader) fn get(&self, session: &SessionId) -> Option<&Arc<TaskRow>> {
        Some(&self.entries[self.place(session)?].row)
    }

    pub(in crate::screen_reader) fn with_number(&self, number: TaskNumber) -> Option<&Arc<TaskRow>> {
        Some(&self.entries.get(number.checked_sub(1)?)?.row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::task_sample::{Sample, task};

    fn noted(list: &mut TaskList, sample: &Sample) -> (Option<TaskChange>, Option<usize>) {
        let (change, group) = list.note(&sample.row());
        (change, group.map(|group| group.rows.len()))
    }

    #[test]
    fn the_beginning_and_the_end_of_a_task_are_told_once_each() {
        let one = task(&SessionId::new(), "one");
        let mut list = TaskList::default();
        assert_eq!(noted(&mut list, &one), (None, None));
        assert_eq!(
            noted(&mut list, &one.clone().running()).0,
            Some(TaskChange::Started)
        );
        assert_eq!(noted(&mut list, &one.clone().running().spent(1, 9)).0, None);
        assert_eq!(
            noted(&mut list, &one.clone().background().running()).0,
            Some(TaskChange::ToBackground)
        );
        let ended = one
            .clone()
            .background()
            .ended(TaskStatus::Completed)
            .later(41_000);
        assert_eq!(noted(&mut list, &ended), (Some(TaskChange::Ended), Some(1)));
        assert_eq!(noted(&mut list, &ended), (None, None));
        assert_eq!(noted(&mut list, &one.clone().background()).0, None);
        assert_eq!(
            noted(&mut list, &one.clone().background().running()).0,
            Some(TaskChange::WentOn)
        );
        assert_eq!(
            noted(
                &mut list,
                &one.background().ended(TaskStatus::Failed).later(41_000)
            ),
            (Some(TaskChange::Ended), Some(1))
        );
    }

    #[test]
    fn a_task_that_is_cancelled_in_the_queue_has_an_end_alone() {
        let one = task(&SessionId::new(), "one");
        let mut list = TaskList::default();
        list.note(&one.row());
        let cancelled = one.ended(TaskStatus::Cancelled).later(41_000);
        assert_eq!(noted(&mut list, &cancelled), (Some(TaskChange::Ended), None));
    }

    #[test]
    fn a_group_is_finished_once_with_the_last_of_it() {
        let root = SessionId::new();
        let [one, two] = ["one", "two"].map(|name| task(&root, name).background());
        let mut list = TaskList::default();
        for sample in [&one, &two] {
            list.note(&sample.clone().running().row());
        }
        assert_eq!(
            noted(&mut list, &one.ended(TaskStatus::Completed).later(41_000)).1,
            None
        );
        assert_eq!(
            noted(&mut list, &two.ended(TaskStatus::Failed).later(41_000)).1,
            Some(2)
        );
    }

    #[test]
    fn numbers_stay_and_tasks_that_were_there_before_are_no_news() {
        let root = SessionId::new();
        let [one, two] = ["one", "two"].map(|name| task(&root, name));
        let mut list = TaskList::default();
        list.reset(&[
            one.clone().ended(TaskStatus::Completed).later(41_000).row(),
            two.clone().running().row(),
        ]);
        assert_eq!(noted(&mut list, &two.clone().running().spent(2, 9)).0, None);
        assert_eq!(list.number(&two.session()), Some(2));
        let active: Vec<_> = list.active().map(|(number, _)| number).collect();
        assert_eq!(active, [2]);
        assert_eq!(
            list.with_number(1).map(|row| row.description.as_str()),
            Some("one")
        );
        assert!(list.with_number(0).is_none() && list.with_number(3).is_none());
    }
}
