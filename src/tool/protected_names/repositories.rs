//! What protected names of the project lead to: directories of repositories that `.git` files name, and whatever links
//! stand for. It is protected like the name that leads there, wherever it lies.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{FoundNames, is_dot_git, look};
use crate::files::{PathKind, Resolved, Roots};
use crate::permission::Ask;
use crate::project_root::directories_named_by;
use crate::tool::SessionServices;
use crate::unconfirmed::read_paths;

/// Repositories come and go while questions are judged, and a look takes a part of a millisecond.
const FRESH: Duration = Duration::from_secs(2);

/// The directories as they were at the last look.
#[derive(Debug)]
pub(super) struct Repositories {
    at: Instant,
    directories: Vec<PathBuf>,
    links: Vec<ProtectedLink>,
}

/// A protected name that is a link.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ProtectedLink {
    /// The real path of what it leads to, whether that is there or not.
    target: PathBuf,
    name: PathBuf,
}

impl ProtectedLink {
    /// Returns the link that a path is, or lies behind; `None` where it leads to itself, because there is none.
    pub(super) fn of(path: PathBuf, roots: &Roots) -> Option<Self> {
        let found = roots.resolve_path(&path).ok()?;
        // `/dev/null` in the place of a file is not configuration.
        let is_link = found.real != path && found.kind != PathKind::Special;
        is_link.then_some(Self {
            target: found.real,
            name: path,
        })
    }

    /// Returns the protected name of a real path, if this link leads there.
    pub(super) fn name_of(&self, real: &Path) -> Option<PathBuf> {
        let below = real.strip_prefix(&self.target).ok()?;
        // Joining an empty path would add a slash.
        Some(self.name.components().chain(below.components()).collect())
    }
}

impl Repositories {
    pub(super) fn of(found: &FoundNames, roots: &Roots) -> Self {
        let root = roots.project_root();
        let entries = found.keys().filter(|path| is_dot_git(path));
        let mut directories: Vec<PathBuf> = entries
            .flat_map(|entry| directories_named_by(entry))
            // Whatever a project says, it is not itself a repository's directory.
            .filter(|directory| !root.starts_with(directory))
            .collect();
        directories.sort_unstable();
        directories.dedup();
        let links = found.keys().filter(|path| path.is_symlink()).cloned();
        let links = links.filter_map(|path| ProtectedLink::of(path, roots)).collect();
        Self {
            at: Instant::now(),
            directories,
            links,
        }
    }

    fn is_fresh(&self) -> bool {
        self.at.elapsed() < FRESH
    }
}

impl super::ProtectedNames {
    /// The directories that `.git` files of the project lead to. Reads directories, at most every other second.
    pub(in crate::tool) fn repositories(&self, roots: &Roots) -> Vec<PathBuf> {
        self.led_to(roots, |known| known.directories.clone())
    }

    /// The files and directories that protected names lead to as links, but for those that the project lies in.
    pub(in crate::tool) fn link_targets(&self, roots: &Roots) -> Vec<PathBuf> {
        let links = self.links(roots).into_iter();
        let targets = links.map(|link| link.target);
        targets
            .filter(|target| !roots.project_root().starts_with(target))
            .collect()
    }

    fn led_to<T>(&self, roots: &Roots, take: impl FnOnce(&Repositories) -> T) -> T {
        let mut state = self.state();
        if let Some(known) = state.repositories.as_ref().filter(|known| known.is_fresh()) {
            return take(known);
        }
        let now = Repositories::of(&look(roots.project_root()), roots);
        take(state.repositories.insert(now))
    }

    /// The links among the places that the session reads configuration from, as they are now, and among the protected
    /// names that the last look found.
    fn links(&self, roots: &Roots) -> Vec<ProtectedLink> {
        let mut links = self.led_to(roots, |known| known.links.clone());
        let read = read_paths(roots.project_root(), roots.session_dir()).into_iter();
        links.extend(read.filter_map(|path| ProtectedLink::of(path, roots)));
        links.sort_unstable();
        links.dedup();
        links
    }

    /// The protected names that lead to a real path through links.
    fn names_behind_links(&self, roots: &Roots, real: &Path) -> Vec<PathBuf> {
        let links = self.links(roots);
        let mut names: Vec<PathBuf> = links.iter().filter_map(|link| link.name_of(real)).collect();
        names.sort_unstable();
        names.dedup();
        names.retain(|name| name != real);
        names
    }
}

impl SessionServices {
    /// Asks of a writer for a path beside `edit`: by its name, by the names of links that lead there, and by the repository
    /// that it lies in.
    pub(in crate::tool) fn protected_asks(&self, path: &Resolved) -> Vec<Ask> {
        let mut asks = self.gate.protected(path);
        for name in self.protected_names.names_behind_links(&self.roots, &path.real) {
            if name != path.absolute {
                asks.push(self.gate.protected_name(&name, self.roots.project_root()));
            }
        }
        for directory in self.protected_names.repositories(&self.roots) {
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
