//! The walk through the project, on threads of its own.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::{io, thread};

use ignore::{WalkBuilder, WalkState};

use super::Message;

/// Paths that a walk hands over at once.
const BATCH: usize = 2000;

/// Begins a walk, which ends soon after it is told to stop. However it ends, [`Message::Walked`] says so.
pub(super) fn start(root: &Path, messages: &Sender<Message>, stop: &Arc<AtomicBool>) -> io::Result<()> {
    let (root, messages, stopped) = (root.to_owned(), messages.clone(), Arc::clone(stop));
    let end = End(messages.clone());
    let walk = move || {
        let _end = end;
        walk(&root, &messages, &stopped);
    };
    thread::Builder::new()
        .name("walk".to_owned())
        .spawn(walk)
        .map(drop)
}

/// Tells the end of a walk, also of one that panicked or never began.
struct End(Sender<Message>);

impl Drop for End {
    fn drop(&mut self) {
        let _ = self.0.send(Message::Walked);
    }
}

/// Paths of one thread of the walk, handed over in batches.
struct Batch<'a> {
    messages: &'a Sender<Message>,
    paths: Vec<String>,
}

impl Batch<'_> {
    fn push(&mut self, path: String) {
        self.paths.push(path);
        if self.paths.len() >= BATCH {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        let _ = self
            .messages
            .send(Message::Paths(std::mem::take(&mut self.paths)));
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        self.hand_over();
    }
}

fn walk(root: &Path, messages: &Sender<Message>, stopped: &AtomicBool) {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(4);
    let walker = WalkBuilder::new(root)
        .require_git(false)
        .follow_links(false)
        .threads(threads)
        .build_parallel();
    walker.run(|| {
        let mut batch = Batch {
            messages,
            paths: Vec::new(),
        };
        Box::new(move |entry| {
            if stopped.load(Ordering::Relaxed) {
                return WalkState::Quit;
            }
            let Ok(entry) = entry else {
                return WalkState::Continue;
            };
            let relative = entry.path().strip_prefix(root).ok();
            // Who names a file by its text cannot name one that is none.
            let Some(relative) = relative.and_then(Path::to_str).filter(|path| !path.is_empty()) else {
                return WalkState::Continue;
            };
            match entry.file_type() {
                Some(kind) if kind.is_dir() => batch.push(format!("{relative}/")),
                Some(kind) if kind.is_file() || kind.is_symlink() => batch.push(relative.to_owned()),
                _ => {}
            }
            WalkState::Continue
        })
    });
}
