//! What a command that looks through directories would show although the rules ask for it.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::{Gathered, Setting};
use crate::permission::command::Search;
use crate::permission::{Ask, Floor, ReadGate};
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
        self.look_into(search, &places, gathered)
    }

    /// The same for files and for directories with what is below them.
    pub(super) fn look_into(
        &self,
        search: &Search,
        places: &[PathBuf],
        gathered: &mut Gathered,
    ) -> Option<()> {
        let readable = self.services.gate.readable();
        let mut left = MAX_NAMES;
        for place in places {
            if place.is_dir() {
                self.walk(search, place, &readable, &mut left, gathered)?;
            } else if place.exists() && search.looks_into(&name_of(place)) {
                gathered.read.extend(self.closed(place, &readable));
            }
        }
        Some(())
    }

    fn walk(
        &self,
        search: &Search,
        place: &Path,
        readable: &ReadGate,
        left: &mut usize,
        gathered: &mut Gathered,
    ) -> Option<()> {
        // Ignore files are those around the real directory, for `rg` too.
        let Ok(root) = place.canonicalize() else {
            return Some(());
        };
        let found = self.walk_by(search, &root, place, search.filtered, readable, left, gathered)?;
        if found == Rules::Unclear {
            self.walk_by(search, &root, place, false, readable, left, gathered)?;
        }
        Some(())
    }

    /// Walks with the ignore rules, or without them and with what is hidden.
    #[expect(clippy::too_many_arguments, reason = "it is one walk of two")]
    fn walk_by(
        &self,
        search: &Search,
        root: &Path,
        place: &Path,
        filtered: bool,
        readable: &ReadGate,
        left: &mut usize,
        gathered: &mut Gathered,
    ) -> Option<Rules> {
        // `rg` reads this file too, which may bring back what others ignore and what is hidden.
        let has_own_rules =
            |directory: &Path| filtered && directory.join(".rgignore").symlink_metadata().is_ok();
        if root.ancestors().any(has_own_rules) {
            return Some(Rules::Unclear);
        }
        let walk = Walk {
            root,
            ignore_files: if filtered {
                IgnoreFiles::InRepositories
            } else {
                IgnoreFiles::Unread
            },
            skips_hidden: filtered && !search.has_types(),
            follows_links: search.follows_links,
            max_depth: usize::MAX,
            threads: 1,
            gate: readable,
        };
        let enters = |entry: &Entry| {
            entry.depth() == 0 || !entry.is_directory() || search.enters(&entry.name().to_string_lossy())
        };
        let (mut is_too_much, mut is_unclear) = (false, false);
        let left_out = walk.each(&enters, |entry| {
            let Ok(entry) = entry else {
                return Flow::Continue;
            };
            let Some(rest) = left.checked_sub(1) else {
                is_too_much = true;
                return Flow::Stop;
            };
            *left = rest;
            if entry.is_directory() && has_own_rules(entry.path()) {
                is_unclear = true;
                return Flow::Stop;
            }
            let is_followed = entry.is_link() && search.follows_links;
            let is_shown = !entry.is_directory() && search.looks_into(&name_of(entry.path()));
            if !is_shown && !is_followed {
                return Flow::Continue;
            }
            // The name by which the command meets it.
            let below = entry.path().strip_prefix(root).unwrap_or(entry.path());
            if filtered && has_hidden(below) && !search.may_have_type(&name_of(below)) {
                return Flow::Continue;
            }
            let path = place.join(below);
            if entry.is_link() && !is_followed && (!search.shows_links || path.is_dir()) {
                return Flow::Continue;
            }
            if entry.is_link() {
                let outside = self.outside_path(&path.to_string_lossy(), self.workdir);
                gathered.outside.extend(outside);
            }
            if is_shown {
                gathered.read.extend(self.closed(&path, readable));
            }
            Flow::Continue
        });
        let is_unclear = is_unclear || filtered && !left_out.is_empty();
        let rules = if is_unclear { Rules::Unclear } else { Rules::Clear };
        (!is_too_much).then_some(rules)
    }

    /// The asks for one file, without those that the rules answer with a yes.
    pub(super) fn closed(&self, path: &Path, readable: &ReadGate) -> Vec<Ask> {
        let mut asks = self.read_path(path);
        asks.retain(|ask| ask.floor == Floor::Ask || !readable.shows(&ask.subject));
        asks
    }
}

/// Whether lathe knows the rules by which a search leaves files out.
#[derive(PartialEq, Eq)]
enum Rules {
    Clear,
    Unclear,
}

fn has_hidden(path: &Path) -> bool {
    let mut names = path.components();
    names.any(|name| name.as_os_str().as_encoded_bytes().starts_with(b"."))
}

fn name_of(path: &Path) -> Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}
