//! The threads that sessions live on, beside the screen's.
//!
//! The first session is opened at once; others when the screen leaves an errand. When the screen is left all are closed
//! and waited for, so that everything is on disk before the process ends.

mod opener;
mod shelf;

use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use futures::future::join_all;
use tokio::sync::oneshot;

use super::failure::Failure;
use super::logs::Logs;
use super::runtime;
use crate::config::Dirs;
use crate::session::wire::{self, OpenRequest};
use crate::session::{ErrorReport, ReportKind};
use crate::tool::Registry;
use crate::tui::{self, Errand, Errands, Opening, TrustAnswer};
pub(super) use opener::Opener;
use shelf::Shelf;

/// Sessions that take longer to end are left to their next opening, which finds what was unfinished.
const FAREWELL: Duration = Duration::from_secs(10);

pub(super) struct SessionThreads {
    /// Dropped to end the sessions.
    leave: oneshot::Sender<()>,
    /// Closed when they have ended.
    gone: mpsc::Receiver<()>,
}

/// The request that opens the first session, and what comes after it.
pub(super) struct Beginning {
    pub(super) request: OpenRequest,
    /// The configuration file that was named.
    pub(super) extra: Option<PathBuf>,
    /// Notes that the first session shows before anything else.
    pub(super) notes: Vec<String>,
    /// The person's answer, where something was asked.
    pub(super) answered: oneshot::Receiver<TrustAnswer>,
    pub(super) errands: Errands,
}

impl SessionThreads {
    /// `dirs` are for the log.
    pub(super) fn start(beginning: Beginning, dirs: Dirs) -> Result<(Self, Opening), Failure> {
        let (leave, left) = oneshot::channel();
        let (ready, opened) = oneshot::channel();
        let (alive, gone) = mpsc::channel();
        let work = move || {
            let _alive = alive;
            let _logs = Logs::start(&dirs);
            // Without threads `ready` is dropped, which the screen is told of.
            if let Err(failure) = runtime::block_on(live(beginning, ready, left)) {
                tracing::error!(?failure, "the session could not be started");
            }
        };
        thread::Builder::new()
            .name("lathe-runtime".to_owned())
            .spawn(work)
            .map_err(|error| Failure::system("the threads of lathe could not be started", error))?;
        let opening = async move { opened.await.unwrap_or_else(|_| Err(not_opened())) };
        Ok((Self { leave, gone }, Box::pin(opening)))
    }

    /// Lets the sessions end and waits for them.
    pub(super) fn end(self) {
        drop(self.leave);
        let _ = self.gone.recv_timeout(FAREWELL);
    }
}

type Ready = oneshot::Sender<Result<tui::Opened, ErrorReport>>;

/// Opens sessions, hands them over and keeps them until they are left.
async fn live(mut beginning: Beginning, ready: Ready, left: oneshot::Receiver<()>) {
    let request = &mut beginning.request;
    if request.trust.is_open() {
        match beginning.answered.await {
            Ok(TrustAnswer::Trust) => {
                if let Err(report) = wire::accept_trust(request) {
                    let _ = ready.send(Err(report));
                    return;
                }
            }
            Ok(TrustAnswer::NotNow) => {}
            // The screen was left before.
            Err(_) => return,
        }
    }
    let mut open = Vec::new();
    let first = wire::open(request);
    hand_over(first, beginning.notes, ready, &mut open);
    let opener = Arc::new(Opener::new(beginning.request, beginning.extra));
    tokio::select! {
        () = serve(&opener, beginning.errands, &mut open) => {}
        // The sender is never used, only dropped.
        _ = left => {}
    }
    join_all(open.into_iter().map(runtime::close)).await;
}

/// Does errands until the screen leaves none any more.
async fn serve(opener: &Arc<Opener>, mut errands: Errands, open: &mut Vec<wire::Opened>) {
    let shelf = Arc::new(Shelf::new(&opener.request));
    while let Some(errand) = errands.recv().await {
        match errand {
            Errand::Open { wanted, answer } => {
                let opener = Arc::clone(opener);
                // It reads files and the database, and the sessions that are open go on meanwhile.
                let work = tokio::task::spawn_blocking(move || opener.open(wanted));
                let session = work.await.unwrap_or_else(|_| Err(not_opened()));
                open.retain(|session| !session.actor.is_finished());
                hand_over(session, Vec::new(), answer, open);
            }
            Errand::Store { request, answer } => {
                let shelf = Arc::clone(&shelf);
                tokio::task::spawn_blocking(move || {
                    // The screen may have been left meanwhile.
                    let _ = answer.send(shelf.perform(request));
                });
            }
        }
    }
}

/// Keeps an opened session, and gives the screen its handle.
fn hand_over(
    opened: Result<wire::Opened, ErrorReport>,
    mut notes: Vec<String>,
    ready: Ready,
    open: &mut Vec<wire::Opened>,
) {
    let handed = opened.map(|mut opened| {
        notes.append(&mut opened.notes);
        let handed = tui::Opened {
            handle: opened.handle.clone(),
            tools: Arc::new(Registry::builtin()),
            notes,
        };
        open.push(opened);
        handed
    });
    if let Err(Ok(_)) = ready.send(handed)
        && let Some(unwanted) = open.pop()
    {
        // Nobody waits for it any more; it ends with its handle.
        tokio::spawn(runtime::close(unwanted));
    }
}

fn not_opened() -> ErrorReport {
    ErrorReport {
        kind: ReportKind::Internal,
        message: "the session could not be started".to_owned(),
        hint: Some("The log in the state directory says why.".to_owned()),
    }
}
