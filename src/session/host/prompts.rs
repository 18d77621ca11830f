//! The history of prompts, on a thread of its own: the file has a lock that other lathes take too.
//!
//! Nothing is read before somebody looks for it. What is to be kept is written in the order in which it came; the end
//! waits for what is still to be written, and the lock has patience only for so long.

use std::path::Path;
use std::sync::{Mutex, mpsc};
use std::thread::{self, JoinHandle};

use super::lock;
use crate::store::{Prompt, Prompts};

enum Job {
    Keep(Prompt),
    Read(mpsc::Sender<Vec<Prompt>>),
}

/// Keeps and reads prompts. Without a file it keeps nothing and finds nothing.
pub(super) struct PromptHistory {
    file: Option<Prompts>,
    work: Mutex<Option<(mpsc::Sender<Job>, JoinHandle<()>)>>,
}

impl PromptHistory {
    pub(super) fn new(state_dir: Option<&Path>) -> Self {
        Self {
            file: state_dir.map(Prompts::new),
            work: Mutex::default(),
        }
    }

    pub(super) fn keep(&self, prompt: Prompt) {
        self.give(Job::Keep(prompt));
    }

    /// Reads all of them, the oldest first. Blocks.
    pub(super) fn read(&self) -> Vec<Prompt> {
        let (answer, prompts) = mpsc::channel();
        self.give(Job::Read(answer));
        // Where nothing is kept, or the thread is gone, there is nobody to answer.
        prompts.recv().unwrap_or_default()
    }

    /// Waits until everything is written.
    pub(super) fn finish(&self) {
        let work = lock(&self.work).take();
        if let Some((jobs, thread)) = work {
            drop(jobs);
            // A thread that panicked has told so itself.
            let _ = thread.join();
        }
    }

    fn give(&self, job: Job) {
        let Some(file) = &self.file else { return };
        let mut work = lock(&self.work);
        if work.is_none() {
            let file = file.clone();
            let (jobs, given) = mpsc::channel();
            let thread = thread::Builder::new().name("prompts".to_owned());
            match thread.spawn(move || perform(&file, &given)) {
                Ok(thread) => *work = Some((jobs, thread)),
                Err(error) => tracing::warn!(%error, "no thread begins that keeps the history"),
            }
        }
        // Whoever waits for the answer of a thread that is gone finds nothing.
        if let Some((jobs, _)) = &*work {
            let _ = jobs.send(job);
        }
    }
}

fn perform(file: &Prompts, jobs: &mpsc::Receiver<Job>) {
    for job in jobs {
        match job {
            Job::Keep(prompt) => {
                if let Err(error) = file.add(&prompt) {
                    tracing::warn!(%error, "a prompt was not kept in the history");
                }
            }
            Job::Read(answer) => {
                // Nobody waits where the front end is gone.
                let _ = answer.send(file.read());
            }
        }
    }
}
