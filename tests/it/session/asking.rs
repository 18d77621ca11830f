//! Questions, and the effect of each answer.

use lathe::conversation::ToolPart;
use lathe::permission::{Mode, PermissionKey, PermissionReply};
use lathe::question::Reply;
use lathe::session::query::{Answer, Query};
use lathe::session::wire::SessionChoice;
use lathe::session::{Event, Op, TurnEndReason};
use serde_json::json;

use super::{Live, over_both, results};
use crate::support::{Project, Protocol, Server, Turn};

over_both! {
    a_call_waits_for_its_answer_and_its_result_goes_back,
    a_refusal_without_a_word_ends_the_turn_and_one_with_a_word_goes_on,
    nothing_of_a_reply_begins_after_a_refusal_without_a_word,
    always_is_kept_for_the_project_and_answers_what_waits,
    an_edited_call_is_brought_into_form_by_the_session_and_runs_instead,
}

async fn a_call_waits_for_its_answer_and_its_result_goes_back() {
    let server = Server::with([
        Turn::tool("bash", json!({"command": "touch made.txt && echo made"})),
        Turn::text("Done."),
    ]);
    let project = Project::new().model(&server, Protocol::Anthropic);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    live.submit("make it");
    let question = live.question().await;
    assert_eq!(question.title(), "bash wants to run");
    assert!(!project.exists("made.txt"), "nothing happens before the answer");
    assert_eq!(live.snapshot().await.questions.len(), 1);
    live.handle
        .send(Op::Answer {
            id: question.id,
            reply: Reply::Permission(PermissionReply::Once),
        })
        .unwrap();
    let (done, events) = live.until_turn_ended().await;
    assert_eq!(done, TurnEndReason::Stop);
    assert_eq!(results(&events)[0].output, "made");
    assert!(project.exists("made.txt"));
    assert!(server.requests()[1].mentions("made"));
    live.close().await;
}

async fn a_refusal_without_a_word_ends_the_turn_and_one_with_a_word_goes_on() {
    let server = Server::with([
        Turn::tool("bash", json!({"command": "rm -rf x"})),
        Turn::tool("bash", json!({"command": "rm -rf y"})),
        Turn::text("Understood."),
    ]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    for (prompt, reply, end) in [
        ("first", PermissionReply::Reject(None), TurnEndReason::Cancelled),
        (
            "second",
            PermissionReply::Reject(Some("use git".to_owned())),
            TurnEndReason::Stop,
        ),
    ] {
        live.submit(prompt);
        let question = live.question().await;
        live.handle
            .send(Op::Answer {
                id: question.id,
                reply: Reply::Permission(reply),
            })
            .unwrap();
        let (done, events) = live.until_turn_ended().await;
        assert_eq!(done, end);
        assert_eq!(
            results(&events)[0].error_kind(),
            Some(lathe::conversation::ErrorKind::Rejected)
        );
    }
    assert!(server.requests()[2].mentions("use git"));
    live.close().await;
}

async fn nothing_of_a_reply_begins_after_a_refusal_without_a_word() {
    use lathe::conversation::ErrorKind::{Cancelled, Rejected};
    let write = |path: &str| json!({"file_path": path, "content": "x"});
    let server = Server::with([Turn::new()
        .call("write", write("before.txt"))
        .call("bash", json!({"command": "rm -rf x"}))
        .call("write", write("after.txt"))
        .call("read", json!({"file_path": "before.txt"}))]);
    let project = Project::new()
        .model(&server, Protocol::OpenAiChat)
        .config(json!({"permission": {"edit": "allow"}}));
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    live.submit("go");
    let question = live.question().await;
    let reply = PermissionReply::Reject(None);
    live.handle
        .send(Op::Answer {
            id: question.id,
            reply: Reply::Permission(reply),
        })
        .unwrap();
    let (done, events) = live.until_turn_ended().await;
    assert_eq!(done, TurnEndReason::Cancelled);
    let kinds: Vec<_> = results(&events)
        .iter()
        .map(|result| result.error_kind())
        .collect();
    // The first ended before anybody was asked.
    assert_eq!(
        kinds[kinds.len() - 3..],
        [Some(Rejected), Some(Cancelled), Some(Cancelled)]
    );
    assert!(project.exists("before.txt") && !project.exists("after.txt"));
    live.close().await;
}

async fn always_is_kept_for_the_project_and_answers_what_waits() {
    let call = |name: &str| json!({"command": format!("touch {name}")});
    let server = Server::with([
        Turn::new().call("bash", call("a")).call("bash", call("b")),
        Turn::text("Done."),
        Turn::tool("bash", call("c")),
        Turn::text("Done."),
    ]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    live.submit("touch");
    let question = live.question().await;
    let row = &question.permission().unwrap().about.rows[0];
    assert_eq!(row.ask.always, ["touch *"]);
    let patterns = vec![(PermissionKey::BASH, "touch *".to_owned())];
    let reply = PermissionReply::Always {
        patterns,
        scope: lathe::permission::Scope::Project,
    };
    live.handle
        .send(Op::Answer {
            id: question.id,
            reply: Reply::Permission(reply),
        })
        .unwrap();
    let (done, events) = live.until_turn_ended().await;
    assert_eq!((done, results(&events).len()), (TurnEndReason::Stop, 2));
    live.close().await;

    let mut again = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    again.submit("touch again");
    let (done, events) = again.until_turn_ended().await;
    assert_eq!(done, TurnEndReason::Stop);
    assert!(!events.iter().any(|event| matches!(event, Event::Asked(_))));
    assert!(project.exists("c"));
    again.close().await;
}

async fn an_edited_call_is_brought_into_form_by_the_session_and_runs_instead() {
    let server = Server::with([
        Turn::tool("bash", json!({"command": "touch mark"})),
        Turn::text("Done."),
    ]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    live.submit("touch");
    let asked = live.question().await;
    let inquiry = asked.permission().unwrap().about;
    let editable = inquiry.editable.as_ref().expect("it has not begun");
    assert_eq!(editable.text(), "touch mark");
    let args = |value: serde_json::Value| value.as_object().cloned().expect("arguments are an object");
    let question = asked.id;
    let fit = |value| Query::Fit {
        question,
        args: args(value),
    };
    let answer = live
        .handle
        .ask(fit(json!({"command": "touch made", "cwd": "."})))
        .await
        .unwrap();
    let formed = args(json!({"command": "touch made", "workdir": "."}));
    assert_eq!(answer, Answer::Fits(formed.clone()), "another name for the same");
    let answer = live.handle.ask(fit(json!({"timeout": 5}))).await.unwrap();
    assert!(
        matches!(&answer, Answer::Unfit(why) if why.contains("`command`")),
        "{answer:?}"
    );
    let revise = Op::Answer {
        id: question,
        reply: Reply::Permission(PermissionReply::Revised(formed)),
    };
    live.handle.send(revise).unwrap();
    let again = live.question().await;
    assert_eq!(again.permission().unwrap().about.rows[0].pattern(), "touch made");
    let late = live.handle.ask(fit(json!({"command": "ls"}))).await.unwrap();
    assert_eq!(late, Answer::Unfit("this question is no longer open".to_owned()));
    // Who comes now sees the call as it would run; the conversation keeps it as the model made it.
    let shown = live.snapshot().await;
    let part = shown.messages.iter().flat_map(|message| message.calls()).next();
    let part = part.expect("the call is there");
    let command = |part: &ToolPart| part.args.as_ref().map(|args| args.value()["command"].clone());
    assert_eq!(command(part), Some(json!("touch made")));
    assert!(part.raw_args.contains("touch made"), "{}", part.raw_args);
    live.handle
        .send(Op::Answer {
            id: again.id,
            reply: Reply::Permission(PermissionReply::Once),
        })
        .unwrap();
    live.until_turn_ended().await;
    assert!(project.exists("made") && !project.exists("mark"));
    let kept = live.snapshot().await;
    let part = kept.messages.iter().flat_map(|message| message.calls()).next();
    assert_eq!(part.and_then(command), Some(json!("touch mark")));
    live.close().await;
}
