//! The composer: where a person writes.
//!
//! The text area does the wrapping, the undo and the visual rows; this module adds what it lacks: moves by grapheme
//! (marks them as ranges that are never entered), pastes and files as chips ([`chip`]), what was written before
//! ([`history`]) and a caret that stands right beside wide clusters. Nothing here sends anything: [`Composer::take`]
//! hands the text over, expanded.

mod atomic;
mod chip;
mod draft;
mod draw;
mod history;
mod select;
mod vim;

pub(crate) use atomic::ChipOpening;
pub(crate) use chip::AttachedFile;
pub(crate) use draft::Draft;
pub(crate) use draw::{ComposerStyle, field};
pub(crate) use vim::{Mode, VimOutcome};

use ratatui::layout::Rect;
use tui_textarea::{CursorMove, CursorRenderMode, TextArea, WrapMode};

use super::caret::CaretMove;
use super::keymap::Edit;
use chip::Chip;
use history::History;
use vim::Vim;

/// Edits that can be undone. Typing a word is one edit, so this is a long way back.
const UNDO_STEPS: usize = 400;

/// The effect of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EditEffect {
    Text,
    Caret,
    /// There was nothing to do: the caret stands at an end.
    Nothing,
}

pub(crate) struct Composer {
    area: TextArea<'static>,
    chips: Vec<Chip>,
    history: History,
    /// Area of the text on the last frame.
    drawn: Rect,
    /// True if the caret was put where it stands, and did not come there by writing.
    is_placed: bool,
    /// Its modes, where somebody wants them.
    vim: Option<Vim>,
}

impl Default for Composer {
    fn default() -> Self {
        let mut area = TextArea::default();
        area.set_wrap_mode(WrapMode::WordOrGlyph);
        area.set_undo_coalescing(true);
        area.set_max_histories(UNDO_STEPS);
        area.set_cursor_render_mode(CursorRenderMode::Hidden);
        area.set_cursor_line_style(ratatui::style::Style::new());
        Self {
            area,
            chips: Vec::new(),
            history: History::default(),
            drawn: Rect::default(),
            is_placed: false,
            vim: None,
        }
    }
}

impl Composer {
    /// Returns the text as it would be sent, with folded pastes in full.
    pub(crate) fn text(&self) -> String {
        self.draft().expanded()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    pub(crate) fn begins_with(&self, sign: char) -> bool {
        self.area.lines()[0].starts_with(sign)
    }

    /// Returns true if there is nothing worth sending.
    pub(crate) fn is_blank(&self) -> bool {
        self.area.lines().iter().all(|line| line.trim().is_empty())
    }

    /// Takes the text out and remembers it in the history.
    pub(crate) fn take(&mut self) -> String {
        let draft = self.draft();
        let text = draft.expanded();
        self.history.push(draft);
        self.set(Draft::default());
        if let Some(vim) = &mut self.vim {
            vim.begin();
        }
        text
    }

    /// Replaces the text. What could be undone is forgotten.
    pub(crate) fn set(&mut self, draft: Draft) {
        let lines: Vec<String> = draft.text.split('\n').map(str::to_owned).collect();
        let end = (lines.len() - 1, usize::MAX);
        self.chips = draft.chips;
        self.area.set_lines(lines, end);
        self.changed();
    }

    /// Replaces the text; undo brings it back.
    pub(crate) fn replace(&mut self, draft: Draft) {
        let draft = draft.instead_of(&self.chips);
        self.area.clear();
        self.area.insert_str(&draft.text);
        self.chips.extend(draft.chips);
        self.history.leave();
        self.changed();
    }

    /// Takes the text away and remembers it in the history; undo brings it back as well.
    pub(crate) fn clear(&mut self) -> Draft {
        let draft = self.draft();
        self.area.clear();
        if !draft.is_blank() {
            self.history.push(draft.clone());
        }
        self.changed();
        draft
    }

    /// Puts a text that was sent from here before what was begun meanwhile, folded as it was and with its files.
    pub(crate) fn put_before(&mut self, text: &str, files: impl IntoIterator<Item = AttachedFile>) {
        let sent = self.history.like(text).cloned();
        let mut draft = sent.unwrap_or_else(|| Draft::from_text(text)).with_files(files);
        if self.is_blank() {
            return self.replace(draft);
        }
        let begun = self.draft().beside(&draft.chips);
        draft.text = format!("{}\n\n{}", draft.text, begun.text);
        draft.chips.extend(begun.chips);
        self.replace(draft);
    }

    /// Takes over what an editor made of the text.
    pub(crate) fn take_edited(&mut self, text: &str) {
        let draft = Draft::refolded(text, &self.chips);
        if draft.text != self.draft().text {
            self.replace(draft);
        }
    }

    /// Adds what a session's user wrote before, oldest first.
    pub(crate) fn set_history(&mut self, drafts: impl Iterator<Item = Draft>) {
        self.history.replace(drafts);
    }

    /// Adds what was written in the project before that, oldest first.
    pub(crate) fn set_earlier(&mut self, drafts: impl Iterator<Item = Draft>) {
        self.history.set_earlier(drafts);
    }

    pub(crate) fn knows_earlier(&self) -> bool {
        self.history.knows_earlier()
    }

    /// Returns true if the text comes from the history.
    pub(crate) fn walks_history(&self) -> bool {
        self.history.is_walked()
    }

    pub(crate) fn insert_char(&mut self, c: char) {
        self.area.insert_char(c);
        if let Some(vim) = &mut self.vim {
            vim.hear(c);
        }
        self.changed();
    }

    /// Starts a new line, unless the caret stands behind a backslash: then that becomes the line's end.
    pub(crate) fn newline(&mut self) {
        self.area.insert_newline();
        if let Some(vim) = &mut self.vim {
            vim.hear('\n');
        }
        self.changed();
    }

    /// Turns a backslash before the caret into a new line; says whether there was one.
    pub(crate) fn continue_line(&mut self) -> bool {
        let (row, column) = self.area.cursor();
        let before = column
            .checked_sub(1)
            .and_then(|left| self.area.lines()[row].chars().nth(left));
        if before != Some('\\') {
            return false;
        }
        self.area.delete_char();
        self.newline();
        true
    }

    /// Returns what stands in the caret's line before it, and which line that is.
    pub(crate) fn before_caret(&self) -> (&str, usize) {
        let (row, end) = self.byte_position(self.area.cursor());
        (&self.area.lines()[row][..end], row)
    }

    /// Writes something in the place of so many characters before the caret.
    pub(crate) fn replace_before_caret(&mut self, characters: usize, text: &str) {
        let (row, column) = self.area.cursor();
        let start = column.saturating_sub(characters);
        self.jump((row, start));
        self.area.delete_str(column - start);
        self.area.insert_str(text);
        self.changed();
    }

    /// Puts a paste in, folded to a chip when it is long.
    pub(crate) fn paste(&mut self, text: &str) {
        let clean = draft::clean(text);
        if clean.is_empty() {
            return;
        }
        if let Some(vim) = &mut self.vim {
            vim.forget_insert();
        }
        if draft::is_long(&clean) {
            let paste = Chip::paste(clean, &self.chips, self.area.lines());
            self.area.insert_str(&paste.label);
            self.chips.push(paste);
        } else {
            self.area.insert_str(&clean);
        }
        self.changed();
    }

    pub(crate) fn edit(&mut self, edit: Edit) -> EditEffect {
        if let Some(vim) = &mut self.vim {
            vim.forget_insert();
        }
        match edit {
            Edit::Move(step @ (CaretMove::Left | CaretMove::Right)) if self.has_selection() => {
                self.leave_selection(step)
            }
            Edit::Move(step) => {
                self.area.cancel_selection();
                self.walk(step)
            }
            Edit::Extend(step) => self.extend(step),
            Edit::SelectAll => {
                self.area.select_all();
                EditEffect::Caret
            }
            Edit::DeleteLeft
            | Edit::DeleteRight
            | Edit::DeleteWordLeft
            | Edit::DeleteWordRight
            | Edit::DeleteToStart
            | Edit::DeleteToEnd
            | Edit::Yank
            | Edit::Undo
            | Edit::Redo => self.change(edit),
        }
    }

    /// Goes to the text sent before this one; says whether there was one.
    pub(crate) fn older(&mut self) -> bool {
        let current = self.draft();
        let draft = self.history.older(current);
        draft.map(|draft| self.set(draft)).is_some()
    }

    /// Goes to the text sent after this one, at last to what was being written.
    pub(crate) fn newer(&mut self) -> bool {
        let draft = self.history.newer();
        draft.map(|draft| self.set(draft)).is_some()
    }

    pub(crate) fn draft(&self) -> Draft {
        Draft {
            text: self.area.lines().join("\n"),
            chips: self.chips.clone(),
        }
    }

    fn walk(&mut self, step: CaretMove) -> EditEffect {
        let motions: &[CursorMove] = match step {
            CaretMove::Left => &[CursorMove::Back],
            CaretMove::Right => &[CursorMove::Forward],
            CaretMove::Up => &[CursorMove::Up],
            CaretMove::Down => &[CursorMove::Down],
            CaretMove::WordLeft => &[CursorMove::WordBack],
            CaretMove::WordRight => return self.step_to_word_end(),
            CaretMove::LineStart => &[CursorMove::Head],
            CaretMove::LineEnd => &[CursorMove::End],
            CaretMove::Top => &[CursorMove::Top, CursorMove::Head],
            CaretMove::Bottom => &[CursorMove::Bottom, CursorMove::End],
        };
        self.step(motions)
    }

    /// Moves the caret, and with it the end of a selection.
    fn step(&mut self, motions: &[CursorMove]) -> EditEffect {
        let before = self.area.cursor();
        for motion in motions {
            self.area.move_cursor(*motion);
        }
        self.placed(before)
    }

    /// The caret was placed by a key, from where it was.
    fn placed(&mut self, before: (usize, usize)) -> EditEffect {
        self.is_placed = true;
        if self.area.cursor() == before {
            EditEffect::Nothing
        } else {
            EditEffect::Caret
        }
    }

    /// Moves the caret to the end of this word or the next, which is as far as deleting a word goes. A chip is a word.
    fn step_to_word_end(&mut self) -> EditEffect {
        let begin = self.area.cursor();
        let mut word = None;
        loop {
            let (row, column) = self.area.cursor();
            let next = self.area.lines()[row].chars().nth(column).map(CharKind::of);
            let next = next.filter(|kind| *kind != CharKind::Space);
            if word.is_some() && next != word {
                break;
            }
            word = next;
            self.area.move_cursor(CursorMove::Forward);
            if self.area.cursor() == (row, column) {
                break;
            }
        }
        self.placed(begin)
    }

    /// Ends the selection at the end that a step leads to.
    fn leave_selection(&mut self, step: CaretMove) -> EditEffect {
        let range = self.area.selection_range();
        self.area.cancel_selection();
        if let Some((start, end)) = range {
            let end = if step == CaretMove::Left { start } else { end };
            self.jump(end);
        }
        EditEffect::Caret
    }

    /// Puts the caret at a row and a character.
    fn jump(&mut self, (row, column): (usize, usize)) {
        let clamped = |place: usize| u16::try_from(place).unwrap_or(u16::MAX);
        self.area
            .move_cursor(CursorMove::Jump(clamped(row), clamped(column)));
    }

    fn change(&mut self, edit: Edit) -> EditEffect {
        let is_changed = match edit {
            Edit::DeleteWordLeft | Edit::DeleteToStart | Edit::DeleteToEnd if self.has_selection() => {
                self.area.cut()
            }
            Edit::DeleteLeft => self.area.delete_char(),
            Edit::DeleteRight => self.area.delete_next_char(),
            Edit::DeleteWordLeft => self.area.delete_word(),
            Edit::DeleteWordRight => self.area.delete_next_word(),
            Edit::DeleteToStart => self.area.delete_line_by_head(),
            Edit::DeleteToEnd => self.area.delete_line_by_end(),
            Edit::Yank => self.area.paste(),
            Edit::Undo => self.area.undo(),
            Edit::Redo => self.area.redo(),
            Edit::Move(_) | Edit::Extend(_) | Edit::SelectAll => false,
        };
        if !is_changed {
            return EditEffect::Nothing;
        }
        self.changed();
        EditEffect::Text
    }

    /// Marks anew what the caret may not enter; every change of the text forgets it.
    fn changed(&mut self) {
        self.is_placed = false;
        let ranges = atomic::ranges(self.area.lines(), &self.chips);
        // Ranges are made in order and apart; should one still be refused, the caret moves by characters.
        let _ = self.area.try_set_atomic_ranges(ranges);
    }
}

/// Kinds of characters, as deleting by word sees them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CharKind {
    Space,
    Punctuation,
    Other,
}

impl CharKind {
    fn of(c: char) -> Self {
        if c.is_whitespace() {
            Self::Space
        } else if c.is_ascii_punctuation() {
            Self::Punctuation
        } else {
            Self::Other
        }
    }
}

#[cfg(test)]
mod tests;
