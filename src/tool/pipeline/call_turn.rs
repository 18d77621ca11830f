//! The order among calls that run side by side: they put their questions, and start their tasks, in the order in which the
//! model made the calls.
//!
//! A call holds its turn until its question is put or there is none; another turn, until its task is started. Only a call that
//! has a question, or a task, waits for those before it, so what is allowed runs at once. While a person is asked about a call,
//! those behind it may start their tasks.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use tokio::sync::watch;

/// A call's place among those of one reply. Given up when dropped.
pub struct CallTurn {
    place: usize,
    /// The places of the calls that have not given up their turn.
    held: Arc<watch::Sender<BTreeSet<usize>>>,
}

/// Returns the turns of so many calls, in their order.
pub fn turns(count: usize) -> impl Iterator<Item = CallTurn> {
    let held = Arc::new(watch::Sender::new((0..count).collect()));
    (0..count).map(move |place| CallTurn {
        place,
        held: Arc::clone(&held),
    })
}

impl CallTurn {
    /// Waits until no call before this one holds its turn.
    pub(in crate::tool) async fn come(&self) {
        let mut held = self.held.subscribe();
        let is_first = |held: &BTreeSet<usize>| held.range(..self.place).next().is_none();
        // It ends with the sender, which is held here.
        let _ = held.wait_for(is_first).await;
    }

    /// Lets those behind it go first while something is waited for.
    async fn aside<T>(&self, waiting: impl Future<Output = T>) -> T {
        self.held.send_modify(|held| {
            held.remove(&self.place);
        });
        let waited = waiting.await;
        self.held.send_modify(|held| {
            held.insert(self.place);
        });
        waited
    }
}

impl Drop for CallTurn {
    fn drop(&mut self) {
        self.held.send_modify(|held| {
            held.remove(&self.place);
        });
    }
}

/// Lets a call through a gate: where it `asks`, after those before it. Its turn ends when the question is put, which the
/// first poll of `pass` does; until it is answered, those behind it need not wait with what they `start`.
pub(super) async fn in_turn<T>(
    turn: Option<CallTurn>,
    start: Option<&CallTurn>,
    asks: bool,
    pass: impl Future<Output = T>,
) -> T {
    if let Some(turn) = turn.as_ref().filter(|_| asks) {
        turn.come().await;
    }
    let mut pass = pin!(pass);
    let first = futures::poll!(pass.as_mut());
    drop(turn);
    match first {
        Poll::Ready(passed) => passed,
        Poll::Pending => match start.filter(|_| asks) {
            Some(start) => start.aside(pass).await,
            None => pass.await,
        },
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[tokio::test]
    async fn questions_are_put_in_the_order_of_the_calls() {
        let put = Mutex::new(Vec::new());
        let [first, allowed, second, gone, third] = turns(5).collect::<Vec<_>>().try_into().ok().unwrap();
        let call = |turn: CallTurn, name: &'static str| {
            let put = &put;
            in_turn(Some(turn), None, name != "allowed", async move {
                put.lock().unwrap().push(name);
                // Nobody has answered yet.
                tokio::task::yield_now().await;
            })
        };
        let late = async {
            // It is found out late that it asks.
            tokio::task::yield_now().await;
            call(first, "first").await;
        };
        drop(gone);
        tokio::join!(
            call(third, "third"),
            call(second, "second"),
            call(allowed, "allowed"),
            late
        );
        assert_eq!(*put.lock().unwrap(), ["allowed", "first", "second", "third"]);
    }

    #[tokio::test]
    async fn those_behind_a_call_that_asks_start_first_and_the_rest_keep_their_order() {
        let started = Mutex::new(Vec::new());
        let [asking, second, third] = turns(3).collect::<Vec<_>>().try_into().ok().unwrap();
        let (answer, answered) = tokio::sync::oneshot::channel::<()>();
        let start =
            |turn: CallTurn, name: &'static str, question: Option<tokio::sync::oneshot::Receiver<()>>| {
                let started = &started;
                async move {
                    let asks = question.is_some();
                    let pass = async {
                        match question {
                            Some(question) => question.await.is_ok(),
                            None => true,
                        }
                    };
                    assert!(in_turn(None, Some(&turn), asks, pass).await);
                    turn.come().await;
                    started.lock().unwrap().push(name);
                }
            };
        let late = async {
            // What comes before a start takes its time.
            tokio::task::yield_now().await;
            start(second, "second", None).await;
        };
        let answering = async {
            while started.lock().unwrap().len() < 2 {
                tokio::task::yield_now().await;
            }
            answer.send(()).unwrap();
        };
        tokio::join!(
            start(third, "third", None),
            late,
            start(asking, "asking", Some(answered)),
            answering
        );
        assert_eq!(*started.lock().unwrap(), ["second", "third", "asking"]);
    }
}
