//! Which tasks have a tile, which of them is chosen, and the page that it stands on.

use std::collections::HashMap;
use std::sync::Arc;

use super::Watch;
use super::task_words::count_word;
use crate::conversation::{TaskId, TaskRow};
use crate::question::Question;
use crate::text::fuzzy::Query;
use crate::tui::tasks::TaskMark;
use crate::tui::tile_grid::Direction;

impl Watch {
    pub(super) fn mark(&self, row: &TaskRow) -> TaskMark {
        TaskMark::of(row, self.question_of(row).is_some())
    }

    pub(super) fn marks(&self) -> HashMap<TaskId, TaskMark> {
        let marks = self.rows.iter().map(|row| (row.task.clone(), self.mark(row)));
        marks.collect()
    }

    /// Returns the oldest question of a task's session that was not answered here.
    pub(super) fn question_of(&self, row: &TaskRow) -> Option<&Arc<Question>> {
        self.questions
            .iter()
            .find(|question| question.session == row.session && !self.answered.contains(&question.id))
    }

    /// Filters by a changed text: the chosen task stays chosen if it matches.
    pub(super) fn filter_anew(&mut self) {
        let chosen = self.chosen.take();
        self.find();
        if let Some(task) = chosen.filter(|task| self.found.contains(task)) {
            self.chosen = Some(task);
        }
    }

    /// Takes in which tasks there are. The chosen one has its tile whatever it does: a key that is on its way to it never
    /// reaches another.
    pub(super) fn find(&mut self) {
        let query = Query::new(&self.filter.text());
        let by_id: HashMap<&TaskId, &Arc<TaskRow>> = self.rows.iter().map(|row| (&row.task, row)).collect();
        let marks = self.marks();
        let (matcher, chosen) = (&mut self.matcher, self.chosen.as_ref());
        let mut is_found = |task: &&TaskId| {
            let Some(row) = by_id.get(task) else {
                return false;
            };
            let details = [&row.agent, &row.description, count_word(marks[*task]), &row.now].join(" ");
            query.is_empty() || chosen == Some(task) || matcher.score(&query, &[&details]).is_some()
        };
        let found = self.order.tasks().iter().filter(|task| is_found(task));
        self.found = found.cloned().collect();
        if self.chosen_place().is_none() {
            self.chosen = self.found.first().cloned();
        }
    }

    pub(super) fn sort(&mut self) {
        let marks = self.marks();
        self.order.sort(&self.rows, |row| marks[&row.task]);
        self.find();
    }

    pub(super) fn row(&self, task: &TaskId) -> Option<&Arc<TaskRow>> {
        self.rows.iter().find(|row| row.task == *task)
    }

    pub(super) fn chosen_row(&self) -> Option<&Arc<TaskRow>> {
        self.row(self.chosen.as_ref()?)
    }

    /// Returns the place of the chosen task among those that the filter leaves.
    pub(super) fn chosen_place(&self) -> Option<usize> {
        let chosen = self.chosen.as_ref()?;
        self.found.iter().position(|task| task == chosen)
    }

    fn per_page(&self) -> usize {
        self.last.per_page.max(1)
    }

    /// Returns the place of the first tile on the chosen one's page.
    pub(super) fn page_start(&self) -> usize {
        let place = self.chosen_place().unwrap_or(0);
        place - place % self.per_page()
    }

    /// Returns the number of the page, from 1, and how many there are.
    pub(super) fn page_number(&self) -> (usize, usize) {
        let pages = self.found.len().div_ceil(self.per_page()).max(1);
        (self.page_start() / self.per_page() + 1, pages)
    }

    pub(super) fn choose(&mut self, place: usize) {
        if let Some(task) = self.found.get(place) {
            self.chosen = Some(task.clone());
        }
    }

    /// Chooses by number on the page, from 1.
    pub(super) fn choose_on_page(&mut self, number: usize) {
        let on_page = number.checked_sub(1).filter(|place| *place < self.per_page());
        if let Some(place) = on_page {
            self.choose(self.page_start() + place);
        }
    }

    /// Goes on in a direction; to the left and to the right over the end of the page.
    pub(super) fn step(&mut self, direction: Direction) {
        let Some(place) = self.chosen_place() else {
            return;
        };
        let start = self.page_start();
        let to = match self.last.grid.neighbour(place - start, direction) {
            Some(on_page) => Some(start + on_page),
            None => match direction {
                Direction::Left => place.checked_sub(1),
                Direction::Right => Some(place + 1),
                Direction::Up | Direction::Down => None,
            },
        };
        if let Some(to) = to {
            self.choose(to);
        }
    }

    /// Turns pages; the first tile there is chosen.
    pub(super) fn turn_page(&mut self, direction: Direction) {
        let start = self.page_start();
        match direction {
            Direction::Left | Direction::Up => self.choose(start.saturating_sub(self.per_page())),
            Direction::Right | Direction::Down => self.choose(start + self.per_page()),
        }
    }

    /// Chooses the next agent that asks, behind the chosen one and then from the first. Returns false if none does.
    pub(super) fn choose_next_ask(&mut self) -> bool {
        let asks = |task: &TaskId| {
            self.row(task)
                .is_some_and(|row| self.mark(row) == TaskMark::Asking)
        };
        let from = self.chosen_place().map_or(0, |place| place + 1);
        let behind = (from..self.found.len()).chain(0..from.min(self.found.len()));
        let next = behind.into_iter().find(|place| asks(&self.found[*place]));
        if let Some(place) = next {
            self.choose(place);
        }
        next.is_some()
    }
}
