//! The ignore rules of directories, each with those of the directories above it.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::{IgnoreFiles, LeftOut, excludes};
use crate::regular_file::{FileGate, MAX_BYTES, ReadError, RegularFile};

/// Ignore files that are named at most when they were left out.
const MAX_LEFT_OUT: usize = 100;
/// Largest weight of one ignore file, see [`weight`].
const MAX_WEIGHT: usize = MAX_BYTES as usize;
/// Largest weight of all rules that a walk holds at the same time.
const MAX_WEIGHT_HELD: usize = 4 * MAX_WEIGHT;
/// Rules that weigh more are compiled by one thread at a time, as that takes many times their size for a moment.
const HEAVY: usize = 64 * 1024;
/// A byte of a rule with wildcards becomes this many times as much as one of a plain name.
const WILDCARD_WEIGHT: usize = 16;

/// The rules of one directory that has any.
pub(super) struct Rules {
    parent: Option<Arc<Rules>>,
    ignore: Gitignore,
    gitignore: Gitignore,
    exclude: Gitignore,
    has_git: bool,
    /// This directory or one above it has a `.git`.
    is_in_repository: bool,
    /// Until these rules are dropped.
    _held: Held,
}

/// Names of a directory that matter to its rules.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Present {
    ignore: bool,
    gitignore: bool,
    git: bool,
}

impl Present {
    const UNKNOWN: Self = Self {
        ignore: true,
        gitignore: true,
        git: true,
    };

    pub(super) fn among(names: impl Iterator<Item = OsString>) -> Self {
        let mut present = Self::default();
        for name in names {
            match name.as_encoded_bytes() {
                b".ignore" => present.ignore = true,
                b".gitignore" => present.gitignore = true,
                b".git" => present.git = true,
                _ => {}
            }
        }
        present
    }
}

/// The weight of rules that are in use, taken off the walk's when they are dropped.
struct Held {
    weight: usize,
    all: Arc<AtomicUsize>,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.all.fetch_sub(self.weight, Ordering::Relaxed);
    }
}

/// Settings by which a walk finds rules and judges by them.
pub(super) struct IgnoreContext<'a> {
    files: IgnoreFiles,
    gate: &'a (dyn FileGate + Sync),
    /// The root of the walk and its path without links, where that is another: rules of the directories above it are
    /// about the latter.
    renamed: Option<(PathBuf, PathBuf)>,
    /// The user's own excludes.
    global: Gitignore,
    held: Arc<AtomicUsize>,
    compiling: Mutex<()>,
    left_out: Mutex<Vec<LeftOut>>,
}

impl<'a> IgnoreContext<'a> {
    pub(super) fn new(files: IgnoreFiles, root: &Path, gate: &'a (dyn FileGate + Sync)) -> Self {
        let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let mut context = Self {
            files,
            gate,
            renamed: (real != root).then(|| (root.to_owned(), real.clone())),
            global: Gitignore::empty(),
            held: Arc::default(),
            compiling: Mutex::default(),
            left_out: Mutex::default(),
        };
        if files != IgnoreFiles::Unread
            && let Some(path) = excludes::path()
        {
            // A slash at the beginning of a rule means the top of the work tree.
            let has_git = |directory: &&Path| directory.join(".git").symlink_metadata().is_ok();
            let top = real.ancestors().find(has_git).unwrap_or(&real);
            let contents = RegularFile::open(&path).and_then(|file| file.read(MAX_BYTES));
            if let Some(bytes) = context.note(&path, contents) {
                let mut weight = 0;
                context.global = context.compile(top, &path, &bytes, &mut weight);
                context.held.fetch_add(weight, Ordering::Relaxed);
            }
        }
        context
    }

    fn real<'p>(&self, path: &'p Path) -> Cow<'p, Path> {
        let below = |(root, real): &(PathBuf, PathBuf)| Some(real.join(path.strip_prefix(root).ok()?));
        let renamed = self.renamed.as_ref().and_then(below);
        renamed.map_or(Cow::Borrowed(path), Cow::Owned)
    }

    /// Returns the rules of all directories above the root of a walk.
    pub(super) fn above(&self, root: &Path) -> Option<Arc<Rules>> {
        let root = self.real(root);
        let above: Vec<&Path> = root.ancestors().skip(1).collect();
        let add = |rules: Option<Arc<Rules>>, directory: &&Path| {
            self.below(rules.as_ref(), directory, Present::UNKNOWN)
        };
        above.iter().rev().fold(None, add)
    }

    /// Returns the rules that hold in a directory: those above it, and its own.
    pub(super) fn below(
        &self,
        above: Option<&Arc<Rules>>,
        directory: &Path,
        present: Present,
    ) -> Option<Arc<Rules>> {
        if self.files == IgnoreFiles::Unread {
            return None;
        }
        let real = self.real(directory);
        let mut weight = 0;
        let mut load = |is_present: bool, path: PathBuf| {
            let bytes = is_present.then(|| self.read(&path)).flatten();
            bytes.map_or_else(Gitignore::empty, |bytes| {
                self.compile(&real, &path, &bytes, &mut weight)
            })
        };
        let ignore = load(present.ignore, directory.join(".ignore"));
        let gitignore = load(present.gitignore, directory.join(".gitignore"));
        let dot_git = directory.join(".git");
        let dot_git_type = present.git.then(|| fs::metadata(&dot_git).ok()).flatten();
        let has_git = dot_git_type.is_some();
        let exclude = match dot_git_type {
            Some(metadata) if metadata.is_dir() => load(true, dot_git.join("info/exclude")),
            Some(_) => match self.common_directory(directory, &dot_git) {
                Some(common) => load(true, common.join("info/exclude")),
                None => Gitignore::empty(),
            },
            None => Gitignore::empty(),
        };
        let counts_git = has_git && self.files == IgnoreFiles::InRepositories;
        if ignore.is_empty() && gitignore.is_empty() && exclude.is_empty() && !counts_git {
            return above.cloned();
        }
        self.held.fetch_add(weight, Ordering::Relaxed);
        Some(Arc::new(Rules {
            is_in_repository: has_git || above.is_some_and(|above| above.is_in_repository),
            parent: above.cloned(),
            ignore,
            gitignore,
            exclude,
            has_git,
            _held: Held {
                weight,
                all: Arc::clone(&self.held),
            },
        }))
    }

    /// Finds the directory with the excludes of a linked work tree or a submodule, whose `.git` is a file.
    fn common_directory(&self, directory: &Path, dot_git: &Path) -> Option<PathBuf> {
        let text = self.read(dot_git)?;
        let first = lines(&text).next()?;
        let git_directory = directory.join(first.strip_prefix("gitdir: ")?);
        let text = self.read(&git_directory.join("commondir")).unwrap_or_default();
        Some(match lines(&text).next().filter(|common| !common.is_empty()) {
            Some(common) => git_directory.join(common),
            None => git_directory,
        })
    }

    /// Reads an ignore file. A link is judged by its target; the gate is about what a file tells, and a plain ignore file
    /// tells nobody anything.
    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        let open = || {
            let file = RegularFile::open(path)?;
            if file.real_path() != path && !self.gate.lets_read(file.real_path()) {
                return Err(ReadError::Withheld {
                    real: file.real_path().to_owned(),
                });
            }
            file.read(MAX_BYTES)
        };
        self.note(path, open())
    }

    /// Leaves out a file that could not be read; one that is not there is not missed.
    fn note(&self, path: &Path, read: Result<Vec<u8>, ReadError>) -> Option<Vec<u8>> {
        match read {
            Ok(bytes) => Some(bytes),
            Err(ReadError::Missing) => None,
            Err(error) => {
                self.leave_out(path, &error);
                None
            }
        }
    }

    /// Compiles rules that hold below a directory, and adds their weight.
    fn compile(&self, directory: &Path, path: &Path, bytes: &[u8], weight: &mut usize) -> Gitignore {
        let mut builder = GitignoreBuilder::new(directory);
        let mut own = 0;
        for line in lines(bytes) {
            own += self::weight(line);
            let held = self.held.load(Ordering::Relaxed) + *weight + own;
            if own > MAX_WEIGHT || held > MAX_WEIGHT_HELD {
                self.leave_out(path, &"it has too many rules with wildcards");
                return Gitignore::empty();
            }
            if let Err(error) = builder.add_line(None, line) {
                tracing::debug!(path = %path.display(), %error, "an ignore rule is left out");
            }
        }
        let _one_at_a_time =
            (own > HEAVY).then(|| self.compiling.lock().unwrap_or_else(PoisonError::into_inner));
        match builder.build() {
            Ok(rules) => {
                *weight += own;
                rules
            }
            Err(error) => {
                self.leave_out(path, &error);
                Gitignore::empty()
            }
        }
    }

    fn leave_out(&self, path: &Path, why: &dyn std::fmt::Display) {
        let mut left_out = self.left_out.lock().unwrap_or_else(PoisonError::into_inner);
        if left_out.len() < MAX_LEFT_OUT {
            left_out.push(LeftOut {
                path: path.to_owned(),
                why: why.to_string(),
            });
        }
    }

    pub(super) fn into_left_out(self) -> Vec<LeftOut> {
        let mut left_out = self.left_out.into_inner().unwrap_or_else(PoisonError::into_inner);
        left_out.sort();
        left_out.dedup();
        left_out
    }

    /// Says whether the rules ignore a path or bring it back; `None` when no rule is about it.
    pub(super) fn judge(&self, rules: Option<&Rules>, path: &Path, is_directory: bool) -> Option<bool> {
        let path = &*self.real(path);
        let everywhere = self.files == IgnoreFiles::Everywhere;
        let counts_git = everywhere || rules.is_some_and(|rules| rules.is_in_repository);
        let (mut ignore, mut gitignore, mut exclude) = (Match::None, Match::None, Match::None);
        let mut has_left_repository = false;
        let mut next = rules;
        while let Some(rules) = next {
            if ignore.is_none() {
                ignore = rules.ignore.matched(path, is_directory);
            }
            if counts_git && !has_left_repository {
                if gitignore.is_none() {
                    gitignore = rules.gitignore.matched(path, is_directory);
                }
                if exclude.is_none() {
                    exclude = rules.exclude.matched(path, is_directory);
                }
                has_left_repository = !everywhere && rules.has_git;
            }
            // Nothing counts more than a rule of `.ignore`.
            next = rules.parent.as_deref().filter(|_| ignore.is_none());
        }
        let global = || {
            if counts_git {
                self.global.matched(path, is_directory)
            } else {
                Match::None
            }
        };
        let found = [ignore, gitignore, exclude]
            .into_iter()
            .find(|found| !found.is_none());
        match found.unwrap_or_else(global) {
            Match::None => None,
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
        }
    }
}

/// The lines of an ignore file that are text, without the mark that some editors put before the first.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &str> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    bytes
        .split(|byte| *byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .filter_map(|line| std::str::from_utf8(line).ok())
}

/// Memory cost of a rule, in bytes of a plain name.
fn weight(line: &str) -> usize {
    let is_plain = |text: &str| !text.contains(['*', '?', '[', '{', '\\']);
    if line.is_empty() || line.starts_with('#') {
        0
    } else if is_plain(line.strip_prefix("*.").unwrap_or(line)) {
        line.len() + 1
    } else {
        (line.len() + 1) * WILDCARD_WEIGHT
    }
}
