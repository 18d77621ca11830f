//! Work that is done beside the stream of events. Each piece ends as an event of the loop, and nothing waits for it.

use tokio::task::JoinSet;

use super::pages::sessions::{SessionMatch, SessionSearch, find};
use crate::conversation::{MessageId, SessionId};
use crate::session::host::{
    Host, HostAnswer, HostQuery, OpenedSession, SessionTarget, TreeAnswer, TreeQuery,
};
use crate::session::query::{Answer, ChangeScope, ExportRequest, Query};
use crate::session::undo::UndoRequest;
use crate::session::{ErrorReport, Handle, Receiver, Snapshot};
use crate::tool::BuiltinCards;

#[derive(Debug)]
pub(super) enum HostRequest {
    Look(PageQuery),
    Find(SessionSearch),
    /// The work tree of a task.
    Tree(TreeQuery),
    Open(SessionTarget),
    /// The conversation of a task of this tree.
    Enter(SessionId),
    /// The main conversation, from that of a task.
    Return,
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
    UndoList(Option<MessageId>),
    RedoList,
    Undo(UndoRequest),
    Redo,
}

impl PageQuery {
    fn query(&self) -> Query {
        match self {
            Self::Context { .. } => Query::Context,
            Self::Costs => Query::Costs,
            Self::Status => Query::Status,
            Self::Changes(scope) => Query::Changes(*scope),
            Self::Export(keep) => Query::Keep(keep.clone()),
            Self::UndoList(to) => Query::UndoList(to.clone()),
            Self::RedoList => Query::RedoList,
            Self::Undo(request) => Query::Undo(request.clone()),
            Self::Redo => Query::Redo { skips_changed: true },
        }
    }
}

/// The result of a request.
#[derive(Debug)]
pub(super) enum HostReport {
    Looked(PageQuery, Answer),
    Found(SessionSearch, Result<Vec<SessionMatch>, ErrorReport>),
    Tree(TreeAnswer),
    NotOpened(ErrorReport),
    NotEntered(ErrorReport),
    /// A fault of ours, or the session has ended, which is told elsewhere.
    Lost,
}

/// End of a host request.
pub(super) enum RequestEnd {
    Reported(HostReport),
    /// Another session is there.
    Opened(Box<OpenedSession>),
    /// The conversation of a task is there.
    Entered(Box<EnteredTask>),
    /// The main conversation as it is now.
    Returned(Box<Snapshot>),
}

/// A task's conversation, as it was when the person came into it.
pub(super) struct EnteredTask {
    pub(super) session: SessionId,
    pub(super) attached: AttachedSession,
    pub(super) cards: BuiltinCards,
    pub(super) snapshot: Snapshot,
    /// Everything that happens in it afterwards.
    pub(super) events: Receiver,
}

/// A session that was attached to; dropping it lets go of that.
pub(super) struct AttachedSession {
    host: Host,
    pub(super) handle: Handle,
}

impl Drop for AttachedSession {
    fn drop(&mut self) {
        self.host.begin_close(self.handle.clone());
    }
}

pub(super) struct HostRequests {
    /// Of the main conversation.
    main: Handle,
    host: Host,
    under_way: JoinSet<RequestEnd>,
}

impl HostRequests {
    pub(super) fn new(main: Handle, host: Host) -> Self {
        Self {
            main,
            host,
            under_way: JoinSet::new(),
        }
    }

    /// `front` is the session of the conversation that the person is in.
    pub(super) fn begin(&mut self, host_request: HostRequest, front: &Handle) {
        let (host, main) = (self.host.clone(), self.main.clone());
        self.under_way
            .spawn(perform(host_request, host, main, front.clone()));
    }

    /// Waits for the end of the next one; forever when nothing is under way. Cancel safe.
    pub(super) async fn next(&mut self) -> RequestEnd {
        match self.under_way.join_next().await {
            Some(done) => done.unwrap_or(RequestEnd::Reported(HostReport::Lost)),
            None => std::future::pending().await,
        }
    }
}

/// Does what is asked for; `front` is the session of the conversation that the person is in.
async fn perform(host_request: HostRequest, host: Host, main: Handle, front: Handle) -> RequestEnd {
    RequestEnd::Reported(match host_request {
        HostRequest::Look(page) => match front.ask(page.query()).await {
            Ok(answer) => HostReport::Looked(page, answer),
            Err(_) => HostReport::Lost,
        },
        HostRequest::Find(sought) => match find(&host, &sought).await {
            Some(found) => HostReport::Found(sought, found),
            None => HostReport::Lost,
        },
        HostRequest::Tree(query) => match host.ask(HostQuery::Tree(query)).await {
            Some(HostAnswer::Tree(answer)) => HostReport::Tree(answer),
            _ => HostReport::Lost,
        },
        HostRequest::Open(wanted) => match host.open(wanted).await {
            Ok(opened) => return RequestEnd::Opened(Box::new(opened)),
            Err(report) => HostReport::NotOpened(report),
        },
        HostRequest::Enter(session) => return enter(host, session).await,
        HostRequest::Return => match main.attach().await {
            Ok((snapshot, _)) => return RequestEnd::Returned(Box::new(snapshot)),
            Err(_) => HostReport::Lost,
        },
    })
}

/// Attaches to the session of a task and listens to it.
async fn enter(host: Host, session: SessionId) -> RequestEnd {
    let opened = match host.attach(session.clone()).await {
        Ok(opened) => opened,
        Err(report) => return RequestEnd::Reported(HostReport::NotEntered(report)),
    };
    let OpenedSession { handle, cards, .. } = opened;
    let attached = AttachedSession { host, handle };
    match attached.handle.attach().await {
        Ok((snapshot, events)) => RequestEnd::Entered(Box::new(EnteredTask {
            session,
            attached,
            cards,
            snapshot,
            events,
        })),
        Err(_) => RequestEnd::Reported(HostReport::Lost),
    }
}
