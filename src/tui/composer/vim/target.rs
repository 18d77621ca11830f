//! Targets of motions and operators.

use std::ops::Range;

use super::command::{Motion, Operator, Target};
use super::motion::{self, Find, Reach, line_end, line_last, line_start};
use super::{Vim, object};

impl Vim {
    /// Returns where a motion leads.
    pub(super) fn place(
        &mut self,
        motion: Motion,
        count: Option<usize>,
        text: &[char],
        at: usize,
    ) -> Option<(usize, Reach)> {
        let times = count.unwrap_or(1);
        let lines = isize::try_from(times).unwrap_or(isize::MAX);
        let repeated = |step: &dyn Fn(usize) -> usize| {
            let mut place = at;
            for _ in 0..times {
                let next = step(place);
                if next == place {
                    break;
                }
                place = next;
            }
            place
        };
        let exclusive = |place| Some((place, Reach::Exclusive));
        let whole_lines = |place: usize| (place, Reach::Lines);
        match motion {
            Motion::Left => exclusive(at.saturating_sub(times).max(line_start(text, at))),
            Motion::Right => exclusive((at + times).min(line_end(text, at))),
            Motion::Up => motion::line_by(text, at, -lines).map(whole_lines),
            Motion::Down => motion::line_by(text, at, lines).map(whole_lines),
            Motion::Word { is_big } => exclusive(repeated(&|at| motion::word_forward(text, at, is_big))),
            Motion::Back { is_big } => exclusive(repeated(&|at| motion::word_back(text, at, is_big))),
            Motion::End { is_big } => Some((
                repeated(&|at| motion::word_end(text, at, is_big)),
                Reach::Inclusive,
            )),
            Motion::LineStart => exclusive(line_start(text, at)),
            Motion::FirstWord => exclusive(motion::first_word(text, at)),
            Motion::LineEnd => {
                let below = motion::line_by(text, at, lines - 1)?;
                let is_empty = line_end(text, below) == line_start(text, below);
                let reach = if is_empty {
                    Reach::Exclusive
                } else {
                    Reach::Inclusive
                };
                Some((line_last(text, below), reach))
            }
            Motion::Top => Some(whole_lines(first_of(text, times - 1))),
            Motion::Bottom => Some(whole_lines(first_of(
                text,
                count.map_or(usize::MAX - 1, |count| count - 1),
            ))),
            Motion::Find(find) => {
                self.found = Some(find);
                let place = motion::find(text, at, find, times).or_else(|| beside(text, at, find, times))?;
                Some((place, find.reach()))
            }
            Motion::FindAgain { is_reversed } => {
                let found = self.found?;
                let find = if is_reversed { found.reversed() } else { found };
                Some((motion::find(text, at, find, times)?, find.reach()))
            }
        }
    }

    /// Returns what an operator is about.
    pub(super) fn range(
        &mut self,
        operator: Operator,
        target: Target,
        count: Option<usize>,
        text: &[char],
        at: usize,
    ) -> Option<(Range<usize>, Reach)> {
        let times = count.unwrap_or(1);
        let motion = match target {
            Target::Lines => {
                let mut last = at;
                for _ in 1..times {
                    last = (line_end(text, last) + 1).min(text.len());
                }
                return Some((line_start(text, at)..line_end(text, last), Reach::Lines));
            }
            Target::Object { name, is_inner } => {
                let range = object::object(text, at, name, is_inner)?;
                let reach = if name == 'p' {
                    Reach::Lines
                } else {
                    Reach::Exclusive
                };
                return Some((range, reach));
            }
            Target::Motion(motion) => motion,
        };
        let is_on_word = text.get(at).is_some_and(|c| !c.is_whitespace());
        if let (Operator::Change, Motion::Word { is_big }, true) = (operator, motion, is_on_word) {
            let (_, mut end) = motion::run(text, at, is_big);
            for _ in 1..times {
                end = (motion::word_end(text, end - 1, is_big) + 1).min(text.len());
            }
            return Some((at..end, Reach::Exclusive));
        }
        let (place, reach) = self.place(motion, count, text, at)?;
        let (first, last) = (at.min(place), at.max(place));
        let range = match reach {
            Reach::Exclusive => first..last,
            Reach::Inclusive => first..(last + 1).min(text.len()),
            Reach::Lines => line_start(text, first)..line_end(text, last),
        };
        // The last word of a line is deleted without the line's end.
        let range = match motion {
            Motion::Word { .. } => range.start..end_on_line(text, range),
            _ => range,
        };
        Some((range, reach))
    }
}

fn first_of(text: &[char], line: usize) -> usize {
    let start = motion::line_number(text, line);
    motion::first_word(text, start)
}

/// A search typed anew finds what stands right beside the caret too.
fn beside(text: &[char], at: usize, find: Find, times: usize) -> Option<usize> {
    let next = if find.is_forward {
        Some(at + 1).filter(|next| *next < line_end(text, at))?
    } else {
        at.checked_sub(1).filter(|next| *next >= line_start(text, at))?
    };
    (times == 1 && find.is_till && text[next] == find.target).then_some(at)
}

/// Cuts a range at the end of the last line in which it has a word.
fn end_on_line(text: &[char], range: Range<usize>) -> usize {
    let covered = &text[range.clone()];
    match covered.iter().rposition(|c| !c.is_whitespace()) {
        Some(last) => range.end.min(line_end(text, range.start + last)),
        None => range.end.min(line_end(text, range.start).max(range.start)),
    }
}
