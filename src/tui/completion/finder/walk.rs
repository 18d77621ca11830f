//! The walk through the project, on threads of its own.
//!
//! The paths that it finds lie in one place, from where the finder takes them every so often: a thread that waits for a
//! disk which does not answer holds back nothing of what the others find. Such a walk does not end. What it waits for
//! is known, as a directory is noted when it is met in its parent, and struck off once it was read itself.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use std::{io, thread};

use super::Message;
use super::jobs::STUCK;
use crate::tree_walk::{Entry, Flow, IgnoreFiles, LeftOut, Walk};

/// Threads of a walk, on any number of cores, so that one that waits for a disk is not the only one.
const THREADS: usize = 4;

/// Progress of a walk, shared by its threads and the finder.
pub(super) struct WalkProgress {
    root: PathBuf,
    /// Directories that it leaves out.
    without: HashSet<PathBuf>,
    is_stopped: AtomicBool,
    state: Mutex<WalkState>,
}

struct WalkState {
    /// Paths that were not taken yet.
    found: Vec<String>,
    /// Directories that were met and not read yet.
    unread: HashSet<PathBuf>,
    /// When anything was met last.
    heard: Instant,
    /// Ignore files whose rules were not applied, at the end of the walk.
    left_out: Vec<LeftOut>,
    has_ended: bool,
}

impl WalkProgress {
    pub(super) fn new(root: &Path, without: HashSet<PathBuf>) -> Self {
        let state = WalkState {
            found: Vec::new(),
            unread: HashSet::from([root.to_owned()]),
            heard: Instant::now(),
            left_out: Vec::new(),
            has_ended: false,
        };
        Self {
            root: root.to_owned(),
            without,
            is_stopped: AtomicBool::new(false),
            state: Mutex::new(state),
        }
    }

    /// Has the walk end soon, where it does not wait for a disk.
    pub(super) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Takes what was found since it was asked last.
    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.state().found)
    }

    pub(super) fn has_ended(&self) -> bool {
        self.state().has_ended
    }

    /// Says whether nothing was met for so long that a disk does not answer.
    pub(super) fn is_stuck(&self) -> bool {
        let state = self.state();
        !state.has_ended && state.heard.elapsed() >= STUCK
    }

    /// The directories in the project that a stuck walk waits for, where they are known. When every thread waits they are
    /// not: others that none has come to are among those that were not read.
    pub(super) fn silent(&self) -> Option<HashSet<PathBuf>> {
        let state = self.state();
        let is_known = (1..=THREADS).contains(&state.unread.len()) && !state.unread.contains(&self.root);
        is_known.then(|| state.unread.clone())
    }

    /// Returns in words which directory a stuck walk waits for.
    pub(super) fn trouble(&self) -> String {
        if self.state().unread.contains(&self.root) {
            return "the project's directory does not respond; its files are not listed".to_owned();
        }
        let Some(silent) = self.silent() else {
            return "some directories of the project do not respond; their files are not listed".to_owned();
        };
        let name = |path: &PathBuf| {
            let relative = path.strip_prefix(&self.root).unwrap_or(path);
            format!("{}/", relative.display())
        };
        let mut names: Vec<_> = silent.iter().map(name).collect();
        names.sort_unstable();
        match names.as_slice() {
            [name] => format!("{name} does not respond; its files are not listed"),
            names => format!("{} do not respond; their files are not listed", names.join(", ")),
        }
    }

    /// Names the ignore files that were left out; `None` where there are none.
    pub(super) fn left_out(&self) -> Option<String> {
        let state = self.state();
        let first = state.left_out.first()?;
        let name = first.path.strip_prefix(&self.root).unwrap_or(&first.path);
        let more = match state.left_out.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        Some(format!(
            "the rules of {} are left out: {}{more}",
            name.display(),
            first.why
        ))
    }

    fn state(&self) -> MutexGuard<'_, WalkState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what is met in a directory; says whether the walk goes there.
    fn meet(&self, entry: &Entry) -> bool {
        if self.without.contains(entry.path()) {
            return false;
        }
        let mut state = self.state();
        state.heard = Instant::now();
        if entry.is_directory() {
            state.unread.insert(entry.path().to_owned());
        }
        true
    }

    /// Keeps what the walk has come to: a file, or a directory that is read by now.
    fn visit(&self, entry: &Entry) {
        let name = self.name(entry);
        let mut state = self.state();
        state.heard = Instant::now();
        if entry.is_directory() {
            state.unread.remove(entry.path());
        }
        state.found.extend(name);
    }

    fn name(&self, entry: &Entry) -> Option<String> {
        let relative = entry.path().strip_prefix(&self.root).ok()?;
        // Who names a file by its text cannot name one that is none.
        let relative = relative.to_str().filter(|path| !path.is_empty())?;
        if entry.is_directory() {
            Some(format!("{relative}/"))
        } else {
            (entry.is_file() || entry.is_link()).then(|| relative.to_owned())
        }
    }

    fn end(&self) {
        self.state().has_ended = true;
    }
}

/// Begins a walk. However it ends, its progress says so, and [`Message::Walked`] that there is something to see.
pub(super) fn start(progress: &Arc<WalkProgress>, messages: &Sender<Message>) -> io::Result<()> {
    let end = WalkEndNotice {
        progress: Arc::clone(progress),
        messages: messages.clone(),
    };
    let progress = Arc::clone(progress);
    let go = move || {
        let _end = end;
        walk(&progress);
    };
    thread::Builder::new().name("walk".to_owned()).spawn(go).map(drop)
}

/// Tells the end of a walk, also of one that panicked or never began.
struct WalkEndNotice {
    progress: Arc<WalkProgress>,
    messages: Sender<Message>,
}

impl Drop for WalkEndNotice {
    fn drop(&mut self) {
        self.progress.end();
        let _ = self.messages.send(Message::Walked);
    }
}

fn walk(progress: &WalkProgress) {
    let walk = Walk {
        root: &progress.root,
        ignore_files: IgnoreFiles::Everywhere,
        skips_hidden: true,
        follows_links: false,
        max_depth: usize::MAX,
        threads: THREADS,
        // The list is for the person; nothing of an ignore file is in it.
        gate: &|_: &Path| true,
    };
    let visitor = || {
        |entry: io::Result<&Entry>| {
            if progress.is_stopped.load(Ordering::Relaxed) {
                return Flow::Stop;
            }
            if let Ok(entry) = entry {
                progress.visit(entry);
            }
            Flow::Continue
        }
    };
    let left_out = walk.run(&|entry| progress.meet(entry), visitor);
    progress.state().left_out = left_out;
}

#[cfg(test)]
impl WalkProgress {
    /// A walk that has found something and waits for directories since long.
    pub(super) fn stuck(root: &Path, found: &[&str], unread: &[&str]) -> Self {
        let progress = Self::new(root, HashSet::new());
        let mut state = progress.state();
        state.found = found.iter().map(|&path| path.to_owned()).collect();
        state.unread = unread.iter().map(|path| root.join(path)).collect();
        state.heard -= STUCK;
        drop(state);
        progress
    }

    pub(super) fn answers_at_last(&self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_walk_leaves_no_directory_unread_but_those_that_it_leaves_out() {
        let dir = tempfile::tempdir().unwrap();
        for path in ["a/b", "dead"] {
            fs::create_dir_all(dir.path().join(path)).unwrap();
            fs::write(dir.path().join(path).join("file"), "").unwrap();
        }
        let without = HashSet::from([dir.path().join("dead")]);
        let progress = Arc::new(WalkProgress::new(dir.path(), without));
        walk(&progress);
        let mut found = progress.take();
        found.sort_unstable();
        assert_eq!(found, ["a/", "a/b/", "a/b/file"]);
        assert!(progress.state().unread.is_empty());
    }

    #[test]
    fn a_stuck_walk_names_what_it_waits_for_as_far_as_that_is_known() {
        let words = |unread: &[&str]| WalkProgress::stuck(Path::new("/p"), &[], unread).trouble();
        assert_eq!(
            words(&["a/dead"]),
            "a/dead/ does not respond; its files are not listed"
        );
        assert_eq!(
            words(&["y", "x"]),
            "x/, y/ do not respond; their files are not listed"
        );
        let unknown = "some directories of the project do not respond; their files are not listed";
        assert_eq!(words(&["1", "2", "3", "4", "5"]), unknown);
        assert_eq!(words(&[]), unknown);
        assert_eq!(
            words(&[""]),
            "the project's directory does not respond; its files are not listed"
        );
    }
}
