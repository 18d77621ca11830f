//! The order of the tiles. Each keeps its place, so that a key which is on its way to one never reaches another; whoever
//! wants the ones that matter first sorts.

use std::sync::Arc;

use super::task_words::rank;
use crate::conversation::{TaskId, TaskRow};
use crate::tui::tasks::TaskMark;

/// Tasks in the order of their tiles.
#[derive(Debug, Clone, Default)]
pub(super) struct TileOrder {
    tasks: Vec<TaskId>,
}

impl TileOrder {
    /// Takes in which tasks there are: new ones come behind the others, in the order in which they were started.
    pub(super) fn update(&mut self, rows: &[Arc<TaskRow>]) {
        self.tasks.retain(|task| rows.iter().any(|row| row.task == *task));
        let mut new: Vec<&TaskRow> = rows
            .iter()
            .map(|row| &**row)
            .filter(|row| !self.tasks.contains(&row.task))
            .collect();
        new.sort_by_key(|row| row.created);
        self.tasks.extend(new.into_iter().map(|row| row.task.clone()));
    }

    /// Sorts all: who asks first, then who works, then what waits, at last what has ended.
    pub(super) fn sort(&mut self, rows: &[Arc<TaskRow>], mark: impl Fn(&TaskRow) -> TaskMark) {
        let mut all: Vec<&TaskRow> = rows.iter().map(|row| &**row).collect();
        sort(&mut all, mark);
        self.tasks = all.into_iter().map(|row| row.task.clone()).collect();
    }

    pub(super) fn tasks(&self) -> &[TaskId] {
        &self.tasks
    }
}

/// Of those in the same state who was started first is first; of those that ended, who ended last.
fn sort(rows: &mut [&TaskRow], mark: impl Fn(&TaskRow) -> TaskMark) {
    rows.sort_by_key(|row| (rank(mark(row)), row.ended.map(std::cmp::Reverse), row.created));
}

#[cfg(test)]
mod tests {
    use super::super::sample::{NOW, task};
    use super::*;
    use crate::conversation::{TaskActivity, TaskStatus};

    fn mark(row: &TaskRow) -> TaskMark {
        TaskMark::of(row, false)
    }

    fn numbers(order: &TileOrder) -> Vec<&str> {
        let tasks = order.tasks().iter();
        tasks
            .map(|task| task.as_str().trim_start_matches("tsk_"))
            .collect()
    }

    fn rows() -> Vec<TaskRow> {
        let mut rows: Vec<_> = (1..=8).map(task).collect();
        rows[0].status = TaskStatus::Completed;
        rows[0].ended = Some(NOW - 9_000);
        rows[1].activity = TaskActivity::Stalled;
        rows[2].status = TaskStatus::Queued;
        rows[3].activity = TaskActivity::WaitingForModel;
        rows[5].activity = TaskActivity::WaitingForPerson;
        rows[6].status = TaskStatus::Failed;
        rows[6].ended = Some(NOW - 2_000);
        rows[7].status = TaskStatus::Completed;
        rows[7].ended = Some(NOW - 1_000);
        rows
    }

    fn shared(rows: &[TaskRow]) -> Vec<Arc<TaskRow>> {
        rows.iter().cloned().map(Arc::new).collect()
    }

    #[test]
    fn who_asks_is_first_then_who_works_waits_and_has_ended() {
        let mut order = TileOrder::default();
        order.sort(&shared(&rows()), mark);
        assert_eq!(numbers(&order), ["6", "5", "4", "2", "3", "7", "8", "1"]);
    }

    #[test]
    fn tiles_stand_in_the_order_of_start_whatever_the_state_of_their_tasks() {
        let mut order = TileOrder::default();
        let mut rows = rows();
        rows.swap(0, 6);
        order.update(&shared(&rows));
        assert_eq!(numbers(&order), ["1", "2", "3", "4", "5", "6", "7", "8"]);
    }

    #[test]
    fn a_tile_keeps_its_place_until_they_are_sorted() {
        let mut rows = rows();
        let mut order = TileOrder::default();
        order.update(&shared(&rows));
        rows[4].activity = TaskActivity::WaitingForPerson;
        rows[5].status = TaskStatus::Completed;
        rows[5].ended = Some(NOW);
        rows.push(task(9));
        rows[8].activity = TaskActivity::WaitingForPerson;
        order.update(&shared(&rows));
        let placed = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
        assert_eq!(numbers(&order), placed);
        order.sort(&shared(&rows), mark);
        assert_eq!(numbers(&order), ["5", "9", "4", "2", "3", "7", "6", "8", "1"]);
    }

    #[test]
    fn a_task_that_is_not_there_any_more_gives_up_its_place() {
        let mut order = TileOrder::default();
        order.update(&shared(&rows()));
        order.update(&shared(&rows()[..3]));
        assert_eq!(numbers(&order), ["1", "2", "3"]);
    }
}
