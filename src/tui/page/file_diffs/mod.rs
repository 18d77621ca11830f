//! Changed files as a list, and then their diffs, one below the other, with a row that is pointed at. Where there is room
//! the list stands beside the diffs, which are on two sides.
//!
//! Only the rows on screen are drawn; the diff of a file is made into lines when it is first seen.

mod rows;

use std::collections::HashMap;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use self::rows::ListPlace;
pub(super) use self::rows::{DiffRow, hunk_text};
use super::rows::{MARGIN, changed_file, draw_listed};
use crate::session::query::{ChangedFile, FileState};
use crate::text::diff::parse_unified;
use crate::text::sanitize::sanitize_line;
use crate::text::width::truncate;
use crate::tui::area::top_in_sight;
use crate::tui::keymap::Action;
use crate::tui::layer::{LayerCx, page_rows};
use crate::view::LookKey;
use crate::view::card::DiffBody;
use crate::view::diff;
use crate::view::theme::Meaning;

/// Columns of a file's row at most: the figures stand near the names, where the eye finds them.
pub(super) const LISTED: usize = 76;
/// From this width on the list stands beside the diffs.
const BESIDE: u16 = 140;
/// Columns of the list there.
const LIST_COLUMNS: u16 = 38;
/// Columns of the rule between them, with an empty one on either side.
const RULE: u16 = 3;

#[derive(Default)]
pub(super) struct FileDiffs {
    files: Vec<ChangedFile>,
    /// A note about all of them.
    note: Option<String>,
    rows: Vec<DiffRow>,
    place: ListPlace,
    /// The row that is pointed at.
    at: usize,
    top: usize,
    /// The first file on screen of a list beside the diffs.
    list_top: usize,
    /// Rows on screen, as of the last frame.
    height: usize,
    /// Files as they were last drawn, and for what width and look.
    drawn: HashMap<usize, Vec<Line<'static>>>,
    drawn_for: Option<(usize, LookKey)>,
}

impl FileDiffs {
    /// Shows these. The row that is pointed at stays, as far as there is one in its place.
    pub(super) fn set(&mut self, files: Vec<ChangedFile>, note: Option<String>) {
        self.rows = rows::rows(&files, note.as_deref(), self.place);
        self.files = files;
        self.note = note;
        self.drawn.clear();
        self.move_by(0);
    }

    pub(super) fn clear(&mut self) {
        *self = Self {
            height: self.height,
            place: self.place,
            ..Self::default()
        };
    }

    pub(super) fn files(&self) -> &[ChangedFile] {
        &self.files
    }

    /// Returns true if there is no row to point at.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The row that is pointed at.
    pub(super) fn row(&self) -> Option<DiffRow> {
        self.rows.get(self.at).copied()
    }

    pub(super) fn row_at(&self, place: usize) -> Option<DiffRow> {
        self.rows.get(place).copied()
    }

    /// Carries out an action that moves within the rows; says whether it is one.
    pub(super) fn act(&mut self, action: Action) -> bool {
        let page = page_rows(self.height);
        match action {
            Action::RowDown => self.move_by(1),
            Action::RowUp => self.move_by(-1),
            Action::PageDown => self.move_by(page),
            Action::PageUp => self.move_by(-page),
            Action::PageTop => self.move_by(isize::MIN),
            Action::PageEnd => self.move_by(isize::MAX),
            Action::NextHunk => self.step_hunk(true),
            Action::PreviousHunk => self.step_hunk(false),
            _ => return false,
        }
        true
    }

    /// Moves to a row that says something.
    pub(super) fn move_by(&mut self, rows: isize) {
        let last = self.rows.len().saturating_sub(1);
        self.at = self.at.saturating_add_signed(rows).min(last);
        let is_blank = |row: usize| self.rows.get(row) == Some(&DiffRow::Blank);
        if is_blank(self.at) {
            let back = rows < 0 && self.at > 0;
            self.at = if back {
                self.at - 1
            } else {
                (self.at + 1).min(last)
            };
        }
    }

    pub(super) fn step_file(&mut self, is_down: bool) {
        self.step(is_down, |_, row| matches!(row, DiffRow::File(_)));
    }

    /// From a file in the list goes to its diff; says whether it did.
    pub(super) fn follow_listed(&mut self) -> bool {
        let Some(DiffRow::Listed(file)) = self.row() else {
            return false;
        };
        let there = self.rows.iter().position(|row| *row == DiffRow::File(file));
        self.go_to(there);
        true
    }

    /// The file and the line that is pointed at; outside its hunks the first line of them.
    pub(super) fn place(&self) -> Option<(&ChangedFile, usize)> {
        let row = self.row()?;
        let file = self.files.get(row.file()?)?;
        let hunks = parse_unified(&file.diff);
        let DiffRow::Line { hunk, line, .. } = row else {
            let first = hunks.first().map_or(1, |hunk| hunk.new_start.max(1));
            return Some((file, first));
        };
        let line = hunks.get(hunk)?.lines.get(line)?;
        Some((file, line.new_line.or(line.old_line)?))
    }

    fn go_to(&mut self, row: Option<usize>) {
        if let Some(row) = row {
            self.at = row;
            // What follows is worth more of the screen than what was before.
            self.top = row.saturating_sub(2);
        }
    }

    fn step(&mut self, is_down: bool, is_start: impl Fn(usize, &DiffRow) -> bool) {
        let starts = |(place, row): &(usize, &DiffRow)| is_start(*place, row);
        let rows = self.rows.iter().enumerate();
        let found = if is_down {
            rows.skip(self.at + 1).find(starts)
        } else {
            rows.take(self.at).filter(starts).last()
        };
        let found = found.map(|(place, _)| place);
        self.go_to(found);
    }

    fn step_hunk(&mut self, is_down: bool) {
        let rows = self.rows.clone();
        self.step(is_down, |place, row| {
            let hunk = row.hunk();
            hunk.is_some() && (place == 0 || rows[place - 1].hunk() != hunk)
        });
    }

    /// Draws the rows around the one that is pointed at, with a sign before those that have one.
    pub(super) fn draw(
        &mut self,
        area: Rect,
        buffer: &mut Buffer,
        cx: &LayerCx<'_>,
        has_sign: impl Fn(&Self, usize) -> bool,
    ) {
        self.height = usize::from(area.height);
        let area = if area.width >= BESIDE {
            self.set_place(ListPlace::Left);
            self.draw_list(
                Rect {
                    width: LIST_COLUMNS,
                    ..area
                },
                buffer,
                cx,
            );
            self.top = self.top_beside_list();
            Rect {
                x: area.x + LIST_COLUMNS + RULE,
                width: area.width - LIST_COLUMNS - RULE,
                ..area
            }
        } else {
            self.set_place(ListPlace::Above);
            self.top = top_in_sight(self.top, self.at, self.rows.len(), self.height);
            area
        };
        let width = usize::from(area.width).saturating_sub(MARGIN + 1);
        let wanted = Some((width, cx.look.key()));
        if self.drawn_for != wanted {
            self.drawn.clear();
            self.drawn_for = wanted;
        }
        for (row, place) in area.rows().zip(self.top..self.rows.len()) {
            let line = self.line(place, width, cx);
            draw_listed(&line, place == self.at, row, buffer, cx);
            if has_sign(self, place) {
                buffer.set_string(row.x, row.y, "\"", cx.look.style(Meaning::Accent));
            }
        }
    }

    /// Lays the rows out anew for another place of the list. The row that is pointed at stays, or the one it stands beside.
    fn set_place(&mut self, place: ListPlace) {
        if self.place == place {
            return;
        }
        self.place = place;
        let before = self.row();
        self.rows = rows::rows(&self.files, self.note.as_deref(), place);
        self.drawn.clear();
        let is_same = |row: &DiffRow| match (*row, before) {
            (
                DiffRow::Line { file, hunk, line },
                Some(DiffRow::Line {
                    file: other,
                    hunk: of,
                    line: at,
                }),
            ) => (file, hunk) == (other, of) && line >= at,
            (row, before) => Some(row) == before,
        };
        self.at = self.rows.iter().position(is_same).unwrap_or(self.at);
        self.move_by(0);
    }

    /// The first row of the diffs.
    fn first_diff(&self) -> usize {
        let is_file = |row: &DiffRow| matches!(row, DiffRow::File(_));
        self.rows.iter().position(is_file).unwrap_or(self.rows.len())
    }

    /// Returns the first row on screen beside the list: from a file in the list its diff is seen.
    fn top_beside_list(&self) -> usize {
        let first = self.first_diff();
        let rows = self.rows.len() - first;
        let is_listed = self.at < first;
        let seen = match self.row() {
            Some(DiffRow::Listed(file)) => self.rows.iter().position(|row| *row == DiffRow::File(file)),
            _ => None,
        };
        let seen = seen.unwrap_or(self.at.max(first)).saturating_sub(first);
        let top = if is_listed {
            seen
        } else {
            self.top.saturating_sub(first)
        };
        first + top_in_sight(top, seen, rows, self.height)
    }

    /// Draws the files, and a rule behind them.
    fn draw_list(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) {
        let count = self.first_diff();
        let current = self.row().and_then(|row| row.file()).unwrap_or(0);
        let height = usize::from(area.height);
        let chosen = if self.at < count { self.at } else { current };
        self.list_top = top_in_sight(self.list_top, chosen, count, height);
        let width = usize::from(area.width).saturating_sub(MARGIN);
        for (row, place) in area.rows().zip(self.list_top..count) {
            let line = match self.rows[place] {
                DiffRow::Listed(file) if file == current && self.files[file].note.is_none() => {
                    listed(&self.files[file], width, Meaning::TextStrong, cx)
                }
                _ => self.line(place, width, cx),
            };
            draw_listed(&line, place == self.at, row, buffer, cx);
        }
        let style = cx.look.style(Meaning::Rule);
        for row in area.rows() {
            buffer.set_string(row.right() + 1, row.y, cx.look.symbols.divider(), style);
        }
    }

    fn line(&mut self, place: usize, width: usize, cx: &LayerCx<'_>) -> Line<'static> {
        let words = |text: &str, meaning| {
            let text = sanitize_line(text);
            Line::styled(truncate(&text, width).into_owned(), cx.look.style(meaning))
        };
        match self.rows[place] {
            DiffRow::Blank => Line::default(),
            DiffRow::Remark => words(self.note.as_deref().unwrap_or_default(), Meaning::TextMuted),
            DiffRow::Listed(file) => match &self.files[file] {
                ChangedFile {
                    path,
                    note: Some(note),
                    diff,
                    ..
                } if diff.is_empty() => {
                    // The reason stands below, with the file.
                    let brief = note.split(": ").next().unwrap_or(note);
                    let text = format!("{path} {} {brief}", cx.look.symbols.dot());
                    words(&text, Meaning::TextMuted)
                }
                file => listed(file, width, Meaning::Text, cx),
            },
            DiffRow::File(file) => listed(&self.files[file], width, Meaning::TextStrong, cx),
            DiffRow::Note(file) => words(
                self.files[file].note.as_deref().unwrap_or_default(),
                Meaning::Warning,
            ),
            DiffRow::Gap { file, .. } | DiffRow::Line { file, .. } => {
                let first = self.first_row(file);
                let drawn = self.drawn(file, width, cx).get(place - first);
                drawn.cloned().unwrap_or_default()
            }
        }
    }

    /// Returns the first row of a file's diff.
    fn first_row(&self, file: usize) -> usize {
        let is_first = |row: &DiffRow| matches!(row, DiffRow::Line { file: other, .. } if *other == file);
        self.rows.iter().position(is_first).unwrap_or(0)
    }

    fn drawn(&mut self, file: usize, width: usize, cx: &LayerCx<'_>) -> &[Line<'static>] {
        let (changed, place) = (&self.files[file], self.place);
        self.drawn.entry(file).or_insert_with(|| {
            let body = DiffBody {
                path: changed.path.clone(),
                unified: changed.diff.clone(),
                max_lines: 0,
                is_unplaced: false,
            };
            if place == ListPlace::Left && diff::has_two_sides(&parse_unified(&changed.diff)) {
                diff::side_lines(&body, width, cx.look)
            } else {
                diff::lines(&body, width, cx.look)
            }
        })
    }
}

/// `src/a.rs · moved from b.rs        +6 -2`.
fn listed(file: &ChangedFile, width: usize, meaning: Meaning, cx: &LayerCx<'_>) -> Line<'static> {
    let dot = cx.look.symbols.dot();
    let state = match &file.state {
        FileState::Changed => String::new(),
        FileState::Added => format!(" {dot} new"),
        FileState::Removed => format!(" {dot} removed"),
        FileState::Moved(from) => format!(" {dot} was {}", sanitize_line(from)),
    };
    let name = format!("{}{state}", sanitize_line(&file.path));
    let figures = (file.additions as u64, file.deletions as u64);
    Line::from(changed_file(&name, figures, width.min(LISTED), meaning, cx))
}
