//! Lists to pick from: type to filter, move, look, take.
//!
//! A [`Picker`] is the list with its filter, and knows nothing of what is listed. That is a [`Place`]: its rows, what is
//! shown beside them, and the [`Wish`] that picking one is. A place is one file below `places` and a line in its list; what
//! its rows say comes clean from [`Row`].
//!
//! Keys come as actions and go out as an [`Outcome`], which the screen carries out. Nothing here waits or reads: what
//! takes long is looked at in steps, for which the screen calls [`Picker::work`] as long as there is some.

mod draw;
mod filter;
pub(crate) mod places;
mod row;

#[cfg(test)]
mod tests;

pub(crate) use places::Place;
pub(crate) use row::Row;

use super::app::{NamedThemes, Themes};
use super::composer::{Composer, Edited};
use super::keymap::{Action, Edit};
use crate::conversation::ModelRef;
use crate::text::sanitize::sanitize_line;
use filter::Filter;

/// What the screen is asked to do.
#[derive(Debug, Clone)]
pub(crate) enum Wish {
    /// As if its key had been pressed.
    Act(Action),
    /// Draws everything in this from now on.
    Wear(Themes),
    /// The same, and says how to have it for good.
    KeepTheme(NamedThemes),
    /// With this agent.
    GoOnAs(String),
    Ask(ModelRef),
}

/// What a key led to.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The list stays; perhaps something has to be done.
    Stays(Option<Wish>),
    /// The list is done with.
    Left(Option<Wish>),
}

const STAYS: Outcome = Outcome::Stays(None);

pub(crate) struct Picker {
    place: Box<dyn Place>,
    rows: Vec<Row>,
    filter: Filter,
    line: Composer,
    /// Where in the list the selection stands.
    selected: usize,
    /// Whether it was put there by hand, and so stays on its row while better matches are found.
    is_held: bool,
    top: usize,
    /// Rows of the list on screen; 0 before the first frame.
    height: usize,
    /// Columns of the widest title.
    title_columns: usize,
}

impl Picker {
    pub(crate) fn new(place: Box<dyn Place>) -> Self {
        let mut picker = Self {
            rows: place.rows(),
            place,
            filter: Filter::default(),
            line: Composer::default(),
            selected: 0,
            is_held: false,
            top: 0,
            height: 0,
            title_columns: 0,
        };
        picker.title_columns = draw::title_columns(&picker.rows);
        picker.select_first();
        picker
    }

    /// What `enter` does.
    pub(crate) fn verb(&self) -> &'static str {
        self.place.verb()
    }

    /// Whether there is not one row, whatever the filter.
    pub(crate) fn is_bare(&self) -> bool {
        self.rows.is_empty()
    }

    pub(crate) fn has_filter(&self) -> bool {
        !self.line.is_empty()
    }

    pub(crate) fn act(&mut self, action: Action) -> Outcome {
        match action {
            Action::RowUp => self.move_by(-1),
            Action::RowDown => self.move_by(1),
            Action::PageUp => self.page(-1),
            Action::PageDown => self.page(1),
            Action::PickRow => self.pick(),
            Action::Edit(edit) => self.edit(edit),
            _ => STAYS,
        }
    }

    pub(crate) fn type_char(&mut self, c: char) -> Outcome {
        self.line.insert_char(c);
        self.filter_anew()
    }

    pub(crate) fn paste(&mut self, text: &str) -> Outcome {
        let text = sanitize_line(text);
        text.trim().chars().for_each(|c| self.line.insert_char(c));
        self.filter_anew()
    }

    /// One rung: the filter goes, then the list.
    pub(crate) fn back(&mut self) -> Outcome {
        if self.line.is_empty() {
            return self.leave();
        }
        self.line.clear();
        self.filter_anew()
    }

    pub(crate) fn leave(&mut self) -> Outcome {
        Outcome::Left(self.place.leave())
    }

    pub(crate) fn scroll(&mut self, rows: isize) -> Outcome {
        self.move_by(rows)
    }

    /// Whether there are rows left to be looked at.
    pub(crate) fn is_working(&self) -> bool {
        !self.filter.is_done(&self.rows)
    }

    /// Looks at some of them.
    pub(crate) fn work(&mut self) -> Outcome {
        let before = self.row();
        self.filter.step(&self.rows);
        let place = before.and_then(|row| self.filter.place(row, &self.rows));
        self.selected = place.filter(|_| self.is_held).unwrap_or(0);
        self.passed(before)
    }

    /// The row that the selection is on.
    fn row(&self) -> Option<usize> {
        self.filter.row(self.selected, &self.rows)
    }

    fn len(&self) -> usize {
        self.filter.len(&self.rows)
    }

    fn edit(&mut self, edit: Edit) -> Outcome {
        match self.line.edit(edit) {
            Edited::Text => self.filter_anew(),
            Edited::Caret | Edited::Nothing => STAYS,
        }
    }

    fn filter_anew(&mut self) -> Outcome {
        let before = self.row();
        if !self.filter.set(&self.line.text(), &self.rows) {
            return STAYS;
        }
        // The first step now: for most lists it is the whole work.
        self.filter.step(&self.rows);
        self.select_first();
        self.passed(before)
    }

    /// The best match; without a filter the row that holds now.
    fn select_first(&mut self) {
        self.is_held = false;
        self.top = 0;
        let current = self.rows.iter().position(Row::is_current);
        self.selected = current.filter(|_| self.filter.query().is_empty()).unwrap_or(0);
    }

    fn move_by(&mut self, rows: isize) -> Outcome {
        let before = self.row();
        let last = self.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(rows).min(last);
        self.is_held = true;
        self.passed(before)
    }

    fn page(&mut self, pages: isize) -> Outcome {
        let rows = isize::try_from(self.height.max(2) - 1).unwrap_or(1);
        self.move_by(pages * rows)
    }

    /// Tells the place where the selection has come to, if that is elsewhere.
    fn passed(&mut self, before: Option<usize>) -> Outcome {
        let now = self.row();
        if now == before {
            return STAYS;
        }
        Outcome::Stays(now.and_then(|row| self.place.pass(row)))
    }

    fn pick(&mut self) -> Outcome {
        // What was not looked at yet may fit better than what is selected.
        let is_done = self.filter.is_done(&self.rows);
        self.filter.finish(&self.rows);
        if !is_done && !self.is_held {
            self.selected = 0;
        }
        match self.row() {
            Some(row) => Outcome::Left(self.place.pick(row)),
            None => STAYS,
        }
    }
}
