//! The order of questions: calls that run side by side put theirs in the order in which the model made the calls.
//!
//! A call holds its turn until its question is put or there is none. Only a call that has a question waits for those
//! before it, so what is allowed runs at once.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use tokio::sync::watch;

/// A call's place among those of one reply. Given up when dropped.
pub struct QuestionTurn {
    place: usize,
    /// The places of the calls that may still put a question.
    held: Arc<watch::Sender<BTreeSet<usize>>>,
}

/// Returns the turns of so many calls, in their order.
pub fn turns(count: usize) -> impl Iterator<Item = QuestionTurn> {
    let held = Arc::new(watch::Sender::new((0..count).collect()));
    (0..count).map(move |place| QuestionTurn {
        place,
        held: Arc::clone(&held),
    })
}

impl QuestionTurn {
    /// Waits until no call before this one can put a question any more.
    async fn come(&self) {
        let mut held = self.held.subscribe();
        let is_first = |held: &BTreeSet<usize>| held.range(..self.place).next().is_none();
        // It ends with the sender, which is held here.
        let _ = held.wait_for(is_first).await;
    }
}

impl Drop for QuestionTurn {
    fn drop(&mut self) {
        self.held.send_modify(|held| {
            held.remove(&self.place);
        });
    }
}

/// Lets a call through a gate: where it `asks`, after those before it. Its turn ends when the question is put, which the
/// first poll of `pass` does.
pub(super) async fn in_turn<T>(turn: Option<QuestionTurn>, asks: bool, pass: impl Future<Output = T>) -> T {
    if let Some(turn) = turn.as_ref().filter(|_| asks) {
        turn.come().await;
    }
    let mut pass = pin!(pass);
    let first = futures::poll!(pass.as_mut());
    drop(turn);
    match first {
        Poll::Ready(passed) => passed,
        Poll::Pending => pass.await,
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
        let call = |turn: QuestionTurn, name: &'static str| {
            let put = &put;
            in_turn(Some(turn), name != "allowed", async move {
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
}
