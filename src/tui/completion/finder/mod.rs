//! Finds files for the screen, on threads of its own: it walks the project, looks up what fits, reads a few lines of a
//! file, and keeps what was picked.
//!
//! The walk honours ignore files and leaves out what is hidden, as `glob` does but for that; such a file is found only by
//! the beginning of its own path. What is known is answered at once, and again when the walk has found more. A list that
//! is older than a few seconds is walked anew when somebody asks, and serves until then.

mod index;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use ignore::{WalkBuilder, WalkState};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::uses::Uses;
use crate::tui::media::{self, Media};
use index::Index;

/// From this age on a list is walked anew.
const FRESH: Duration = Duration::from_secs(5);
/// How long a question is worked on before what is known is told: half a frame.
const STEP: Duration = Duration::from_millis(8);
/// How often it is told again while more is found.
const AGAIN: Duration = Duration::from_millis(50);
/// Paths that a walk hands over at once.
const BATCH: usize = 2000;
/// More than anybody keeps in one project.
const MOST_PATHS: usize = 1_000_000;
/// Entries of a directory that is named by its own path.
const MOST_ENTRIES: usize = 200;
/// What is read of a file to be looked at.
const LOOK_BYTES: u64 = 64 * 1024;

/// What the screen wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Request {
    /// What was used.
    Recall,
    /// Paths that fit.
    Find { id: u64, text: String },
    /// The beginning of a file.
    Look(String),
    /// Whether a paste is pictures and PDFs.
    Inspect(String),
    /// Something was picked; a command is used in every project.
    Used { name: String, is_command: bool },
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    Uses(Uses),
    Found(Found),
    Looked {
        path: String,
        text: String,
    },
    /// The files that a paste names; `None` where it is text. An error says why one is not attached.
    Inspected {
        pasted: String,
        media: Option<Result<Vec<Media>, String>>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// Of the request.
    pub(crate) id: u64,
    /// The best first; directories end with a slash.
    pub(crate) paths: Vec<String>,
}

/// Where paths begin and uses are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Places {
    pub(crate) directory: PathBuf,
    pub(crate) home: Option<PathBuf>,
    pub(crate) uses_file: PathBuf,
}

/// The screen's end of it. The threads end when it is dropped.
pub(crate) struct Finder {
    pub(crate) places: Places,
    messages: Sender<Message>,
    answers: UnboundedReceiver<Answer>,
}

enum Message {
    Ask(Request),
    Paths(Vec<String>),
    Walked,
    /// The screen is gone.
    End,
}

impl Finder {
    pub(crate) fn start(places: Places) -> Self {
        let (messages, inbox) = channel();
        let (outbox, answers) = unbounded_channel();
        let work = Work {
            places: places.clone(),
            messages: messages.clone(),
            outbox,
            uses: Uses::default(),
            index: Index::default(),
            walk: Walk::Never,
            asked: None,
            answered: None,
        };
        thread::spawn(move || work.run(&inbox));
        Self {
            places,
            messages,
            answers,
        }
    }

    pub(crate) fn ask(&self, request: Request) {
        // A finder that failed answers nothing; the screen goes on without it.
        let _ = self.messages.send(Message::Ask(request));
    }

    /// Waits for the next answer; forever when there is none.
    pub(crate) async fn next(&mut self) -> Answer {
        match self.answers.recv().await {
            Some(answer) => answer,
            None => std::future::pending().await,
        }
    }
}

impl Drop for Finder {
    fn drop(&mut self) {
        let _ = self.messages.send(Message::End);
    }
}

struct Work {
    places: Places,
    messages: Sender<Message>,
    outbox: UnboundedSender<Answer>,
    uses: Uses,
    index: Index,
    walk: Walk,
    /// The newest question about paths.
    asked: Option<Asked>,
    /// When it was answered last; never, where it is due.
    answered: Option<Instant>,
}

struct Asked {
    id: u64,
    text: String,
    /// What the text names by its own path.
    own: Vec<String>,
}

enum Walk {
    Never,
    /// Into a list of its own where there is one already.
    Running {
        fresh: Option<Index>,
        stop: Arc<AtomicBool>,
    },
    Ended(Instant),
}

impl Work {
    fn run(mut self, inbox: &Receiver<Message>) {
        self.uses = Uses::load(&self.places.uses_file, &self.project());
        loop {
            let message = if self.is_searching() {
                inbox.try_recv().ok()
            } else {
                match inbox.recv() {
                    Ok(message) => Some(message),
                    Err(_) => return,
                }
            };
            // Only the newest question is worth an answer.
            let messages: Vec<_> = message.into_iter().chain(inbox.try_iter()).collect();
            for message in messages {
                match message {
                    Message::Ask(Request::Find { id, text }) => {
                        self.walk_if_old();
                        self.index.begin(&text);
                        let own = by_own_path(&self.places, &text);
                        self.asked = Some(Asked { id, text, own });
                        self.answered = None;
                    }
                    Message::Ask(request) => self.serve(request),
                    Message::Paths(paths) => self.learn(paths),
                    Message::Walked => self.walked(),
                    Message::End => return self.stop_walk(),
                }
            }
            self.answer();
        }
    }

    fn project(&self) -> String {
        self.places.directory.to_string_lossy().into_owned()
    }

    fn serve(&mut self, request: Request) {
        let answer = match request {
            Request::Recall => Answer::Uses(self.uses.clone()),
            Request::Look(path) => match look(&self.places, &path) {
                Some(text) => Answer::Looked { path, text },
                None => return,
            },
            Request::Inspect(pasted) => {
                let media = inspect(&self.places, &pasted);
                Answer::Inspected { pasted, media }
            }
            Request::Used { name, is_command } => {
                self.uses.add(&name);
                let project = if is_command { String::new() } else { self.project() };
                if let Err(error) = Uses::note(&self.places.uses_file, &project, &name) {
                    tracing::warn!(%error, "what was picked could not be kept");
                }
                return;
            }
            Request::Find { .. } => return,
        };
        let _ = self.outbox.send(answer);
    }

    fn is_searching(&self) -> bool {
        self.asked.is_some() && !self.index.is_done()
    }

    /// Goes on with the newest question and tells what is known, at once and then every so often.
    fn answer(&mut self) {
        let Some(asked) = &self.asked else { return };
        self.index.step(STEP, &self.uses);
        let is_last = self.index.is_done() && !matches!(self.walk, Walk::Running { .. });
        if !is_last && self.answered.is_some_and(|at| at.elapsed() < AGAIN) {
            return;
        }
        self.answered = Some(Instant::now());
        let mut paths = self.index.best();
        for path in &asked.own {
            if !paths.contains(path) {
                paths.push(path.clone());
            }
        }
        let found = Found { id: asked.id, paths };
        let _ = self.outbox.send(Answer::Found(found));
        if is_last {
            self.asked = None;
        }
    }

    fn learn(&mut self, paths: Vec<String>) {
        let Walk::Running { fresh, stop } = &mut self.walk else {
            return;
        };
        let index = fresh.as_mut().unwrap_or(&mut self.index);
        index.add(paths);
        if index.len() >= MOST_PATHS {
            stop.store(true, Ordering::Relaxed);
        }
    }

    fn walked(&mut self) {
        if let Walk::Running {
            fresh: Some(fresh), ..
        } = std::mem::replace(&mut self.walk, Walk::Ended(Instant::now()))
        {
            self.index = fresh;
            if let Some(asked) = &self.asked {
                self.index.begin(&asked.text);
            }
        }
        self.answered = None;
    }

    fn walk_if_old(&mut self) {
        let fresh = match &self.walk {
            Walk::Running { .. } => return,
            Walk::Ended(at) if at.elapsed() < FRESH => return,
            Walk::Ended(_) => Some(Index::default()),
            Walk::Never => None,
        };
        let stop = Arc::new(AtomicBool::new(false));
        let (root, messages, stopped) = (
            self.places.directory.clone(),
            self.messages.clone(),
            Arc::clone(&stop),
        );
        thread::spawn(move || {
            walk(&root, &messages, &stopped);
            let _ = messages.send(Message::Walked);
        });
        self.walk = Walk::Running { fresh, stop };
    }

    fn stop_walk(&self) {
        if let Walk::Running { stop, .. } = &self.walk {
            stop.store(true, Ordering::Relaxed);
        }
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

/// Returns what a path names by its own beginning, hidden and ignored files too: what is in a directory that is written
/// out, or the one file of this very name.
fn by_own_path(places: &Places, text: &str) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    let (directory, begun) = match text.rfind('/') {
        Some(slash) => text.split_at(slash + 1),
        None => ("", text),
    };
    let Ok(entries) = fs::read_dir(absolute(places, directory)) else {
        return Vec::new();
    };
    let mut paths = Vec::new();
    for entry in entries.flatten() {
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let is_meant = if directory.is_empty() {
            name == begun
        } else {
            name.starts_with(begun) && (begun.starts_with('.') || !name.starts_with('.'))
        };
        if is_meant && name != ".git" {
            let end = if entry.path().is_dir() { "/" } else { "" };
            paths.push(format!("{directory}{name}{end}"));
        }
        if paths.len() >= MOST_ENTRIES {
            break;
        }
    }
    paths.sort_unstable();
    paths
}

/// Looks at the files that a paste names.
fn inspect(places: &Places, pasted: &str) -> Option<Result<Vec<Media>, String>> {
    let mut ways = media::pasted_paths(pasted).into_iter();
    ways.find_map(|paths| {
        let found = paths.iter().map(|path| media::inspect(&absolute(places, path)));
        let found: Option<Vec<_>> = found.collect();
        found.map(|files| files.into_iter().collect())
    })
}

/// Where a path leads that begins in the session's directory, at home or at the root.
fn absolute(places: &Places, path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), &places.home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => places.directory.join(path),
    }
}

/// Reads the beginning of a file; nothing where it is no text.
fn look(places: &Places, path: &str) -> Option<String> {
    let path = absolute(places, path);
    if path.is_dir() {
        let entries = fs::read_dir(&path).ok()?.flatten();
        let mut names: Vec<_> = entries
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        names.sort_unstable();
        names.truncate(MOST_ENTRIES);
        return Some(names.join("\n"));
    }
    // A FIFO would never answer.
    if !path.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    fs::File::open(&path)
        .ok()?
        .take(LOOK_BYTES)
        .read_to_end(&mut bytes)
        .ok()?;
    if bytes.contains(&0) {
        return None;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Place {
        dir: tempfile::TempDir,
    }

    impl Place {
        fn new(files: &[&str]) -> Self {
            let dir = tempfile::tempdir().unwrap();
            for file in files {
                let path = dir.path().join("project").join(file);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, format!("this is {file}\n")).unwrap();
            }
            Self { dir }
        }

        fn start(&self) -> Finder {
            Finder::start(Places {
                directory: self.dir.path().join("project"),
                home: None,
                uses_file: self.dir.path().join("state/uses.jsonl"),
            })
        }
    }

    /// Asks until the answer is right, as more is found while the walk goes on.
    async fn found(finder: &mut Finder, text: &str, expected: &[&str]) {
        let text = text.to_owned();
        finder.ask(Request::Find { id: 1, text });
        let mut last = Vec::new();
        let right = async {
            while last != expected {
                if let Answer::Found(found) = finder.next().await {
                    last = found.paths;
                }
            }
        };
        let in_time = tokio::time::timeout(Duration::from_secs(20), right).await;
        assert!(in_time.is_ok(), "{last:?}");
    }

    #[tokio::test]
    async fn files_and_directories_are_found_and_hidden_ones_by_their_own_path() {
        let place = Place::new(&[
            "src/a.rs",
            "src/net/b.rs",
            ".env",
            ".github/ci.yml",
            "target/x.rs",
            ".gitignore",
        ]);
        fs::write(place.dir.path().join("project/.gitignore"), "target\n").unwrap();
        let mut finder = place.start();
        found(&mut finder, "rs", &["src/a.rs", "src/net/b.rs"]).await;
        found(&mut finder, "net", &["src/net/", "src/net/b.rs"]).await;
        found(&mut finder, ".env", &[".env"]).await;
        found(&mut finder, ".github/", &[".github/ci.yml"]).await;
        found(&mut finder, "target/", &["target/x.rs"]).await;
    }

    #[tokio::test]
    async fn what_was_picked_comes_first_also_for_the_next_process() {
        let place = Place::new(&["a.rs", "b.rs"]);
        let mut finder = place.start();
        found(&mut finder, "rs", &["a.rs", "b.rs"]).await;
        finder.ask(Request::Used {
            name: "b.rs".to_owned(),
            is_command: false,
        });
        found(&mut finder, "rs", &["b.rs", "a.rs"]).await;
        drop(finder);
        found(&mut place.start(), "rs", &["b.rs", "a.rs"]).await;
    }

    #[tokio::test]
    async fn a_file_is_looked_at() {
        let place = Place::new(&["a.rs"]);
        let mut finder = place.start();
        finder.ask(Request::Look("a.rs".to_owned()));
        let Answer::Looked { path, text } = finder.next().await else {
            panic!("no look")
        };
        assert_eq!((&*path, &*text), ("a.rs", "this is a.rs\n"));
    }
}
