//! Paths that lathe or a command has written to, and whether what they hold now is somebody else's than the person's.
//!
//! A path that was written to stands for all below it. Of one that holds what it held before the first write nothing is
//! said. The person's yes clears a path, also below a directory that was written to; the next write takes that back.
//!
//! There is room for a number of paths. Where there are more, the deepest give way to their directories: what was written
//! is never forgotten, at worst a file of the person's own is asked about.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::lower_case;

/// Paths that are kept apart.
const MAX_PATHS: usize = 10_000;

/// A path that was written to, or that the person said yes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct WrittenPath {
    /// As it is spelled, but for what is no UTF-8.
    pub(super) path: String,
    /// Digest of the file before the first write; `None` when there was none, or nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_cleared: bool,
}

impl WrittenPath {
    pub(super) fn new(path: &Path, before: Option<String>) -> Self {
        Self {
            path: path.to_string_lossy().into_owned(),
            before,
            is_cleared: false,
        }
    }

    /// Returns true if nothing is there any more. Of a path that cannot be looked up it is not known.
    pub(super) fn is_gone(&self) -> bool {
        !self.path.contains(char::REPLACEMENT_CHARACTER)
            && Path::new(&self.path)
                .symlink_metadata()
                .is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    }
}

/// Written paths, by their lower-case form: there are file systems where `LATHE.JSONC` is `lathe.jsonc`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct WrittenPaths(BTreeMap<String, WrittenPath>);

impl WrittenPaths {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes in a line of the log. A path that is known keeps the state from before the first write to it.
    pub(super) fn take(&mut self, line: WrittenPath) {
        let key = lower_case(Path::new(&line.path));
        if line.is_cleared {
            self.clear(&key, line);
            return;
        }
        let below = format!("{}/", key.trim_end_matches('/'));
        let cleared: Vec<String> = self
            .0
            .range(below.clone()..)
            .take_while(|(path, _)| path.starts_with(&below))
            .filter(|(_, row)| row.is_cleared)
            .map(|(path, _)| path.clone())
            .collect();
        for path in cleared {
            self.0.remove(&path);
        }
        match self.0.get(&key) {
            Some(known) if !known.is_cleared => {}
            _ => drop(self.0.insert(key, line)),
        }
    }

    /// Takes the person's yes to what a path holds.
    pub(super) fn confirm(&mut self, path: &Path) {
        let row = WrittenPath {
            is_cleared: true,
            ..WrittenPath::new(path, None)
        };
        self.clear(&lower_case(path), row);
    }

    fn clear(&mut self, key: &str, row: WrittenPath) {
        self.0.remove(key);
        if self.covers(key, None) {
            self.0.insert(key.to_owned(), row);
        }
    }

    /// Returns true if a path, or a directory above it, was written to and has no yes, unless the path itself holds what it
    /// held before.
    pub(super) fn holds(&self, path: &Path, digest: &str) -> bool {
        self.covers(&lower_case(path), Some(digest))
    }

    fn covers(&self, key: &str, digest: Option<&str>) -> bool {
        for (steps, above) in Path::new(key).ancestors().enumerate() {
            match above.to_str().and_then(|above| self.0.get(above)) {
                None => {}
                Some(row) if row.is_cleared => return false,
                Some(row) if steps == 0 && row.before.is_some() && row.before.as_deref() == digest => {}
                Some(_) => return true,
            }
        }
        false
    }

    /// Returns true if something below a directory was written to.
    pub(super) fn has_below(&self, directory: &Path) -> bool {
        let below = format!("{}/", lower_case(directory).trim_end_matches('/'));
        let mut rows = self.0.range(below.clone()..);
        let mut rows = rows.by_ref().take_while(|(path, _)| path.starts_with(&below));
        rows.any(|(_, row)| !row.is_cleared)
    }

    /// Returns true if a path was written to and holds what it held before.
    pub(super) fn is_as_before(&self, path: &Path, digest: &str) -> bool {
        let row = self.0.get(&lower_case(path));
        row.is_some_and(|row| !row.is_cleared && row.before.as_deref() == Some(digest))
    }

    pub(super) fn forget(&mut self, path: &Path) {
        self.0.remove(&lower_case(path));
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &WrittenPath> {
        self.0.values()
    }

    /// Forgets what is gone, and keeps the number of paths within its bound.
    pub(super) fn shrink(&mut self) {
        self.0.retain(|_, row| !row.is_gone());
        while self.0.len() > MAX_PATHS {
            let depth = |path: &str| Path::new(path).components().count();
            let deepest = self.0.keys().map(|path| depth(path)).max().unwrap_or(0);
            let (deep, mut kept): (BTreeMap<_, _>, BTreeMap<_, _>) = std::mem::take(&mut self.0)
                .into_iter()
                .partition(|(path, _)| depth(path) == deepest);
            for (key, row) in deep.into_iter().filter(|(_, row)| !row.is_cleared) {
                let (Some(above), Some(path)) = (Path::new(&key).parent(), Path::new(&row.path).parent())
                else {
                    kept.insert(key, row);
                    continue;
                };
                let row = WrittenPath::new(path, None);
                kept.insert(above.to_string_lossy().into_owned(), row);
            }
            self.0 = kept;
        }
    }

    /// Returns the lines that make the same again: those of yeses last, because they stand below others.
    pub(super) fn lines(&self) -> impl Iterator<Item = &WrittenPath> {
        let cleared = self.rows().filter(|row| row.is_cleared);
        self.rows().filter(|row| !row.is_cleared).chain(cleared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(paths: &[(&str, Option<&str>)]) -> WrittenPaths {
        let mut written = WrittenPaths::default();
        for (path, before) in paths {
            written.take(WrittenPath::new(Path::new(path), before.map(str::to_owned)));
        }
        written
    }

    #[test]
    fn a_path_stands_for_all_below_it_in_any_case() {
        let written = written(&[("/p/.Lathe", None), ("/p/a", Some("1"))]);
        assert!(written.holds(Path::new("/p/.lathe/agents/x.md"), ""));
        assert!(!written.holds(Path::new("/p/.lathe2"), ""));
        assert!(!written.holds(Path::new("/p/a"), "1") && written.holds(Path::new("/p/a"), "2"));
        assert!(written.has_below(Path::new("/p")) && !written.has_below(Path::new("/p/a")));
    }

    #[test]
    fn the_state_before_the_first_write_counts_and_says_nothing_of_directories_above() {
        let paths = written(&[("/p/a", Some("1")), ("/p/a", Some("2"))]);
        assert!(!paths.holds(Path::new("/p/a"), "1") && paths.holds(Path::new("/p/a"), "2"));
        let moved = written(&[("/p", None), ("/p/a", Some("1"))]);
        assert!(moved.holds(Path::new("/p/a"), "1"));
    }

    #[test]
    fn a_yes_lasts_until_the_next_write_there_or_above() {
        let mut written = written(&[("/p/d", None), ("/p/e", None)]);
        for path in ["/p/d/x", "/p/e"] {
            written.confirm(Path::new(path));
            assert!(!written.holds(Path::new(path), ""), "{path}");
        }
        assert!(written.holds(Path::new("/p/d/y"), ""));
        let mut again = WrittenPaths::default();
        written.lines().cloned().for_each(|line| again.take(line));
        assert_eq!(again, written);
        written.take(WrittenPath::new(Path::new("/p/d"), None));
        assert!(written.holds(Path::new("/p/d/x"), ""));
        written.confirm(Path::new("/p/d/x"));
        written.take(WrittenPath::new(Path::new("/p/d/x"), Some("1".to_owned())));
        assert!(
            written.holds(Path::new("/p/d/x"), "1"),
            "the directory is not confirmed"
        );
    }

    #[test]
    fn a_flood_of_paths_forgets_none() {
        let held = tempfile::tempdir().unwrap();
        let base = held.path().canonicalize().unwrap();
        let mut written = WrittenPaths::default();
        let mut paths = Vec::new();
        for directory in 0..30 {
            let directory = base.join(format!("d{directory}/deep"));
            std::fs::create_dir_all(&directory).unwrap();
            for file in 0..400 {
                let path = directory.join(file.to_string());
                std::fs::write(&path, "").unwrap();
                written.take(WrittenPath::new(&path, None));
                paths.push(path);
            }
        }
        written.take(WrittenPath::new(&base.join("gone"), None));
        written.shrink();
        assert!(written.rows().count() <= MAX_PATHS);
        assert!(paths.iter().all(|path| written.holds(path, "")));
        assert!(!written.holds(&base.join("gone"), "") && !written.holds(&base.join("other"), ""));
    }
}
