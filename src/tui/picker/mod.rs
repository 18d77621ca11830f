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
mod preview;
mod row;

#[cfg(test)]
mod tests;

pub(crate) use draw::{RowLine, draw_rule, split};
pub(crate) use places::{Place, SessionWish};
pub(crate) use preview::Preview;
pub(crate) use row::Row;

use std::collections::HashMap;

use super::app::{NamedThemes, Themes};
use super::composer::{Composer, Draft, Edited};
use super::keymap::{Action, Context, Edit};
use crate::conversation::{ModelRef, SessionId};
use crate::store::Words;
use crate::text::sanitize::sanitize_line;
use filter::Filter;

/// Requests to the screen.
#[derive(Debug, Clone)]
pub(crate) enum Wish {
    /// As if its key had been pressed where that is read.
    Act(Context, Action),
    /// Draws everything in this from now on.
    Wear(Themes),
    /// The same, and says how to have it for good.
    KeepTheme(NamedThemes),
    /// With this agent.
    GoOnAs(String),
    Ask(ModelRef),
    Session(SessionWish),
    /// In the composer.
    Write(Draft),
}

/// The result of a key.
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
    /// True if it was put there by hand, and so stays on its row while better matches are found.
    is_held: bool,
    top: usize,
    /// Rows of the list on screen; 0 before the first frame.
    height: usize,
    /// Columns of the widest title.
    title_columns: usize,
    /// The row whose deletion was asked for once.
    armed: Option<usize>,
    /// The row that is given another name, which stands in this line meanwhile.
    renaming: Option<(usize, Composer)>,
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
            armed: None,
            renaming: None,
        };
        picker.title_columns = draw::title_columns(&picker.rows);
        picker.select_first();
        picker
    }

    /// Lists something else, by the filter there is.
    pub(crate) fn fill(&mut self, place: Box<dyn Place>) {
        self.rows = place.rows();
        self.place = place;
        self.title_columns = draw::title_columns(&self.rows);
        self.filter = Filter::default();
        self.filter.set(&self.line.text(), &self.rows);
        self.filter.step(&self.rows);
        self.select_first();
    }

    /// Returns the effect of `enter`, as the hints say it.
    pub(crate) fn verb(&self) -> &'static str {
        self.place.verb()
    }

    /// Returns true if there is not one row, whatever the filter.
    pub(crate) fn is_bare(&self) -> bool {
        self.rows.is_empty()
    }

    pub(crate) fn has_filter(&self) -> bool {
        !self.line.is_empty()
    }

    /// Lists something else under the same filter; the selection stays on its row where that is still there.
    pub(crate) fn list_anew(&mut self, place: Box<dyn Place>) -> Outcome {
        let key = |picker: &Self, row| picker.place.key(row).map(str::to_owned);
        let selected = self.row().and_then(|row| key(self, row));
        let inside = self.filter.take_inside();
        let inside = inside
            .into_iter()
            .filter_map(|(row, text)| Some((key(self, row)?, text)));
        let inside: HashMap<String, String> = inside.collect();
        let (was_held, top) = (self.is_held, self.top);
        self.place = place;
        self.rows = self.place.rows();
        self.title_columns = draw::title_columns(&self.rows);
        self.armed = None;
        self.renaming = None;
        let rows = 0..self.rows.len();
        let inside = rows.filter_map(|row| Some((row, inside.get(self.place.key(row)?)?.clone())));
        self.filter.add_inside(inside.collect());
        self.filter.step(&self.rows);
        self.select_first();
        self.select_key(selected.as_deref().filter(|_| was_held));
        self.top = top;
        self.look()
    }

    /// Some rows hold what is looked for where only others can see it. What was found for another text is too late.
    pub(crate) fn found_inside(&mut self, searched: &str, found: &[(SessionId, String)]) -> Outcome {
        if searched != self.filter.text() {
            return STAYS;
        }
        let found: HashMap<&str, &String> = found.iter().map(|(key, text)| (key.as_str(), text)).collect();
        let rows = 0..self.rows.len();
        let inside = rows.filter_map(|row| Some((row, (*found.get(self.place.key(row)?)?).clone())));
        let inside = inside.collect();
        let row = self.row();
        self.filter.add_inside(inside);
        self.filter.finish(&self.rows);
        let place = row.and_then(|row| self.filter.place(row, &self.rows));
        self.selected = place.filter(|_| self.is_held).unwrap_or(0);
        self.passed(row)
    }

    /// Has the selected row looked at, as if the selection had just come there.
    pub(crate) fn look(&mut self) -> Outcome {
        Outcome::Stays(self.row().and_then(|row| self.place.pass(row)))
    }

    pub(crate) fn looked(&mut self, session: &SessionId, words: Vec<Words>) {
        self.place.looked(session, words);
    }

    /// Returns true if what is typed is a name, and not looked for.
    pub(crate) fn is_renaming(&self) -> bool {
        self.renaming.is_some()
    }

    /// Returns true if the same key again deletes.
    pub(crate) fn is_armed(&self) -> bool {
        self.armed.is_some()
    }

    /// Returns true if rows can be renamed and deleted.
    pub(crate) fn is_editable(&self) -> bool {
        self.place.is_editable()
    }

    pub(crate) fn query(&self) -> &str {
        self.filter.text()
    }

    pub(crate) fn act(&mut self, action: Action) -> Outcome {
        let armed = self.armed.take();
        if self.renaming.is_some() {
            return self.act_on_name(action);
        }
        match action {
            Action::DeleteRow => self.delete(armed),
            Action::RenameRow => self.rename(),
            Action::WidenList => Outcome::Stays(self.place.widen()),
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
        self.armed = None;
        if let Some((_, name)) = &mut self.renaming {
            name.insert_char(c);
            return STAYS;
        }
        self.line.insert_char(c);
        self.filter_anew()
    }

    pub(crate) fn paste(&mut self, text: &str) -> Outcome {
        let text = sanitize_line(text);
        self.armed = None;
        if let Some((_, name)) = &mut self.renaming {
            text.trim().chars().for_each(|c| name.insert_char(c));
            return STAYS;
        }
        text.trim().chars().for_each(|c| self.line.insert_char(c));
        self.filter_anew()
    }

    /// One rung: what was begun goes, then the filter, then the list.
    pub(crate) fn back(&mut self) -> Outcome {
        if self.renaming.take().is_some() || self.armed.take().is_some() {
            return STAYS;
        }
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

    /// Returns true if there are rows left to be looked at.
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

    /// Returns true if no row is shown, be it for want of rows or of what matches.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
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
        let passed = self.passed(before);
        match self.place.typed(self.filter.text()) {
            Some(wish) => Outcome::Stays(Some(wish)),
            None => passed,
        }
    }

    fn select_key(&mut self, key: Option<&str>) {
        let Some(key) = key else { return };
        let row = (0..self.rows.len()).find(|row| self.place.key(*row) == Some(key));
        if let Some(place) = row.and_then(|row| self.filter.place(row, &self.rows)) {
            self.selected = place;
            self.is_held = true;
        }
    }

    /// The first time asks, the second time does. What cannot be deleted says why at once.
    fn delete(&mut self, armed: Option<usize>) -> Outcome {
        let Some(row) = self.row() else { return STAYS };
        match self.place.delete(row) {
            None => STAYS,
            Some(Wish::Session(SessionWish::Say(words))) => {
                Outcome::Stays(Some(Wish::Session(SessionWish::Say(words))))
            }
            Some(wish) if armed == Some(row) => Outcome::Stays(Some(wish)),
            Some(_) => {
                self.armed = Some(row);
                STAYS
            }
        }
    }

    fn rename(&mut self) -> Outcome {
        let Some(row) = self.row() else { return STAYS };
        match self.place.name(row) {
            None => STAYS,
            Some(Err(wish)) => Outcome::Stays(Some(wish)),
            Some(Ok(name)) => {
                let mut line = Composer::default();
                name.chars().for_each(|c| line.insert_char(c));
                self.renaming = Some((row, line));
                STAYS
            }
        }
    }

    fn act_on_name(&mut self, action: Action) -> Outcome {
        match (action, &mut self.renaming) {
            (Action::PickRow, renaming) => {
                let Some((row, name)) = renaming.take() else {
                    return STAYS;
                };
                Outcome::Stays(self.place.rename(row, name.text().trim()))
            }
            (Action::Edit(edit), Some((_, name))) => {
                name.edit(edit);
                STAYS
            }
            _ => STAYS,
        }
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
