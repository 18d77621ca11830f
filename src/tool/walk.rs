//! Walking a tree for the search tools: what is ignored, what is wanted, when to stop.
//!
//! `.gitignore`, `.ignore` and global excludes are honoured, hidden files are included, `.git` never is, symbolic links
//! are not followed. An ignore file that cannot be read is named in the answer.

mod threads;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use tokio_util::sync::CancellationToken;
use unicode_normalization::UnicodeNormalization as _;

use self::threads::ThreadShare;
use super::file_name::one_line;
use super::{Output, ToolCx, ToolError, plural};
use crate::conversation::ErrorKind;
use crate::files::{Resolved, Roots};
use crate::regular_file::FileGate;
use crate::tree_walk::{Entry, Flow, IgnoreFiles, LeftOut, Walk};

pub use threads::SearchThreads;

const MAX_DEPTH: usize = 64;
/// Longest glob in bytes.
const MAX_GLOB_BYTES: usize = 4096;
/// Ignore files that an answer names when they were left out.
const MAX_NOTICES: usize = 3;

/// Patterns for files: without `/` they match a name at any depth, with one the path from where the search began. One that
/// begins with `/` may also be an absolute path.
#[derive(Debug, Default)]
pub(super) struct Globs {
    relative: GlobSets,
    absolute: GlobSets,
    /// Absolute paths of where the search began, for the absolute ones.
    bases: Vec<PathBuf>,
    has_include: bool,
}

#[derive(Debug, Default)]
struct GlobSets {
    include: GlobSet,
    exclude: GlobSet,
    /// Directories below which everything is excluded, so that nobody has to look there.
    pruned: GlobSet,
}

impl Globs {
    /// The globs of a search that begins in a directory. Whoever spells that directory out in a glob means what is below.
    pub(super) fn below(path: &Resolved, include: &[String], exclude: &[String]) -> Result<Self, ToolError> {
        Self::at(path, include, exclude, &[])
    }

    /// Leaves out directories of these names at any depth below a directory, and what the globs mean.
    pub(super) fn without_directories(
        path: &Resolved,
        names: &[&str],
        exclude: &[String],
    ) -> Result<Self, ToolError> {
        Self::at(path, &[], exclude, names)
    }

    fn at(
        path: &Resolved,
        include: &[String],
        exclude: &[String],
        directories: &[&str],
    ) -> Result<Self, ToolError> {
        let bases = [&path.absolute, &path.real];
        let prefixes = bases.map(|base| base.to_string_lossy());
        let from_base = |globs: &[String]| -> Vec<String> {
            let globs = globs.iter().map(|glob| without_base(glob, &prefixes));
            globs.map(|glob| with_literal_names(&glob, &path.real)).collect()
        };
        let mut building = FilterBuilder::of(&from_base(include), &from_base(exclude))?;
        for name in directories {
            building.relative.pruned.add(glob(&format!("**/{name}"), name)?);
        }
        let mut globs = building.build()?;
        globs.bases = bases.map(PathBuf::clone).to_vec();
        globs.bases.dedup();
        Ok(globs)
    }

    /// Returns true if a file is wanted; `relative` is its path from where the search began.
    pub(super) fn matches(&self, relative: &Path) -> bool {
        let relative = &*composed(relative);
        (!self.has_include || self.any(relative, |sets| &sets.include))
            && !self.any(relative, |sets| &sets.exclude)
    }

    /// Returns true if nothing below a directory can be wanted.
    fn prunes(&self, relative: &Path) -> bool {
        let relative = &*composed(relative);
        self.any(relative, |sets| &sets.pruned)
    }

    fn any(&self, relative: &Path, set: impl Fn(&GlobSets) -> &GlobSet) -> bool {
        let absolute = set(&self.absolute);
        let is_absolute = |base: &PathBuf| absolute.is_match(base.join(relative));
        set(&self.relative).is_match(relative) || (!absolute.is_empty() && self.bases.iter().any(is_absolute))
    }
}

/// Returns a path with its letters composed: one name may be written in two ways.
fn composed(path: &Path) -> Cow<'_, Path> {
    match path.to_str().filter(|text| !text.is_ascii()) {
        Some(text) => Cow::Owned(text.nfc().collect::<String>().into()),
        None => Cow::Borrowed(path),
    }
}

/// Escapes the names of a glob that are there as they are written: `src/app/[id]/*.tsx` means the directory `[id]` where
/// there is one.
fn with_literal_names(glob: &str, base: &Path) -> String {
    if !glob.contains('[') {
        return glob.to_owned();
    }
    let (sign, pattern) = match glob.strip_prefix('!') {
        Some(pattern) => ("!", pattern),
        None => ("", glob),
    };
    let mut at = Some(base.to_path_buf());
    let names = pattern.split('/').map(|name| {
        let place = at.as_ref().map(|at| at.join(name));
        let is_there = place
            .as_ref()
            .is_some_and(|place| place.symlink_metadata().is_ok());
        at = place.filter(|_| is_there);
        if is_there && name.contains('[') {
            globset::escape(name)
        } else {
            name.to_owned()
        }
    });
    format!("{sign}{}", names.collect::<Vec<_>>().join("/"))
}

/// Takes the directory where the search begins off a glob that spells it out.
fn without_base(glob: &str, prefixes: &[Cow<'_, str>]) -> String {
    let (sign, pattern) = match glob.strip_prefix('!') {
        Some(pattern) => ("!", pattern),
        None => ("", glob),
    };
    let below = prefixes
        .iter()
        .find_map(|prefix| pattern.strip_prefix(prefix.as_ref()));
    match below.filter(|below| below.starts_with('/')) {
        Some(below) => format!("{sign}{below}"),
        None => glob.to_owned(),
    }
}

#[derive(Default)]
struct FilterBuilder {
    relative: GlobSetBuilders,
    absolute: GlobSetBuilders,
    has_include: bool,
}

struct GlobSetBuilders {
    include: GlobSetBuilder,
    exclude: GlobSetBuilder,
    pruned: GlobSetBuilder,
}

impl Default for GlobSetBuilders {
    fn default() -> Self {
        Self {
            include: GlobSetBuilder::new(),
            exclude: GlobSetBuilder::new(),
            pruned: GlobSetBuilder::new(),
        }
    }
}

impl FilterBuilder {
    /// A leading `!` turns an `include` into an exclusion.
    fn of(include: &[String], exclude: &[String]) -> Result<Self, ToolError> {
        let mut building = Self::default();
        for pattern in include.iter().filter(|pattern| !pattern.is_empty()) {
            match pattern.strip_prefix('!') {
                Some(pattern) => building.exclude(pattern)?,
                None => building.include(pattern)?,
            }
        }
        for pattern in exclude.iter().filter(|pattern| !pattern.is_empty()) {
            building.leave_out(pattern)?;
        }
        Ok(building)
    }

    fn include(&mut self, pattern: &str) -> Result<(), ToolError> {
        self.relative.include(&anchored(pattern), pattern)?;
        if pattern.starts_with('/') {
            self.absolute.include(pattern, pattern)?;
        }
        self.has_include = true;
        Ok(())
    }

    /// Takes a pattern of the parameter for exclusions, where `node_modules/` means any directory of that name.
    fn leave_out(&mut self, pattern: &str) -> Result<(), ToolError> {
        let pattern = pattern.strip_prefix('!').unwrap_or(pattern);
        match pattern.strip_suffix('/') {
            Some(name) if !name.is_empty() && !name.contains('/') => self.exclude(&format!("**/{pattern}")),
            _ => self.exclude(pattern),
        }
    }

    fn exclude(&mut self, pattern: &str) -> Result<(), ToolError> {
        self.relative.exclude(&anchored(pattern), pattern)?;
        if pattern.starts_with('/') {
            self.absolute.exclude(pattern, pattern)?;
        }
        Ok(())
    }

    fn build(self) -> Result<Globs, ToolError> {
        Ok(Globs {
            relative: self.relative.build()?,
            absolute: self.absolute.build()?,
            bases: Vec::new(),
            has_include: self.has_include,
        })
    }
}

impl GlobSetBuilders {
    fn include(&mut self, whole: &str, given: &str) -> Result<(), ToolError> {
        match whole.strip_suffix('/') {
            Some(directory) => self.include.add(glob(&format!("{directory}/**"), given)?),
            None => self.include.add(glob(whole, given)?),
        };
        Ok(())
    }

    /// Excludes a pattern with everything below it.
    fn exclude(&mut self, whole: &str, given: &str) -> Result<(), ToolError> {
        let directory = whole.strip_suffix("/**").or_else(|| whole.strip_suffix('/'));
        if let Some(directory) = directory.filter(|directory| !directory.is_empty()) {
            self.exclude.add(glob(&format!("{directory}/**"), given)?);
            self.pruned.add(glob(directory, given)?);
        } else {
            let itself = glob(whole, given)?;
            self.pruned.add(itself.clone());
            self.exclude.add(itself);
        }
        Ok(())
    }

    fn build(self) -> Result<GlobSets, ToolError> {
        Ok(GlobSets {
            include: build(&self.include)?,
            exclude: build(&self.exclude)?,
            pruned: build(&self.pruned)?,
        })
    }
}

/// Writes a pattern as one for the whole path from where the search began.
fn anchored(pattern: &str) -> String {
    if pattern.contains('/') {
        pattern
            .trim_start_matches("./")
            .trim_start_matches('/')
            .to_owned()
    } else {
        format!("**/{pattern}")
    }
}

fn glob(text: &str, given: &str) -> Result<Glob, ToolError> {
    if given.len() > MAX_GLOB_BYTES {
        let message = format!(
            "a glob has {} bytes, and one may have {MAX_GLOB_BYTES}",
            given.len()
        );
        return Err(ToolError::new(ErrorKind::Parse, message).hint("Give several globs."));
    }
    let text: String = text.nfc().collect();
    GlobBuilder::new(&text)
        .literal_separator(true)
        .build()
        .map_err(|error| {
            ToolError::new(
                ErrorKind::Parse,
                format!("`{given}` is not a glob: {}", error.kind()),
            )
            .hint("Use `*`, `**`, `?`, `[..]` and `{a,b}`.")
        })
}

fn build(set: &GlobSetBuilder) -> Result<GlobSet, ToolError> {
    set.build().map_err(|error| {
        ToolError::new(
            ErrorKind::Parse,
            format!("the globs cannot be used together: {error}"),
        )
    })
}

/// Splits at commas outside of braces and brackets: `*.rs,*.{ts,tsx}` are two.
pub(super) fn split_globs(text: &str) -> Vec<String> {
    let mut globs = vec![String::new()];
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                globs.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = globs.last_mut() {
            last.push(c);
        }
    }
    globs
        .iter()
        .map(|glob| glob.trim().to_owned())
        .filter(|glob| !glob.is_empty())
        .collect()
}

/// When a search gives up.
#[derive(Debug, Clone)]
pub(super) struct SearchLimit {
    deadline: Instant,
    timeout: Duration,
    cancel: CancellationToken,
    threads: SearchThreads,
}

impl SearchLimit {
    pub(super) fn new(timeout: Duration, cancel: CancellationToken, threads: SearchThreads) -> Self {
        Self {
            deadline: Instant::now() + timeout,
            timeout,
            cancel,
            threads,
        }
    }

    /// The limit of a call.
    pub(super) fn of(cx: &ToolCx) -> Self {
        let services = &cx.services;
        Self::new(
            services.settings.search.timeout,
            cx.cancel.clone(),
            services.tree.search_threads.clone(),
        )
    }

    /// Takes up to `wanted` threads; `None` when the search is over before one is free.
    pub(super) fn threads(&self, wanted: usize) -> Option<ThreadShare> {
        self.threads.take(wanted, self)
    }

    pub(super) fn is_over(&self) -> bool {
        self.cancel.is_cancelled() || Instant::now() >= self.deadline
    }

    /// Somebody stopped the call.
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Marks an answer that is not whole: its last line says so, and one that was cancelled is not ok.
    pub(super) fn mark<D>(&self, output: &mut Output<D>, end: &WalkEnd) {
        if !end.stopped {
            return;
        }
        if self.is_cancelled() {
            output.text = format!("Error: cancelled; this was found until then\n\n{}", output.text);
            output.failure = Some(ErrorKind::Cancelled);
        } else {
            let seconds = self.timeout.as_millis() as f64 / 1000.0;
            let _ = write!(
                output.text,
                "\n(stopped after {seconds} s; results are incomplete)"
            );
        }
    }
}

/// How a walk ended.
#[derive(Debug, Clone, Default)]
pub(super) struct WalkEnd {
    /// Before everything was seen: out of time, or cancelled.
    pub(super) stopped: bool,
    /// Entries that could not be read.
    pub(super) unreadable: usize,
    /// Ignore files whose rules were not applied.
    pub(super) left_out: Vec<LeftOut>,
}

impl WalkEnd {
    pub(super) fn timed_out(&self, limit: &SearchLimit) -> bool {
        self.stopped && !limit.is_cancelled()
    }

    /// Adds what another walk of the same search came to.
    pub(super) fn add(&mut self, other: Self) {
        self.stopped |= other.stopped;
        self.unreadable += other.unreadable;
        for left_out in other.left_out {
            if !self.left_out.contains(&left_out) {
                self.left_out.push(left_out);
            }
        }
    }

    /// One line for each ignore file that was left out, up to a few.
    pub(super) fn notices(&self, roots: &Roots) -> Vec<String> {
        let named = self.left_out.iter().take(MAX_NOTICES).map(|left_out| {
            let name = roots.display(&left_out.path);
            format!(
                "(the rules of {} are left out: {})",
                one_line(&name),
                one_line(&left_out.why)
            )
        });
        let mut notices: Vec<String> = named.collect();
        match self.left_out.len().saturating_sub(MAX_NOTICES) {
            0 => {}
            more => notices.push(format!(
                "(the rules of {} are left out too)",
                plural(more, "more file")
            )),
        }
        notices
    }
}

/// Findings of several threads: each fills results of its own, and no lock is taken before that one is bound.
#[derive(Debug)]
pub(super) struct ThreadedResults<T>(Mutex<Vec<T>>);

pub(super) struct ThreadResults<'a, T> {
    collected: &'a ThreadedResults<T>,
    items: Vec<T>,
}

impl<T> ThreadedResults<T> {
    pub(super) fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    pub(super) fn thread_results(&self) -> ThreadResults<'_, T> {
        ThreadResults {
            collected: self,
            items: Vec::new(),
        }
    }

    pub(super) fn into_vec(self) -> Vec<T> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> ThreadResults<'_, T> {
    pub(super) fn push(&mut self, item: T) {
        self.items.push(item);
    }
}

impl<T> Drop for ThreadResults<'_, T> {
    fn drop(&mut self) {
        let mut all = self.collected.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.append(&mut self.items);
    }
}

/// The file that a visit is called with.
pub(super) struct VisitedFile<'a> {
    pub(super) entry: &'a Entry,
    /// From where the walk began.
    pub(super) relative: &'a Path,
}

/// A tree that is searched.
pub(super) struct SearchTree<'a> {
    pub(super) root: &'a Path,
    pub(super) globs: &'a Globs,
    pub(super) limit: &'a SearchLimit,
    /// Judges ignore files that are links.
    pub(super) gate: &'a (dyn FileGate + Sync),
}

impl SearchTree<'_> {
    /// Visits every wanted file on several threads, in no order. `visitor` makes one visit function a thread.
    pub(super) fn files<V>(&self, visitor: impl Fn() -> V) -> WalkEnd
    where
        V: FnMut(&VisitedFile<'_>) + Send,
    {
        self.entries(|| {
            let mut visit = visitor();
            move |found: &VisitedFile<'_>| {
                if found.entry.is_file() && self.globs.matches(found.relative) {
                    visit(found);
                }
            }
        })
    }

    /// Visits every entry that no exclusion cuts off, directories too.
    pub(super) fn entries<V>(&self, visitor: impl Fn() -> V) -> WalkEnd
    where
        V: FnMut(&VisitedFile<'_>) + Send,
    {
        let (root, limit) = (self.root, self.limit);
        // `.git` is never looked into, by whatever way one gets there.
        if root.components().any(|part| part.as_os_str() == ".git") {
            return WalkEnd::default();
        }
        let wanted = std::thread::available_parallelism().map_or(2, usize::from);
        let Some(threads) = limit.threads(wanted) else {
            return WalkEnd {
                stopped: true,
                ..WalkEnd::default()
            };
        };
        let stopped = AtomicBool::new(false);
        let unreadable = AtomicUsize::new(0);
        let walk = Walk {
            max_depth: MAX_DEPTH,
            threads: threads.count(),
            ..Walk::whole(root, IgnoreFiles::Everywhere, self.gate)
        };
        let enters = |entry: &Entry| {
            let relative = entry.path().strip_prefix(root);
            let is_pruned = || relative.is_ok_and(|relative| self.globs.prunes(relative));
            entry.name() != ".git" && !(entry.is_directory() && is_pruned())
        };
        let left_out = walk.run(&enters, || {
            let mut visit = visitor();
            let (stopped, unreadable) = (&stopped, &unreadable);
            move |entry: io::Result<&Entry>| {
                if limit.is_over() {
                    stopped.store(true, Ordering::Relaxed);
                    return Flow::Stop;
                }
                match entry {
                    Ok(entry) if entry.depth() > 0 => visit(&VisitedFile {
                        entry,
                        relative: entry.path().strip_prefix(root).unwrap_or(entry.path()),
                    }),
                    Ok(_) => {}
                    Err(_) => {
                        unreadable.fetch_add(1, Ordering::Relaxed);
                    }
                }
                Flow::Continue
            }
        });
        WalkEnd {
            stopped: stopped.into_inner(),
            unreadable: unreadable.into_inner(),
            left_out,
        }
    }
}

#[cfg(test)]
mod tests;
