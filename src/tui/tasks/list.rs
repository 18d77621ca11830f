//! The tasks of a tree, each with all that is known of it.

use std::sync::Arc;

use crate::conversation::{SessionId, TaskRow, TaskStatus};
use crate::text::count::plural;
use crate::view::theme::Meaning;

/// One task.
#[derive(Debug, Clone)]
pub(crate) struct TaskEntry {
    pub(crate) row: Arc<TaskRow>,
    /// It ended while the screen was open, and nobody has looked at it since.
    pub(crate) is_news: bool,
    /// The question that it waits for, in words.
    pub(crate) question: Option<String>,
    /// It ended in the background, and others of its group were still at work.
    awaits_group: bool,
}

impl TaskEntry {
    fn new(row: &Arc<TaskRow>) -> Self {
        Self {
            row: Arc::clone(row),
            is_news: false,
            question: None,
            awaits_group: false,
        }
    }
}

/// The tasks of one tree, in the order in which they were started.
#[derive(Debug, Default)]
pub(crate) struct TaskList {
    entries: Vec<TaskEntry>,
}

/// The background tasks of one session that have ended since the last time that all had.
#[derive(Debug, Clone)]
pub(crate) struct FinishedGroup {
    /// The session that started them.
    pub(crate) parent: SessionId,
    pub(crate) rows: Vec<Arc<TaskRow>>,
}

/// Numbers of tasks by state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TaskCounts {
    pub(crate) running: usize,
    pub(crate) queued: usize,
    pub(crate) ended: usize,
}

impl TaskCounts {
    pub(crate) fn of(entries: &[TaskEntry]) -> Self {
        let mut counts = Self::default();
        for entry in entries {
            counts.add(entry.row.status);
        }
        counts
    }

    fn add(&mut self, status: TaskStatus) {
        match status {
            TaskStatus::Queued => self.queued += 1,
            TaskStatus::Running => self.running += 1,
            TaskStatus::Completed | TaskStatus::Failed | TaskStatus::Cancelled | TaskStatus::Interrupted => {
                self.ended += 1;
            }
        }
    }

    /// Those that have not ended.
    pub(crate) fn active(self) -> usize {
        self.running + self.queued
    }
}

/// Returns how many tasks are in which state, in words and without those of which there is none; who asks does not
/// count as running.
pub(crate) fn state_counts(entries: &[TaskEntry]) -> impl Iterator<Item = (String, Meaning)> {
    let counts = TaskCounts::of(entries);
    let asks = entries.iter().filter(|entry| entry.question.is_some()).count();
    let states = [
        (counts.running.saturating_sub(asks), "running"),
        (counts.queued, "queued"),
        (counts.ended, "ended"),
    ];
    let some = states.into_iter().filter(|(count, _)| *count > 0);
    let states = some.map(|(count, state)| (format!("{count} {state}"), Meaning::TextMuted));
    let questions = (asks > 0).then(|| (plural(asks, "question"), Meaning::StateAsking));
    questions.into_iter().chain(states)
}

impl TaskList {
    /// Takes over all tasks of a tree that was attached to. What was new stays new.
    pub(crate) fn reset(&mut self, rows: &[Arc<TaskRow>]) {
        let before = std::mem::take(&mut self.entries);
        let entry = |row: &Arc<TaskRow>| {
            let known = before.iter().find(|entry| entry.row.session == row.session);
            let has_ended = known.is_some_and(|known| !known.row.status.is_ended() && row.status.is_ended());
            TaskEntry {
                row: Arc::clone(row),
                is_news: match known {
                    Some(known) => has_ended || known.is_news && row.status.is_ended(),
                    // What a restart found unfinished is to be looked at, once.
                    None => row.status == TaskStatus::Interrupted,
                },
                question: None,
                awaits_group: false,
            }
        };
        self.entries = rows.iter().map(entry).collect();
    }

    /// Takes in how a task stands now. Returns its group if it was the last of it at work.
    pub(crate) fn note(&mut self, row: &Arc<TaskRow>) -> Option<FinishedGroup> {
        let place = self.place(&row.session).unwrap_or_else(|| {
            self.entries.push(TaskEntry::new(row));
            self.entries.len() - 1
        });
        let entry = &mut self.entries[place];
        let was_ended = std::mem::replace(&mut entry.row, Arc::clone(row))
            .status
            .is_ended();
        if !row.status.is_ended() {
            (entry.is_news, entry.awaits_group) = (false, false);
            return None;
        }
        if was_ended {
            return None;
        }
        entry.is_news = true;
        entry.awaits_group = row.is_background;
        self.finished_group(&row.parent).filter(|_| row.is_background)
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
        (!rows.is_empty()).then(|| FinishedGroup {
            parent: parent.clone(),
            rows,
        })
    }

    /// Takes in which sessions ask, each with its question in words.
    pub(crate) fn set_questions<'a>(&mut self, questions: impl Iterator<Item = (&'a SessionId, String)>) {
        self.entries.iter_mut().for_each(|entry| entry.question = None);
        for (session, words) in questions {
            if let Some(place) = self.place(session) {
                self.entries[place].question.get_or_insert(words);
            }
        }
    }

    /// Somebody looks at a task.
    pub(crate) fn see(&mut self, session: &SessionId) {
        if let Some(place) = self.place(session) {
            self.entries[place].is_news = false;
        }
    }

    fn place(&self, session: &SessionId) -> Option<usize> {
        self.entries
            .iter()
            .position(|entry| entry.row.session == *session)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// In the order in which they were started.
    pub(crate) fn entries(&self) -> &[TaskEntry] {
        &self.entries
    }

    /// Returns the task that runs in a session.
    pub(crate) fn get(&self, session: &SessionId) -> Option<&Arc<TaskRow>> {
        Some(&self.entries[self.place(session)?].row)
    }

    /// Returns the tasks that a session started.
    pub(crate) fn started_by(&self, parent: &SessionId) -> impl Iterator<Item = &Arc<TaskRow>> {
        let rows = self.entries.iter().map(|entry| &entry.row);
        rows.filter(move |row| row.parent == *parent)
    }

    /// Returns the tasks on the way down to a session, its own last; none of the root.
    pub(crate) fn path(&self, session: &SessionId) -> Vec<&Arc<TaskRow>> {
        let mut path = Vec::new();
        let mut next = self.get(session);
        // A row names a task before it as its parent, so the way up ends.
        while let Some(row) = next.filter(|_| path.len() < self.entries.len()) {
            path.insert(0, row);
            next = self.get(&row.parent);
        }
        path
    }

    /// Returns true if a session is this one or below it.
    pub(crate) fn is_within(&self, session: &SessionId, above: &SessionId) -> bool {
        session == above || self.is_below(session, above)
    }

    /// Returns true if the task of a session was started by another one, or below it.
    pub(crate) fn is_below(&self, session: &SessionId, above: &SessionId) -> bool {
        self.path(session).iter().any(|row| row.parent == *above)
    }

    pub(crate) fn counts(&self) -> TaskCounts {
        TaskCounts::of(&self.entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::task_sample::{Sample, task};

    fn noted(list: &mut TaskList, sample: &Sample) -> Option<usize> {
        list.note(&sample.row()).map(|group| group.rows.len())
    }

    #[test]
    fn rows_keep_their_order_whatever_is_told_of_them() {
        let root = SessionId::new();
        let tasks = [task(&root, "one"), task(&root, "two")];
        let mut list = TaskList::default();
        for sample in &tasks {
            list.note(&sample.clone().running().row());
        }
        list.note(&tasks[0].clone().ended(TaskStatus::Completed).row());
        let names: Vec<_> = list
            .entries()
            .iter()
            .map(|entry| entry.row.description.as_str())
            .collect();
        assert_eq!(names, ["one", "two"]);
        assert!(list.entries()[0].is_news && !list.entries()[1].is_news);
        list.see(&tasks[0].session());
        assert!(!list.entries()[0].is_news);
        let counts = TaskCounts {
            running: 1,
            queued: 0,
            ended: 1,
        };
        assert_eq!(list.counts(), counts);
    }

    #[test]
    fn a_group_is_finished_once_with_the_last_of_it() {
        let root = SessionId::new();
        let [one, two, three] = ["one", "two", "three"].map(|name| task(&root, name).background());
        let mut list = TaskList::default();
        for sample in [&one, &two] {
            assert_eq!(noted(&mut list, &sample.clone().running()), None);
        }
        assert_eq!(noted(&mut list, &one.clone().ended(TaskStatus::Completed)), None);
        let failed = two.ended(TaskStatus::Failed);
        assert_eq!(noted(&mut list, &failed), Some(2));
        assert_eq!(noted(&mut list, &failed), None);
        assert_eq!(noted(&mut list, &three.clone().running()), None);
        assert_eq!(noted(&mut list, &three.ended(TaskStatus::Completed)), Some(1));
        let waited_for = task(&root, "four");
        assert_eq!(noted(&mut list, &waited_for.clone().running()), None);
        assert_eq!(noted(&mut list, &waited_for.ended(TaskStatus::Completed)), None);
    }

    #[test]
    fn a_path_leads_down_from_the_root() {
        let root = SessionId::new();
        let above = task(&root, "above");
        let below = task(&above.session(), "below");
        let beside = task(&root, "beside");
        let mut list = TaskList::default();
        for sample in [&above, &below, &beside] {
            list.note(&sample.row());
        }
        let path: Vec<_> = list
            .path(&below.session())
            .iter()
            .map(|row| row.description.clone())
            .collect();
        assert_eq!(path, ["above", "below"]);
        assert!(list.path(&root).is_empty());
        assert!(list.is_within(&below.session(), &above.session()));
        assert!(list.is_within(&above.session(), &above.session()));
        assert!(!list.is_within(&beside.session(), &above.session()));
        assert!(list.is_below(&below.session(), &root) && !list.is_below(&root, &root));
    }

    #[test]
    fn tasks_that_ended_before_the_screen_was_there_are_no_news() {
        let root = SessionId::new();
        let sample = task(&root, "one");
        let mut list = TaskList::default();
        list.reset(&[sample.clone().ended(TaskStatus::Completed).row()]);
        assert!(!list.entries()[0].is_news);
        list.reset(&[sample.clone().running().row()]);
        list.reset(&[sample.ended(TaskStatus::Completed).row()]);
        assert!(list.entries()[0].is_news);
    }
}
