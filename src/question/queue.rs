//! The queue in which questions wait, one for a whole tree of sessions.
//!
//! The first answer wins. A question leaves the queue when it is answered, when its call is cancelled or its future
//! dropped, and when [`Questions::rejudge`] finds that a new grant covers it. With nobody there to answer it is settled at
//! once instead of waiting for ever.
//!
//! The queue knows no rules and no modes: who stores a grant or changes the mode calls `rejudge` afterwards. Events go
//! out while the queue is locked, so their order is that of what happened.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::{Question, QuestionId, QuestionKind, Reply};
use crate::conversation::{CallId, SessionId};
use crate::permission::{Fit, Inquiry, PermissionReply};

/// The presence of a front end that can answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrontEnd {
    /// Nobody will ever answer: permission is refused at once, and a form is not even shown.
    Absent,
    Attached,
}

/// Changes of the queue.
#[derive(Debug, Clone)]
pub enum QuestionEvent {
    Asked(Arc<Question>),
    Settled { question: Arc<Question>, reply: Reply },
}

impl QuestionEvent {
    /// Returns the session that asks.
    pub fn session(&self) -> &SessionId {
        match self {
            Self::Asked(question) | Self::Settled { question, .. } => &question.session,
        }
    }
}

/// Why an answer did not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// Somebody else was first, or the call is gone.
    #[error("this question is no longer open")]
    Settled,
    #[error("this question does not take such an answer; it is still open")]
    OtherKind,
}

/// A question on its way into the queue.
pub struct NewQuestion {
    pub session: SessionId,
    pub call: CallId,
    pub agent: String,
    pub about: QuestionKind,
    /// Looks at what a person makes of the call, as long as the question waits; `None` where it cannot be edited.
    pub fit: Option<Arc<Fit>>,
}

/// One for a root session and all its children; clones share the queue.
#[derive(Clone)]
pub struct Questions {
    state: Arc<Mutex<QueueState>>,
}

/// Receiver of events. Called while the queue is locked, so it must not block and not call the queue.
type Sink = Box<dyn Fn(QuestionEvent) + Send>;

struct QueueState {
    front_end: FrontEnd,
    last_id: u64,
    /// Oldest first.
    waiting: VecDeque<WaitingQuestion>,
    sink: Sink,
}

struct WaitingQuestion {
    question: Arc<Question>,
    /// Looks at what a person makes of the call; `None` where it cannot be edited.
    fit: Option<Arc<Fit>>,
    answer: oneshot::Sender<Reply>,
}

impl Questions {
    /// Makes one that tells `sink`, which must not block and not call the queue.
    pub fn with_sink(front_end: FrontEnd, sink: impl Fn(QuestionEvent) + Send + 'static) -> Self {
        let state = QueueState {
            front_end,
            last_id: 0,
            waiting: VecDeque::new(),
            sink: Box::new(sink),
        };
        Self {
            state: Arc::new(Mutex::new(state)),
        }
    }

    /// Waits for the reply, which is of the question's kind. Cancelling, or dropping the future, withdraws the question.
    pub async fn ask(&self, asking: NewQuestion, cancel: &CancellationToken) -> Reply {
        let withdrawn = asking.about.withdrawn();
        let (id, answer) = {
            let mut state = self.lock();
            if state.front_end == FrontEnd::Absent {
                let reply = asking.about.nobody();
                if let QuestionKind::Permission(_) = asking.about {
                    let question = state.number(asking);
                    state.emit(QuestionEvent::Asked(Arc::clone(&question)));
                    let reply = reply.clone();
                    state.emit(QuestionEvent::Settled { question, reply });
                }
                return reply;
            }
            let (sender, receiver) = oneshot::channel();
            let fit = asking.fit.clone();
            let question = state.number(asking);
            let id = question.id;
            state.emit(QuestionEvent::Asked(Arc::clone(&question)));
            state.waiting.push_back(WaitingQuestion {
                question,
                fit,
                answer: sender,
            });
            (id, receiver)
        };
        let _withdraw = WithdrawOnDrop { questions: self, id };
        tokio::select! {
            // An answer that came first counts, even if the call is cancelled by now.
            biased;
            reply = answer => reply.unwrap_or(withdrawn),
            () = cancel.cancelled() => withdrawn,
        }
    }

    /// Tells of a question that was answered without a person, by the mode.
    pub fn report_settled(&self, asking: NewQuestion, reply: Reply) {
        let mut state = self.lock();
        let question = state.number(asking);
        state.emit(QuestionEvent::Settled { question, reply });
    }

    /// Returns arguments that a person wrote in a question in the form of the call's tool, or says why they are not the
    /// tool's.
    pub fn fit(&self, id: QuestionId, args: Map<String, Value>) -> Result<Map<String, Value>, String> {
        let fit = {
            let state = self.lock();
            let found = state.waiting.iter().find(|waiting| waiting.question.id == id);
            let waiting = found.ok_or_else(|| AnswerError::Settled.to_string())?;
            waiting.fit.clone()
        };
        match fit {
            Some(fit) => fit(args),
            None => Err("this call has already started, so it cannot be edited".to_owned()),
        }
    }

    /// Settles a question, and before it those that the same answer settles: with the event of a question it is known which
    /// of the others still wait.
    pub fn answer(&self, id: QuestionId, reply: Reply) -> Result<(), AnswerError> {
        self.answer_and_judge(id, reply, |_| None)
    }

    /// The same, where others of the session may be settled too, by what is stored since [`PermissionReply::Always`]. The closure runs under
    /// the queue's lock and must not call the queue.
    pub fn answer_and_judge(
        &self,
        id: QuestionId,
        reply: Reply,
        mut judge: impl FnMut(&Inquiry) -> Option<PermissionReply>,
    ) -> Result<(), AnswerError> {
        let mut state = self.lock();
        let question = state.find(id).ok_or(AnswerError::Settled)?;
        if !question.about.takes(&reply) {
            return Err(AnswerError::OtherKind);
        }
        let ends_the_turn = reply == Reply::Permission(PermissionReply::Reject(None));
        state.settle_permissions(|other, inquiry| match () {
            () if other.id == id || other.session != question.session => None,
            () if ends_the_turn => Some(PermissionReply::Reject(None)),
            () => judge(inquiry),
        });
        state.settle(id, reply);
        Ok(())
    }

    /// Looks at every question for permission of a session that waits, oldest first, and settles those that a reply is
    /// given for. For use after a grant or a change of mode. The closure runs under the queue's lock and must not call the
    /// queue.
    pub fn rejudge(&self, session: &SessionId, mut judge: impl FnMut(&Inquiry) -> Option<PermissionReply>) {
        self.lock().settle_permissions(|question, inquiry| {
            (question.session == *session).then(|| judge(inquiry)).flatten()
        });
    }

    /// Returns true if nobody will ever answer.
    pub fn is_unattended(&self) -> bool {
        self.lock().front_end == FrontEnd::Absent
    }

    /// Returns the questions that wait, oldest first.
    pub fn waiting(&self) -> Vec<Arc<Question>> {
        self.lock()
            .waiting
            .iter()
            .map(|waiting| waiting.question.clone())
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        // A panic in a closure of `rejudge` leaves the queue whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
impl Questions {
    pub(crate) fn new(front_end: FrontEnd) -> (Self, tokio::sync::mpsc::UnboundedReceiver<QuestionEvent>) {
        // Unbounded, because it is written under the lock; there are as many events as calls that ask.
        let (events, receiver) = tokio::sync::mpsc::unbounded_channel();
        // Nobody listens any more while the session closes.
        let sink = move |event| drop(events.send(event));
        (Self::with_sink(front_end, sink), receiver)
    }

    /// Says who could answer. With nobody, what waits is refused now.
    pub(crate) fn set_front_end(&self, front_end: FrontEnd) {
        let mut state = self.lock();
        state.front_end = front_end;
        if front_end == FrontEnd::Absent {
            state.settle_where(|question| Some(question.about.nobody()));
        }
    }
}

impl QueueState {
    fn number(&mut self, asking: NewQuestion) -> Arc<Question> {
        self.last_id += 1;
        Arc::new(Question {
            id: QuestionId(self.last_id),
            session: asking.session,
            call: asking.call,
            agent: asking.agent,
            about: asking.about,
        })
    }

    fn find(&self, id: QuestionId) -> Option<Arc<Question>> {
        let mut waiting = self.waiting.iter().map(|waiting| &waiting.question);
        waiting.find(|question| question.id == id).cloned()
    }

    fn emit(&self, event: QuestionEvent) {
        (self.sink)(event);
    }

    fn settle(&mut self, id: QuestionId, reply: Reply) {
        let place = self.waiting.iter().position(|waiting| waiting.question.id == id);
        let Some(WaitingQuestion { question, answer, .. }) =
            place.and_then(|place| self.waiting.remove(place))
        else {
            return;
        };
        // The asker may be gone; its guard would have withdrawn the question a moment later.
        let _ = answer.send(reply.clone());
        self.emit(QuestionEvent::Settled { question, reply });
    }

    fn settle_permissions(&mut self, mut judge: impl FnMut(&Question, &Inquiry) -> Option<PermissionReply>) {
        self.settle_where(|question| match &question.about {
            QuestionKind::Permission(inquiry) => judge(question, inquiry).map(Reply::Permission),
            QuestionKind::Form(_) => None,
        });
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
    questions: &'a Questions,
    id: QuestionId,
}

impl Drop for WithdrawOnDrop<'_> {
    fn drop(&mut self) {
        let mut state = self.questions.lock();
        if let Some(question) = state.find(self.id) {
            state.settle(self.id, question.about.withdrawn());
        }
    }
}
