//! The traces of a command: its undo, and the keys that repeat it.

use super::command::Verb;
use super::motion::line_start;
use super::{Mode, RepeatableChange, UndoStep, Vim, VimText, clamp};

/// Steps that can be undone.
pub(super) const UNDO_STEPS: usize = 200;

impl Vim {
    pub(crate) fn redo(&mut self, page: &mut dyn VimText) {
        self.keys.clear();
        if self.mode != Mode::Normal {
            return;
        }
        if let Some(step) = self.redo.pop() {
            self.undo.push((page.text(), page.caret()));
            restore(page, &step);
        }
        self.seen = page.text();
    }

    pub(super) fn undo(&mut self, page: &mut dyn VimText) {
        if let Some(step) = self.undo.pop() {
            self.redo.push((page.text(), page.caret()));
            restore(page, &step);
        }
    }

    /// A text that somebody else changed can be undone as well.
    pub(super) fn note_others(&mut self, page: &dyn VimText) {
        if self.mode == Mode::Normal && self.keys.is_empty() && !self.is_repeating {
            let text = page.text();
            if text != self.seen {
                let before = std::mem::replace(&mut self.seen, text);
                self.push_undo((before, 0));
            }
        }
    }

    fn push_undo(&mut self, step: UndoStep) {
        self.redo.clear();
        self.undo.push(step);
        if self.undo.len() > UNDO_STEPS {
            self.undo.remove(0);
        }
    }

    /// Keeps what a command did, for undo and for repeating it.
    pub(super) fn settle(&mut self, keys: Vec<char>, verb: Verb, before: UndoStep, page: &mut dyn VimText) {
        let (is_history, is_repeat) = (verb == Verb::Key('u'), verb == Verb::Key('.'));
        if self.mode == Mode::Insert {
            if !self.is_repeating {
                self.begun = before;
                self.recording = Some(RepeatableChange::of(keys));
            }
        } else {
            clamp(page);
            let is_changed = page.text() != before.0;
            if is_changed && !is_history && !self.is_repeating {
                if !is_repeat && self.mode == Mode::Normal {
                    self.last = RepeatableChange::of(keys);
                }
                self.push_undo(before);
            }
        }
        if !self.is_repeating {
            self.seen = page.text();
        }
    }

    pub(super) fn end_insert(&mut self, page: &mut dyn VimText) {
        self.mode = Mode::Normal;
        let caret = page.caret();
        let text: Vec<char> = page.text().chars().collect();
        page.go(caret.saturating_sub(1).max(line_start(&text, caret)));
        if self.is_repeating {
            return;
        }
        let before = std::mem::take(&mut self.begun);
        if before.0 != page.text() {
            self.push_undo(before);
        }
        if let Some(recording) = self.recording.take() {
            self.last = recording;
        }
        self.seen = page.text();
    }

    /// Does the last change again. What was written is written only where the command leads to insert mode here as well:
    /// it is text and never a command.
    pub(super) fn repeat(&mut self, page: &mut dyn VimText) {
        let last = self.last.clone();
        self.is_repeating = true;
        for key in last.keys {
            self.key(key, page);
        }
        if self.mode == Mode::Insert {
            let caret = page.caret();
            page.replace(caret..caret, &last.written);
            self.escape(page);
        }
        // Keys that were pressed over a selection may be the beginning of a command without one.
        self.keys.clear();
        self.is_repeating = false;
    }
}

impl RepeatableChange {
    fn of(keys: Vec<char>) -> Self {
        Self {
            keys,
            written: String::new(),
        }
    }
}

fn restore(page: &mut dyn VimText, (text, caret): &UndoStep) {
    let length = page.text().chars().count();
    page.replace(0..length, text);
    page.go(*caret);
}
