//! Puts questions to the user, one queue for a whole tree of sessions.
//!
//! A call waits in [`Broker::ask`]; whoever shows the screen hears of the question through [`BrokerEvent`]s and answers
//! by its id. The first answer wins. A question leaves the queue when it is answered, when its call is cancelled or its
//! future dropped, and when [`Broker::rejudge`] finds that a new grant covers it. With nobody there to answer it is
//! refused at once instead of waiting for ever.
//!
//! The broker knows no rules and no modes: who stores a grant or changes the mode calls `rejudge` afterwards. Events go
//! out while the queue is locked, so their order is that of what happened.

mod question;
mod reply;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

pub use question::{Delegated, Inquiry, Question, QuestionId, Row};
pub use reply::{Reply, Scope};

use super::editable::Fit;

/// The presence of a front end that can answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrontEnd {
    /// Nobody will ever answer: questions are refused at once.
    Absent,
    Attached,
    /// Nobody right now: questions wait.
    Away,
}

/// Changes of the queue.
#[derive(Debug, Clone)]
pub enum BrokerEvent {
    Asked(Arc<Question>),
    Settled { question: Arc<Question>, reply: Reply },
}

/// Somebody else was first, or the call is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this question is settled already")]
pub struct AlreadyAnswered;

/// One for a root session and all its children; clones share the queue.
#[derive(Clone)]
pub struct Broker {
    state: Arc<Mutex<State>>,
}

/// Receiver of events. Called while the queue is locked, so it must not block and not call the broker.
type Sink = Box<dyn Fn(BrokerEvent) + Send>;

struct State {
    front_end: FrontEnd,
    last_id: u64,
    /// Oldest first.
    waiting: VecDeque<Waiting>,
    sink: Sink,
}

struct Waiting {
    question: Arc<Question>,
    /// Looks at what a person makes of the call; `None` where it cannot be edited.
    fit: Option<Arc<Fit>>,
    answer: oneshot::Sender<Reply>,
}

impl Broker {
    pub fn new(front_end: FrontEnd) -> (Self, mpsc::UnboundedReceiver<BrokerEvent>) {
        // Unbounded, because it is written under the lock; there are as many events as calls that ask.
        let (events, receiver) = mpsc::unbounded_channel();
        // Nobody listens any more while the session closes.
        let sink = move |event| drop(events.send(event));
        (Self::telling(front_end, sink), receiver)
    }

    /// Makes one that tells `sink`, which must not block and not call the broker.
    pub fn telling(front_end: FrontEnd, sink: impl Fn(BrokerEvent) + Send + 'static) -> Self {
        let state = State {
            front_end,
            last_id: 0,
            waiting: VecDeque::new(),
            sink: Box::new(sink),
        };
        Self {
            state: Arc::new(Mutex::new(state)),
        }
    }

    /// Waits for the reply. Cancelling, or dropping the future, withdraws the question.
    pub async fn ask(&self, inquiry: Inquiry, cancel: &CancellationToken) -> Reply {
        self.ask_fitting(inquiry, None, cancel).await
    }

    /// The same for a call that may be edited. `fit` looks at what was written, as long as the question waits.
    pub async fn ask_fitting(
        &self,
        inquiry: Inquiry,
        fit: Option<Arc<Fit>>,
        cancel: &CancellationToken,
    ) -> Reply {
        let (id, answer) = {
            let mut state = self.lock();
            state.last_id += 1;
            let id = QuestionId(state.last_id);
            let question = Arc::new(Question { id, inquiry });
            if state.front_end == FrontEnd::Absent {
                state.tell(BrokerEvent::Asked(question.clone()));
                state.tell(BrokerEvent::Settled {
                    question,
                    reply: Reply::Nobody,
                });
                return Reply::Nobody;
            }
            let (sender, receiver) = oneshot::channel();
            state.tell(BrokerEvent::Asked(question.clone()));
            state.waiting.push_back(Waiting {
                question,
                fit,
                answer: sender,
            });
            (id, receiver)
        };
        let _withdraw = WithdrawOnDrop { broker: self, id };
        tokio::select! {
            // An answer that came first counts, even if the call is cancelled by now.
            biased;
            reply = answer => reply.unwrap_or(Reply::Withdrawn),
            () = cancel.cancelled() => Reply::Withdrawn,
        }
    }

    /// Tells of an inquiry that was answered without a person, by the mode.
    pub fn tell_settled(&self, inquiry: Inquiry, reply: Reply) {
        let mut state = self.lock();
        state.last_id += 1;
        let question = Arc::new(Question {
            id: QuestionId(state.last_id),
            inquiry,
        });
        state.tell(BrokerEvent::Settled { question, reply });
    }

    /// Returns arguments that a person wrote in a question in the form of the call's tool, or says why they are not the
    /// tool's.
    pub fn fit(&self, id: QuestionId, args: Map<String, Value>) -> Result<Map<String, Value>, String> {
        let fit = {
            let state = self.lock();
            let found = state.waiting.iter().find(|waiting| waiting.question.id == id);
            let waiting = found.ok_or_else(|| AlreadyAnswered.to_string())?;
            waiting.fit.clone()
        };
        match fit {
            Some(fit) => fit(args),
            None => Err("this call has begun already, so it cannot be edited".to_owned()),
        }
    }

    /// Settles a question. After [`Reply::Always`] store the grant and call [`Self::rejudge`].
    pub fn answer(&self, id: QuestionId, reply: Reply) -> Result<(), AlreadyAnswered> {
        let mut state = self.lock();
        let ends_the_turn = reply == Reply::Reject(None);
        let settled = state.settle(id, reply).ok_or(AlreadyAnswered)?;
        if ends_the_turn {
            let session = &settled.inquiry.session;
            state.settle_where(|question| {
                (question.inquiry.session == *session).then_some(Reply::Reject(None))
            });
        }
        Ok(())
    }

    /// Looks at every question that waits, oldest first, and settles those that a reply is given for. For use after a
    /// grant or a change of mode. The closure runs under the queue's lock and must not call the broker.
    pub fn rejudge(&self, judge: impl FnMut(&Question) -> Option<Reply>) {
        self.lock().settle_where(judge);
    }

    /// Says who could answer. With nobody, what waits is refused now.
    pub fn set_front_end(&self, front_end: FrontEnd) {
        let mut state = self.lock();
        state.front_end = front_end;
        if front_end == FrontEnd::Absent {
            state.settle_where(|_| Some(Reply::Nobody));
        }
    }

    /// Returns the questions that wait, oldest first.
    pub fn waiting(&self) -> Vec<Arc<Question>> {
        self.lock()
            .waiting
            .iter()
            .map(|waiting| waiting.question.clone())
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic in a `rejudge` closure leaves the queue whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn tell(&self, event: BrokerEvent) {
        (self.sink)(event);
    }

    fn settle(&mut self, id: QuestionId, reply: Reply) -> Option<Arc<Question>> {
        let at = self
            .waiting
            .iter()
            .position(|waiting| waiting.question.id == id)?;
        let Waiting { question, answer, .. } = self.waiting.remove(at)?;
        // The asker may be gone; its guard would have withdrawn the question a moment later.
        let _ = answer.send(reply.clone());
        self.tell(BrokerEvent::Settled {
            question: question.clone(),
            reply,
        });
        Some(question)
    }

    fn settle_where(&mut self, mut judge: impl FnMut(&Question) -> Option<Reply>) {
        let judged: Vec<(QuestionId, Reply)> = self
            .waiting
            .iter()
            .filter_map(|waiting| Some((waiting.question.id, judge(&waiting.question)?)))
            .collect();
        for (id, reply) in judged {
            self.settle(id, reply);
        }
    }
}

struct WithdrawOnDrop<'a> {
    broker: &'a Broker,
    id: QuestionId,
}

impl Drop for WithdrawOnDrop<'_> {
    fn drop(&mut self) {
        self.broker.lock().settle(self.id, Reply::Withdrawn);
    }
}
