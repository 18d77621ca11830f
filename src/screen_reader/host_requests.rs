//! Work that is done beside the stream of events. Each piece ends as an event of the loop, and nothing waits for it.

use tokio::task::JoinSet;

use super::pages::sessions::{SessionMatch, SessionSearch, find};
use crate::session::host::{Host, Opened, SessionTarget};
use crate::session::query::{Answer, ChangeScope, ExportRequest, Query};
use crate::session::{ErrorReport, Handle};

#[derive(Debug)]
pub(super) enum HostRequest {
    Look(PageQuery),
    Find(SessionSearch),
    Open(SessionTarget),
}

/// Queries to the session.
#[derive(Debug)]
pub(super) enum PageQuery {
    Context {
        /// True to list what the sources are made of as well.
        each: bool,
    },
    Costs,
    Status,
    Changes(ChangeScope),
    Export(ExportRequest),
}

impl PageQuery {
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
pub(super) enum HostReport {
    Looked(PageQuery, Answer),
    Found(SessionSearch, Result<Vec<SessionMatch>, ErrorReport>),
    NotOpened(ErrorReport),
    /// A fault of ours, or the session has ended, which is told elsewhere.
    Lost,
}

/// End of a host request.
pub(super) enum RequestEnd {
    Reported(HostReport),
    /// Another session is there.
    Opened(Box<Opened>),
}

pub(super) struct HostRequests {
    handle: Handle,
    host: Host,
    under_way: JoinSet<RequestEnd>,
}

impl HostRequests {
    pub(super) fn new(handle: Handle, host: Host) -> Self {
        Self {
            handle,
            host,
            under_way: JoinSet::new(),
        }
    }

    pub(super) fn begin(&mut self, host_request: HostRequest) {
        let host = self.host.clone();
        match host_request {
            HostRequest::Look(page) => {
                let handle = self.handle.clone();
                self.under_way.spawn(async move {
                    let answer = handle.ask(page.query()).await;
                    RequestEnd::Reported(
                        answer.map_or(HostReport::Lost, |answer| HostReport::Looked(page, answer)),
                    )
                });
            }
            HostRequest::Find(sought) => {
                self.under_way.spawn(async move {
                    let found = find(&host, &sought).await;
                    RequestEnd::Reported(
                        found.map_or(HostReport::Lost, |found| HostReport::Found(sought, found)),
                    )
                });
            }
            HostRequest::Open(wanted) => {
                self.under_way.spawn(async move {
                    match host.open(wanted).await {
                        Ok(opened) => RequestEnd::Opened(Box::new(opened)),
                        Err(report) => RequestEnd::Reported(HostReport::NotOpened(report)),
                    }
                });
            }
        }
    }

    /// Waits for the end of the next one; forever when nothing is under way. Cancel safe.
    pub(super) async fn next(&mut self) -> RequestEnd {
        match self.under_way.join_next().await {
            Some(done) => done.unwrap_or(RequestEnd::Reported(HostReport::Lost)),
            None => std::future::pending().await,
        }
    }
}
