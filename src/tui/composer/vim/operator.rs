//! Operators, and the other commands that change the text.

use std::ops::Range;

use super::command::Operator;
use super::motion::{self, Reach, line_end, line_start};
use super::{Mode, Register, Vim, VimText};

/// The indent that `>>` puts before a line.
const INDENT: &str = "  ";

impl Vim {
    pub(super) fn operate(
        &mut self,
        operator: Operator,
        range: Range<usize>,
        reach: Reach,
        text: &[char],
        page: &mut dyn VimText,
    ) {
        let is_lines = reach == Reach::Lines;
        if matches!(operator, Operator::Delete | Operator::Change | Operator::Yank)
            && (is_lines || !range.is_empty())
        {
            let mut taken: String = text[range.clone()].iter().collect();
            if is_lines {
                taken.push('\n');
            }
            self.register = Register {
                text: taken,
                is_lines,
            };
        }
        match operator {
            Operator::Yank => page.go(range.start.min(page.caret())),
            Operator::Delete if is_lines => delete_lines(range, text, page),
            Operator::Delete => page.replace(range, ""),
            Operator::Change => {
                page.replace(range, "");
                self.mode = Mode::Insert;
            }
            Operator::Indent | Operator::Outdent => indent(operator, range, text, page),
        }
    }

    pub(super) fn put(
        &mut self,
        is_after: bool,
        times: usize,
        text: &[char],
        at: usize,
        page: &mut dyn VimText,
    ) {
        let Register { text: put, is_lines } = self.register.clone();
        if put.is_empty() {
            return;
        }
        // No more than fits into what somebody wants to send.
        let times = times.min(100_000 / put.len().max(1) + 1);
        let put = put.repeat(times);
        if !is_lines {
            let place = if is_after {
                (at + 1).min(line_end(text, at))
            } else {
                at
            };
            page.replace(place..place, &put);
            return page.go((place + put.chars().count()).saturating_sub(1));
        }
        let place = if is_after {
            line_end(text, at)
        } else {
            line_start(text, at)
        };
        if is_after {
            page.replace(place..place, &format!("\n{}", put.trim_end_matches('\n')));
        } else {
            page.replace(place..place, &put);
        }
        let text: Vec<char> = page.text().chars().collect();
        page.go(motion::first_word(&text, place + usize::from(is_after)));
    }
}

fn delete_lines(range: Range<usize>, text: &[char], page: &mut dyn VimText) {
    let whole = match (range.start, range.end) {
        (start, end) if end < text.len() => start..end + 1,
        (0, end) => 0..end,
        (start, end) => start - 1..end,
    };
    page.replace(whole, "");
    let text: Vec<char> = page.text().chars().collect();
    page.go(motion::first_word(&text, range.start.min(text.len())));
}

fn indent(operator: Operator, range: Range<usize>, text: &[char], page: &mut dyn VimText) {
    let covered: String = text[range.clone()].iter().collect();
    let change = |line: &str| match operator {
        Operator::Indent if !line.is_empty() => format!("{INDENT}{line}"),
        Operator::Outdent => {
            let blank = line.chars().take(INDENT.len()).take_while(|c| *c == ' ').count();
            let blank = if line.starts_with('\t') { 1 } else { blank };
            line[blank..].to_owned()
        }
        _ => line.to_owned(),
    };
    let changed: Vec<String> = covered.split('\n').map(change).collect();
    let start = range.start;
    page.replace(range, &changed.join("\n"));
    let text: Vec<char> = page.text().chars().collect();
    page.go(motion::first_word(&text, start));
}

/// Puts the lines below behind this one, with one space between them.
pub(super) fn join(times: usize, page: &mut dyn VimText) {
    for _ in 0..times {
        let text: Vec<char> = page.text().chars().collect();
        let end = line_end(&text, page.caret().min(text.len()));
        if end == text.len() {
            return;
        }
        let blank = text[end + 1..]
            .iter()
            .take_while(|c| matches!(c, ' ' | '\t'))
            .count();
        let next = end + 1 + blank;
        let is_parted =
            text.get(next).is_some_and(|c| *c != '\n' && *c != ')') && end > line_start(&text, end);
        page.replace(end..next, if is_parted { " " } else { "" });
        page.go(end);
    }
}

pub(super) fn turned(c: char) -> char {
    let mut other: Vec<char> = if c.is_lowercase() {
        c.to_uppercase().collect()
    } else {
        c.to_lowercase().collect()
    };
    match other.len() {
        1 => other.remove(0),
        _ => c,
    }
}
