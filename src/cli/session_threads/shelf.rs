//! Looks things up in the store, on a connection of its own: a long search holds up no session.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crate::files::Roots;
use crate::session::wire::OpenRequest;
use crate::session::{ErrorReport, StoredSessions};
use crate::tui::{Report, Request};

pub(super) struct Shelf {
    data: PathBuf,
    /// Where the screen was started.
    project: PathBuf,
    /// Opened when it is first asked for.
    stored: Mutex<Option<StoredSessions>>,
}

impl Shelf {
    pub(super) fn new(request: &OpenRequest) -> Self {
        let roots = Roots::new(&request.directory, request.dirs.home.as_deref());
        Self {
            data: request.dirs.data.clone(),
            project: roots.project_root().to_owned(),
            stored: Mutex::new(None),
        }
    }

    fn stored(&self) -> Result<StoredSessions, ErrorReport> {
        let mut stored = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stored) = &*stored {
            return Ok(stored.clone());
        }
        Ok(stored.insert(StoredSessions::open(&self.data)?).clone())
    }

    pub(super) fn perform(&self, request: Request) -> Report {
        let stored = self.stored();
        match request {
            Request::List => Report::Listed {
                project: self.project.clone(),
                sessions: stored.and_then(|stored| stored.list()),
            },
            Request::Search(searched) => Report::Found {
                sessions: stored.and_then(|stored| stored.search(&searched)),
                searched,
            },
            Request::Look(session) => Report::Looked {
                words: stored.and_then(|stored| stored.last_words(&session)),
                session,
            },
            Request::Rename(session, title) => Report::Renamed {
                title: stored.and_then(|stored| stored.rename(&session, &title)),
                session,
            },
            Request::Delete(session) => Report::Deleted {
                done: stored.and_then(|stored| stored.delete(&session)),
                session,
            },
        }
    }
}
