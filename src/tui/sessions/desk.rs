//! Errands for the threads that sessions live on.
//!
//! The screen holds a [`Desk`] and never waits at it; whoever started the screen takes the [`Errands`] one after the other.

use std::path::PathBuf;

use tokio::sync::{mpsc, oneshot};

use crate::conversation::SessionId;
use crate::session::{ErrorReport, ListedSession, ReportKind, Wanted};
use crate::store::Words;
use crate::tui::{Opened, Opening};

/// Errands that may wait. Each is a key of a person's, so a full desk means that nobody serves it.
const WAITING: usize = 64;

/// Requests to the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// All sessions.
    List,
    /// Those in which this was said.
    Search(String),
    /// The last that was said in one.
    Look(SessionId),
    Rename(SessionId, String),
    Delete(SessionId),
}

/// The result of a [`Request`].
#[derive(Debug, Clone)]
pub enum Report {
    Listed {
        /// The root of the project that the screen was started in.
        project: PathBuf,
        sessions: Result<Vec<ListedSession>, ErrorReport>,
    },
    Found {
        searched: String,
        /// Each with one line of what was said.
        sessions: Result<Vec<(SessionId, String)>, ErrorReport>,
    },
    Looked {
        session: SessionId,
        words: Result<Vec<Words>, ErrorReport>,
    },
    Renamed {
        session: SessionId,
        title: Result<String, ErrorReport>,
    },
    Deleted {
        session: SessionId,
        done: Result<(), ErrorReport>,
    },
}

/// Something to be done elsewhere. Whoever asked may be gone when it is.
pub enum Errand {
    Open {
        wanted: Wanted,
        answer: oneshot::Sender<Result<Opened, ErrorReport>>,
    },
    Store {
        request: Request,
        answer: oneshot::Sender<Report>,
    },
}

/// Where errands come in, for whoever does them.
pub type Errands = mpsc::Receiver<Errand>;

/// Where errands are left.
#[derive(Debug, Clone)]
pub struct Desk(mpsc::Sender<Errand>);

impl Desk {
    pub fn new() -> (Self, Errands) {
        let (sender, errands) = mpsc::channel(WAITING);
        (Self(sender), errands)
    }

    pub(super) fn open(&self, wanted: Wanted) -> Opening {
        let (answer, opened) = oneshot::channel();
        // A desk that takes nothing drops the answer, which is told as any session that could not be opened.
        let _ = self.0.try_send(Errand::Open { wanted, answer });
        Box::pin(async move { opened.await.unwrap_or_else(|_| Err(unserved())) })
    }

    /// `None` where nobody serves the desk any more.
    pub(in crate::tui) fn ask(&self, request: Request) -> impl Future<Output = Option<Report>> + use<> {
        let (answer, report) = oneshot::channel();
        let _ = self.0.try_send(Errand::Store { request, answer });
        async move { report.await.ok() }
    }
}

fn unserved() -> ErrorReport {
    ErrorReport {
        kind: ReportKind::Internal,
        message: "the session could not be opened".to_owned(),
        hint: Some("The log in the state directory says why.".to_owned()),
    }
}
