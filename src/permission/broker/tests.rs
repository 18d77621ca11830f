use super::*;
use crate::conversation::{CallId, SessionId};
use crate::permission::{Action, Ask, Open, Subject, Verdict};
use crate::view::card::Card;

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
