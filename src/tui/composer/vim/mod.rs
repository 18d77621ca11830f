//! Vim's modes, as far as a text of a few lines needs them: motions, operators, text objects, counts, registers of one,
//! repeat and undo.
//!
//! A machine: keys in, changes of a [`VimText`] out. It knows neither the screen nor the text area. In insert mode it only
//! listens, so that every other key of the composer works there. Undo is its own, one step a command; what changed the
//! text in between (a paste, the history) is a step too.
//!
//! Here keys become commands; `target` finds what they are about, `operator` and `visual` perform them, `history` keeps
//! what they did.

mod command;
mod history;
mod motion;
mod object;
mod operator;
mod page;
mod target;
#[cfg(test)]
mod tests;
mod visual;

use std::ops::Range;

use command::{Command, Motion, Operator, ParsedCommand, Verb};
use motion::{Find, Reach, line_end, line_last, line_start};
use operator::{join, turned};

/// A text that the machine changes. Places are counted in characters, line ends included.
pub(crate) trait VimText {
    fn text(&self) -> String;

    fn caret(&self) -> usize;

    fn go(&mut self, place: usize);

    /// Puts a text in the place of another, and the caret behind it.
    fn replace(&mut self, range: Range<usize>, text: &str);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Insert,
    Normal,
    Visual,
    VisualLines,
}

/// The result of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VimOutcome {
    /// The page, the caret or the mode, perhaps.
    Something,
    /// `k` on the first line.
    Above,
    /// `j` on the last line.
    Below,
}

#[derive(Debug, Clone, Default)]
struct Register {
    text: String,
    is_lines: bool,
}

/// A change that can be repeated: the keys of a command, and the text that was written after it where it led to insert
/// mode.
#[derive(Debug, Clone, Default)]
struct RepeatableChange {
    keys: Vec<char>,
    written: String,
}

/// A text as it was, and where the caret stood.
type UndoStep = (String, usize);

#[derive(Debug)]
pub(crate) struct Vim {
    mode: Mode,
    /// The command so far.
    keys: Vec<char>,
    /// Start of the selection.
    anchor: usize,
    register: Register,
    found: Option<Find>,
    undo: Vec<UndoStep>,
    redo: Vec<UndoStep>,
    /// The page after the last command.
    seen: String,
    /// Before insert mode.
    begun: UndoStep,
    /// The text that is being inserted, with the command that began it; `None` where it cannot be repeated.
    recording: Option<RepeatableChange>,
    last: RepeatableChange,
    is_repeating: bool,
}

impl Default for Vim {
    fn default() -> Self {
        Self {
            mode: Mode::Insert,
            keys: Vec::new(),
            anchor: 0,
            register: Register::default(),
            found: None,
            undo: Vec::new(),
            redo: Vec::new(),
            seen: String::new(),
            begun: UndoStep::default(),
            recording: None,
            last: RepeatableChange::default(),
            is_repeating: false,
        }
    }
}

impl Vim {
    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    /// Returns true if a typed key is a command, and not text.
    pub(crate) fn takes_keys(&self) -> bool {
        self.mode != Mode::Insert
    }

    /// Returns the keys of an unfinished command.
    pub(crate) fn pending(&self) -> String {
        self.keys.iter().collect()
    }

    /// Begins anew, for a new text.
    pub(crate) fn begin(&mut self) {
        self.mode = Mode::Insert;
        self.keys.clear();
        self.undo.clear();
        self.redo.clear();
        self.begun = UndoStep::default();
        self.recording = None;
    }

    /// Hears what is written in insert mode.
    pub(crate) fn hear(&mut self, c: char) {
        if let Some(recording) = &mut self.recording {
            recording.written.push(c);
        }
    }

    /// Something else happened in insert mode: that is not repeated.
    pub(crate) fn forget_insert(&mut self) {
        self.recording = None;
    }

    /// One step back: from insert or visual mode, or from a command that was begun. Says whether there was one.
    pub(crate) fn escape(&mut self, page: &mut dyn VimText) -> bool {
        let was_open = !std::mem::take(&mut self.keys).is_empty();
        match self.mode {
            Mode::Normal => return was_open,
            Mode::Insert => self.end_insert(page),
            Mode::Visual | Mode::VisualLines => self.mode = Mode::Normal,
        }
        clamp(page);
        true
    }

    /// Takes a key outside insert mode.
    pub(crate) fn key(&mut self, key: char, page: &mut dyn VimText) -> VimOutcome {
        self.note_others(page);
        self.keys.push(key);
        let is_visual = matches!(self.mode, Mode::Visual | Mode::VisualLines);
        let parsed = if is_visual {
            command::parse_visual(&self.keys)
        } else {
            command::parse(&self.keys)
        };
        let command = match parsed {
            ParsedCommand::Open => return VimOutcome::Something,
            ParsedCommand::Nothing => {
                self.keys.clear();
                return VimOutcome::Something;
            }
            ParsedCommand::Whole(command) => command,
        };
        let keys = std::mem::take(&mut self.keys);
        let before = (page.text(), page.caret());
        let done = if is_visual {
            self.over_selection(command, page)
        } else {
            self.perform(command, page)
        };
        self.settle(keys, command.verb, before, page);
        done
    }

    fn perform(&mut self, command: Command, page: &mut dyn VimText) -> VimOutcome {
        let text: Vec<char> = page.text().chars().collect();
        let at = page.caret().min(text.len());
        match command.verb {
            Verb::Move(motion) => return self.go(motion, command.count, &text, page),
            Verb::Operate(operator, target) => {
                if let Some((range, reach)) = self.range(operator, target, command.count, &text, at) {
                    self.operate(operator, range, reach, &text, page);
                }
            }
            Verb::Replace(c) => {
                let end = at + command.count.unwrap_or(1);
                if end <= line_end(&text, at) {
                    page.replace(at..end, &c.to_string().repeat(end - at));
                    page.go(end - 1);
                }
            }
            Verb::Key(key) => self.single(key, command.count, &text, at, page),
        }
        VimOutcome::Something
    }

    fn go(
        &mut self,
        motion: Motion,
        count: Option<usize>,
        text: &[char],
        page: &mut dyn VimText,
    ) -> VimOutcome {
        let at = page.caret().min(text.len());
        match (self.place(motion, count, text, at), motion) {
            (Some((place, _)), _) => page.go(place),
            (None, Motion::Up) => return VimOutcome::Above,
            (None, Motion::Down) => return VimOutcome::Below,
            (None, _) => {}
        }
        VimOutcome::Something
    }

    /// A key that is a command of its own.
    fn single(&mut self, key: char, count: Option<usize>, text: &[char], at: usize, page: &mut dyn VimText) {
        let times = count.unwrap_or(1);
        let (start, end) = (line_start(text, at), line_end(text, at));
        let right = at..(at + times).min(end);
        let charwise = Reach::Exclusive;
        match key {
            'x' => self.operate(Operator::Delete, right, charwise, text, page),
            'X' => self.operate(
                Operator::Delete,
                at.saturating_sub(times).max(start)..at,
                charwise,
                text,
                page,
            ),
            's' => self.operate(Operator::Change, right, charwise, text, page),
            'D' => self.operate(Operator::Delete, at..end, charwise, text, page),
            'C' => self.operate(Operator::Change, at..end, charwise, text, page),
            'S' => self.operate(Operator::Change, start..end, Reach::Lines, text, page),
            'Y' => self.operate(Operator::Yank, start..end, Reach::Lines, text, page),
            'p' | 'P' => self.put(key == 'p', times, text, at, page),
            'u' => (0..times).for_each(|_| self.undo(page)),
            '.' => self.repeat(page),
            '~' => {
                let turned: String = text[right.clone()].iter().map(|c| turned(*c)).collect();
                page.replace(right, &turned);
            }
            'J' => join(times.max(2) - 1, page),
            'v' | 'V' => {
                self.anchor = at;
                self.mode = if key == 'v' {
                    Mode::Visual
                } else {
                    Mode::VisualLines
                };
            }
            'o' => {
                page.replace(end..end, "\n");
                self.mode = Mode::Insert;
            }
            'O' => {
                page.replace(start..start, "\n");
                page.go(start);
                self.mode = Mode::Insert;
            }
            'i' => self.mode = Mode::Insert,
            'I' => self.insert_at(motion::first_word(text, at), page),
            'a' => self.insert_at((at + 1).min(end), page),
            'A' => self.insert_at(end, page),
            _ => {}
        }
    }

    fn insert_at(&mut self, place: usize, page: &mut dyn VimText) {
        page.go(place);
        self.mode = Mode::Insert;
    }
}

/// A caret outside insert mode stands on a character.
fn clamp(page: &mut dyn VimText) {
    let text: Vec<char> = page.text().chars().collect();
    let caret = page.caret().min(text.len());
    page.go(caret.min(line_last(&text, caret)));
}
