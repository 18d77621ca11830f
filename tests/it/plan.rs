//! `plan_enter` and `plan_exit`: a session that plans, has its plan approved, and carries it out.

use lathe::permission::Mode;
use lathe::question::{FormAnswer, FormReply};
use lathe::session::wire::SessionChoice;
use lathe::session::{Event, Op, TurnEndReason};
use serde_json::{Value, json};

use crate::run::{assert_well_formed, events_of, of_kind, project_with, reason};
use crate::screen::{open, project, say};
use crate::session::{Live, over_both, results};
use crate::support::{Key, Lathe, Project, Server, Turn};

over_both! {
    an_approved_plan_is_carried_out_by_build,
    an_approved_plan_is_not_in_the_status_of_git,
    accepting_edits_changes_the_mode_for_what_follows,
    rejecting_a_plan_sends_the_reason_and_continues_the_turn,
    build_may_ask_to_plan_first,
}

const TEXT: &str = "# Inject a clock\n\n1. `src/retry.rs`\n";

fn plan() -> Value {
    json!({ "plan": TEXT })
}

fn pick(place: usize) -> FormReply {
    FormReply::Answers(vec![FormAnswer {
        picked: vec![place],
        words: None,
    }])
}

/// A session that is at work as agent `plan`.
async fn planning(project: &Project) -> Live {
    let mut live = Live::open(project, SessionChoice::New, Mode::Ask).await;
    live.handle.send(Op::SetAgent("plan".to_owned())).unwrap();
    live.until("change", |event| matches!(event, Event::Agent(_)))
        .await;
    live.submit("fix the test");
    live
}

fn saved(project: &Project) -> Vec<String> {
    let plans = std::fs::read_dir(project.path(".lathe/plans"));
    let names = plans
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| name != ".gitignore").collect()
}

async fn an_approved_plan_is_not_in_the_status_of_git() {
    for own in [true, false] {
        let server = Server::with([Turn::tool("plan_exit", plan()), Turn::text("Done.")]);
        let mut project = project_with(&server);
        if !own {
            // Somebody keeps their plans in the repository.
            project = project.file(".lathe/plans/theirs.md", "# Theirs\n");
        }
        let project = project.git();
        let mut live = planning(&project).await;
        let form = live.form().await;
        live.fill(&form, pick(0));
        live.until_turn_ended().await;
        let status = project.run_git(&["status", "--porcelain", "--", ".lathe/plans"]);
        let plans = saved(&project);
        assert_eq!(plans.len(), if own { 1 } else { 2 }, "{plans:?}");
        assert_eq!(status.is_empty(), own, "{status}");
        assert_eq!(project.exists(".lathe/plans/.gitignore"), own);
    }
}

async fn an_approved_plan_is_carried_out_by_build() {
    let server = Server::with([
        Turn::tool("plan_exit", plan()),
        Turn::tool("write", json!({"file_path": "a.txt", "content": "new\n"})),
        Turn::text("Done."),
    ]);
    let project = project_with(&server).config(json!({"permission": {"edit": "allow"}}));
    let mut live = planning(&project).await;
    let form = live.form().await;
    assert_eq!(form.about.title, "plan has a plan: Inject a clock");
    live.fill(&form, pick(0));
    let (done, events) = live.until_turn_ended().await;
    assert_eq!(done, TurnEndReason::Stop);
    assert!(results(&events).iter().all(|result| result.ok), "{events:#?}");
    assert!(
        events
            .iter()
            .any(|event| matches!(event, Event::Agent(agent) if agent == "build"))
    );
    let modes = events.iter().filter_map(|event| match event {
        Event::Mode(mode) => Some(*mode),
        _ => None,
    });
    assert_eq!(modes.collect::<Vec<_>>(), [Mode::Ask]);
    assert!(project.exists("a.txt"));
    let names = saved(&project);
    assert_eq!(names.len(), 1);
    assert!(names[0].ends_with("-fix-the-test.md"), "{names:?}");
    let requests = server.requests();
    assert!(requests[0].tool_names().contains(&"plan_exit".to_owned()));
    assert_eq!(requests[1].tool_names(), requests[0].tool_names());
    assert!(requests[1].mentions(&format!("The plan at `.lathe/plans/{}` is approved.", names[0])));
    assert!(requests[1].mentions("Plan mode is off."));
    live.close().await;
    let again = Live::open(&project, SessionChoice::Newest, Mode::Ask).await;
    assert_eq!(again.snapshot.info.agent, "build");
    again.close().await;
}

async fn accepting_edits_changes_the_mode_for_what_follows() {
    let server = Server::with([
        Turn::tool("plan_exit", plan()),
        Turn::tool("write", json!({"file_path": "a.txt", "content": "new\n"})),
        Turn::text("Done."),
    ]);
    let project = project_with(&server);
    let mut live = planning(&project).await;
    let form = live.form().await;
    live.fill(&form, pick(1));
    let (_, events) = live.until_turn_ended().await;
    assert!(
        events
            .iter()
            .any(|event| matches!(event, Event::Mode(Mode::AcceptEdits)))
    );
    assert!(!events.iter().any(|event| matches!(event, Event::Asked(_))));
    assert!(project.exists("a.txt"));
    live.close().await;
}

async fn rejecting_a_plan_sends_the_reason_and_continues_the_turn() {
    let server = Server::with([
        Turn::tool("plan_exit", plan()),
        Turn::text("I will look at Windows."),
    ]);
    let project = project_with(&server);
    let mut live = planning(&project).await;
    let form = live.form().await;
    let words = FormAnswer {
        picked: Vec::new(),
        words: Some("mind Windows".to_owned()),
    };
    live.fill(&form, FormReply::Answers(vec![words]));
    let (done, _) = live.until_turn_ended().await;
    assert_eq!(done, TurnEndReason::Stop);
    assert!(server.requests()[1].mentions("mind Windows"));
    assert!(server.requests()[1].mentions("You are agent `plan`"));
    assert_eq!(saved(&project), Vec::<String>::new());
    live.close().await;
}

async fn build_may_ask_to_plan_first() {
    let server = Server::with([Turn::tool("plan_enter", json!({})), Turn::text("Reading.")]);
    let project = project_with(&server);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    live.submit("a large change");
    let form = live.form().await;
    live.fill(&form, pick(0));
    let (_, events) = live.until_turn_ended().await;
    assert!(
        results(&events)[0].output.contains("-a-large-change.md"),
        "{events:#?}"
    );
    let requests = server.requests();
    assert!(requests[1].mentions("You are agent `plan`"));
    assert!(requests[1].mentions("Plan mode is on."));
    assert!(requests[1].tool_names().contains(&"plan_exit".to_owned()));
    live.close().await;
}

#[test]
fn without_a_screen_the_plan_is_the_answer_and_the_turn_ends() {
    let server = Server::with([Turn::new().say("Here it is.").call("plan_exit", plan())]);
    let project = project_with(&server);
    let finished = events_of(&project).args(["-a", "plan", "go"]).run().success();
    assert_well_formed(&finished);
    let result = &of_kind(&finished, "tool_result")[0];
    assert_eq!(
        result["output"],
        "No user is present; the plan stands as the answer."
    );
    assert_eq!(
        result["details"],
        json!({"path": null, "approved": false, "plan": TEXT})
    );
    assert_eq!(reason(&finished), "stop");
    assert_eq!(server.requests().len(), 1);

    let server = Server::with([Turn::tool("plan_exit", plan())]);
    let project = project_with(&server);
    let finished = Lathe::in_project(&project)
        .args(["run", "-a", "plan", "go"])
        .run()
        .success();
    assert_eq!(finished.stdout, TEXT);
}

#[test]
fn without_a_screen_nobody_agrees_to_plan_first() {
    let project = Project::new();
    let finished = Lathe::in_project(&project)
        .args(["tool", "plan_enter", "{}", "--format", "json"])
        .run()
        .assert_code(1);
    assert_eq!(finished.json()["details"]["error"]["kind"], "unavailable");
}

#[test]
fn a_plan_is_read_and_approved_on_the_screen() {
    let steps: Vec<String> = (1..40).map(|number| format!("{number}. step {number}")).collect();
    let long = steps.join("\n");
    let server = Server::with([
        Turn::tool(
            "plan_exit",
            json!({"title": "Clock", "plan": format!("# Clock\n\n{long}")}),
        ),
        Turn::text("On it."),
    ]);
    let project = project(&server);
    let terminal = open(&project);
    terminal.wait_text("⇥ agent");
    terminal.key(Key::Tab);
    terminal.wait_text("the agent is plan from here on");
    say(&terminal, "go");
    terminal.wait_text("Carry out this plan?");
    terminal.wait_text("more rows");
    terminal.wait_quiet(std::time::Duration::from_millis(450));
    for _ in 0..20 {
        terminal.key(Key::PageDown);
    }
    terminal.wait_text("step 39");
    terminal.keys("2");
    terminal.wait_text("On it.");
    terminal.wait_text("· build · accept-edits");
    terminal.wait_text("is approved. Carry it out.");
}
