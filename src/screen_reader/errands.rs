//! Work that is done beside the stream of events. Each piece ends as an event of the loop, and nothing waits for it.

use tokio::task::JoinSet;

use super::pages::sessions::{SessionMatch, Sought, find};
use crate::session::host::{Host, Opened, SessionTarget};
use crate::session::query::{Answer, ChangeScope, Keep, Query};
use crate::session::{ErrorReport, Handle};

#[derive(Debug)]
pub(super) enum Errand {
    Look(Page),
    Find(Sought),
    Open(SessionTarget),
}

/// Queries to the session.
#[derive(Debug)]
pub(super) enum Page {
    Context {
        /// True to list what the sources are made of as well.
        each: bool,
    },
    Costs,
    Status,
    Changes(ChangeScope),
    Export(Keep),
}

impl Page {
    fn query(&self) -> Query {
        match self {
            Self::Context { .. } => Query::Context,
            Self::Costs => Query::Costs,
            Self::Status => Query::Status,
            Self::Changes(scope) => Query::Changes(*scope),
            Self::Export(keep) => Query::Keep(keep.clone()),
        }
    }
}

/// The result of an errand.
#[derive(Debug)]
pub(super) enum Report {
    Looked(Page, Answer),
    Found(Sought, Result<Vec<SessionMatch>, ErrorReport>),
    NotOpened(ErrorReport),
    /// A fault of ours, or the session has ended, which is told elsewhere.
    Lost,
}

/// How an errand ended.
pub(super) enum Done {
    Reported(Report),
    /// Another session is there.
    Opened(Box<Opened>),
}

pub(super) struct Errands {
    handle: Handle,
    host: Host,
    under_way: JoinSet<Done>,
}

impl Errands {
    pub(super) fn new(handle: Handle, host: Host) -> Self {
        Self {
            handle,
            host,
            under_way: JoinSet::new(),
        }
    }

    pub(super) fn begin(&mut self, errand: Errand) {
        let host = self.host.clone();
        match errand {
            Errand::Look(page) => {
                let handle = self.handle.clone();
                self.under_way.spawn(async move {
                    let answer = handle.ask(page.query()).await;
                    Done::Reported(answer.map_or(Report::Lost, |answer| Report::Looked(page, answer)))
                });
            }
            Errand::Find(sought) => {
                self.under_way.spawn(async move {
                    let found = find(&host, &sought).await;
                    Done::Reported(found.map_or(Report::Lost, |found| Report::Found(sought, found)))
                });
            }
            Errand::Open(wanted) => {
                self.under_way.spawn(async move {
                    match host.open(wanted).await {
                        Ok(opened) => Done::Opened(Box::new(opened)),
                        Err(report) => Done::Reported(Report::NotOpened(report)),
                    }
                });
            }
        }
    }

    /// Waits for the end of the next one; forever when nothing is under way. Cancel safe.
    pub(super) async fn next(&mut self) -> Done {
        match self.under_way.join_next().await {
            Some(done) => done.unwrap_or(Done::Reported(Report::Lost)),
            None => std::future::pending().await,
        }
    }
}
