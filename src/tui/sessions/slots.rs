//! The way to the session of each slot, for the event loop.

use std::future::pending;
use std::pin::Pin;
use std::time::Duration;

use futures::future::{join_all, select_all};

use super::{SessionTarget, SlotId};
use crate::conversation::SessionId;
use crate::session::host::{Host, OpeningNotes, SessionFuture};
use crate::session::{
    Envelope, ErrorReport, Handle, Op, Receiver, RecvError, ReportKind, SendError, Snapshot,
};
use crate::tool::BuiltinCards;

/// How long the end waits for the sessions to have everything on disk.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(5);

type LocalFuture<T> = Pin<Box<dyn Future<Output = T>>>;

/// Messages from a session.
pub(crate) enum SessionMessage {
    Opened(Result<Box<SlotOpened>, ErrorReport>),
    /// Attached to anew, after it had been faster than the screen.
    Attached(Box<Snapshot>),
    Event(Box<Envelope>),
    /// It has ended without being asked to.
    Ended,
    /// There is something that should not wait for the next frame.
    Urgent,
}

/// The facts about a session when it is open.
pub(crate) struct SlotOpened {
    pub(crate) snapshot: Snapshot,
    pub(crate) cards: BuiltinCards,
    pub(crate) notes: OpeningNotes,
}

pub(crate) struct SessionSlots {
    host: Host,
    /// The one that has the keys.
    front: SlotId,
    /// Others whose every event wakes the screen.
    awake: Vec<SlotId>,
    slots: Vec<SessionSlot>,
}

struct SessionSlot {
    id: SlotId,
    owner: SlotOwner,
    state: SlotState,
}

/// Owner of the session of a slot, which ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SlotOwner {
    Screen,
    /// It is a task's, and is attached to. What belongs to the tree is told by the slot of the root.
    Tree,
}

impl SlotOwner {
    async fn attach(self, handle: Handle) -> Result<(Snapshot, Receiver), SendError> {
        match self {
            Self::Screen => handle.attach_with_tree().await,
            Self::Tree => handle.attach().await,
        }
    }
}

enum SlotState {
    Opening(LocalFuture<Result<(Handle, Receiver, SlotOpened), ErrorReport>>),
    Open {
        handle: Handle,
        receiver: Receiver,
    },
    Attaching {
        handle: Handle,
        attached: LocalFuture<Result<(Snapshot, Receiver), SendError>>,
    },
    /// Could not be opened, or has ended.
    Gone,
}

/// The events of a session that wake the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EventFilter {
    /// Every event.
    Each,
    /// Events that should not wait; the rest is taken in with them.
    Urgent,
}

impl SessionSlots {
    /// With the session that the program was started with, which is being opened.
    pub(crate) fn new(host: Host, first: SessionFuture) -> Self {
        let mut slots = Self {
            host,
            front: SlotId::FIRST,
            awake: Vec::new(),
            slots: Vec::new(),
        };
        slots.await_opening(SlotId::FIRST, SlotOwner::Screen, first);
        slots
    }

    pub(crate) fn open(&mut self, slot: SlotId, wanted: SessionTarget) {
        let opening = self.host.open(wanted);
        self.await_opening(slot, SlotOwner::Screen, opening);
    }

    /// Opens the session of a task of a tree that is open.
    pub(crate) fn open_task(&mut self, slot: SlotId, session: SessionId) {
        let opening = self.host.attach(session);
        self.await_opening(slot, SlotOwner::Tree, opening);
    }

    fn await_opening(&mut self, id: SlotId, owner: SlotOwner, opening: SessionFuture) {
        let state = SlotState::Opening(Box::pin(open(opening, owner)));
        self.slots.push(SessionSlot { id, owner, state });
    }

    /// Has every event of these sessions wake the screen, besides those of the one that has the keys.
    pub(crate) fn set_awake(&mut self, slots: Vec<SlotId>) {
        self.awake = slots;
    }

    pub(crate) fn show(&mut self, slot: SlotId) {
        self.front = slot;
    }

    /// Lets a session end: what it did is on disk, and nobody looks at it any more. That of a task does so
    /// once the task has ended.
    pub(crate) fn close(&mut self, id: SlotId) {
        let Some(place) = self.slots.iter().position(|slot| slot.id == id) else {
            return;
        };
        let slot = self.slots.remove(place);
        let Some(handle) = slot.handle() else { return };
        match slot.owner {
            SlotOwner::Screen => {
                // One that is too busy to hear it is closed with the program.
                let _ = handle.send(Op::Close);
            }
            SlotOwner::Tree => self.host.begin_close(handle.clone()),
        }
    }

    /// The slot of the session that has the keys.
    pub(crate) fn front(&self) -> SlotId {
        self.front
    }

    /// The handle to a session, where it is open.
    pub(crate) fn handle(&self, id: SlotId) -> Option<&Handle> {
        self.slots.iter().find(|slot| slot.id == id)?.handle()
    }

    /// An operation for a session that is not there any more has nobody to tell.
    pub(crate) fn send_to(&self, id: SlotId, op: Op) -> Result<(), SendError> {
        self.handle(id).map_or(Ok(()), |handle| handle.send(op))
    }

    /// Waits for any session to say something. While a frame is pending, and from sessions that are not seen, only what is
    /// urgent wakes. Cancel safe.
    pub(crate) async fn next(&mut self, is_frame_pending: bool) -> (SlotId, SessionMessage) {
        let (front, awake) = (self.front, &self.awake);
        let waits = self.slots.iter_mut().map(|slot| {
            let is_seen = slot.id == front || awake.contains(&slot.id);
            let filter = if is_seen && !is_frame_pending {
                EventFilter::Each
            } else {
                EventFilter::Urgent
            };
            Box::pin(async move { (slot.id, slot.next(filter).await) })
        });
        let waits: Vec<_> = waits.collect();
        if waits.is_empty() {
            return pending().await;
        }
        select_all(waits).await.0
    }

    /// Returns what a session has said already, if any has.
    pub(crate) fn ready(&mut self) -> Option<(SlotId, SessionMessage)> {
        let mut messages = self
            .slots
            .iter_mut()
            .filter_map(|slot| Some((slot.id, slot.ready()?)));
        messages.next()
    }

    /// Lets every session put everything on disk.
    pub(crate) async fn finish(self) {
        let endings = self.slots.into_iter().map(SessionSlot::finish);
        if tokio::time::timeout(SHUTDOWN_GRACE, join_all(endings))
            .await
            .is_err()
        {
            tracing::warn!("a session took too long to end; what it was doing is marked as interrupted");
        }
    }
}

impl SessionSlot {
    fn handle(&self) -> Option<&Handle> {
        match &self.state {
            SlotState::Open { handle, .. } | SlotState::Attaching { handle, .. } => Some(handle),
            SlotState::Opening(_) | SlotState::Gone => None,
        }
    }

    async fn next(&mut self, filter: EventFilter) -> SessionMessage {
        match &mut self.state {
            SlotState::Opening(opening) => {
                let opened = opening.await;
                SessionMessage::Opened(self.on_opened(opened))
            }
            SlotState::Open { receiver, .. } if filter == EventFilter::Urgent => {
                receiver.urgent().await;
                SessionMessage::Urgent
            }
            SlotState::Open { receiver, .. } => {
                let result = receiver.recv().await;
                self.on_received(result)
            }
            SlotState::Attaching { attached, .. } => {
                let attached = attached.await;
                self.on_attached(attached)
            }
            SlotState::Gone => pending().await,
        }
    }

    fn ready(&mut self) -> Option<SessionMessage> {
        let SlotState::Open { receiver, .. } = &mut self.state else {
            return None;
        };
        let result = receiver.try_recv()?;
        Some(self.on_received(result))
    }

    fn on_opened(
        &mut self,
        opened: Result<(Handle, Receiver, SlotOpened), ErrorReport>,
    ) -> Result<Box<SlotOpened>, ErrorReport> {
        self.state = SlotState::Gone;
        let (handle, receiver, slot_opened) = opened?;
        self.state = SlotState::Open { handle, receiver };
        Ok(Box::new(slot_opened))
    }

    fn on_received(&mut self, result: Result<Envelope, RecvError>) -> SessionMessage {
        match (result, self.handle()) {
            (Ok(envelope), _) => SessionMessage::Event(Box::new(envelope)),
            (Err(RecvError::Lagged), Some(handle)) => {
                let handle = handle.clone();
                let attached = Box::pin(self.owner.attach(handle.clone()));
                self.state = SlotState::Attaching { handle, attached };
                SessionMessage::Urgent
            }
            (Err(_), _) => self.end(),
        }
    }

    fn on_attached(&mut self, attached: Result<(Snapshot, Receiver), SendError>) -> SessionMessage {
        let (Ok((snapshot, receiver)), Some(handle)) = (attached, self.handle().cloned()) else {
            return self.end();
        };
        self.state = SlotState::Open { handle, receiver };
        SessionMessage::Attached(Box::new(snapshot))
    }

    fn end(&mut self) -> SessionMessage {
        self.state = SlotState::Gone;
        SessionMessage::Ended
    }

    async fn finish(self) {
        if self.owner == SlotOwner::Tree {
            return;
        }
        let (handle, receiver) = match self.state {
            SlotState::Open { handle, receiver } => (handle, Some(receiver)),
            SlotState::Attaching { handle, .. } => (handle, None),
            SlotState::Opening(_) | SlotState::Gone => return,
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

async fn open(
    opening: SessionFuture,
    owner: SlotOwner,
) -> Result<(Handle, Receiver, SlotOpened), ErrorReport> {
    let opened = opening.await?;
    match owner.attach(opened.handle.clone()).await {
        Ok((snapshot, receiver)) => {
            let slot_opened = SlotOpened {
                snapshot,
                cards: opened.cards,
                notes: opened.notes,
            };
            Ok((opened.handle, receiver, slot_opened))
        }
        Err(error) => Err(ErrorReport::new(ReportKind::Internal, error.to_string())),
    }
}
