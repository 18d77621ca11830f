//! Of each seat the way to its session, for the event loop.

use std::future::pending;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{join_all, select_all};

use super::{SeatId, SessionTarget};
use crate::session::host::{Host, Opening};
use crate::session::{
    Envelope, ErrorReport, Handle, Op, Receiver, RecvError, ReportKind, SendError, Snapshot,
};
use crate::tool::Registry;

/// How long the end waits for the sessions to have everything on disk.
const FAREWELL: Duration = Duration::from_secs(5);

type Boxed<T> = Pin<Box<dyn Future<Output = T>>>;

/// Messages from a session.
pub(crate) enum SessionMessage {
    Opened(Result<Box<Welcome>, ErrorReport>),
    /// Attached to anew, after it had been faster than the screen.
    Attached(Box<Snapshot>),
    Event(Box<Envelope>),
    /// It has ended without being asked to.
    Ended,
    /// There is something that should not wait for the next frame.
    Urgent,
}

/// The facts about a session when it is open.
pub(crate) struct Welcome {
    pub(crate) snapshot: Snapshot,
    pub(crate) tools: Arc<Registry>,
    pub(crate) notes: Vec<String>,
}

pub(crate) struct Seats {
    host: Host,
    /// The one on screen.
    front: SeatId,
    taken: Vec<Seat>,
}

struct Seat {
    id: SeatId,
    way: Way,
}

enum Way {
    Opening(Boxed<Result<(Handle, Receiver, Welcome), ErrorReport>>),
    Open {
        handle: Handle,
        receiver: Receiver,
    },
    Attaching {
        handle: Handle,
        attached: Boxed<Result<(Snapshot, Receiver), SendError>>,
    },
    /// Could not be opened, or has ended.
    Gone,
}

/// The events of a session that wake the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ear {
    /// Every event.
    Each,
    /// Events that should not wait; the rest is taken in with them.
    Urgent,
}

impl Seats {
    /// With the session that the program was started with, on its way.
    pub(crate) fn new(host: Host, first: Opening) -> Self {
        let mut seats = Self {
            host,
            front: SeatId::FIRST,
            taken: Vec::new(),
        };
        seats.await_opening(SeatId::FIRST, first);
        seats
    }

    pub(crate) fn open(&mut self, seat: SeatId, wanted: SessionTarget) {
        let opening = self.host.open(wanted);
        self.await_opening(seat, opening);
    }

    fn await_opening(&mut self, id: SeatId, opening: Opening) {
        let way = Way::Opening(Box::pin(open(opening)));
        self.taken.push(Seat { id, way });
    }

    pub(crate) fn show(&mut self, seat: SeatId) {
        self.front = seat;
    }

    /// Lets a session end: what it did is on disk, and nobody looks at it any more.
    pub(crate) fn close(&mut self, id: SeatId) {
        if let Some(place) = self.taken.iter().position(|seat| seat.id == id)
            && let Some(handle) = self.taken.remove(place).handle()
        {
            // One that is too busy to hear it is closed with the program.
            let _ = handle.send(Op::Close);
        }
    }

    /// The session on screen, and the way to it where it is open.
    pub(crate) fn front(&self) -> (SeatId, Option<Handle>) {
        let seat = self.taken.iter().find(|seat| seat.id == self.front);
        (self.front, seat.and_then(Seat::handle).cloned())
    }

    /// Hands an operation to the session on screen.
    pub(crate) fn send(&self, op: Op) -> Result<(), SendError> {
        self.send_to(self.front, op)
    }

    /// An operation for a session that is not there any more has nobody to tell.
    pub(crate) fn send_to(&self, id: SeatId, op: Op) -> Result<(), SendError> {
        let seat = self.taken.iter().find(|seat| seat.id == id);
        seat.and_then(Seat::handle)
            .map_or(Ok(()), |handle| handle.send(op))
    }

    /// Waits for any session to say something. While a frame is pending, and from sessions that are not on screen, only
    /// what is urgent wakes. Cancel safe.
    pub(crate) async fn next(&mut self, is_frame_pending: bool) -> (SeatId, SessionMessage) {
        let front = self.front;
        let ears = self.taken.iter_mut().map(|seat| {
            let ear = if seat.id == front && !is_frame_pending {
                Ear::Each
            } else {
                Ear::Urgent
            };
            Box::pin(async move { (seat.id, seat.next(ear).await) })
        });
        let ears: Vec<_> = ears.collect();
        if ears.is_empty() {
            return pending().await;
        }
        select_all(ears).await.0
    }

    /// Returns what a session has said already, if any has.
    pub(crate) fn ready(&mut self) -> Option<(SeatId, SessionMessage)> {
        let mut said = self
            .taken
            .iter_mut()
            .filter_map(|seat| Some((seat.id, seat.ready()?)));
        said.next()
    }

    /// Lets every session put everything on disk.
    pub(crate) async fn finish(self) {
        let endings = self.taken.into_iter().map(Seat::finish);
        if tokio::time::timeout(FAREWELL, join_all(endings)).await.is_err() {
            tracing::warn!("a session took too long to end; what it was doing is marked as interrupted");
        }
    }
}

impl Seat {
    fn handle(&self) -> Option<&Handle> {
        match &self.way {
            Way::Open { handle, .. } | Way::Attaching { handle, .. } => Some(handle),
            Way::Opening(_) | Way::Gone => None,
        }
    }

    async fn next(&mut self, ear: Ear) -> SessionMessage {
        match &mut self.way {
            Way::Opening(opening) => {
                let opened = opening.await;
                SessionMessage::Opened(self.opened(opened))
            }
            Way::Open { receiver, .. } if ear == Ear::Urgent => {
                receiver.urgent().await;
                SessionMessage::Urgent
            }
            Way::Open { receiver, .. } => {
                let result = receiver.recv().await;
                self.heard(result)
            }
            Way::Attaching { attached, .. } => {
                let attached = attached.await;
                self.attached(attached)
            }
            Way::Gone => pending().await,
        }
    }

    fn ready(&mut self) -> Option<SessionMessage> {
        let Way::Open { receiver, .. } = &mut self.way else {
            return None;
        };
        let result = receiver.try_recv()?;
        Some(self.heard(result))
    }

    fn opened(
        &mut self,
        opened: Result<(Handle, Receiver, Welcome), ErrorReport>,
    ) -> Result<Box<Welcome>, ErrorReport> {
        self.way = Way::Gone;
        let (handle, receiver, welcome) = opened?;
        self.way = Way::Open { handle, receiver };
        Ok(Box::new(welcome))
    }

    fn heard(&mut self, result: Result<Envelope, RecvError>) -> SessionMessage {
        match (result, self.handle()) {
            (Ok(envelope), _) => SessionMessage::Event(Box::new(envelope)),
            (Err(RecvError::Lagged), Some(handle)) => {
                let handle = handle.clone();
                let asked = handle.clone();
                let attached = Box::pin(async move { asked.attach().await });
                self.way = Way::Attaching { handle, attached };
                SessionMessage::Urgent
            }
            (Err(_), _) => self.end(),
        }
    }

    fn attached(&mut self, attached: Result<(Snapshot, Receiver), SendError>) -> SessionMessage {
        let (Ok((snapshot, receiver)), Some(handle)) = (attached, self.handle().cloned()) else {
            return self.end();
        };
        self.way = Way::Open { handle, receiver };
        SessionMessage::Attached(Box::new(snapshot))
    }

    fn end(&mut self) -> SessionMessage {
        self.way = Way::Gone;
        SessionMessage::Ended
    }

    async fn finish(self) {
        let (handle, receiver) = match self.way {
            Way::Open { handle, receiver } => (handle, Some(receiver)),
            Way::Attaching { handle, .. } => (handle, None),
            Way::Opening(_) | Way::Gone => return,
        };
        if handle.send(Op::Close).is_err() {
            return;
        }
        drop(handle);
        if let Some(mut receiver) = receiver {
            while !matches!(receiver.recv().await, Err(RecvError::Closed | RecvError::Lagged)) {}
        }
    }
}

async fn open(opening: Opening) -> Result<(Handle, Receiver, Welcome), ErrorReport> {
    let opened = opening.await?;
    match opened.handle.attach().await {
        Ok((snapshot, receiver)) => {
            let welcome = Welcome {
                snapshot,
                tools: opened.tools,
                notes: opened.notes,
            };
            Ok((opened.handle, receiver, welcome))
        }
        Err(error) => Err(ErrorReport {
            kind: ReportKind::Internal,
            message: error.to_string(),
            hint: None,
        }),
    }
}
