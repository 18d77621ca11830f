//! Output that is not written yet. All text passes through here: it is sanitised, and foreign text is marked.
//! Everything goes through here: it is sanitised, and foreign text is marked.
//!
//! The line knows whether it has been begun, and with what, so that nothing is said twice in a row and no line of lathe's
//! own stands behind foreign words.

use super::approval::FOREIGN;
use crate::text::sanitize::{Revealed, sanitize, sanitize_line};

#[derive(Default)]
pub(super) struct SpokenText {
    text: String,
    /// The line has been begun: with words, or with what stands before the person's own.
    is_begun: bool,
    /// The prompt that the line was begun with, which asks the person to type.
    open: String,
    /// Foreign lines were said since the question was.
    is_covered: bool,
}

impl SpokenText {
    /// Says a line of lathe's own. Only what it quotes has line breaks, so what is behind the first is foreign.
    pub(super) fn line(&mut self, line: &str) {
        self.end_line();
        for (place, line) in sanitize(line).trim_end().split('\n').enumerate() {
            if place > 0 {
                self.text.push_str(FOREIGN);
            }
            self.is_covered |= place > 0 || line.starts_with(FOREIGN);
            self.text.push_str(&sanitize_line(line));
            self.text.push('\n');
        }
    }

    pub(super) fn lines(&mut self, lines: &[String]) {
        for line in lines {
            self.line(line);
        }
    }

    /// Says lines that make a question, which is the last that was said from now on. What is judged comes in revealed, and
    /// a line of it that goes on is foreign.
    pub(super) fn question(&mut self, lines: &[Revealed]) {
        for line in lines {
            self.line(line.as_str());
        }
        self.is_covered = false;
    }

    /// Returns true if foreign lines came behind the question.
    pub(super) fn is_covered(&self) -> bool {
        self.is_covered
    }

    /// Goes on with a foreign text, or begins one. Each of its lines is marked.
    pub(super) fn flow(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if !self.open.is_empty() {
            self.end_line();
        }
        for line in sanitize(text).split_inclusive('\n') {
            if !self.is_begun && line != "\n" {
                self.text.push_str(FOREIGN);
            }
            self.text.push_str(line);
            self.is_begun = !line.ends_with('\n');
        }
        self.is_covered = true;
    }

    /// Begins a line for the person to type in. Said twice in a row, it is said once.
    pub(super) fn open(&mut self, prompt: &str) {
        if self.is_begun && self.open == prompt {
            return;
        }
        self.end_line();
        let prompt = sanitize_line(prompt);
        self.text.push_str(&prompt);
        self.is_begun = true;
        self.open = prompt.into_owned();
    }

    /// The terminal has ended the line that the person typed.
    pub(super) fn was_typed(&mut self) {
        self.is_begun = false;
        self.open.clear();
    }

    /// The terminal has put something into the line, such as `^C`.
    pub(super) fn was_echoed(&mut self) {
        self.is_begun = true;
    }

    pub(super) fn end_line(&mut self) {
        if self.is_begun {
            self.text.push('\n');
        }
        self.is_begun = false;
        self.open.clear();
    }

    pub(super) fn take(&mut self) -> String {
        std::mem::take(&mut self.text)
    }
}
