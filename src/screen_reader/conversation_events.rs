//! Events of the conversation that the person is in, of the main conversation, and of the tree.

use crate::conversation::{CallId, SessionId};
use crate::session::query::{Answer, Query};
use crate::session::{Envelope, Event, Handle, Receiver, RecvError};

use super::calls::SessionCards;
use super::host_requests::{AttachedSession, EnteredTask};
use super::reader_session::ReaderSession;
use crate::view::card::Card;

/// Streams of a tree of sessions, as far as the person is told of them.
pub(super) struct ConversationEvents {
    root: SessionId,
    main: Handle,
    /// Of the main conversation, and of the tree.
    events: Receiver,
    /// Number of the last event of the main conversation that is part of what was told when the person came back to it.
    known: u64,
    /// The task that the person is in.
    task: Option<TaskStream>,
}

struct TaskStream {
    session: AttachedSession,
    events: Receiver,
}

/// The next of a stream.
pub(super) enum StreamItem {
    /// Of the task that the person is in.
    OfTask(Result<Envelope, RecvError>),
    /// Of the main conversation or the tree.
    OfMain(Result<Envelope, RecvError>),
}

/// The session of the main conversation has ended.
#[derive(Debug)]
pub(super) struct MainEnded;

impl ConversationEvents {
    pub(super) fn new(root: SessionId, main: Handle, events: Receiver) -> Self {
        Self {
            root,
            main,
            events,
            known: 0,
            task: None,
        }
    }

    /// Returns the session of the task that the person is in.
    pub(super) fn task(&self) -> Option<&Handle> {
        Some(&self.task.as_ref()?.session.handle)
    }

    /// The person is in this task from now on.
    pub(super) fn enter(&mut self, entered: EnteredTask, reader: &mut ReaderSession) {
        let EnteredTask {
            session,
            attached,
            cards,
            snapshot,
            events,
        } = entered;
        reader.enter(session, &snapshot, cards);
        let session = attached;
        self.task = Some(TaskStream { session, events });
    }

    /// The person is in the main conversation again, which was told up to the event with this number.
    pub(super) fn leave_task(&mut self, known: u64) {
        self.task = None;
        self.known = known;
    }

    /// Waits for the next event. Cancel safe.
    pub(super) async fn next(&mut self) -> StreamItem {
        let Some(task) = &mut self.task else {
            return StreamItem::OfMain(self.events.recv().await);
        };
        tokio::select! {
            biased;
            next = task.events.recv() => StreamItem::OfTask(next),
            next = self.events.recv() => StreamItem::OfMain(next),
        }
    }

    /// Has it told.
    pub(super) async fn tell(
        &mut self,
        item: StreamItem,
        reader: &mut ReaderSession,
    ) -> Result<(), MainEnded> {
        match item {
            StreamItem::OfTask(Ok(envelope)) => {
                if let Some(task) = self.task() {
                    draw_foreign(task, &envelope.event, reader).await;
                }
                reader.take_event(&envelope.event);
            }
            StreamItem::OfMain(Ok(envelope)) => {
                if !reader.is_in_task() {
                    draw_foreign(&self.main, &envelope.event, reader).await;
                }
                self.tell_main(&envelope, reader);
            }
            StreamItem::OfMain(Err(RecvError::Closed)) => return Err(MainEnded),
            StreamItem::OfMain(Err(RecvError::Lagged)) => {
                let (snapshot, events) = self.main.attach_with_tree().await.map_err(|_| MainEnded)?;
                self.events = events;
                reader.catch_up(&snapshot);
            }
            StreamItem::OfTask(Err(reason)) => self.recover_task(reason, reader).await,
        }
        Ok(())
    }

    fn tell_main(&self, envelope: &Envelope, reader: &mut ReaderSession) {
        let event = &envelope.event;
        if event.is_of_tree() {
            return reader.take_event(event);
        }
        debug_assert_eq!(envelope.session, self.root);
        if reader.is_in_task() {
            reader.take_main_event(event);
        } else if envelope.seq > self.known || comes_back(event) {
            reader.take_event(event);
        }
    }

    async fn recover_task(&mut self, reason: RecvError, reader: &mut ReaderSession) {
        let Some(task) = &mut self.task else { return };
        if reason == RecvError::Lagged
            && let Ok((snapshot, events)) = task.session.handle.attach().await
        {
            task.events = events;
            return reader.catch_up_task(&snapshot);
        }
        // Nothing is heard of it any more; the main conversation is on its way.
        self.task = None;
        reader.lose_task();
    }
}

/// Has the session draw the call that an event tells of, where its tool is not known here.
async fn draw_foreign(session: &Handle, event: &Event, reader: &mut ReaderSession) {
    let Some(call) = reader.foreign_call(event) else {
        return;
    };
    let (short, expanded) = (card(session, call, false).await, card(session, call, true).await);
    if let (Some(short), Some(expanded)) = (short, expanded) {
        reader.take_cards(call, SessionCards { short, expanded });
    }
}

async fn card(session: &Handle, call: &CallId, expanded: bool) -> Option<Card> {
    let call = call.clone();
    match session.ask(Query::Card { call, expanded }).await {
        Ok(Answer::Card(card)) => card.map(|card| *card),
        _ => None,
    }
}

/// Returns true if an event is in no snapshot and has to be told.
fn comes_back(event: &Event) -> bool {
    matches!(
        event,
        Event::Refused(_) | Event::Unread { .. } | Event::Error(_) | Event::Notice(_)
    )
}
