//! What a command that looks through directories would show although the rules ask for it.

use std::path::{Path, PathBuf};

use super::{Gathered, Setting};
use crate::permission::command::Search;
use crate::tree_walk::{Entry, Flow, IgnoreFiles, Walk};

/// Names that one command may make lathe look at.
const MAX_NAMES: usize = 100_000;

impl Setting<'_> {
    /// Gathers the files that may not be shown unasked; `None` when there are too many to look at.
    pub(super) fn look_through(
        &self,
        search: &Search,
        expanded: &[String],
        directories: &[PathBuf],
        gathered: &mut Gathered,
    ) -> Option<()> {
        let named = search
            .operands
            .iter()
            .filter_map(|operand| self.paths_of(operand, Some(directories)));
        let mut places: Vec<PathBuf> = named.flatten().map(PathBuf::from).collect();
        places.extend(expanded.iter().map(PathBuf::from));
        if search.here {
            places.extend_from_slice(directories);
        }
        let mut left = MAX_NAMES;
        for place in places.iter().filter(|place| place.is_dir()) {
            self.walk(search, place, &mut left, gathered)?;
        }
        Some(())
    }

    fn walk(&self, search: &Search, place: &Path, left: &mut usize, gathered: &mut Gathered) -> Option<()> {
        let readable = self.services.gate.readable();
        let walk = Walk {
            root: place,
            ignore_files: if search.filtered {
                IgnoreFiles::InRepositories
            } else {
                IgnoreFiles::Unread
            },
            skips_hidden: search.filtered,
            follows_links: search.follows_links,
            max_depth: usize::MAX,
            threads: 1,
            gate: &readable,
        };
        let enters = |entry: &Entry| {
            entry.depth() == 0 || !entry.is_directory() || search.enters(&entry.name().to_string_lossy())
        };
        let mut is_too_much = false;
        walk.each(&enters, |entry| {
            let Ok(entry) = entry else {
                return Flow::Continue;
            };
            let Some(rest) = left.checked_sub(1) else {
                is_too_much = true;
                return Flow::Stop;
            };
            *left = rest;
            let Some(path) = entry.path().to_str() else {
                return Flow::Continue;
            };
            if search.follows_links && entry.is_link() {
                gathered.outside.extend(self.outside_path(path, self.workdir));
            }
            if entry.is_directory() || !search.looks_into(&entry.name().to_string_lossy()) {
                return Flow::Continue;
            }
            if let Some(resolved) = self.resolve(path, self.workdir)
                && !readable.allows(&resolved.display, &resolved.absolute)
            {
                gathered.read.extend(self.read_path(path));
            }
            Flow::Continue
        });
        (!is_too_much).then_some(())
    }
}
