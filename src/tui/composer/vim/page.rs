//! The composer as a page that vim's modes change. Folded pastes go as one: what takes a part of a chip takes all of it.

use std::ops::Range;

use super::{Mode, Vim, VimOutcome, VimText};
use crate::tui::composer::{Composer, EditEffect};

impl Composer {
    /// Works with vim's modes from now on.
    pub(crate) fn use_vim(&mut self) {
        self.vim = Some(Vim::default());
    }

    pub(crate) fn vim_mode(&self) -> Option<Mode> {
        self.vim.as_ref().map(Vim::mode)
    }

    /// Returns the keys of an unfinished command.
    pub(crate) fn vim_pending(&self) -> String {
        self.vim.as_ref().map(Vim::pending).unwrap_or_default()
    }

    /// Returns true if a typed key is a command, and not text.
    pub(crate) fn is_commanded(&self) -> bool {
        self.vim.as_ref().is_some_and(Vim::takes_keys)
    }

    /// Takes a key of a command.
    pub(crate) fn command(&mut self, key: char) -> (EditEffect, VimOutcome) {
        self.with_vim(|vim, page| vim.key(key, page))
            .unwrap_or((EditEffect::Nothing, VimOutcome::Something))
    }

    pub(crate) fn vim_redo(&mut self) -> EditEffect {
        let done = self.with_vim(|vim, page| vim.redo(page));
        done.map_or(EditEffect::Nothing, |(edited, ())| edited)
    }

    /// Leaves insert or visual mode, or a command that was begun; says whether there was one.
    pub(crate) fn vim_escape(&mut self) -> bool {
        self.with_vim(|vim, page| vim.escape(page))
            .is_some_and(|(_, had)| had)
    }

    /// Returns what is selected in visual mode, as rows and characters.
    pub(in crate::tui::composer) fn vim_selection(&mut self) -> Option<((usize, usize), (usize, usize))> {
        let vim = self.vim.take()?;
        let range = vim.selected(self);
        self.vim = Some(vim);
        range.map(|range| (self.position(range.start), self.position(range.end)))
    }

    fn with_vim<T>(&mut self, work: impl FnOnce(&mut Vim, &mut Self) -> T) -> Option<(EditEffect, T)> {
        let mut vim = self.vim.take()?;
        self.area.cancel_selection();
        let before = self.text();
        let done = work(&mut vim, self);
        self.vim = Some(vim);
        self.is_placed = true;
        let edited = if self.text() == before {
            EditEffect::Caret
        } else {
            EditEffect::Text
        };
        Some((edited, done))
    }

    /// Returns the row and the character of a place.
    fn position(&self, place: usize) -> (usize, usize) {
        let mut left = place;
        for (row, line) in self.area.lines().iter().enumerate() {
            let length = line.chars().count();
            if left <= length {
                return (row, left);
            }
            left -= length + 1;
        }
        (self.area.lines().len().saturating_sub(1), usize::MAX)
    }

    /// Makes a range as wide as the chips and clusters that it touches.
    fn widened(&self, range: Range<usize>) -> Range<usize> {
        let (start, end) = (self.position(range.start), self.position(range.end));
        let mut range = range;
        for atom in self.area.atomic_ranges() {
            if atom.row == start.0 && atom.start_col < start.1 && start.1 < atom.end_col {
                range.start -= start.1 - atom.start_col;
            }
            if atom.row == end.0 && atom.start_col < end.1 && end.1 < atom.end_col {
                range.end += atom.end_col - end.1;
            }
        }
        range
    }
}

impl VimText for Composer {
    fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    fn caret(&self) -> usize {
        let (row, column) = self.area.cursor();
        let before = self.area.lines()[..row].iter();
        before.map(|line| line.chars().count() + 1).sum::<usize>() + column
    }

    fn go(&mut self, place: usize) {
        let (row, column) = self.position(place);
        let is_onward = place > self.caret();
        let mut atoms = self.area.atomic_ranges().iter();
        let atom = atoms.find(|atom| atom.row == row && atom.start_col < column && column < atom.end_col);
        let column = match atom {
            Some(atom) if is_onward => atom.end_col,
            Some(atom) => atom.start_col,
            None => column,
        };
        self.jump((row, column));
    }

    fn replace(&mut self, range: Range<usize>, text: &str) {
        let range = self.widened(range);
        let (start, end) = (self.position(range.start), self.position(range.end));
        self.jump(start);
        if !range.is_empty() {
            self.area.start_selection();
            self.jump(end);
        }
        if text.is_empty() && !range.is_empty() {
            self.area.delete_char();
        } else {
            self.area.insert_str(text);
        }
        self.area.cancel_selection();
        self.changed();
    }
}
