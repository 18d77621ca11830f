//! Finds files for the screen, on threads of its own: it walks the project, looks up what fits, reads a few lines of a
//! file, and keeps what was picked.
//!
//! The walk honours ignore files and leaves out what is hidden, as `glob` does but for that; such a file is found only by
//! the beginning of its own path. What is known is answered at once, and again when the walk has found more. A list that
//! is older than a few seconds is walked anew when somebody asks, and serves until then.
//!
//! The thread that answers touches no file but its own: what looks anything up is a job of its own, so that a disk that does
//! not answer holds nothing else up. A walk that meets such a disk is given up, with what it has found; the next one leaves
//! out what did not answer, for as long as it does not. The screen hears of trouble as a sentence.

mod index;
mod jobs;
mod lookup;
mod walk;

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::frecency::Frecency;
use crate::tui::media::Media;
use index::Index;
use jobs::{FinderJob, FinderJobResult, FinderJobs, RunFinderJob};
use walk::WalkProgress;

/// From this age on a list is walked anew.
const FRESH: Duration = Duration::from_secs(5);
/// How long a question is worked on before what is known is told: half a frame.
const STEP: Duration = Duration::from_millis(8);
/// How often it is told again while more is found.
const AGAIN: Duration = Duration::from_millis(50);
/// How long a first answer waits for what is looked up in a directory.
const LISTING: Duration = Duration::from_millis(30);
/// More than anybody keeps in one project.
const MOST_PATHS: usize = 1_000_000;
/// Walks at once that were given up.
const MOST_LOST: usize = 4;

/// Requests of the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Request {
    /// Entries that were used.
    Recall,
    /// Paths that fit.
    Find { id: u64, text: String },
    /// The beginning of a file.
    Look(String),
    /// Checks if a pasted text names pictures and PDFs.
    Inspect(String),
    /// Something was picked; a command is used in every project.
    Used { name: String, is_command: bool },
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FinderAnswer {
    Uses(Frecency),
    Found(FoundPaths),
    Looked {
        path: String,
        text: String,
    },
    /// The files that a paste names; `None` where it is text. An error says why one is not attached.
    Inspected {
        pasted: String,
        media: Option<Result<Vec<Media>, String>>,
    },
    /// Something that was asked for is not found out, in words.
    Trouble(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundPaths {
    /// Of the request.
    pub(crate) id: u64,
    /// The best first; directories end with a slash.
    pub(crate) paths: Vec<String>,
}

/// Directories that paths begin in, and the file of scores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FinderPaths {
    pub(crate) directory: PathBuf,
    pub(crate) home: Option<PathBuf>,
    pub(crate) frecency_file: PathBuf,
}

/// The screen's end of it. The threads end when it is dropped.
pub(crate) struct Finder {
    pub(crate) places: FinderPaths,
    messages: Sender<Message>,
    answers: UnboundedReceiver<FinderAnswer>,
}

enum Message {
    Ask(Request),
    /// A walk has ended.
    Walked,
    Brought(FinderJob, FinderJobResult),
    /// The screen is gone.
    End,
}

impl Finder {
    pub(crate) fn start(places: FinderPaths) -> Self {
        Self::performing(places, FinderJob::perform)
    }

    fn performing(places: FinderPaths, perform: RunFinderJob) -> Self {
        let (messages, inbox) = channel();
        let (outbox, answers) = unbounded_channel();
        let work = FinderWorker::new(places.clone(), perform, messages.clone(), outbox.clone());
        let trouble = outbox.clone();
        let whole = move || {
            if catch_unwind(AssertUnwindSafe(|| work.run(&inbox))).is_err() {
                let words = "file completion stopped after an internal error; please report this";
                let _ = trouble.send(FinderAnswer::Trouble(words.to_owned()));
            }
        };
        let thread = thread::Builder::new().name("finder".to_owned());
        if let Err(error) = thread.spawn(whole) {
            let words = format!("files cannot be completed: no thread could be started ({error})");
            let _ = outbox.send(FinderAnswer::Trouble(words));
        }
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
    pub(crate) async fn next(&mut self) -> FinderAnswer {
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

struct FinderWorker {
    places: FinderPaths,
    messages: Sender<Message>,
    jobs: FinderJobs,
    outbox: UnboundedSender<FinderAnswer>,
    uses: Frecency,
    index: Index,
    walk: WalkStatus,
    /// Walks that were given up and have not ended.
    lost: Vec<Arc<WalkProgress>>,
    /// The newest question about paths.
    asked: Option<FinderQuery>,
    /// When it was answered last; never, where it is due.
    answered: Option<Instant>,
    /// The last answer, as the same is not told again.
    last_answer: Option<FoundPaths>,
    /// The ignore files that a walk did not obey, as they were told.
    told_left_out: Option<String>,
}

struct FinderQuery {
    id: u64,
    text: String,
    since: Instant,
    /// The paths that the text names by its own beginning, once they are known.
    own: Option<Vec<String>>,
}

enum WalkStatus {
    Never,
    /// Into a list of its own where there is one already.
    Running {
        fresh: Option<Index>,
        progress: Arc<WalkProgress>,
    },
    Ended(Instant),
}

impl FinderWorker {
    fn new(
        places: FinderPaths,
        perform: RunFinderJob,
        messages: Sender<Message>,
        outbox: UnboundedSender<FinderAnswer>,
    ) -> Self {
        Self {
            jobs: FinderJobs::new(places.clone(), perform, messages.clone()),
            places,
            messages,
            outbox,
            uses: Frecency::default(),
            index: Index::default(),
            walk: WalkStatus::Never,
            lost: Vec::new(),
            asked: None,
            answered: None,
            last_answer: None,
            told_left_out: None,
        }
    }

    fn run(mut self, inbox: &Receiver<Message>) {
        self.uses = Frecency::load(&self.places.frecency_file, &self.project());
        loop {
            // Only the newest question is worth an answer.
            for message in self.wait(inbox) {
                match message {
                    Message::Ask(Request::Find { id, text }) => self.find(id, text),
                    Message::Ask(request) => self.serve(request),
                    // What is to be seen of it is gathered in any case.
                    Message::Walked => {}
                    Message::Brought(job, brought) => self.finish_job(&job, brought),
                    Message::End => return self.stop_walk(),
                }
            }
            self.gather();
            self.answer();
        }
    }

    /// Waits until there is something to do.
    fn wait(&self, inbox: &Receiver<Message>) -> Vec<Message> {
        let first = if self.is_searching() {
            inbox.try_recv().ok()
        } else if let Some(left) = self.waits_for_listing() {
            inbox.recv_timeout(left).ok()
        } else if self.is_walking() {
            inbox.recv_timeout(AGAIN).ok()
        } else {
            inbox.recv().ok()
        };
        first.into_iter().chain(inbox.try_iter()).collect()
    }

    fn find(&mut self, id: u64, text: String) {
        self.walk_if_old();
        self.index.begin(&text);
        self.asked = Some(FinderQuery {
            id,
            text: text.clone(),
            since: Instant::now(),
            own: text.is_empty().then(Vec::new),
        });
        self.answered = None;
        self.last_answer = None;
        if !text.is_empty() {
            self.go(FinderJob::List { id, text });
        }
    }

    fn go(&mut self, job: FinderJob) {
        let gone = self.jobs.add(job);
        self.report(gone);
    }

    fn report(&self, done: Result<(), String>) {
        if let Err(words) = done {
            let _ = self.outbox.send(FinderAnswer::Trouble(words));
        }
    }

    fn finish_job(&mut self, job: &FinderJob, brought: FinderJobResult) {
        let gone = self.jobs.ended(job);
        self.report(gone);
        let answer = match brought {
            FinderJobResult::Listed { id, paths } => {
                if let Some(asked) = self.asked.as_mut().filter(|asked| asked.id == id) {
                    asked.own = Some(paths);
                    self.answered = None;
                }
                return;
            }
            FinderJobResult::Looked { text: None, .. } => return,
            FinderJobResult::Looked {
                path,
                text: Some(text),
            } => FinderAnswer::Looked { path, text },
            FinderJobResult::Inspected { pasted, media } => FinderAnswer::Inspected { pasted, media },
        };
        let _ = self.outbox.send(answer);
    }

    fn project(&self) -> String {
        self.places.directory.to_string_lossy().into_owned()
    }

    fn serve(&mut self, request: Request) {
        let answer = match request {
            Request::Recall => FinderAnswer::Uses(self.uses.clone()),
            Request::Look(path) => return self.go(FinderJob::Look(path)),
            Request::Inspect(pasted) => return self.go(FinderJob::Inspect(pasted)),
            Request::Used { name, is_command } => {
                self.uses.add(&name);
                let project = if is_command { String::new() } else { self.project() };
                if let Err(error) = Frecency::note(&self.places.frecency_file, &project, &name) {
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

    fn is_walking(&self) -> bool {
        matches!(self.walk, WalkStatus::Running { .. })
    }

    /// For how long nothing is told yet, as a directory is likely to be listed by then.
    fn waits_for_listing(&self) -> Option<Duration> {
        let asked = self.asked.as_ref().filter(|asked| asked.own.is_none())?;
        let is_first = self.answered.is_none();
        LISTING.checked_sub(asked.since.elapsed()).filter(|_| is_first)
    }

    /// Goes on with the newest question and tells what is known, at once and then every so often.
    fn answer(&mut self) {
        let Some(asked) = &self.asked else { return };
        self.index.step(STEP, &self.uses);
        if self.waits_for_listing().is_some() {
            return;
        }
        let is_whole = self.index.is_done() && asked.own.is_some();
        let is_last = is_whole && !self.is_walking();
        if !is_last && self.answered.is_some_and(|at| at.elapsed() < AGAIN) {
            return;
        }
        self.answered = Some(Instant::now());
        let mut paths = self.index.best();
        for path in asked.own.iter().flatten() {
            if !paths.contains(path) {
                paths.push(path.clone());
            }
        }
        let found = FoundPaths { id: asked.id, paths };
        if self.last_answer.as_ref() != Some(&found) {
            self.last_answer = Some(found.clone());
            let _ = self.outbox.send(FinderAnswer::Found(found));
        }
        if is_last {
            self.asked = None;
        }
    }

    /// Takes what the walk has found, and sees whether it goes on.
    fn gather(&mut self) {
        self.lost.retain(|walk| !walk.has_ended());
        let WalkStatus::Running { progress, .. } = &self.walk else {
            return;
        };
        let progress = Arc::clone(progress);
        // Asked before, as what is found until the end is then taken with the rest.
        let has_ended = progress.has_ended();
        self.add_paths(progress.take());
        if has_ended {
            self.report_left_out(&progress);
            self.walked();
        } else if progress.is_stuck() {
            self.give_up(progress);
        }
    }

    /// Goes on with what a walk has found that waits for a disk.
    fn give_up(&mut self, progress: Arc<WalkProgress>) {
        let words = progress.trouble();
        progress.stop();
        if !self.lost.iter().any(|lost| lost.trouble() == words) {
            self.report(Err(words));
        }
        self.lost.push(progress);
        self.walked();
    }

    /// Says once which ignore files a walk did not obey.
    fn report_left_out(&mut self, progress: &WalkProgress) {
        let words = progress.left_out();
        if let Some(words) = words.clone().filter(|_| words != self.told_left_out) {
            self.report(Err(words));
        }
        self.told_left_out = words;
    }

    fn add_paths(&mut self, paths: Vec<String>) {
        let WalkStatus::Running { fresh, progress } = &mut self.walk else {
            return;
        };
        let index = fresh.as_mut().unwrap_or(&mut self.index);
        index.add(paths);
        if index.len() >= MOST_PATHS {
            progress.stop();
        }
    }

    fn walked(&mut self) {
        if let WalkStatus::Running {
            fresh: Some(fresh), ..
        } = std::mem::replace(&mut self.walk, WalkStatus::Ended(Instant::now()))
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
            WalkStatus::Running { .. } => return,
            WalkStatus::Ended(at) if at.elapsed() < FRESH => return,
            WalkStatus::Ended(_) => Some(Index::default()),
            WalkStatus::Never => None,
        };
        let Some(without) = self.silent() else {
            return;
        };
        let progress = Arc::new(WalkProgress::new(&self.places.directory, without));
        if let Err(error) = walk::start(&progress, &self.messages) {
            let words = format!("the project's files are not listed: no thread could be started ({error})");
            self.report(Err(words));
        }
        // Its end is told even if it never began.
        self.walk = WalkStatus::Running { fresh, progress };
    }

    /// Returns the directories that a new walk leaves out, as they do not answer. `None` where it would be stuck all
    /// the same.
    fn silent(&self) -> Option<HashSet<PathBuf>> {
        if self.lost.len() >= MOST_LOST {
            return None;
        }
        let silent: Option<Vec<_>> = self.lost.iter().map(|walk| walk.silent()).collect();
        Some(silent?.into_iter().flatten().collect())
    }

    fn stop_walk(&self) {
        if let WalkStatus::Running { progress, .. } = &self.walk {
            progress.stop();
        }
    }
}

#[cfg(test)]
mod tests;
