//! The order of replies of conversations that went on side by side.
//!
//! Replies play faster than they were recorded, so what happened between two conversations would not happen again: that one
//! had ended before the other asked. A recorded exchange therefore says how many others had ended when it began. A reply
//! ends only when those have ended that ended before it, and when those have begun that had begun by then. So each request
//! is made in the state of things in which it was recorded. A cassette of a single conversation, or one that does not say
//! when its exchanges began, waits for nothing.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

/// After the end of another conversation's reply, for what follows from that.
const SETTLED_AFTER: Duration = Duration::from_millis(50);
/// A reply that waited for so long for others ends: what it waits for does not come.
const GIVEN_UP_AFTER: Duration = Duration::from_secs(30);

/// Place of an exchange in the cassette, from 0.
pub(super) type Place = usize;

/// Facts of one exchange that its order is made of.
#[derive(Debug)]
pub(super) struct RecordedPlace {
    /// Number of its conversation.
    pub(super) conversation: usize,
    /// Number of exchanges that had ended when it began.
    pub(super) began: Option<usize>,
}

#[derive(Debug)]
pub(super) struct PlaybackOrder {
    places: Vec<RecordedPlace>,
    state: Mutex<OrderState>,
    changed: Notify,
    /// [`GIVEN_UP_AFTER`].
    patience: Duration,
}

#[derive(Debug, Default)]
struct OrderState {
    begun: Vec<bool>,
    ended: Vec<bool>,
    /// The conversation whose reply ended last.
    last: Option<usize>,
    /// Nothing waits any more: the conversations are not those of the cassette.
    is_off: bool,
}

impl PlaybackOrder {
    pub(super) fn new(places: Vec<RecordedPlace>) -> Self {
        let first = places.first().map(|place| place.conversation);
        let is_one = places.iter().all(|place| Some(place.conversation) == first);
        let state = OrderState {
            begun: vec![false; places.len()],
            ended: vec![false; places.len()],
            last: None,
            is_off: is_one || places.iter().any(|place| place.began.is_none()),
        };
        Self {
            places,
            state: Mutex::new(state),
            changed: Notify::new(),
            patience: GIVEN_UP_AFTER,
        }
    }

    /// An exchange begins.
    pub(super) fn begin(self: &Arc<Self>, place: Place) -> ReplyEnd {
        self.change(|state| state.begun[place] = true);
        ReplyEnd {
            order: Arc::clone(self),
            place,
            has_ended: false,
        }
    }

    /// Lets everything end that waits.
    pub(super) fn turn_off(&self) {
        self.change(|state| state.is_off = true);
    }

    fn is_due(&self, place: Place) -> bool {
        let state = self.lock();
        let has_begun = |other: Place| state.begun[other] || self.places[other].began > Some(place);
        state.is_off
            || state.ended[..place].iter().all(|ended| *ended)
                && (place + 1..self.places.len()).all(has_begun)
    }

    /// Returns true if the last reply that ended was one of another conversation.
    fn follows_another(&self, place: Place) -> bool {
        let state = self.lock();
        let own = self.places[place].conversation;
        !state.is_off && state.last.is_some_and(|last| last != own)
    }

    fn change(&self, change: impl FnOnce(&mut OrderState)) {
        change(&mut self.lock());
        self.changed.notify_waiters();
    }

    fn lock(&self) -> MutexGuard<'_, OrderState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end of a reply that has begun. Dropping it ends it.
pub(super) struct ReplyEnd {
    order: Arc<PlaybackOrder>,
    place: Place,
    has_ended: bool,
}

impl ReplyEnd {
    /// Waits until the reply may end, and ends it.
    pub(super) async fn come(&mut self) {
        if self.has_ended {
            return;
        }
        let order = Arc::clone(&self.order);
        let due = tokio::time::timeout(order.patience, order.wait_until_due(self.place));
        if due.await.is_err() {
            tracing::warn!("the replies do not come in the order in which they were recorded");
            order.turn_off();
        }
        if order.follows_another(self.place) {
            tokio::time::sleep(SETTLED_AFTER).await;
        }
        self.end();
    }

    fn end(&mut self) {
        if std::mem::replace(&mut self.has_ended, true) {
            return;
        }
        let conversation = self.order.places[self.place].conversation;
        self.order.change(|state| {
            state.ended[self.place] = true;
            state.last = Some(conversation);
        });
    }
}

impl Drop for ReplyEnd {
    fn drop(&mut self) {
        self.end();
    }
}

impl PlaybackOrder {
    async fn wait_until_due(&self, place: Place) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // What changes from here on wakes it, also before it is waited for.
            changed.as_mut().enable();
            if self.is_due(place) {
                return;
            }
            changed.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(places: &[(usize, usize)]) -> Arc<PlaybackOrder> {
        let places = places.iter().map(|(conversation, began)| RecordedPlace {
            conversation: *conversation,
            began: Some(*began),
        });
        Arc::new(PlaybackOrder::new(places.collect()))
    }

    #[tokio::test]
    async fn a_reply_ends_behind_those_that_ended_before_it_and_began_before_its_end() {
        // The root starts a task with its first reply. While that works, the root has said its second.
        let order = order(&[(0, 0), (0, 1), (1, 1), (0, 3)]);
        order.begin(0).come().await;
        let mut task = order.begin(2);
        let waiting = tokio::spawn(async move { task.come().await });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished(), "the root has not asked yet");
        let mut second = order.begin(1);
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished(), "the root has not said it yet");
        second.come().await;
        waiting.await.unwrap();
        assert!(order.lock().ended[2]);
    }

    #[tokio::test]
    async fn what_does_not_come_is_not_waited_for_for_ever() {
        let order = order(&[(0, 0), (1, 0), (1, 1)]);
        let order = Arc::new(PlaybackOrder {
            patience: Duration::from_millis(1),
            ..Arc::into_inner(order).unwrap()
        });
        order.begin(2).come().await;
        assert!(order.lock().is_off);
        let waits_for_nothing = |places: &[(usize, Option<usize>)]| {
            let places = places.iter().map(|(conversation, began)| RecordedPlace {
                conversation: *conversation,
                began: *began,
            });
            PlaybackOrder::new(places.collect()).lock().is_off
        };
        assert!(waits_for_nothing(&[(0, Some(0)), (0, Some(1))]));
        assert!(waits_for_nothing(&[(0, Some(0)), (1, None)]));
    }
}
