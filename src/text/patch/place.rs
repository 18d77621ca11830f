//! Finds the chunks of one file in its text.
//!
//! A cursor moves through the text: each chunk is looked for behind the one before it, first exactly in all of the rest,
//! then less and less so. What comes out are replacements of whole lines; context keeps the bytes that the file has.
//! Searching is linear for each chunk, and what all chunks together may look at is bounded.

use std::ops::Range;

use super::error::{PlaceError, PlaceProblem as Problem};
use super::indentation::IndentationMismatch;
use super::level::Level;
use super::lines::Lines;
use super::{Chunk, ChunkLine};
use crate::text::replace::nearest_region;
use crate::text::sequence::starts_of;

/// Lines that all searches in one file may look at: some seconds of work, far more than any honest patch needs.
const MOST_STEPS: usize = 1 << 29;

/// The changes of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedPatch {
    /// Byte ranges of the text and what takes their place, in order, not overlapping. Includes what makes the text end with
    /// a line break.
    pub splices: Vec<(Range<usize>, String)>,
    /// The loosest level that was needed.
    pub level: Level,
    /// The first chunk that adds lines and whose old lines are indented in another way than those of the text.
    pub indentation: Option<IndentationMismatch>,
}

/// Finds every chunk, in file order.
pub fn place(text: &str, chunks: &[Chunk<'_>]) -> Result<PlacedPatch, PlaceError> {
    place_within(text, chunks, MOST_STEPS)
}

fn place_within(text: &str, chunks: &[Chunk<'_>], steps: usize) -> Result<PlacedPatch, PlaceError> {
    let lines = Lines::new(text);
    let mut search = HunkSearch {
        lines: &lines,
        cursor: 0,
        level: Level::Exact,
        indentation: None,
        steps,
    };
    let mut edits = Vec::new();
    for chunk in chunks {
        search.chunk(chunk, &mut edits).map_err(|problem| PlaceError {
            line: chunk.line,
            problem,
        })?;
    }
    // Lines that are added at the end by an earlier chunk stand behind what a later one changes there.
    edits.sort_by_key(|edit: &Edit| edit.lines.start);
    Ok(PlacedPatch {
        splices: splices(&lines, edits),
        level: search.level,
        indentation: search.indentation,
    })
}

/// Lines of the text that become other lines.
struct Edit {
    lines: Range<usize>,
    new: String,
}

struct HunkSearch<'a, 't> {
    lines: &'a Lines<'t>,
    /// The first line that a chunk may still have.
    cursor: usize,
    level: Level,
    indentation: Option<IndentationMismatch>,
    steps: usize,
}

impl HunkSearch<'_, '_> {
    fn chunk(&mut self, chunk: &Chunk<'_>, edits: &mut Vec<Edit>) -> Result<(), Problem> {
        if let Some(header) = chunk.header {
            let Some(at) = self.find(&[header])? else {
                return Err(Problem::Header {
                    header: header.to_owned(),
                    nearest: nearest_region(self.lines.text, header),
                });
            };
            self.cursor = at + 1;
        }
        let mut body = chunk.lines.clone();
        let mut old: Vec<&str> = body.iter().filter_map(|line| line.old()).collect();
        let mut at = self.seek(&old, chunk.at_end)?;
        if at.is_none() && old.last() == Some(&"") {
            // A blank line too many at the end of the patch or of the section.
            old.pop();
            let last = body.iter().rposition(|line| line.old().is_some());
            body.remove(last.expect("an old line was just taken away"));
            at = self.seek(&old, chunk.at_end)?;
        }
        let Some(at) = at else {
            return Err(self.not_found(chunk));
        };
        push_edits(&body, at, edits);
        if self.indentation.is_none() && body.iter().any(ChunkLine::adds_text) {
            let found = self.lines.all[at..].iter().copied();
            self.indentation = IndentationMismatch::first(old.iter().copied(), found);
        }
        if !old.is_empty() {
            self.cursor = at + old.len();
        }
        Ok(())
    }

    /// Returns where the old lines begin. Without any, that is the end of the file.
    fn seek(&mut self, old: &[&str], at_end: bool) -> Result<Option<usize>, Problem> {
        if old.is_empty() {
            Ok(Some(self.lines.all.len()))
        } else if at_end {
            Ok(self.find_at_end(old))
        } else {
            self.find(old)
        }
    }

    /// Looks through the rest of the text, once for each level.
    fn find(&mut self, old: &[&str]) -> Result<Option<usize>, Problem> {
        for level in Level::ALL {
            let numbered = self.lines.at(level);
            let Some(old) = numbered.of(old, level, self.cursor) else {
                continue;
            };
            let rest = &numbered.lines[self.cursor..];
            let found = starts_of(rest, &old).next();
            let looked_at = found.map_or(rest.len(), |found| found + old.len());
            self.steps = self.steps.checked_sub(looked_at).ok_or(Problem::TooMuch)?;
            if let Some(found) = found {
                self.level = self.level.max(level);
                return Ok(Some(self.cursor + found));
            }
        }
        Ok(None)
    }

    fn find_at_end(&mut self, old: &[&str]) -> Option<usize> {
        let at = self.lines.all.len().checked_sub(old.len())?;
        if at < self.cursor {
            return None;
        }
        let tail = &self.lines.all[at..];
        let is_equal = |level: &Level| {
            tail.iter()
                .zip(old)
                .all(|(one, two)| level.key(one) == level.key(two))
        };
        let level = Level::ALL.into_iter().find(is_equal)?;
        self.level = self.level.max(level);
        Some(at)
    }

    fn not_found(&self, chunk: &Chunk<'_>) -> Problem {
        let old: Vec<&str> = chunk.lines.iter().filter_map(|line| line.old()).collect();
        let nearest = nearest_region(self.lines.text, &old.join("\n"));
        let old = old.into_iter().map(str::to_owned).collect();
        if chunk.at_end {
            Problem::NotAtEnd { old, nearest }
        } else {
            Problem::Lines {
                old,
                nearest,
                from: self.cursor + 1,
            }
        }
    }
}

/// Adds the runs of changed lines of a chunk whose old lines begin at `at`.
fn push_edits(body: &[ChunkLine<'_>], at: usize, edits: &mut Vec<Edit>) {
    let mut line = at;
    let mut run: Option<Edit> = None;
    for part in body {
        let begun = || Edit {
            lines: line..line,
            new: String::new(),
        };
        match part {
            ChunkLine::Context(_) => {
                edits.extend(run.take());
                line += 1;
            }
            ChunkLine::Removed(_) => {
                run.get_or_insert_with(begun).lines.end = line + 1;
                line += 1;
            }
            ChunkLine::Added(text) => {
                let run = run.get_or_insert_with(begun);
                run.new.push_str(text);
                run.new.push('\n');
            }
        }
    }
    edits.extend(run);
}

fn splices(lines: &Lines<'_>, edits: Vec<Edit>) -> Vec<(Range<usize>, String)> {
    let end = lines.text.len();
    let mut splices: Vec<(Range<usize>, String)> = Vec::new();
    for edit in edits {
        let range = lines.starts.start(edit.lines.start)..lines.starts.start(edit.lines.end);
        match splices.last_mut() {
            // What several chunks add at the end is one piece.
            Some((last, new)) if last.end == range.start && range.start == end => {
                last.end = range.end;
                new.push_str(&edit.new);
            }
            _ => splices.push((range, edit.new)),
        }
    }
    if lines.starts.lacks_final_break() {
        close(&mut splices, end);
    }
    splices
}

/// Has a text end with a line break that does not.
fn close(splices: &mut Vec<(Range<usize>, String)>, end: usize) {
    match splices.last_mut() {
        // The last line goes away or is another one: the new text has its own break, or the line before has.
        Some((range, _)) if range.end == end && range.start < end => {}
        Some((range, new)) if range.end == end => new.insert(0, '\n'),
        _ => splices.push((end..end, "\n".to_owned())),
    }
}

#[cfg(test)]
mod tests;
