use crate::permission::PermissionKey;
use std::sync::Arc;

use serde_json::json;
use tokio::sync::mpsc;

use super::*;
use crate::permission::Subject;
use crate::question::{FrontEnd, QuestionEvent};
use crate::store::NewSession;
use crate::tool::harness::Harness;

const WRITE: AskingTool<'_> = AskingTool {
    tool: "write",
    family: &PermissionKey::EDIT,
};
const BASH: AskingTool<'_> = AskingTool {
    tool: "bash",
    family: &PermissionKey::BASH,
};

impl Gate {
    /// Lets the asks of one call through, or says why not. `card` is made when somebody is to see it.
    async fn pass(
        &self,
        cx: &ToolCx,
        asker: AskingTool<'_>,
        asks: &[Ask],
        card: impl FnOnce() -> Card + Send,
    ) -> Result<(), ToolError> {
        let shown = || CallForReview {
            card: card(),
            runs_in: None,
            editable: None,
        };
        match self.pass_by(Answerer::Person, cx, asker, asks, shown).await? {
            GateOutcome::Allowed => Ok(()),
            // It was not offered.
            GateOutcome::Revised(_) => Err(ToolError::not_executed()),
        }
    }
}

struct Door {
    gate: Arc<Gate>,
    events: mpsc::UnboundedReceiver<QuestionEvent>,
    harness: Harness,
}

fn door(front_end: FrontEnd, mode: Mode) -> Door {
    let store = Store::in_memory().unwrap();
    let harness = Harness::new();
    let session = harness.services.session.clone();
    let new = NewSession {
        id: session.clone(),
        parent: None,
        project: "/p".into(),
        directory: "/p".into(),
        agent: "build".into(),
        model: None,
        title: String::new(),
    };
    store.create(&new).unwrap();
    let rules = crate::permission::parse(
        &json!({"edit": {"*": "ask", "no": "deny"}}),
        &Source::Default,
        None,
    );
    let permissions = Permissions {
        user: rules.unwrap().into(),
        ..Permissions::default()
    };
    let (questions, events) = Questions::new(front_end);
    let owner = GateOwner {
        root: session.clone(),
        session,
        project: "/p".into(),
        home: None,
    };
    Door {
        gate: Gate::new(
            permissions,
            mode,
            (questions, store),
            owner,
            None,
            &Arc::default(),
        ),
        events,
        harness,
    }
}

impl Door {
    fn cx(&self) -> ToolCx {
        self.harness.unheard()
    }
}

fn edit(path: &str) -> Ask {
    Ask::new(PermissionKey::EDIT, Subject::new(path)).always("*")
}

#[tokio::test]
async fn yolo_tells_of_what_it_answered() {
    let mut door = door(FrontEnd::Absent, Mode::Yolo);
    let cx = door.cx();
    door.gate
        .pass(&cx, WRITE, &[edit("a")], Card::default)
        .await
        .unwrap();
    let Ok(QuestionEvent::Settled { question, reply }) = door.events.try_recv() else {
        panic!("nothing was told");
    };
    assert_eq!(reply, Reply::Permission(PermissionReply::Once));
    assert_eq!(question.permission().unwrap().about.rows[0].pattern(), "a");
    let error = door
        .gate
        .pass(&cx, WRITE, &[edit("no")], Card::default)
        .await
        .unwrap_err();
    assert_eq!(error.kind, ErrorKind::Denied);
    assert!(door.events.try_recv().is_err(), "a deny by rule is no event");
}

#[tokio::test]
async fn an_always_is_stored_and_settles_what_waits() {
    let mut door = door(FrontEnd::Attached, Mode::Ask);
    let (one, two) = (door.cx(), door.cx());
    let gate = &door.gate;
    let asks = ([edit("a")], [edit("b")]);
    let answer = async {
        let Some(QuestionEvent::Asked(question)) = door.events.recv().await else {
            panic!("nothing was asked");
        };
        door.events.recv().await;
        let reply = Reply::Permission(PermissionReply::Always {
            patterns: vec![(PermissionKey::EDIT, "*".into())],
            scope: Scope::Session,
        });
        gate.answer(question.id, reply.clone()).unwrap();
        let late = gate.answer(question.id, reply).unwrap_err();
        assert!(matches!(late, GateAnswerError::Late(_)));
    };
    let (one, two, ()) = tokio::join!(
        gate.pass(&one, WRITE, &asks.0, Card::default),
        gate.pass(&two, WRITE, &asks.1, Card::default),
        answer
    );
    one.unwrap();
    two.unwrap();
    assert_eq!(
        gate.permissions().grants.len(),
        1,
        "the late answer stored nothing"
    );
    assert_eq!(
        gate.pass(&door.cx(), WRITE, &[edit("no")], Card::default)
            .await
            .unwrap_err()
            .kind,
        ErrorKind::Denied
    );
}

#[tokio::test]
async fn what_would_open_everything_is_not_stored() {
    let mut door = door(FrontEnd::Attached, Mode::Ask);
    let cx = door.cx();
    let asks = [Ask::new(PermissionKey::BASH, Subject::new("rm x"))];
    let gate = &door.gate;
    let answer = async {
        let Some(QuestionEvent::Asked(question)) = door.events.recv().await else {
            panic!("nothing was asked");
        };
        for pattern in ["*", "", "bash *", "sudo *"] {
            let reply = Reply::Permission(PermissionReply::Always {
                patterns: vec![(PermissionKey::BASH, pattern.into())],
                scope: Scope::Everywhere,
            });
            let error = gate.answer(question.id, reply).unwrap_err();
            assert!(matches!(error, GateAnswerError::Floored(_)), "{pattern}");
        }
        gate.answer(question.id, Reply::Permission(PermissionReply::Once))
            .unwrap();
    };
    let (passed, ()) = tokio::join!(gate.pass(&cx, BASH, &asks, Card::default), answer);
    passed.unwrap();
}

#[tokio::test]
async fn a_cancelled_call_withdraws_its_question() {
    let door = door(FrontEnd::Attached, Mode::Ask);
    let cx = door.cx();
    let asks = [edit("a")];
    let (passed, ()) = tokio::join!(door.gate.pass(&cx, WRITE, &asks, Card::default), async {
        tokio::task::yield_now().await;
        cx.cancel.cancel();
    });
    assert_eq!(passed.unwrap_err().message, "not executed");
    assert!(door.gate.questions.waiting().is_empty());
}

#[tokio::test]
async fn a_yes_lifts_no_denial_that_came_while_it_was_waited_for() {
    for tighten in [
        |gate: &Gate| gate.set_mode(Mode::Plan),
        |gate: &Gate| {
            let deny = json!({"edit": "deny"});
            let user = crate::permission::parse(&deny, &Source::Agent("plan".into()), None).unwrap();
            gate.change_rules(Permissions {
                user: user.into(),
                ..Permissions::default()
            });
        },
    ] {
        let door = door(FrontEnd::Attached, Mode::Ask);
        let cx = door.cx();
        let asks = [edit("a")];
        let (passed, ()) = tokio::join!(door.gate.pass(&cx, WRITE, &asks, Card::default), async {
            tokio::task::yield_now().await;
            tighten(&door.gate);
            let id = door.gate.questions.waiting()[0].id;
            door.gate
                .answer(id, Reply::Permission(PermissionReply::Once))
                .unwrap();
        });
        assert_eq!(passed.unwrap_err().kind, ErrorKind::Denied);
    }
}

#[tokio::test]
async fn what_was_revoked_lets_nothing_more_through() {
    let door = door(FrontEnd::Attached, Mode::Ask);
    let cx = door.cx();
    let asks = [edit("a")];
    let always = Reply::Permission(PermissionReply::Always {
        patterns: vec![(PermissionKey::EDIT, "a".to_owned())],
        scope: Scope::Everywhere,
    });
    let ask = || door.gate.pass(&cx, WRITE, &asks, Card::default);
    let (passed, ()) = tokio::join!(ask(), async {
        tokio::task::yield_now().await;
        door.gate
            .answer(door.gate.questions.waiting()[0].id, always)
            .unwrap();
    });
    passed.unwrap();
    ask().await.unwrap();
    let (passed, ()) = tokio::join!(
        async {
            assert!(door.gate.revoke(door.gate.stored().unwrap()[0].id).unwrap());
            ask().await
        },
        async {
            while door.gate.questions.waiting().is_empty() {
                tokio::task::yield_now().await;
            }
            let id = door.gate.questions.waiting()[0].id;
            door.gate
                .answer(id, Reply::Permission(PermissionReply::Reject(None)))
                .unwrap();
        }
    );
    assert_eq!(passed.unwrap_err().kind, ErrorKind::Rejected);
}

#[tokio::test]
async fn another_mode_judges_what_waits_only_when_told_to() {
    let door = door(FrontEnd::Attached, Mode::Ask);
    let cx = door.cx();
    let asks = [edit("a")];
    let (passed, ()) = tokio::join!(door.gate.pass(&cx, WRITE, &asks, Card::default), async {
        tokio::task::yield_now().await;
        door.gate.set_mode(Mode::Yolo);
        assert_eq!(door.gate.questions.waiting().len(), 1);
        door.gate.rejudge();
        assert!(door.gate.questions.waiting().is_empty());
    });
    passed.unwrap();
}

#[tokio::test]
async fn plan_refuses_a_change_that_waits() {
    let door = door(FrontEnd::Attached, Mode::Ask);
    let cx = door.cx();
    let asks = [edit("a")];
    let (passed, ()) = tokio::join!(door.gate.pass(&cx, WRITE, &asks, Card::default), async {
        tokio::task::yield_now().await;
        door.gate.set_mode(Mode::Plan);
        door.gate.rejudge();
        assert_eq!(door.gate.questions.waiting().len(), 1);
        door.gate.rejudge_by_mode();
        assert!(door.gate.questions.waiting().is_empty());
    });
    let message = passed.unwrap_err().message;
    assert!(message.contains("the permission mode is `plan` now"), "{message}");
}

#[test]
fn a_tools_own_name_counts_for_its_family_alone() {
    let rules = json!({"bash": "ask", "read": "allow", "edit": "allow", "write": {"*": "allow", "x": "ask"}});
    let permissions = Permissions {
        user: crate::permission::parse(&rules, &Source::Default, None)
            .unwrap()
            .into(),
        ..Permissions::default()
    };
    let decide = |asker: AskingTool<'_>, key: &str| {
        asker.decide(
            &permissions,
            &[Ask::new(PermissionKey::named(key), Subject::new("x"))],
            Mode::Ask,
        )
    };
    assert_eq!(decide(BASH, "read"), Decision::Allow);
    assert!(matches!(decide(BASH, "bash"), Decision::Ask(_)));
    assert!(matches!(decide(WRITE, "edit"), Decision::Ask(_)));
    assert_eq!(decide(WRITE, "read"), Decision::Allow);
}

#[test]
fn a_question_does_not_repeat_the_name_of_the_tool() {
    let titled = |tool: &str, keys: &[&str]| {
        let keys: Vec<PermissionKey> = keys.iter().map(|key| PermissionKey::named(*key)).collect();
        title(tool, &keys.iter().collect::<Vec<_>>(), &Card::default(), false)
    };
    for tool in ["interactive_bash", "webfetch", "task"] {
        assert_eq!(titled(tool, &[tool]), format!("{tool} wants to run"));
        assert_eq!(titled(tool, &[tool, tool]), format!("{tool} wants to run"));
    }
    assert_eq!(
        titled("todowrite", &["notes", "todowrite"]),
        "todowrite asks for notes"
    );
}
