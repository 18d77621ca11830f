//! The first files by path that hold the matches that are counted.
//!
//! Files come in no order, and what is kept in the end must not depend on it. So nothing is dropped by its time: a file is
//! given up only when those before it hold enough, and those can only become more. The same holds for the lines to show.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::line::{Line, first_matches};

/// Matches that are counted.
const MAX_MATCHES: usize = 50_000;
/// Lines that are kept in memory, with those around the matches.
const MAX_LINES: usize = 50_000;

/// The matches in one file.
pub(super) struct FileMatches {
    pub(super) display: String,
    pub(super) modified: SystemTime,
    pub(super) count: usize,
    /// Empty where there are too many in all.
    pub(super) lines: Vec<Line>,
    /// It has more than were counted.
    pub(super) has_more: bool,
}

/// The matches that several threads find, the first by path of them kept.
#[derive(Default)]
pub(super) struct FirstByPath {
    state: Mutex<MatchState>,
    /// There are more matches than are counted, so files behind the last are of no interest.
    is_full: AtomicBool,
}

/// As it is shown, then as it is.
type Key = (String, PathBuf);

#[derive(Default)]
struct MatchState {
    files: BTreeMap<Key, FileMatches>,
    matches: usize,
    lines: usize,
    /// From this file on no lines are kept.
    lines_end: Option<Key>,
}

impl FirstByPath {
    /// Says whether matches in a file can still count.
    pub(super) fn counts(&self, display: &str) -> bool {
        if !self.is_full.load(Ordering::Relaxed) {
            return true;
        }
        let state = self.state();
        state
            .files
            .last_key_value()
            .is_none_or(|((last, _), _)| display <= last.as_str())
    }

    pub(super) fn add(&self, path: &Path, matches: FileMatches) {
        let mut state = self.state();
        state.add((matches.display.clone(), path.to_owned()), matches);
        if state.matches > MAX_MATCHES {
            self.is_full.store(true, Ordering::Relaxed);
        }
    }

    /// Returns the files by path, and the name of the last when there are more matches than are counted. `after` is the
    /// number of lines shown after a match.
    pub(super) fn into_files(self, after: usize) -> (Vec<FileMatches>, Option<String>) {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let too_many = state.matches.saturating_sub(MAX_MATCHES);
        let mut files: Vec<FileMatches> = state.files.into_values().collect();
        if too_many > 0
            && let Some(last) = files.last_mut()
        {
            // Without the last there are at most as many as are counted.
            last.count -= too_many;
            last.lines
                .truncate(first_matches(&last.lines, last.count, after).len());
            let last_name = last.display.clone();
            files.retain(|file| file.count > 0);
            return (files, Some(last_name));
        }
        (files, None)
    }

    fn state(&self) -> MutexGuard<'_, MatchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MatchState {
    fn add(&mut self, key: Key, mut matches: FileMatches) {
        // A file that is reached in two ways, by the same name.
        if self.files.contains_key(&key) {
            return;
        }
        if self.lines_end.as_ref().is_some_and(|end| key >= *end) {
            matches.lines = Vec::new();
        }
        self.matches += matches.count;
        self.lines += matches.lines.len();
        self.files.insert(key, matches);
        while let Some(last) = self.files.last_entry()
            && self.matches - last.get().count > MAX_MATCHES
        {
            let dropped = last.remove();
            self.matches -= dropped.count;
            self.lines -= dropped.lines.len();
        }
        while self.lines > MAX_LINES && self.drop_last_lines() {}
    }

    /// Drops the lines of the last file that has any, unless they are needed to have enough.
    fn drop_last_lines(&mut self) -> bool {
        let last = match &self.lines_end {
            Some(end) => self.files.range_mut(..end.clone()).next_back(),
            None => self.files.iter_mut().next_back(),
        };
        let Some((key, last)) = last else {
            return false;
        };
        if self.lines - last.lines.len() < MAX_LINES {
            return false;
        }
        self.lines -= last.lines.len();
        last.lines = Vec::new();
        self.lines_end = Some(key.clone());
        true
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;
    use crate::tool::builtin::grep::line::{Line, LineKind};

    fn file(number: usize, matches: usize, context: usize) -> FileMatches {
        let line = |index: usize| Line {
            number: index as u64,
            text: String::new(),
            kind: if index.is_multiple_of(context + 1) {
                LineKind::Match {
                    column: 1,
                    span: (0, 0),
                }
            } else {
                LineKind::Context
            },
            gap: false,
        };
        FileMatches {
            display: format!("{number:04}"),
            modified: UNIX_EPOCH,
            count: matches,
            lines: (0..matches * (context + 1)).map(line).collect(),
            has_more: false,
        }
    }

    /// Adds files in an order that a number chooses, and returns name, matches and lines of those that are kept.
    fn kept(files: usize, step: usize, context: usize) -> (Vec<(String, usize, usize)>, Option<String>) {
        let first = FirstByPath::default();
        for index in 0..files {
            let number = index * step % files;
            let matches = file(number, 40 + number % 60, context);
            if first.counts(&matches.display) {
                first.add(Path::new(&matches.display.clone()), matches);
            }
        }
        let (files, last) = first.into_files(context);
        let files = files.into_iter();
        (
            files
                .map(|file| (file.display, file.count, file.lines.len()))
                .collect(),
            last,
        )
    }

    #[test]
    fn the_same_files_are_kept_in_any_order() {
        let (expected, last) = kept(1009, 1, 1);
        let matches: usize = expected.iter().map(|(_, count, _)| count).sum();
        assert_eq!(matches, MAX_MATCHES);
        assert_eq!(last, expected.last().map(|(name, ..)| name.clone()));
        let with_lines = expected.iter().take_while(|(.., lines)| *lines > 0);
        let lines: usize = with_lines.map(|(.., lines)| lines).sum();
        assert!((MAX_LINES..MAX_LINES + 200).contains(&lines), "{lines}");
        for step in [2, 3, 7, 100, 500, 1008] {
            assert_eq!(kept(1009, step, 1), (expected.clone(), last.clone()), "{step}");
        }
    }

    #[test]
    fn as_many_as_are_counted_are_all() {
        let first = FirstByPath::default();
        for number in 0..500 {
            first.add(Path::new("x"), file(number, 100, 0));
        }
        assert!(first.counts("zz"));
        first.add(Path::new("x"), file(499, 100, 0));
        let (files, last) = first.into_files(0);
        assert_eq!((files.len(), last), (500, None));
        let first = FirstByPath::default();
        for number in 0..501 {
            first.add(Path::new("x"), file(number, 100, 0));
        }
        assert!(!first.counts("zz"));
        let (files, last) = first.into_files(0);
        assert_eq!((files.len(), last.as_deref()), (500, Some("0500")));
    }
}
