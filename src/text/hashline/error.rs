//! Why edits were not made, in words for the model.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use super::tag::tagged;
use super::{Hash, Reference};
use crate::text::lines::Lines;

/// Lines shown before and behind one that is another now.
const AROUND: usize = 2;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    #[error("{0}")]
    Mismatch(Mismatch),
    /// Two edits, by their numbers, want the same lines.
    #[error("edit {0} and edit {1} overlap: {2}")]
    Overlap(usize, usize, String),
}

/// References that do not hold, and what is there instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// In the order of lines, each once.
    pub failures: Vec<Failure>,
    /// Lines of the text as it is.
    pub lines: usize,
    /// The lines of the text that are shown.
    excerpt: Vec<String>,
    /// Expected hashes that exactly one line has, and its number.
    moved: Vec<(Hash, usize)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failure {
    pub reference: Reference,
    /// `None`: the line is beyond the end.
    pub got: Option<Hash>,
}

impl Mismatch {
    /// Finds what does not hold; `None` when all does.
    pub(super) fn of(lines: &Lines<'_>, references: impl Iterator<Item = Reference>) -> Option<Self> {
        let mut failures: Vec<Failure> = Vec::new();
        for reference in references {
            let is_there = reference.line <= lines.count();
            let got = is_there.then(|| Hash::of(lines.get(reference.line - 1)));
            let failure = Failure { reference, got };
            if got != Some(reference.hash) && !failures.contains(&failure) {
                failures.push(failure);
            }
        }
        if failures.is_empty() {
            return None;
        }
        failures.sort_by_key(|failure| failure.reference.line);
        Some(Self {
            lines: lines.count(),
            excerpt: excerpt(lines, &failures),
            moved: moved(lines, &failures),
            failures,
        })
    }
}

fn excerpt(lines: &Lines<'_>, failures: &[Failure]) -> Vec<String> {
    let mut windows: Vec<Range<usize>> = Vec::new();
    for failure in failures {
        let index = failure.reference.line - 1;
        let end = index.saturating_add(AROUND + 1).min(lines.count());
        let start = index.saturating_sub(AROUND);
        match windows.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ if start < end => windows.push(start..end),
            _ => {}
        }
    }
    let is_other = |index| failures.iter().any(|failure| failure.reference.line == index + 1);
    let mut shown = Vec::new();
    for (at, window) in windows.into_iter().enumerate() {
        if at > 0 {
            shown.push("...".to_owned());
        }
        for index in window {
            let mark = if is_other(index) { ">>>" } else { "   " };
            shown.push(format!("{mark} {}", tagged(index + 1, lines.get(index))));
        }
    }
    shown
}

fn moved(lines: &Lines<'_>, failures: &[Failure]) -> Vec<(Hash, usize)> {
    let mut places: HashMap<Hash, Vec<usize>> = HashMap::new();
    for index in 0..lines.count() {
        let places = places.entry(Hash::of(lines.get(index))).or_default();
        if places.len() < 2 {
            places.push(index + 1);
        }
    }
    let mut moved = Vec::new();
    for failure in failures {
        let expected = failure.reference.hash;
        if let Some([only]) = places.get(&expected).map(Vec::as_slice)
            && !moved.contains(&(expected, *only))
        {
            moved.push((expected, *only));
        }
    }
    moved
}

impl fmt::Display for Mismatch {
    /// One line for each reference, each an error of its own, and then what is there now.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = if self.lines == 1 { "line" } else { "lines" };
        for (at, failure) in self.failures.iter().enumerate() {
            // Whoever tells of an error puts the word before the first line.
            let start = if at == 0 { "" } else { "Error: " };
            let Reference { line, hash } = failure.reference;
            let found = match failure.got {
                Some(got) => format!("got \"{got}\""),
                None => format!("the file has {} {noun}", self.lines),
            };
            writeln!(
                f,
                "{start}Hash mismatch at line {line}: expected \"{hash}\" but {found}."
            )?;
        }
        f.write_str("The file has been modified since you last read it.\n")?;
        f.write_str("Please re-read the file to get current content.")?;
        for line in &self.excerpt {
            write!(f, "\n{line}")?;
        }
        for (hash, line) in &self.moved {
            write!(f, "\n\"{hash}\" is now at line {line}.")?;
        }
        Ok(())
    }
}
