//! Files that a directory search would show although the rules ask for them.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::{CommandContext, GatheredAsks};
use crate::permission::command::DirectorySearch;
use crate::permission::{Ask, Floor, ReadGate};
use crate::tree_walk::{Entry, Flow, IgnoreFiles, Walk};

/// Names that one command may make lathe look at.
const MAX_NAMES: usize = 100_000;

impl CommandContext<'_> {
    /// Gathers the files that may not be shown unasked; `None` when there are too many to look at.
    pub(super) fn look_through(
        &self,
        search: &DirectorySearch,
        expanded: &[String],
        directories: &[PathBuf],
        gathered: &mut GatheredAsks,
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
        SearchLook::new(self, search, directories, gathered).into_all(&places)
    }

    /// The same for files and for directories with what is below them.
    pub(super) fn look_into(
        &self,
        search: &DirectorySearch,
        places: &[PathBuf],
        gathered: &mut GatheredAsks,
    ) -> Option<()> {
        SearchLook::new(self, search, &[], gathered).into_all(places)
    }

    /// The asks for one file, without those that the rules answer with a yes.
    pub(super) fn closed(&self, path: &Path, readable: &ReadGate) -> Vec<Ask> {
        // One of many, which are counted where they are found.
        let mut asks = self.read_asks(&self.workdir.join(path));
        asks.retain(|ask| ask.floor == Floor::Ask || !readable.shows(&ask.subject));
        asks
    }
}

/// One look at what a search meets.
struct SearchLook<'l> {
    setting: &'l CommandContext<'l>,
    search: &'l DirectorySearch,
    /// Directories in which the command may run.
    runs_in: &'l [PathBuf],
    readable: ReadGate,
    /// Names that may still be looked at.
    left: usize,
    gathered: &'l mut GatheredAsks,
}

impl<'l> SearchLook<'l> {
    fn new(
        setting: &'l CommandContext<'l>,
        search: &'l DirectorySearch,
        runs_in: &'l [PathBuf],
        gathered: &'l mut GatheredAsks,
    ) -> Self {
        Self {
            setting,
            search,
            runs_in,
            readable: setting.services.gate.readable(),
            left: MAX_NAMES,
            gathered,
        }
    }

    fn into_all(mut self, places: &[PathBuf]) -> Option<()> {
        for place in places {
            if place.is_dir() {
                self.walk(place)?;
            } else if place.exists() && self.search.looks_into(&name_of(place)) {
                self.gather(place);
            }
        }
        Some(())
    }

    /// Looks below a directory. Ignore files are those around the real one, for `rg` too.
    fn walk(&mut self, place: &Path) -> Option<()> {
        let Ok(root) = place.canonicalize() else {
            return Some(());
        };
        if !self.setting.spend(100) {
            return None;
        }
        let search = self.search;
        let left_out = search.filtered.then(|| {
            self.setting
                .left_out(&root, place, self.runs_in, !search.has_types())
        });
        let is_left_out = |entry: &Entry| left_out.as_ref().is_some_and(|left_out| left_out.holds(entry));
        let enters = |entry: &Entry| {
            let is_entered = !entry.is_directory() || search.enters(&entry.name().to_string_lossy());
            is_entered && !is_left_out(entry)
        };
        let gate = self.readable.clone();
        let walk = Walk {
            follows_links: search.follows_links,
            ..Walk::whole(&root, IgnoreFiles::Unread, &gate)
        };
        let mut is_too_much = false;
        walk.each(&enters, |entry| {
            let Ok(entry) = entry else {
                return Flow::Continue;
            };
            let rest = self.left.checked_sub(1).filter(|_| self.setting.spend(1));
            let Some(rest) = rest else {
                is_too_much = true;
                return Flow::Stop;
            };
            self.left = rest;
            // The name by which the command meets it.
            let below = entry.path().strip_prefix(&root).unwrap_or(entry.path());
            self.meet(entry, below, &place.join(below));
            Flow::Continue
        });
        (!is_too_much).then_some(())
    }

    fn meet(&mut self, entry: &Entry, below: &Path, path: &Path) {
        let search = self.search;
        let is_followed = entry.is_link() && search.follows_links;
        let is_shown = !entry.is_directory() && search.looks_into(&name_of(below));
        let may_have_type = !search.filtered || !has_hidden(below) || search.may_have_type(&name_of(below));
        if !may_have_type || !is_shown && !is_followed {
            return;
        }
        if entry.is_link() {
            if !is_followed && (!search.shows_links || path.is_dir()) {
                return;
            }
            let outside = self
                .setting
                .outside_path(&path.to_string_lossy(), self.setting.workdir);
            self.gathered.outside.extend(outside);
        }
        if is_shown {
            self.gather(path);
        }
    }

    fn gather(&mut self, path: &Path) {
        self.gathered
            .read
            .extend(self.setting.closed(path, &self.readable));
    }
}

fn has_hidden(path: &Path) -> bool {
    let mut names = path.components();
    names.any(|name| name.as_os_str().as_encoded_bytes().starts_with(b"."))
}

fn name_of(path: &Path) -> Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}
