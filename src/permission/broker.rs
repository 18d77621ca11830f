//! Puts questions to the user, one queue for a whole tree of sessions.
//!
//! A call waits in [`Broker::ask`]; whoever shows the screen hears of the question through [`BrokerEvent`]s and answers
//! by its id. The first answer wins. A question leaves the queue when it is answered, when its call is cancelled or its
//! future dropped, and when [`Broker::rejudge`] finds that a new grant covers it. With nobody there to answer it is
//! refused at once instead of waiting for ever.
//!
//! The broker knows no rules and no modes: who stores a grant or changes the mode calls `rejudge` afterwards. Events go
//! out while the queue is locked, so their order is that of what happened.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::check::{Ask, Floor, Open};
use super::editable::{Editable, Fit};
use super::harm::{Deleted, harm};
use super::rule::{Action, Rule, Source};
use super::verdict::Verdict;
use crate::conversation::{CallId, SessionId};
use crate::view::card::Card;

/// One question of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct QuestionId(u64);

impl fmt::Display for QuestionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// What a call wants to know.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Inquiry {
    pub session: SessionId,
    pub call: CallId,
    pub tool: String,
    pub agent: String,
    /// The task that the agent works on for another one; `None` for the root's agent.
    pub delegated: Option<Delegated>,
    /// What is open; at least one.
    pub rows: Vec<Row>,
    /// `bash wants to run`.
    pub title: String,
    /// Shows what will happen.
    pub card: Card,
    /// Where; absolute.
    pub directory: PathBuf,
    /// What a command would be confined to, by the name of the mode (`off` is one); `None` where none would run.
    pub sandbox: Option<Cow<'static, str>>,
    /// The part of the call that may be changed; `None` where it has begun already. [`Broker::fit`] looks at what was made of it.
    pub editable: Option<Editable>,
}

/// A task that one agent works on for another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delegated {
    /// The agents above, the root's first; at least one.
    pub by: Vec<String>,
    /// In a few words.
    pub task: String,
}

/// One open ask of an inquiry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Key, pattern and what "always" would store; judged again by [`super::decide`] after a grant.
    pub ask: Ask,
    /// What the rules said.
    pub verdict: Verdict,
    /// Whether "always" starts ticked.
    pub preticked: bool,
}

impl Row {
    pub fn key(&self) -> &str {
        &self.ask.key
    }

    /// What is asked for.
    pub fn pattern(&self) -> &str {
        &self.ask.subject.text
    }

    /// `asks: no rule allows it`, or the rule that asks.
    pub fn why(&self) -> String {
        match &self.verdict.rule {
            Some(rule) => format!("asks: {rule}"),
            None if self.ask.floor == Floor::Ask => "asks: each time, whatever is allowed".to_owned(),
            None => "asks: no rule allows it".to_owned(),
        }
    }

    /// The same in a few words: that a default asks is nothing that a person has to know.
    pub fn short_why(&self) -> String {
        match &self.verdict.rule {
            Some(rule) if rule.source == Source::Default && rule.pattern.as_str() == "*" => {
                "asks: no rule allows it".to_owned()
            }
            _ => self.why(),
        }
    }

    /// What it destroys, in a few words, if it does.
    pub fn harm(&self) -> Option<&'static str> {
        let is_judged = self.ask.destructive && self.ask.floor == Floor::Rules && self.key() == "bash";
        is_judged.then(|| harm(self.pattern()))
    }

    /// The same with the number of files that go, where they were counted.
    pub fn loss(&self) -> Option<String> {
        let counted = || self.ask.deletes.and_then(Deleted::words);
        self.harm()
            .map(|harm| counted().unwrap_or_else(|| harm.to_owned()))
    }

    /// Whether a rule with this pattern would allow it.
    pub fn is_covered_by(&self, pattern: &str, home: Option<&Path>) -> bool {
        let source = Source::Grant(Scope::Session);
        Rule::new(self.key(), pattern, Action::Allow, source, home).grants(&self.ask.subject)
    }
}

impl From<Open> for Row {
    fn from(Open { ask, verdict }: Open) -> Self {
        let preticked = !ask.destructive && !ask.always.is_empty();
        Self {
            ask,
            verdict,
            preticked,
        }
    }
}

/// An inquiry that waits.
#[derive(Debug, Serialize, Deserialize)]
pub struct Question {
    pub id: QuestionId,
    pub inquiry: Inquiry,
}

/// How far an "always" reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The whole tree of agents, until it is closed.
    Session,
    #[default]
    Project,
    Everywhere,
}

impl Scope {
    /// Returns the scope that the next "always" begins with once this one was chosen; *everywhere* has to be chosen each
    /// time.
    pub fn remembered(self) -> Option<Self> {
        (self != Self::Everywhere).then_some(self)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Session => "this session",
            Self::Project => "this project",
            Self::Everywhere => "everywhere",
        })
    }
}

/// What becomes of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    Once,
    /// This call, and key with pattern from now on.
    Always {
        patterns: Vec<(String, String)>,
        scope: Scope,
    },
    /// The call with these arguments instead, which are judged like any.
    Revised(Map<String, Value>),
    /// No, with what the model should read. Without a text the session's other questions are rejected too.
    Reject(Option<String>),
    /// Nobody is there to answer.
    Nobody,
    /// The call was cancelled.
    Withdrawn,
}

impl Reply {
    pub fn allows(&self) -> bool {
        matches!(self, Self::Once | Self::Always { .. })
    }
}

/// Who could answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrontEnd {
    /// Nobody will ever answer: questions are refused at once.
    Absent,
    Attached,
    /// Nobody right now: questions wait.
    Away,
}

/// What happened to a question.
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

/// Where events go. Called while the queue is locked, so it must not block and not call the broker.
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

    /// What waits, oldest first.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permission::Subject;

    fn inquiry(session: &SessionId, pattern: &str) -> Inquiry {
        let open = Open {
            ask: Ask::new("bash", Subject::new(pattern)),
            verdict: Verdict {
                action: Action::Ask,
                rule: None,
            },
        };
        Inquiry {
            session: session.clone(),
            call: CallId::new(),
            tool: "bash".into(),
            agent: "build".into(),
            delegated: None,
            rows: vec![open.into()],
            title: "bash wants to run".into(),
            card: Card::default(),
            directory: "/p".into(),
            sandbox: None,
            editable: None,
        }
    }

    struct Asked {
        broker: Broker,
        events: mpsc::UnboundedReceiver<BrokerEvent>,
        session: SessionId,
        cancel: CancellationToken,
    }

    impl Asked {
        fn new(front_end: FrontEnd) -> Self {
            let (broker, events) = Broker::new(front_end);
            Self {
                broker,
                events,
                session: SessionId::new(),
                cancel: CancellationToken::new(),
            }
        }

        fn spawn(&self, session: &SessionId, pattern: &str) -> tokio::task::JoinHandle<Reply> {
            let (broker, cancel) = (self.broker.clone(), self.cancel.child_token());
            let inquiry = inquiry(session, pattern);
            tokio::spawn(async move { broker.ask(inquiry, &cancel).await })
        }

        async fn next(&mut self) -> String {
            match self.events.recv().await.unwrap() {
                BrokerEvent::Asked(question) => format!("asked {}", question.inquiry.rows[0].pattern()),
                BrokerEvent::Settled { question, reply } => {
                    format!("{} {reply:?}", question.inquiry.rows[0].pattern())
                }
            }
        }
    }

    #[tokio::test]
    async fn the_first_answer_wins_and_the_second_hears_so() {
        let mut asked = Asked::new(FrontEnd::Attached);
        let call = asked.spawn(&asked.session, "a");
        assert_eq!(asked.next().await, "asked a");
        let id = asked.broker.waiting()[0].id;
        assert_eq!(asked.broker.answer(id, Reply::Once), Ok(()));
        assert_eq!(asked.broker.answer(id, Reply::Reject(None)), Err(AlreadyAnswered));
        assert_eq!(call.await.unwrap(), Reply::Once);
        assert_eq!(asked.next().await, "a Once");
        assert!(asked.broker.waiting().is_empty());
    }

    #[tokio::test]
    async fn questions_wait_in_order_while_nobody_looks() {
        let mut asked = Asked::new(FrontEnd::Away);
        let session = asked.session.clone();
        let mut calls = vec![];
        for pattern in ["a", "b", "c"] {
            calls.push(asked.spawn(&session, pattern));
            assert_eq!(asked.next().await, format!("asked {pattern}"));
        }
        asked.broker.set_front_end(FrontEnd::Attached);
        let order: Vec<String> = asked
            .broker
            .waiting()
            .iter()
            .map(|question| question.inquiry.rows[0].pattern().to_owned())
            .collect();
        assert_eq!(order, ["a", "b", "c"]);
        asked.broker.set_front_end(FrontEnd::Absent);
        for call in calls {
            assert_eq!(call.await.unwrap(), Reply::Nobody);
        }
    }

    #[tokio::test]
    async fn with_nobody_there_a_question_is_refused_at_once() {
        let mut asked = Asked::new(FrontEnd::Absent);
        assert_eq!(
            asked
                .broker
                .ask(inquiry(&asked.session, "a"), &asked.cancel)
                .await,
            Reply::Nobody
        );
        assert_eq!(
            (asked.next().await, asked.next().await),
            ("asked a".into(), "a Nobody".into())
        );
    }

    #[tokio::test]
    async fn a_cancelled_or_dropped_call_withdraws_its_question() {
        let mut asked = Asked::new(FrontEnd::Attached);
        let session = asked.session.clone();
        let cancelled = asked.spawn(&session, "a");
        assert_eq!(asked.next().await, "asked a");
        asked.cancel.cancel();
        assert_eq!(cancelled.await.unwrap(), Reply::Withdrawn);
        assert_eq!(asked.next().await, "a Withdrawn");

        asked.cancel = CancellationToken::new();
        let dropped = asked.spawn(&session, "b");
        assert_eq!(asked.next().await, "asked b");
        dropped.abort();
        assert_eq!(asked.next().await, "b Withdrawn");
        assert!(asked.broker.waiting().is_empty());
    }

    #[tokio::test]
    async fn a_rejection_without_words_ends_the_sessions_other_questions() {
        let mut asked = Asked::new(FrontEnd::Attached);
        let (mine, other) = (asked.session.clone(), SessionId::new());
        let calls = [
            asked.spawn(&mine, "a"),
            asked.spawn(&mine, "b"),
            asked.spawn(&other, "c"),
        ];
        for _ in &calls {
            asked.next().await;
        }
        let id_of = |pattern: &str| {
            let waiting = asked.broker.waiting();
            waiting
                .iter()
                .find(|question| question.inquiry.rows[0].pattern() == pattern)
                .unwrap()
                .id
        };
        asked.broker.answer(id_of("a"), Reply::Reject(None)).unwrap();
        assert_eq!(asked.broker.waiting().len(), 1);
        asked
            .broker
            .answer(id_of("c"), Reply::Reject(Some("use b".into())))
            .unwrap();
        let [a, b, c] = calls;
        assert_eq!(a.await.unwrap(), Reply::Reject(None));
        assert_eq!(b.await.unwrap(), Reply::Reject(None));
        assert_eq!(c.await.unwrap(), Reply::Reject(Some("use b".into())));
    }

    #[tokio::test]
    async fn a_grant_settles_what_it_covers() {
        let mut asked = Asked::new(FrontEnd::Attached);
        let session = asked.session.clone();
        let calls = [asked.spawn(&session, "ls a"), asked.spawn(&session, "rm a")];
        for _ in &calls {
            asked.next().await;
        }
        asked.broker.rejudge(|question| {
            question
                .inquiry
                .rows
                .iter()
                .all(|row| row.pattern().starts_with("ls"))
                .then_some(Reply::Once)
        });
        let [covered, other] = calls;
        assert_eq!(covered.await.unwrap(), Reply::Once);
        assert_eq!(asked.broker.waiting().len(), 1);
        asked.cancel.cancel();
        assert_eq!(other.await.unwrap(), Reply::Withdrawn);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn many_askers_and_answerers_settle_every_question_once() {
        let mut asked = Asked::new(FrontEnd::Attached);
        let session = asked.session.clone();
        let calls: Vec<_> = (0..200).map(|n| asked.spawn(&session, &n.to_string())).collect();
        let answerers: Vec<_> = (0..4)
            .map(|_| {
                let broker = asked.broker.clone();
                tokio::spawn(async move {
                    let mut won = 0;
                    for _ in 0..2000 {
                        for question in broker.waiting() {
                            won += usize::from(broker.answer(question.id, Reply::Once).is_ok());
                        }
                        tokio::task::yield_now().await;
                    }
                    won
                })
            })
            .collect();
        for call in calls {
            assert_eq!(call.await.unwrap(), Reply::Once);
        }
        let mut won = 0;
        for answerer in answerers {
            won += answerer.await.unwrap();
        }
        assert_eq!(won, 200);
        drop(asked.broker);
        let mut events = 0;
        while asked.events.recv().await.is_some() {
            events += 1;
        }
        assert_eq!(events, 400);
    }
}
