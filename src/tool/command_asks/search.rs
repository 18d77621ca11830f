//! What a command that looks through directories would show although the rules ask for it.

use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

use super::{Gathered, Setting};
use crate::permission::command::Search;

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
        let rules = search.clone();
        let walk = WalkBuilder::new(place)
            .standard_filters(search.filtered)
            .follow_links(search.follows_links)
            .filter_entry(move |entry| {
                entry.depth() == 0
                    || !is_directory(entry)
                    || rules.enters(&entry.file_name().to_string_lossy())
            })
            .build();
        for entry in walk.flatten() {
            *left = left.checked_sub(1)?;
            let Some(path) = entry.path().to_str() else {
                continue;
            };
            if search.follows_links && entry.path_is_symlink() {
                gathered.outside.extend(self.outside_path(path, self.workdir));
            }
            if is_directory(&entry) || !search.looks_into(&entry.file_name().to_string_lossy()) {
                continue;
            }
            let Some(resolved) = self.resolve(path, self.workdir) else {
                continue;
            };
            if !readable.allows(&resolved.display, &resolved.absolute) {
                gathered.read.extend(self.read_path(path));
            }
        }
        Some(())
    }
}

fn is_directory(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}
