//! Lists to pick from: type to filter, move, look, take.
//!
//! A [`Picker`] is the list with its filter, and knows nothing of what is listed. That is a [`ListContent`]: its rows, what is
//! shown beside them, and the [`LayerRequest`] that picking one is. `tui::app::pickers` has the
//! lists; what their rows say comes clean from [`Row`].
//!
//! It is a [`Layer`](super::layer::Layer). Nothing here waits or reads: what takes long is looked at in steps, for which
//! the screen calls `work` as long as there is some.

mod content;
mod draw;
mod filter;
mod layer;
mod preview;
mod row;

#[cfg(test)]
mod tests;

pub(crate) use content::ListContent;
pub(crate) use draw::{RowLine, draw_rule, split};
pub(crate) use preview::Preview;
pub(crate) use row::Row;

use std::collections::HashMap;

use super::app::pickers::{List, SessionListRequest};
use super::composer::{Composer, EditEffect};
use super::keymap::Edit;
use super::layer::{LayerReply, LayerRequest, page_rows};
use crate::conversation::SessionId;
use crate::session::host::FoundText;
use filter::Filter;

pub(crate) struct Picker {
    list: &'static List,
    place: Box<dyn ListContent>,
    rows: Vec<Row>,
    filter: Filter,
    line: Composer,
    /// Index of the selected row.
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
    /// The text about a row that is written in place of the filter.
    writing: Option<RowText>,
}

/// A text about a row that is being written.
struct RowText {
    kind: RowTextKind,
    row: usize,
    line: Composer,
    /// For whoever writes it.
    remark: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowTextKind {
    Name,
    Tags,
}

impl RowText {
    fn new(kind: RowTextKind, row: usize, text: &str, remark: String) -> Self {
        let mut line = Composer::default();
        text.chars().for_each(|c| line.insert_char(c));
        Self {
            kind,
            row,
            line,
            remark,
        }
    }
}

impl Picker {
    /// Makes a list of what is in `place`.
    pub(crate) fn new(list: &'static List, place: Box<dyn ListContent>) -> Self {
        let mut picker = Self {
            list,
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
            writing: None,
        };
        picker.title_columns = draw::title_columns(&picker.rows);
        picker.select_first();
        picker
    }

    /// Lists something else, by the filter there is.
    pub(crate) fn fill(&mut self, place: Box<dyn ListContent>) {
        self.rows = place.rows();
        self.place = place;
        self.title_columns = draw::title_columns(&self.rows);
        self.filter = Filter::default();
        self.filter.set(&self.line.text(), &self.rows);
        self.filter.step(&self.rows);
        self.select_first();
    }

    pub(crate) fn list(&self) -> &'static List {
        self.list
    }

    /// Returns true if there is not one row, whatever the filter.
    pub(crate) fn is_bare(&self) -> bool {
        self.rows.is_empty()
    }

    /// Lists something else under the same filter; the selection stays on its row where that is still there.
    pub(crate) fn list_anew(&mut self, place: Box<dyn ListContent>) -> LayerReply {
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
        // What is looked for is looked for already.
        let _ = self.place.typed(self.filter.text());
        self.title_columns = draw::title_columns(&self.rows);
        self.armed = None;
        self.writing = None;
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
    pub(crate) fn found_inside(&mut self, searched: &str, found: &[(SessionId, String)]) -> LayerReply {
        if searched != self.filter.text() {
            return LayerReply::Done;
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
    pub(crate) fn look(&mut self) -> LayerReply {
        LayerReply::keep_open(self.row().and_then(|row| self.place.pass(row)))
    }

    pub(crate) fn looked(&mut self, session: &SessionId, searched: &str, words: Vec<FoundText>) {
        self.place.looked(session, searched, words);
    }

    pub(crate) fn query(&self) -> &str {
        self.filter.text()
    }

    /// The row that the selection is on.
    fn row(&self) -> Option<usize> {
        self.filter.row(self.selected, &self.rows)
    }

    /// Returns true if no row is shown, be it for want of rows or of what matches.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn len(&self) -> usize {
        self.filter.len(&self.rows)
    }

    fn edit(&mut self, edit: Edit) -> LayerReply {
        match self.line.edit(edit) {
            EditEffect::Text => self.filter_anew(),
            EditEffect::Caret | EditEffect::Nothing => LayerReply::Done,
        }
    }

    fn filter_anew(&mut self) -> LayerReply {
        let before = self.row();
        if !self.filter.set(&self.line.text(), &self.rows) {
            return LayerReply::Done;
        }
        // The first step now: for most lists it is the whole work.
        self.filter.step(&self.rows);
        self.select_first();
        let passed = self.passed(before);
        match self.place.typed(self.filter.text()) {
            Some(wish) => LayerReply::Request(wish),
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
    fn delete(&mut self, armed: Option<usize>) -> LayerReply {
        let Some(row) = self.row() else {
            return LayerReply::Done;
        };
        match self.place.delete(row) {
            None => LayerReply::Done,
            Some(LayerRequest::Session(SessionListRequest::Say(words))) => {
                LayerReply::Request(LayerRequest::Session(SessionListRequest::Say(words)))
            }
            Some(wish) if armed == Some(row) => LayerReply::Request(wish),
            Some(_) => {
                self.armed = Some(row);
                LayerReply::Done
            }
        }
    }

    fn rename(&mut self) -> LayerReply {
        let Some(row) = self.row() else {
            return LayerReply::Done;
        };
        match self.place.name(row) {
            None => LayerReply::Done,
            Some(Err(wish)) => LayerReply::Request(wish),
            Some(Ok(name)) => {
                self.writing = Some(RowText::new(RowTextKind::Name, row, &name, String::new()));
                LayerReply::Done
            }
        }
    }

    fn pin(&mut self) -> LayerReply {
        LayerReply::keep_open(self.row().and_then(|row| self.place.pin(row)))
    }

    fn tag(&mut self) -> LayerReply {
        if let Some(row) = self.row()
            && let Some((tags, remark)) = self.place.tags(row)
        {
            self.writing = Some(RowText::new(RowTextKind::Tags, row, &tags, remark));
        }
        LayerReply::Done
    }

    /// The best match; without a filter the row that holds now.
    fn select_first(&mut self) {
        self.is_held = false;
        self.top = 0;
        let current = self.rows.iter().position(Row::is_current);
        self.selected = current.filter(|_| self.filter.query().is_empty()).unwrap_or(0);
    }

    fn move_by(&mut self, rows: isize) -> LayerReply {
        let before = self.row();
        let last = self.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(rows).min(last);
        self.is_held = true;
        self.passed(before)
    }

    fn page(&mut self, pages: isize) -> LayerReply {
        self.move_by(pages * page_rows(self.height))
    }

    /// Tells the place where the selection has come to, if that is elsewhere.
    fn passed(&mut self, before: Option<usize>) -> LayerReply {
        let now = self.row();
        if now == before {
            return LayerReply::Done;
        }
        LayerReply::keep_open(now.and_then(|row| self.place.pass(row)))
    }

    fn pick(&mut self) -> LayerReply {
        // What was not looked at yet may fit better than what is selected.
        let is_done = self.filter.is_done(&self.rows);
        self.filter.finish(&self.rows);
        if !is_done && !self.is_held {
            self.selected = 0;
        }
        match self.row() {
            Some(row) => LayerReply::Close(self.place.pick(row)),
            None => LayerReply::Done,
        }
    }
}
