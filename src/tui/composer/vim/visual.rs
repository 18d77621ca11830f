//! The selection of visual mode, and the commands on it.

use std::ops::Range;

use super::command::{Command, Operator, Target, Verb};
use super::motion::{Reach, line_end, line_start};
use super::operator::{join, turned};
use super::{Mode, Vim, VimOutcome, VimText, object};

impl Vim {
    /// Returns what is selected.
    pub(crate) fn selected(&self, page: &dyn VimText) -> Option<Range<usize>> {
        let text: Vec<char> = page.text().chars().collect();
        let (anchor, caret) = (self.anchor.min(text.len()), page.caret());
        let (first, last) = (anchor.min(caret), anchor.max(caret));
        match self.mode {
            Mode::Visual => Some(first..(last + 1).min(text.len())),
            Mode::VisualLines => Some(line_start(&text, first)..line_end(&text, last)),
            Mode::Insert | Mode::Normal => None,
        }
    }

    /// Performs a command on what is selected.
    pub(super) fn over_selection(&mut self, command: Command, page: &mut dyn VimText) -> VimOutcome {
        let text: Vec<char> = page.text().chars().collect();
        let Some(range) = self.selected(page) else {
            return VimOutcome::Something;
        };
        let is_lines = self.mode == Mode::VisualLines;
        let reach = if is_lines { Reach::Lines } else { Reach::Exclusive };
        let lines =
            line_start(&text, range.start)..line_end(&text, range.end.saturating_sub(1).max(range.start));
        let mut operate = |this: &mut Self, operator, range, reach| {
            this.mode = Mode::Normal;
            this.operate(operator, range, reach, &text, page);
        };
        match command.verb {
            Verb::Move(motion) => {
                // Over a selection `j` at the last line does nothing.
                self.go(motion, command.count, &text, page);
            }
            Verb::Operate(_, Target::Object { name, is_inner }) => {
                if let Some(range) =
                    object::object(&text, page.caret(), name, is_inner).filter(|range| !range.is_empty())
                {
                    self.anchor = range.start;
                    page.go(range.end - 1);
                }
            }
            Verb::Key('d' | 'x') => operate(self, Operator::Delete, range, reach),
            Verb::Key('c' | 's') => operate(self, Operator::Change, range, reach),
            Verb::Key('y') => operate(self, Operator::Yank, range, reach),
            Verb::Key('D' | 'X') => operate(self, Operator::Delete, lines, Reach::Lines),
            Verb::Key('C' | 'S') => operate(self, Operator::Change, lines, Reach::Lines),
            Verb::Key('Y') => operate(self, Operator::Yank, lines, Reach::Lines),
            Verb::Key('>') => operate(self, Operator::Indent, lines, Reach::Lines),
            Verb::Key('<') => operate(self, Operator::Outdent, lines, Reach::Lines),
            Verb::Key('p') => {
                let put = self.register.text.clone();
                operate(self, Operator::Delete, range.clone(), Reach::Exclusive);
                page.replace(range.start..range.start, put.trim_end_matches('\n'));
            }
            Verb::Key('~') => {
                self.mode = Mode::Normal;
                let turned: String = text[range.clone()].iter().map(|c| turned(*c)).collect();
                page.replace(range.clone(), &turned);
                page.go(range.start);
            }
            Verb::Key('J') => {
                self.mode = Mode::Normal;
                let ends = text[range.clone()].iter().filter(|c| **c == '\n').count();
                page.go(range.start);
                join(ends.max(1), page);
            }
            Verb::Key(key @ ('v' | 'V')) => {
                let wanted = if key == 'v' {
                    Mode::Visual
                } else {
                    Mode::VisualLines
                };
                self.mode = if self.mode == wanted { Mode::Normal } else { wanted };
            }
            _ => {}
        }
        VimOutcome::Something
    }
}
