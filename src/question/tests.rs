use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::permission::{Action, Ask, OpenAsk, PermissionKey, Subject, Verdict};
use crate::view::card::Card;

fn asking(session: &SessionId, pattern: &str) -> NewQuestion {
    let open = OpenAsk {
        ask: Ask::new(PermissionKey::BASH, Subject::new(pattern)),
        verdict: Verdict {
            action: Action::Ask,
            rule: None,
        },
    };
    let inquiry = Inquiry {
        tool: "bash".into(),
        delegated: None,
        rows: vec![open.into()],
        title: "bash wants to run".into(),
        card: Card::default(),
        directory: "/p".into(),
        sandbox: None,
        editable: None,
    };
    asking_about(session, QuestionKind::Permission(Arc::new(inquiry)))
}

fn asking_about(session: &SessionId, about: QuestionKind) -> NewQuestion {
    NewQuestion {
        session: session.clone(),
        call: CallId::new(),
        agent: "build".into(),
        about,
        fit: None,
    }
}

fn form(session: &SessionId, title: &str) -> NewQuestion {
    let form = Form {
        title: title.into(),
        ..Form::default()
    };
    asking_about(session, QuestionKind::Form(Arc::new(form)))
}

fn pattern(question: &Question) -> String {
    match &question.about {
        QuestionKind::Permission(inquiry) => inquiry.rows[0].pattern().to_owned(),
        QuestionKind::Form(form) => form.title.clone(),
    }
}

fn permission(reply: PermissionReply) -> Reply {
    Reply::Permission(reply)
}

struct Asked {
    questions: Questions,
    events: mpsc::UnboundedReceiver<QuestionEvent>,
    session: SessionId,
    cancel: CancellationToken,
}

impl Asked {
    fn new(front_end: FrontEnd) -> Self {
        let (questions, events) = Questions::new(front_end);
        Self {
            questions,
            events,
            session: SessionId::new(),
            cancel: CancellationToken::new(),
        }
    }

    fn spawn(&self, session: &SessionId, pattern: &str) -> tokio::task::JoinHandle<Reply> {
        let (questions, cancel) = (self.questions.clone(), self.cancel.child_token());
        let asking = asking(session, pattern);
        tokio::spawn(async move { questions.ask(asking, &cancel).await })
    }

    fn spawn_form(&self, title: &str) -> tokio::task::JoinHandle<Reply> {
        let (questions, cancel) = (self.questions.clone(), self.cancel.child_token());
        let asking = form(&self.session, title);
        tokio::spawn(async move { questions.ask(asking, &cancel).await })
    }

    async fn next(&mut self) -> String {
        match self.events.recv().await.unwrap() {
            QuestionEvent::Asked(question) => format!("asked {}", pattern(&question)),
            QuestionEvent::Settled { question, reply } => {
                let reply = match reply {
                    Reply::Permission(reply) => format!("{reply:?}"),
                    Reply::Form(reply) => format!("{reply:?}"),
                };
                format!("{} {reply}", pattern(&question))
            }
        }
    }
}

#[tokio::test]
async fn the_first_answer_wins_and_the_second_hears_so() {
    let mut asked = Asked::new(FrontEnd::Attached);
    let call = asked.spawn(&asked.session, "a");
    assert_eq!(asked.next().await, "asked a");
    let id = asked.questions.waiting()[0].id;
    assert_eq!(
        asked.questions.answer(id, permission(PermissionReply::Once)),
        Ok(())
    );
    assert_eq!(
        asked
            .questions
            .answer(id, permission(PermissionReply::Reject(None))),
        Err(AnswerError::Settled)
    );
    assert_eq!(call.await.unwrap(), permission(PermissionReply::Once));
    assert_eq!(asked.next().await, "a Once");
    assert!(asked.questions.waiting().is_empty());
}

#[tokio::test]
async fn questions_wait_in_order_until_nobody_is_there() {
    let mut asked = Asked::new(FrontEnd::Attached);
    let session = asked.session.clone();
    let mut calls = vec![];
    for pattern in ["a", "b", "c"] {
        calls.push(asked.spawn(&session, pattern));
        assert_eq!(asked.next().await, format!("asked {pattern}"));
    }
    let order: Vec<String> = asked
        .questions
        .waiting()
        .iter()
        .map(|question| pattern(question))
        .collect();
    assert_eq!(order, ["a", "b", "c"]);
    asked.questions.set_front_end(FrontEnd::Absent);
    for call in calls {
        assert_eq!(call.await.unwrap(), permission(PermissionReply::Nobody));
    }
}

#[tokio::test]
async fn with_nobody_there_a_question_is_refused_at_once() {
    let mut asked = Asked::new(FrontEnd::Absent);
    assert_eq!(
        asked
            .questions
            .ask(asking(&asked.session, "a"), &asked.cancel)
            .await,
        permission(PermissionReply::Nobody)
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
    assert_eq!(cancelled.await.unwrap(), permission(PermissionReply::Withdrawn));
    assert_eq!(asked.next().await, "a Withdrawn");

    asked.cancel = CancellationToken::new();
    let dropped = asked.spawn(&session, "b");
    assert_eq!(asked.next().await, "asked b");
    dropped.abort();
    assert_eq!(asked.next().await, "b Withdrawn");
    assert!(asked.questions.waiting().is_empty());
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
        let waiting = asked.questions.waiting();
        waiting
            .iter()
            .find(|question| self::pattern(question) == pattern)
            .unwrap()
            .id
    };
    asked
        .questions
        .answer(id_of("a"), permission(PermissionReply::Reject(None)))
        .unwrap();
    assert_eq!(asked.questions.waiting().len(), 1);
    asked
        .questions
        .answer(
            id_of("c"),
            permission(PermissionReply::Reject(Some("use b".into()))),
        )
        .unwrap();
    // With the event of the answered one it is known which of the others still wait.
    assert_eq!(asked.next().await, "b Reject(None)");
    assert_eq!(asked.next().await, "a Reject(None)");
    let [a, b, c] = calls;
    assert_eq!(a.await.unwrap(), permission(PermissionReply::Reject(None)));
    assert_eq!(b.await.unwrap(), permission(PermissionReply::Reject(None)));
    assert_eq!(
        c.await.unwrap(),
        permission(PermissionReply::Reject(Some("use b".into())))
    );
}

#[tokio::test]
async fn a_grant_settles_what_it_covers() {
    let mut asked = Asked::new(FrontEnd::Attached);
    let session = asked.session.clone();
    let calls = [asked.spawn(&session, "ls a"), asked.spawn(&session, "rm a")];
    for _ in &calls {
        asked.next().await;
    }
    asked.questions.rejudge(&session, |inquiry| {
        let mut rows = inquiry.rows.iter();
        rows.all(|row| row.pattern().starts_with("ls"))
            .then_some(PermissionReply::Once)
    });
    let [covered, other] = calls;
    assert_eq!(covered.await.unwrap(), permission(PermissionReply::Once));
    assert_eq!(asked.questions.waiting().len(), 1);
    asked.cancel.cancel();
    assert_eq!(other.await.unwrap(), permission(PermissionReply::Withdrawn));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_askers_and_answerers_settle_every_question_once() {
    let mut asked = Asked::new(FrontEnd::Attached);
    let session = asked.session.clone();
    let calls: Vec<_> = (0..200).map(|n| asked.spawn(&session, &n.to_string())).collect();
    let answerers: Vec<_> = (0..4)
        .map(|_| {
            let questions = asked.questions.clone();
            tokio::spawn(async move {
                let mut won = 0;
                for _ in 0..2000 {
                    for question in questions.waiting() {
                        won += usize::from(
                            questions
                                .answer(question.id, permission(PermissionReply::Once))
                                .is_ok(),
                        );
                    }
                    tokio::task::yield_now().await;
                }
                won
            })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap(), permission(PermissionReply::Once));
    }
    let mut won = 0;
    for answerer in answerers {
        won += answerer.await.unwrap();
    }
    assert_eq!(won, 200);
    drop(asked.questions);
    let mut events = 0;
    while asked.events.recv().await.is_some() {
        events += 1;
    }
    assert_eq!(events, 400);
}

#[tokio::test]
async fn a_form_is_answered_as_a_form_alone() {
    let mut asked = Asked::new(FrontEnd::Attached);
    let call = asked.spawn_form("one");
    assert_eq!(asked.next().await, "asked one");
    let id = asked.questions.waiting()[0].id;
    let unfit = asked
        .questions
        .answer(id, permission(PermissionReply::Reject(None)));
    assert_eq!(unfit, Err(AnswerError::OtherKind));
    assert_eq!(asked.questions.waiting().len(), 1, "it waits on");
    let dismissed = Reply::Form(FormReply::Dismissed);
    assert_eq!(asked.questions.answer(id, dismissed.clone()), Ok(()));
    assert_eq!(call.await.unwrap(), dismissed);
    assert_eq!(asked.next().await, "one Dismissed");
}

#[tokio::test]
async fn forms_and_permissions_wait_in_one_order_and_a_no_leaves_forms_alone() {
    let mut asked = Asked::new(FrontEnd::Attached);
    let session = asked.session.clone();
    let first = asked.spawn(&session, "a");
    assert_eq!(asked.next().await, "asked a");
    let second = asked.spawn_form("b");
    assert_eq!(asked.next().await, "asked b");
    let waiting: Vec<String> = asked
        .questions
        .waiting()
        .iter()
        .map(|question| pattern(question))
        .collect();
    assert_eq!(waiting, ["a", "b"]);
    let id = asked.questions.waiting()[0].id;
    let no = permission(PermissionReply::Reject(None));
    asked.questions.answer(id, no.clone()).unwrap();
    assert_eq!(first.await.unwrap(), no);
    assert_eq!(asked.questions.waiting().len(), 1);
    asked.cancel.cancel();
    assert_eq!(second.await.unwrap(), Reply::Form(FormReply::Withdrawn));
}

#[tokio::test]
async fn with_nobody_there_a_form_is_never_shown() {
    let mut asked = Asked::new(FrontEnd::Absent);
    let call = asked.spawn_form("a");
    assert_eq!(call.await.unwrap(), Reply::Form(FormReply::Nobody));
    assert!(asked.events.try_recv().is_err());
}
