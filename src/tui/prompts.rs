//! The history of prompts, on a thread of its own: the file has a lock that other lathes take too.
//!
//! Nothing is read before somebody looks for it. What is to be kept is written in the order in which it came; the end
//! waits for what is still to be written, and the lock has patience only for so long.

use std::path::PathBuf;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use tokio::sync::oneshot;

use super::composer::Draft;
use crate::store::{Prompt, Prompts};

/// One draft that was sent, or cleared away.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Written {
    pub(crate) draft: Draft,
    /// Where.
    pub(crate) project: PathBuf,
    pub(crate) unsent: bool,
}

enum Job {
    Keep(Prompt),
    Read(oneshot::Sender<Vec<Written>>),
}

/// Keeps and reads prompts. Without a file it keeps nothing and finds nothing.
pub(super) struct PromptKeeper {
    file: Option<Prompts>,
    work: Option<(mpsc::Sender<Job>, JoinHandle<()>)>,
    reading: Option<oneshot::Receiver<Vec<Written>>>,
}

impl PromptKeeper {
    pub(super) fn new(file: Option<Prompts>) -> Self {
        Self {
            file,
            work: None,
            reading: None,
        }
    }

    pub(super) fn keep(&mut self, written: &Written) {
        let draft = written.draft.stored();
        self.give(Job::Keep(Prompt::new(&written.project, draft, written.unsent)));
    }

    /// Has everything read; [`Self::read`] then returns it.
    pub(super) fn begin_reading(&mut self) {
        let (answer, reading) = oneshot::channel();
        self.give(Job::Read(answer));
        self.reading = Some(reading);
    }

    /// Waits for what is being read; forever where nothing is. Cancel safe.
    pub(super) async fn read(&mut self) -> Vec<Written> {
        match &mut self.reading {
            Some(reading) => {
                let prompts = reading.await.unwrap_or_default();
                self.reading = None;
                prompts
            }
            None => std::future::pending().await,
        }
    }

    /// Waits until everything is written.
    pub(super) fn finish(&mut self) {
        if let Some((jobs, thread)) = self.work.take() {
            drop(jobs);
            // A thread that panicked has told so itself.
            let _ = thread.join();
        }
    }

    fn give(&mut self, job: Job) {
        let Some(file) = &self.file else { return };
        if self.work.is_none() {
            let file = file.clone();
            let (jobs, given) = mpsc::channel();
            let thread = thread::Builder::new().name("prompts".to_owned());
            match thread.spawn(move || work(&file, &given)) {
                Ok(thread) => self.work = Some((jobs, thread)),
                Err(error) => tracing::warn!(%error, "no thread begins that keeps the history"),
            }
        }
        // Whoever waits for the answer of a thread that is gone finds nothing.
        if let Some((jobs, _)) = &self.work {
            let _ = jobs.send(job);
        }
    }
}

fn work(file: &Prompts, jobs: &mpsc::Receiver<Job>) {
    for job in jobs {
        match job {
            Job::Keep(prompt) => {
                if let Err(error) = file.add(&prompt) {
                    tracing::warn!(%error, "a prompt was not kept in the history");
                }
            }
            Job::Read(answer) => {
                // Nobody waits where the screen is gone.
                let _ = answer.send(file.read().into_iter().map(written).collect());
            }
        }
    }
}

fn written(prompt: Prompt) -> Written {
    Written {
        draft: Draft::from_stored(&prompt.draft),
        project: prompt.project,
        unsent: prompt.unsent,
    }
}
