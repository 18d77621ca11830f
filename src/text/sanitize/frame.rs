//! The lines that a process may still change: the unfinished one, and once it has moved the cursor up, those of the frame
//! that it draws again and again.

use std::collections::VecDeque;

use super::StyledOutput;
use super::line::Line;
use crate::text::sgr::SgrStyle;

/// Lines of a frame. What is above is final, as on a terminal of this height.
const MOST_ROWS: usize = 60;
/// Bytes of a frame.
const MOST_BYTES: usize = 1024 * 1024;

#[derive(Debug, Default)]
pub(super) struct Frame {
    /// The lines above the one with the cursor, and below it.
    above: VecDeque<Line>,
    line: Line,
    below: VecDeque<Line>,
    /// The process has moved the cursor up, and will do so again: its lines are kept back.
    is_redrawn: bool,
    /// Lines above and columns before the place to go back to.
    saved: Option<(usize, usize)>,
}

impl Frame {
    /// Returns how much the line with the cursor holds.
    pub(super) fn bytes(&self) -> usize {
        self.line.bytes()
    }

    pub(super) fn line(&mut self) -> &mut Line {
        &mut self.line
    }

    pub(super) fn put(&mut self, text: &str, sgr: SgrStyle) {
        self.line.put(text, sgr);
    }

    /// Ends the line. It becomes final, or in a frame the oldest one does where there are too many.
    pub(super) fn end_line(&mut self, done: &mut StyledOutput) {
        let ended = std::mem::take(&mut self.line);
        if !self.is_redrawn {
            hand_out(ended, done);
            return;
        }
        self.above.push_back(ended);
        self.line = self.below.pop_front().unwrap_or_default();
        self.line.go_to_start();
        let size = |lines: &VecDeque<Line>| lines.iter().map(Line::bytes).sum::<usize>();
        while self.above.len() >= MOST_ROWS || size(&self.above) > MOST_BYTES {
            let Some(oldest) = self.above.pop_front() else {
                return;
            };
            hand_out(oldest, done);
            self.saved = self
                .saved
                .and_then(|(rows, column)| Some((rows.checked_sub(1)?, column)));
        }
    }

    /// Hands out the line with the cursor, as far as it is.
    pub(super) fn cut_line(&mut self, done: &mut StyledOutput) {
        for line in self.above.drain(..) {
            hand_out(line, done);
        }
        self.saved = None;
        self.line.take_into(done);
    }

    pub(super) fn up(&mut self, rows: usize) {
        self.is_redrawn = true;
        let column = self.line.column();
        for _ in 0..rows {
            let Some(line) = self.above.pop_back() else { break };
            self.below.push_front(std::mem::replace(&mut self.line, line));
        }
        self.line.go_to(column);
    }

    pub(super) fn down(&mut self, rows: usize) {
        let column = self.line.column();
        for _ in 0..rows {
            let Some(line) = self.below.pop_front() else { break };
            self.above.push_back(std::mem::replace(&mut self.line, line));
        }
        self.line.go_to(column);
    }

    pub(super) fn erase_below(&mut self) {
        self.line.erase_to_end();
        self.below.clear();
    }

    pub(super) fn save(&mut self) {
        self.saved = Some((self.above.len(), self.line.column()));
    }

    pub(super) fn restore(&mut self) {
        let Some((rows, column)) = self.saved else { return };
        match self.above.len().checked_sub(rows) {
            Some(0) => {}
            Some(up) => self.up(up),
            None => self.down(rows - self.above.len()),
        }
        self.line.go_to(column);
    }

    /// Adds all lines as they are now.
    pub(super) fn show_into(&self, shown: &mut StyledOutput) {
        for line in &self.above {
            line.show_into(shown);
            shown.text.push('\n');
        }
        self.line.show_into(shown);
        for line in &self.below {
            shown.text.push('\n');
            line.show_into(shown);
        }
    }

    /// Takes all lines.
    pub(super) fn take_into(&mut self, done: &mut StyledOutput) {
        self.show_into(done);
        *self = Self::default();
    }
}

fn hand_out(mut line: Line, done: &mut StyledOutput) {
    line.take_into(done);
    done.text.push('\n');
}
