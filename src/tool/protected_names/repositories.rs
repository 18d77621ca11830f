//! Directories of repositories that `.git` files of the project lead to. They are protected like a `.git` directory,
//! wherever they lie.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{FoundNames, is_dot_git, look};
use crate::files::Resolved;
use crate::permission::Ask;
use crate::project_root::directories_named_by;
use crate::tool::SessionServices;

/// Repositories come and go while questions are judged, and a look takes a part of a millisecond.
const FRESH: Duration = Duration::from_secs(2);

/// The directories as they were at the last look.
#[derive(Debug)]
pub(super) struct Repositories {
    at: Instant,
    directories: Vec<PathBuf>,
}

impl Repositories {
    pub(super) fn of(found: &FoundNames, root: &Path) -> Self {
        let entries = found.keys().filter(|path| is_dot_git(path));
        let mut directories: Vec<PathBuf> = entries
            .flat_map(|entry| directories_named_by(entry))
            // Whatever a project says, it is not itself a repository's directory.
            .filter(|directory| !root.starts_with(directory))
            .collect();
        directories.sort_unstable();
        directories.dedup();
        Self {
            at: Instant::now(),
            directories,
        }
    }

    fn is_fresh(&self) -> bool {
        self.at.elapsed() < FRESH
    }
}

impl super::ProtectedNames {
    /// The directories that `.git` files below a directory lead to. Reads directories, at most every other second.
    pub(in crate::tool) fn repositories(&self, root: &Path) -> Vec<PathBuf> {
        let mut state = self.state();
        if let Some(repositories) = state.repositories.as_ref().filter(|known| known.is_fresh()) {
            return repositories.directories.clone();
        }
        let repositories = Repositories::of(&look(root), root);
        let directories = repositories.directories.clone();
        state.repositories = Some(repositories);
        directories
    }
}

impl SessionServices {
    /// Asks of a writer for a path beside `edit`: by its name, and by the repository that it lies in.
    pub(in crate::tool) fn protected_asks(&self, path: &Resolved) -> Vec<Ask> {
        let mut asks = self.gate.protected(path);
        for directory in self.protected_names.repositories(self.roots.project_root()) {
            let Ok(below) = path.real.strip_prefix(&directory) else {
                continue;
            };
            // Judged by the rules for what such a directory is called as a rule.
            let alias = directory.join(".git").join(below);
            for ask in &mut asks {
                ask.subject.also.push(alias.to_string_lossy().into_owned());
            }
        }
        asks
    }
}
