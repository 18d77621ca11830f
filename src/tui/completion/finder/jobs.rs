//! Jobs of the finder that touch files beside the walk, each on a thread of its own.
//!
//! A disk that does not answer holds up the job that asked it and no other. The same is not asked twice at once, and of
//! each sort no more than a few are under way: then the newest waits until one of them has ended, and those before it are
//! forgotten, as nobody wants to know any more.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};
use std::{io, thread};

use super::lookup::{by_own_path, inspect, look, split};
use super::{FinderPaths, Message};
use crate::tui::media::Media;

/// Maximum number of jobs of one kind at once.
const MOST: usize = 4;
/// Time after which a file system counts as not answering.
pub(super) const STUCK: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FinderJob {
    /// Paths that a text names by its own beginning, for the question of this number.
    List { id: u64, text: String },
    /// The beginning of a file.
    Look(String),
    /// Checks if a pasted text names files.
    Inspect(String),
}

/// The result of a job.
#[derive(Debug)]
pub(super) enum FinderJobResult {
    Listed {
        id: u64,
        paths: Vec<String>,
    },
    Looked {
        path: String,
        text: Option<String>,
    },
    Inspected {
        pasted: String,
        media: Option<Result<Vec<Media>, String>>,
    },
}

impl FinderJob {
    /// Says whether two would wait for the same.
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::List { text, .. }, Self::List { text: other, .. }) => split(text).0 == split(other).0,
            (Self::Look(path), Self::Look(other)) => path == other,
            (Self::Inspect(pasted), Self::Inspect(other)) => pasted == other,
            _ => false,
        }
    }

    fn is_of_sort(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    pub(super) fn perform(&self, places: &FinderPaths) -> FinderJobResult {
        self.result(Some(places))
    }

    /// Returns what the job finds; without places the empty result, for a job that could not be run.
    fn result(&self, places: Option<&FinderPaths>) -> FinderJobResult {
        match self {
            Self::List { id, text } => FinderJobResult::Listed {
                id: *id,
                paths: places.map_or_else(Vec::new, |places| by_own_path(places, text)),
            },
            Self::Look(path) => FinderJobResult::Looked {
                path: path.clone(),
                text: places.and_then(|places| look(places, path)),
            },
            Self::Inspect(pasted) => FinderJobResult::Inspected {
                pasted: pasted.clone(),
                media: places.and_then(|places| inspect(places, pasted)),
            },
        }
    }
}

/// Function that performs a job; tests replace it.
pub(super) type RunFinderJob = fn(&FinderJob, &FinderPaths) -> FinderJobResult;

pub(super) struct FinderJobs {
    places: Arc<FinderPaths>,
    perform: RunFinderJob,
    messages: Sender<Message>,
    running: Vec<RunningJob>,
    /// One of each sort at most.
    waiting: Vec<FinderJob>,
}

struct RunningJob {
    job: FinderJob,
    since: Instant,
    /// It was said that it does not answer.
    is_told: bool,
}

/// Sends the result of a job: nothing where it panicked or never began.
struct JobEnd {
    job: FinderJob,
    brought: Option<FinderJobResult>,
    messages: Sender<Message>,
}

impl Drop for JobEnd {
    fn drop(&mut self) {
        let brought = self.brought.take().unwrap_or_else(|| self.job.result(None));
        let _ = self.messages.send(Message::Brought(self.job.clone(), brought));
    }
}

impl FinderJobs {
    pub(super) fn new(places: FinderPaths, perform: RunFinderJob, messages: Sender<Message>) -> Self {
        Self {
            places: Arc::new(places),
            perform,
            messages,
            running: Vec::new(),
            waiting: Vec::new(),
        }
    }

    /// Starts a job as soon as possible. An error is a sentence for the person.
    pub(super) fn add(&mut self, job: FinderJob) -> Result<(), String> {
        let stuck = self.stuck(&job);
        self.waiting.retain(|waiting| !waiting.is_of_sort(&job));
        // Whoever asks the same while it is on its way has its answer soon.
        if matches!(job, FinderJob::List { .. }) || !self.is_running(&job) {
            self.waiting.push(job);
        }
        self.start()?;
        stuck.map_or(Ok(()), Err)
    }

    /// A job has ended: what waited for that begins.
    pub(super) fn ended(&mut self, job: &FinderJob) -> Result<(), String> {
        self.running.retain(|running| running.job != *job);
        self.start()
    }

    fn is_running(&self, job: &FinderJob) -> bool {
        self.running.iter().any(|running| running.job.is_like(job))
    }

    fn start(&mut self) -> Result<(), String> {
        let mut done = Ok(());
        for job in std::mem::take(&mut self.waiting) {
            let of_sort = self.running.iter().filter(|it| it.job.is_of_sort(&job));
            if of_sort.count() >= MOST || self.is_running(&job) {
                self.waiting.push(job);
                continue;
            }
            if let Err(error) = self.send(job.clone()) {
                done = Err(format!(
                    "files cannot be searched: no thread could be started ({error})"
                ));
                continue;
            }
            self.running.push(RunningJob {
                job,
                since: Instant::now(),
                is_told: false,
            });
        }
        done
    }

    /// Starts the thread of a job, which reports in any case.
    fn send(&self, job: FinderJob) -> io::Result<()> {
        let (places, perform) = (Arc::clone(&self.places), self.perform);
        let end = JobEnd {
            job,
            brought: None,
            messages: self.messages.clone(),
        };
        let go = move || {
            let mut end = end;
            end.brought = Some(perform(&end.job, &places));
        };
        let thread = thread::Builder::new().name("lookup".to_owned());
        thread.spawn(go).map(drop)
    }

    /// Says once that a directory does not answer which is asked about again.
    fn stuck(&mut self, job: &FinderJob) -> Option<String> {
        let FinderJob::List { text, .. } = job else {
            return None;
        };
        let is_stuck = |it: &&mut RunningJob| it.job.is_like(job) && it.since.elapsed() >= STUCK;
        let running = self.running.iter_mut().find(is_stuck)?;
        if std::mem::replace(&mut running.is_told, true) {
            return None;
        }
        let directory = match split(text).0 {
            "" => "the project's directory",
            directory => directory,
        };
        Some(format!("{directory} does not respond; its files are not listed"))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    fn never(_: &FinderJob, _: &FinderPaths) -> FinderJobResult {
        loop {
            thread::park();
        }
    }

    fn fails(_: &FinderJob, _: &FinderPaths) -> FinderJobResult {
        panic!("a job fails in a test")
    }

    fn places() -> FinderPaths {
        FinderPaths {
            directory: "/p".into(),
            home: None,
            frecency_file: "/p/uses".into(),
        }
    }

    #[test]
    fn a_job_that_panics_comes_back_with_nothing() {
        let (messages, inbox) = channel();
        let mut jobs = FinderJobs::new(places(), fails, messages);
        for _ in 0..2 * MOST {
            jobs.add(FinderJob::Look("a".to_owned())).unwrap();
            let Ok(Message::Brought(job, FinderJobResult::Looked { text: None, .. })) = inbox.recv() else {
                panic!("it did not come back")
            };
            jobs.ended(&job).unwrap();
            assert_eq!((jobs.running.len(), jobs.waiting.len()), (0, 0));
        }
    }

    #[test]
    fn a_directory_is_asked_once_at_a_time_and_is_named_when_it_does_not_answer() {
        let (messages, _inbox) = channel();
        let mut jobs = FinderJobs::new(places(), never, messages);
        let list = |jobs: &mut FinderJobs, text: &str| {
            let text = text.to_owned();
            jobs.add(FinderJob::List { id: 1, text })
        };
        assert_eq!(list(&mut jobs, "dead/a"), Ok(()));
        assert_eq!(list(&mut jobs, "dead/ab"), Ok(()), "it may still answer");
        assert_eq!((jobs.running.len(), jobs.waiting.len()), (1, 1));
        jobs.running[0].since -= STUCK;
        let words = "dead/ does not respond; its files are not listed";
        assert_eq!(list(&mut jobs, "dead/abc"), Err(words.to_owned()));
        assert_eq!(list(&mut jobs, "dead/abcd"), Ok(()), "it was said");
        for other in 0..2 * MOST {
            assert_eq!(list(&mut jobs, &format!("{other}/a")), Ok(()));
        }
        assert_eq!((jobs.running.len(), jobs.waiting.len()), (MOST, 1));
        let first = jobs.running[0].job.clone();
        jobs.ended(&first).unwrap();
        assert_eq!((jobs.running.len(), jobs.waiting.len()), (MOST, 0));
    }
}
