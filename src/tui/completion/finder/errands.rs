//! Errands of the finder: what has to touch files beside the walk, each on a thread of its own.
//!
//! A disk that does not answer holds up the errand that asked it and no other. The same is not asked twice at once, and of
//! each sort no more than a few are under way: then the newest waits until one of them has ended, and those before it are
//! forgotten, as nobody wants to know any more.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};
use std::{io, thread};

use super::lookup::{by_own_path, inspect, look, split};
use super::{Message, Places};
use crate::tui::media::Media;

/// Errands of one sort at once.
const MOST: usize = 4;
/// Time after which a file system counts as not answering.
pub(super) const STUCK: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Errand {
    /// Paths that a text names by its own beginning, for the question of this number.
    List { id: u64, text: String },
    /// The beginning of a file.
    Look(String),
    /// Checks if a pasted text names files.
    Inspect(String),
}

/// The result of an errand.
#[derive(Debug)]
pub(super) enum Brought {
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

impl Errand {
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

    pub(super) fn perform(&self, places: &Places) -> Brought {
        match self {
            Self::List { id, text } => Brought::Listed {
                id: *id,
                paths: by_own_path(places, text),
            },
            Self::Look(path) => Brought::Looked {
                path: path.clone(),
                text: look(places, path),
            },
            Self::Inspect(pasted) => Brought::Inspected {
                pasted: pasted.clone(),
                media: inspect(places, pasted),
            },
        }
    }

    /// Returns the empty result, for an errand that could not be run.
    fn nothing(&self) -> Brought {
        match self {
            Self::List { id, .. } => Brought::Listed {
                id: *id,
                paths: Vec::new(),
            },
            Self::Look(path) => Brought::Looked {
                path: path.clone(),
                text: None,
            },
            Self::Inspect(pasted) => Brought::Inspected {
                pasted: pasted.clone(),
                media: None,
            },
        }
    }
}

/// How an errand is performed; another way only in tests.
pub(super) type Perform = fn(&Errand, &Places) -> Brought;

pub(super) struct Errands {
    places: Arc<Places>,
    perform: Perform,
    messages: Sender<Message>,
    running: Vec<Running>,
    /// One of each sort at most.
    waiting: Vec<Errand>,
}

struct Running {
    errand: Errand,
    since: Instant,
    /// It was said that it does not answer.
    is_told: bool,
}

/// Tells what an errand came back with: nothing where it panicked or never began.
struct End {
    errand: Errand,
    brought: Option<Brought>,
    messages: Sender<Message>,
}

impl Drop for End {
    fn drop(&mut self) {
        let brought = self.brought.take().unwrap_or_else(|| self.errand.nothing());
        let _ = self.messages.send(Message::Brought(self.errand.clone(), brought));
    }
}

impl Errands {
    pub(super) fn new(places: Places, perform: Perform, messages: Sender<Message>) -> Self {
        Self {
            places: Arc::new(places),
            perform,
            messages,
            running: Vec::new(),
            waiting: Vec::new(),
        }
    }

    /// Has an errand done, as soon as can be. An error is a sentence for the person.
    pub(super) fn add(&mut self, errand: Errand) -> Result<(), String> {
        let stuck = self.stuck(&errand);
        self.waiting.retain(|waiting| !waiting.is_of_sort(&errand));
        // Whoever asks the same while it is on its way has its answer soon.
        if matches!(errand, Errand::List { .. }) || !self.is_running(&errand) {
            self.waiting.push(errand);
        }
        self.start()?;
        stuck.map_or(Ok(()), Err)
    }

    /// An errand has ended: what waited for that begins.
    pub(super) fn ended(&mut self, errand: &Errand) -> Result<(), String> {
        self.running.retain(|running| running.errand != *errand);
        self.start()
    }

    fn is_running(&self, errand: &Errand) -> bool {
        self.running.iter().any(|running| running.errand.is_like(errand))
    }

    fn start(&mut self) -> Result<(), String> {
        let mut done = Ok(());
        for errand in std::mem::take(&mut self.waiting) {
            let of_sort = self.running.iter().filter(|it| it.errand.is_of_sort(&errand));
            if of_sort.count() >= MOST || self.is_running(&errand) {
                self.waiting.push(errand);
                continue;
            }
            if let Err(error) = self.send(errand.clone()) {
                done = Err(format!("files cannot be looked up: no thread begins ({error})"));
                continue;
            }
            self.running.push(Running {
                errand,
                since: Instant::now(),
                is_told: false,
            });
        }
        done
    }

    /// Sends an errand off, which comes back in any case.
    fn send(&self, errand: Errand) -> io::Result<()> {
        let (places, perform) = (Arc::clone(&self.places), self.perform);
        let end = End {
            errand,
            brought: None,
            messages: self.messages.clone(),
        };
        let go = move || {
            let mut end = end;
            end.brought = Some(perform(&end.errand, &places));
        };
        let thread = thread::Builder::new().name("lookup".to_owned());
        thread.spawn(go).map(drop)
    }

    /// Says once that a directory does not answer which is asked about again.
    fn stuck(&mut self, errand: &Errand) -> Option<String> {
        let Errand::List { text, .. } = errand else {
            return None;
        };
        let is_stuck = |it: &&mut Running| it.errand.is_like(errand) && it.since.elapsed() >= STUCK;
        let running = self.running.iter_mut().find(is_stuck)?;
        if std::mem::replace(&mut running.is_told, true) {
            return None;
        }
        let directory = match split(text).0 {
            "" => "the project's directory",
            directory => directory,
        };
        Some(format!(
            "{directory} does not answer; the list is without what is in it"
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    fn never(_: &Errand, _: &Places) -> Brought {
        loop {
            thread::park();
        }
    }

    fn fails(_: &Errand, _: &Places) -> Brought {
        panic!("an errand fails in a test")
    }

    fn places() -> Places {
        Places {
            directory: "/p".into(),
            home: None,
            uses_file: "/p/uses".into(),
        }
    }

    #[test]
    fn an_errand_that_panics_comes_back_with_nothing() {
        let (messages, inbox) = channel();
        let mut errands = Errands::new(places(), fails, messages);
        for _ in 0..2 * MOST {
            errands.add(Errand::Look("a".to_owned())).unwrap();
            let Ok(Message::Brought(errand, Brought::Looked { text: None, .. })) = inbox.recv() else {
                panic!("it did not come back")
            };
            errands.ended(&errand).unwrap();
            assert_eq!((errands.running.len(), errands.waiting.len()), (0, 0));
        }
    }

    #[test]
    fn a_directory_is_asked_once_at_a_time_and_is_named_when_it_does_not_answer() {
        let (messages, _inbox) = channel();
        let mut errands = Errands::new(places(), never, messages);
        let list = |errands: &mut Errands, text: &str| {
            let text = text.to_owned();
            errands.add(Errand::List { id: 1, text })
        };
        assert_eq!(list(&mut errands, "dead/a"), Ok(()));
        assert_eq!(list(&mut errands, "dead/ab"), Ok(()), "it may still answer");
        assert_eq!((errands.running.len(), errands.waiting.len()), (1, 1));
        errands.running[0].since -= STUCK;
        let words = "dead/ does not answer; the list is without what is in it";
        assert_eq!(list(&mut errands, "dead/abc"), Err(words.to_owned()));
        assert_eq!(list(&mut errands, "dead/abcd"), Ok(()), "it was said");
        for other in 0..2 * MOST {
            assert_eq!(list(&mut errands, &format!("{other}/a")), Ok(()));
        }
        assert_eq!((errands.running.len(), errands.waiting.len()), (MOST, 1));
        let first = errands.running[0].errand.clone();
        errands.ended(&first).unwrap();
        assert_eq!((errands.running.len(), errands.waiting.len()), (MOST, 0));
    }
}
