use serde_json::{Value, json};

use super::*;
use crate::question::FormReply;
use crate::tool::Update;
use crate::tool::harness::{Harness, HarnessOptions};
use crate::view::card::plain;

fn pick(place: usize) -> FormReply {
    FormReply::Answers(vec![FormAnswer {
        picked: vec![place],
        words: None,
    }])
}

fn say(words: &str) -> FormReply {
    FormReply::Answers(vec![FormAnswer {
        picked: Vec::new(),
        words: Some(words.to_owned()),
    }])
}

/// A project whose session has a title, and somebody who fills in forms.
fn titled(fill: fn(&Form) -> FormReply) -> Harness {
    let project = Harness::filled_in(fill);
    project
        .services
        .tree
        .store
        .set_title(&project.services.session, "Fix the flaky test")
        .unwrap();
    project
}

fn today(rest: &str) -> String {
    format!(".lathe/plans/{}-{rest}.md", jiff::Zoned::now().date())
}

/// Returns what the session is told to change.
fn effects(project: &Harness) -> Vec<SessionEffect> {
    let effect = |update| match update {
        Update::Session(effect) => Some(effect),
        Update::Call(_) => None,
    };
    project.updates().into_iter().filter_map(effect).collect()
}

fn go_on(agent: Option<&str>, mode: Option<Mode>) -> SessionEffect {
    SessionEffect::GoOn {
        agent: agent.map(str::to_owned),
        mode,
    }
}

const TEXT: &str = "# Inject a clock\n\n1. `src/retry.rs:41`\n";

fn plan() -> Value {
    json!({ "plan": TEXT })
}

#[tokio::test]
async fn accepting_plan_enter_switches_to_agent_plan() {
    let project = titled(|sheet| {
        assert_eq!(sheet.title, "build wants to plan first");
        pick(0)
    });
    let result = project.run("plan_enter", json!({})).await;
    assert!(result.ok);
    let path = today("fix-the-flaky-test");
    assert_eq!(result.details, json!({ "path": path }));
    assert!(result.output.contains(&path), "{}", result.output);
    assert_eq!(effects(&project), [go_on(Some("plan"), None)]);
    assert!(!project.path(&path).exists(), "it is written by whoever plans");
}

#[tokio::test]
async fn declining_plan_enter_continues_the_turn() {
    for (fill, said) in [
        ((|_| pick(1)) as fn(&Form) -> FormReply, "go on without one"),
        (|_| say("it is one line"), "says: it is one line"),
    ] {
        let project = titled(fill);
        let result = project.run("plan_enter", json!({})).await;
        assert_eq!(result.error_kind(), Some(ErrorKind::Rejected));
        assert!(result.output.contains(said), "{}", result.output);
        assert!(result.details["error"]["message"].is_string());
        assert_eq!(effects(&project), []);
    }
    let project = titled(|_| FormReply::Dismissed);
    let result = project.run("plan_enter", json!({})).await;
    assert_eq!(
        result.details["error"].get("message"),
        None,
        "which ends the turn"
    );
}

#[tokio::test]
async fn an_unattended_session_declines_plan_enter() {
    let (kind, _) = Harness::new().error("plan_enter", json!({})).await;
    assert_eq!(kind, ErrorKind::Unavailable);
}

#[tokio::test]
async fn an_approved_plan_is_saved_and_the_session_is_told() {
    let project = titled(|sheet| {
        assert_eq!(sheet.title, "build has a plan: Inject a clock");
        assert!(plain(sheet.card.as_ref().unwrap()).contains("src/retry.rs:41"));
        pick(0)
    });
    let result = project.run("plan_exit", plan()).await;
    assert!(result.ok, "{}", result.output);
    let path = today("fix-the-flaky-test");
    assert_eq!(
        result.details,
        json!({"path": path, "approved": true, "plan": TEXT})
    );
    assert_eq!(project.read(&path), TEXT);
    let message = SessionEffect::Message(format!("The plan at `{path}` is approved. Carry it out."));
    assert_eq!(effects(&project), [go_on(None, None), message]);
    assert_eq!(project.asked(), [], "the form is asked, and nothing else");
}

#[tokio::test]
async fn accepting_edits_changes_the_mode_and_a_mode_that_plans_ends() {
    let approve: fn(&Form) -> FormReply = |_| pick(0);
    let accept_edits: fn(&Form) -> FormReply = |_| pick(1);
    for (mode, fill, expected) in [
        (Mode::Ask, accept_edits, Some(Mode::AcceptEdits)),
        (Mode::Plan, accept_edits, Some(Mode::AcceptEdits)),
        (Mode::Plan, approve, Some(Mode::Ask)),
        (Mode::Yolo, accept_edits, None),
        (Mode::AcceptEdits, accept_edits, None),
        (Mode::Ask, approve, None),
    ] {
        let project = Harness::with(HarnessOptions {
            mode,
            fill: Some(fill),
            ..HarnessOptions::default()
        });
        project.ok("plan_exit", plan()).await;
        assert_eq!(effects(&project)[0], go_on(None, expected), "{mode:?}");
    }
}

#[tokio::test]
async fn keeping_on_is_a_refusal_that_the_model_reads() {
    for (fill, said) in [
        ((|_| pick(2)) as fn(&Form) -> FormReply, "go on planning"),
        (|_| say("mind\nWindows"), "says: mind Windows"),
    ] {
        let project = titled(fill);
        let result = project.run("plan_exit", plan()).await;
        assert_eq!(result.error_kind(), Some(ErrorKind::Rejected));
        assert!(result.output.contains(said), "{}", result.output);
        assert!(result.details["error"]["message"].is_string());
        assert!(
            !project.path(".lathe").exists(),
            "what is not approved is not saved"
        );
        assert_eq!(effects(&project), []);
    }
}

#[tokio::test]
async fn without_a_text_the_file_that_the_session_wrote_counts() {
    let project = Harness::with(HarnessOptions {
        rules: json!({"edit": "allow"}),
        fill: Some(|sheet| {
            assert_eq!(sheet.title, "build has a plan: Mine");
            pick(0)
        }),
        ..HarnessOptions::default()
    });
    project.write(".lathe/plans/zzz.md", "# Somebody's\n");
    let (kind, text) = project.error("plan_exit", json!({})).await;
    assert_eq!(kind, ErrorKind::NotFound);
    assert!(text.contains(".lathe/plans/NAME.md"), "{text}");
    for name in ["b", "a"] {
        let file = json!({"file_path": format!(".lathe/plans/{name}.md"), "content": "# Mine\n"});
        project.ok("write", file).await;
    }
    let result = project
        .run("plan_exit", json!({"plan": " ", "title": null}))
        .await;
    assert_eq!(result.details["path"], ".lathe/plans/a.md", "{}", result.output);
    assert_eq!(result.details["plan"], "# Mine\n");
}

#[tokio::test]
async fn the_plan_of_somebody_else_is_never_replaced() {
    let project = titled(|_| pick(0));
    let path = today("fix-the-flaky-test");
    project.write(&path, "other\n");
    let result = project.run("plan_exit", plan()).await;
    let second = today("fix-the-flaky-test-2");
    assert_eq!(result.details["path"], second, "{}", result.output);
    assert_eq!(
        (project.read(&path).as_str(), project.read(&second).as_str()),
        ("other\n", TEXT)
    );
    // Its own is.
    let result = project.run("plan_exit", json!({"plan": "# Again"})).await;
    assert_eq!(result.details["path"], second);
    assert_eq!(project.read(&second), "# Again\n");
    let result = project
        .run("plan_exit", json!({"plan": "x", "title": "../Other/ name"}))
        .await;
    assert_eq!(result.details["path"], today("other-name"));
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_that_leads_out_of_the_project_keeps_no_plan() {
    let project = titled(|_| pick(0));
    std::fs::create_dir_all(project.path(".lathe")).unwrap();
    std::os::unix::fs::symlink(project.outside(""), project.path(".lathe/plans")).unwrap();
    let (kind, text) = project.error("plan_exit", plan()).await;
    assert_eq!(kind, ErrorKind::Denied);
    assert!(text.contains("leads out of the project"), "{text}");
    assert_eq!(std::fs::read_dir(project.outside("")).unwrap().count(), 0);
}

#[tokio::test]
async fn an_unattended_session_ends_with_the_plan_as_its_answer() {
    let project = Harness::new();
    let result = project.run("plan_exit", plan()).await;
    assert!(result.ok);
    assert_eq!(
        result.output,
        "No user is present; the plan stands as the answer."
    );
    assert_eq!(
        result.details,
        json!({"path": null, "approved": false, "plan": TEXT})
    );
    assert_eq!(effects(&project), [SessionEffect::Answer(TEXT.to_owned())]);
    assert!(!project.path(".lathe").exists());
}

#[tokio::test]
async fn the_card_is_the_plan() {
    let project = titled(|_| pick(0));
    let streaming = project.draw_call("plan_exit", "{\"title\": \"Clock\", \"plan\": \"# Inj");
    assert_eq!(streaming.argument, "Clock");
    assert!(plain(&streaming).contains("# Inj"));
    let result = project.run("plan_exit", plan()).await;
    let card = project.draw_result("plan_exit", &plan(), &result, false);
    assert_eq!(
        (card.title.as_str(), card.argument.as_str()),
        ("Plan", "Inject a clock")
    );
    assert_eq!(card.meta, [today("fix-the-flaky-test").as_str(), "approved"]);
    assert!(plain(&card).contains("src/retry.rs:41"));
    let entered = project.run("plan_enter", json!({})).await;
    let card = project.draw_result("plan_enter", &json!({}), &entered, false);
    assert_eq!(
        (card.title.as_str(), card.argument.contains(".lathe/plans/")),
        ("Plan mode", true)
    );
}
