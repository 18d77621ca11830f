//! The lines of a text as numbers, a set of numbers for each level: equal lines have equal numbers.
//!
//! Made on first need, because most patches match exactly. A chunk with a line that no longer comes is known to fail
//! without a search.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

use super::level::Level;
use crate::text::lines::Lines as LineStarts;

pub(super) struct Lines<'a> {
    pub(super) text: &'a str,
    pub(super) all: Vec<&'a str>,
    pub(super) starts: LineStarts<'a>,
    levels: [OnceCell<LineNumbers<'a>>; 4],
}

pub(super) struct LineNumbers<'a> {
    numbers: HashMap<Cow<'a, str>, u32>,
    /// The number of each line.
    pub(super) lines: Vec<u32>,
    /// Index of the last line with each number.
    last: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// A final line break begins no further line.
    pub(super) fn new(text: &'a str) -> Self {
        let starts = LineStarts::new(text);
        Self {
            text,
            all: starts.iter().collect(),
            starts,
            levels: std::array::from_fn(|_| OnceCell::new()),
        }
    }

    pub(super) fn at(&self, level: Level) -> &LineNumbers<'a> {
        self.levels[level as usize].get_or_init(|| LineNumbers::new(&self.all, level))
    }
}

impl<'a> LineNumbers<'a> {
    fn new(all: &[&'a str], level: Level) -> Self {
        let mut numbers: HashMap<Cow<'a, str>, u32> = HashMap::new();
        let mut last = Vec::new();
        let number = |(index, line): (usize, &&'a str)| {
            let next = numbers.len() as u32;
            let number = *numbers.entry(level.key(line)).or_insert(next);
            if number == next {
                last.push(index);
            } else {
                last[number as usize] = index;
            }
            number
        };
        let lines = all.iter().enumerate().map(number).collect();
        Self { numbers, lines, last }
    }

    /// Returns the numbers of old lines; `None` when one of them does not come at or after `from`.
    pub(super) fn of(&self, old: &[&str], level: Level, from: usize) -> Option<Vec<u32>> {
        old.iter()
            .map(|line| {
                let number = *self.numbers.get(&level.key(line))?;
                (self.last[number as usize] >= from).then_some(number)
            })
            .collect()
    }
}
