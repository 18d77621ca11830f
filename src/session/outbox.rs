//! Events on their way to the front ends.
//!
//! Each receiver has its own queue. Deltas that wait are joined with the delta before them when both grow the same part,
//! so that a front end which draws thirty times a second costs the session nothing; nothing else is dropped. A receiver
//! with more than [`LIMIT`] events waiting is cut off and told so: it attaches anew. One that has to tell every event, and
//! takes them as they come, has no limit.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::Notify;

use super::{Envelope, Event};
use crate::conversation::SessionId;

/// Events that may wait for one receiver. A snapshot is cheaper than a longer queue.
const LIMIT: usize = 8192;
/// Maximum bytes of joined deltas in one event, so that one draw stays short.
const JOINED: usize = 64 * 1024;

/// The sending end of one stream: of a session, or of a tree.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    seq: u64,
    inboxes: Vec<Subscriber>,
}

#[derive(Debug, Clone)]
struct Subscriber {
    inbox: Weak<Inbox>,
    /// True if the receiver is closed with this outbox; one that has several has one that it ends with.
    is_own: bool,
}

#[derive(Debug)]
struct Inbox {
    queue: Mutex<Queue>,
    /// Events that may wait.
    limit: usize,
    arrived: Notify,
    urgent: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    events: VecDeque<Envelope>,
    urgent: usize,
    lagged: bool,
    closed: bool,
}

/// The receiving end of one front end. Dropping it detaches.
#[derive(Debug)]
pub struct Receiver(Arc<Inbox>);

/// Why there is no further event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RecvError {
    #[error("this view fell behind and has to attach anew")]
    Lagged,
    #[error("the session has ended")]
    Closed,
}

impl Outbox {
    /// The number of the last event.
    pub(crate) fn seq(&self) -> u64 {
        self.seq
    }

    pub(crate) fn attach(&mut self) -> Receiver {
        self.attach_limited(LIMIT)
    }

    /// Attaches a receiver that never falls behind. It has to take events as they come.
    pub(crate) fn attach_lossless(&mut self) -> Receiver {
        self.attach_limited(usize::MAX)
    }

    fn attach_limited(&mut self, limit: usize) -> Receiver {
        let inbox = Arc::new(Inbox {
            queue: Mutex::default(),
            limit,
            arrived: Notify::new(),
            urgent: Notify::new(),
        });
        let receiver = Receiver(inbox);
        self.add(&receiver, true);
        receiver
    }

    /// Puts what is sent from now on into the queue of a receiver that has another outbox too.
    pub(crate) fn attach_to(&mut self, receiver: &Receiver) {
        self.add(receiver, false);
    }

    /// Gives another outbox all receivers of this one.
    pub(crate) fn share_receivers(&self, other: &mut Self) {
        let shared = self.inboxes.iter().cloned();
        other.inboxes.extend(shared.map(|attached| Subscriber {
            is_own: false,
            ..attached
        }));
    }

    fn add(&mut self, receiver: &Receiver, is_own: bool) {
        self.inboxes.push(Subscriber {
            inbox: Arc::downgrade(&receiver.0),
            is_own,
        });
    }

    pub(crate) fn send(&mut self, session: &SessionId, event: Event) {
        self.seq += 1;
        let envelope = Envelope {
            seq: self.seq,
            session: session.clone(),
            event,
        };
        self.inboxes.retain(|attached| match attached.inbox.upgrade() {
            Some(inbox) => {
                inbox.push(envelope.clone());
                true
            }
            None => false,
        });
    }
}

impl Drop for Outbox {
    fn drop(&mut self) {
        let own = self.inboxes.iter().filter(|attached| attached.is_own);
        for inbox in own.filter_map(|attached| attached.inbox.upgrade()) {
            inbox.lock().closed = true;
            inbox.arrived.notify_one();
            inbox.urgent.notify_one();
        }
    }
}

impl Inbox {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, envelope: Envelope) {
        let mut queue = self.lock();
        if queue.lagged {
            return;
        }
        let is_urgent = envelope.event.is_urgent();
        if !queue.join(&envelope) {
            if queue.events.len() >= self.limit {
                queue.lagged = true;
                queue.events.clear();
            } else {
                queue.events.push_back(envelope);
                queue.urgent += usize::from(is_urgent);
            }
        }
        let wakes = is_urgent || queue.lagged;
        drop(queue);
        self.arrived.notify_one();
        if wakes {
            self.urgent.notify_one();
        }
    }
}

impl Queue {
    /// Adds a delta to the one that waits before it; says whether it could.
    fn join(&mut self, envelope: &Envelope) -> bool {
        let Event::Delta { message, part, delta } = &envelope.event else {
            return false;
        };
        let Some(last) = self.events.back_mut() else {
            return false;
        };
        match &mut last.event {
            Event::Delta {
                message: last_message,
                part: last_part,
                delta: text,
            } if last_message == message && last_part == part && text.len() < JOINED => {
                text.push_str(delta);
                last.seq = envelope.seq;
                true
            }
            _ => false,
        }
    }
}

impl Receiver {
    /// Waits for the next event. Cancel safe.
    pub async fn recv(&mut self) -> Result<Envelope, RecvError> {
        loop {
            // A permit is kept for whoever comes late, so nothing is missed between the two.
            if let Some(next) = self.try_recv() {
                return next;
            }
            self.0.arrived.notified().await;
        }
    }

    /// Returns the next event if there is one.
    pub fn try_recv(&mut self) -> Option<Result<Envelope, RecvError>> {
        let mut queue = self.0.lock();
        if let Some(envelope) = queue.events.pop_front() {
            queue.urgent -= usize::from(envelope.event.is_urgent());
            return Some(Ok(envelope));
        }
        match (queue.lagged, queue.closed) {
            (true, _) => Some(Err(RecvError::Lagged)),
            (_, true) => Some(Err(RecvError::Closed)),
            _ => None,
        }
    }

    /// Waits until something is there that should not wait for the next frame: anything but deltas and progress.
    /// Cancel safe.
    pub async fn urgent(&mut self) {
        loop {
            let urgent = self.0.urgent.notified();
            {
                let queue = self.0.lock();
                if queue.urgent > 0 || queue.lagged || queue.closed {
                    return;
                }
            }
            urgent.await;
        }
    }
}

impl Event {
    /// Returns true if it comes in the stream of the tree, and not in that of the session that it names.
    pub fn is_of_tree(&self) -> bool {
        matches!(
            self,
            Self::Asked(_) | Self::Settled(_) | Self::Task(_) | Self::Terminals(_)
        )
    }

    /// Returns true if a screen should draw it at once.
    pub fn is_urgent(&self) -> bool {
        !matches!(
            self,
            Self::Delta { .. }
                | Self::CallUpdate { .. }
                | Self::PartStarted { .. }
                | Self::PartEnded { .. }
                | Self::CallReady { .. }
                | Self::CallRunning { .. }
                | Self::Task(_)
                | Self::Usage(_)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::MessageId;

    fn delta(message: &MessageId, text: &str) -> Event {
        Event::Delta {
            message: message.clone(),
            part: 1,
            delta: text.to_owned(),
        }
    }

    #[test]
    fn waiting_deltas_of_one_part_are_joined_and_nothing_is_lost() {
        let mut outbox = Outbox::default();
        let session = SessionId::new();
        let mut receiver = outbox.attach();
        let message = MessageId::new();
        for _ in 0..LIMIT * 2 {
            outbox.send(&session, delta(&message, "ab"));
        }
        outbox.send(&session, Event::TurnStarted);
        let mut text = String::new();
        let mut last = None;
        while let Some(Ok(envelope)) = receiver.try_recv() {
            assert!(Some(envelope.seq) > last);
            last = Some(envelope.seq);
            if let Event::Delta { delta, .. } = envelope.event {
                text.push_str(&delta);
            }
        }
        assert_eq!(text.len(), LIMIT * 4);
        assert_eq!(last, Some(outbox.seq()));
    }

    #[test]
    fn a_receiver_that_falls_behind_is_told_to_attach_anew() {
        let mut outbox = Outbox::default();
        let session = SessionId::new();
        let mut receiver = outbox.attach();
        for _ in 0..=LIMIT {
            outbox.send(&session, Event::TurnStarted);
        }
        assert!(matches!(receiver.try_recv(), Some(Err(RecvError::Lagged))));
        let mut anew = outbox.attach();
        outbox.send(&session, Event::TurnStarted);
        assert!(matches!(anew.try_recv(), Some(Ok(_))));
    }

    #[test]
    fn a_lossless_receiver_misses_nothing() {
        let mut outbox = Outbox::default();
        let session = SessionId::new();
        let mut receiver = outbox.attach_lossless();
        for _ in 0..LIMIT * 3 {
            outbox.send(&session, Event::TurnStarted);
        }
        let events = std::iter::from_fn(|| receiver.try_recv());
        assert_eq!(events.flatten().count(), LIMIT * 3);
    }

    #[tokio::test]
    async fn an_ended_session_ends_its_receivers() {
        let mut outbox = Outbox::default();
        let mut receiver = outbox.attach();
        drop(outbox);
        assert_eq!(receiver.recv().await.unwrap_err(), RecvError::Closed);
        receiver.urgent().await;
    }
}
