//! The tool `question`: asked without a screen, and answered through a session's handle.

use lathe::conversation::ErrorKind;
use lathe::permission::Mode;
use lathe::question::{FormAnswer, FormReply};
use lathe::session::wire::SessionChoice;
use lathe::session::{Event, Op, TurnEndReason};
use serde_json::{Value, json};

use crate::run::{assert_well_formed, events_of, of_kind, project_with, reason};
use crate::session::{Live, over_both, results};
use crate::support::{Lathe, Project, Server, Turn};

over_both! {
    the_answer_reaches_the_model_and_the_snapshot_has_what_waits,
    a_dismissed_question_ends_the_turn,
    an_interrupt_withdraws_the_question,
    the_time_a_person_takes_is_not_the_call_s,
    hooks_hear_of_a_question,
}

fn which() -> Value {
    json!({"question": "Which database?", "options": ["Postgres", "SQLite"], "default": "SQLite"})
}

/// A session whose model asks at once.
async fn asking(project: &Project) -> Live {
    let live = Live::open(project, SessionChoice::New, Mode::Ask).await;
    live.submit("go");
    live
}

#[test]
fn lathe_tool_takes_the_defaults_and_says_so() {
    let project = Project::new();
    let finished = Lathe::in_project(&project)
        .args(["tool", "question", &which().to_string()])
        .run()
        .success();
    assert_eq!(
        finished.stdout,
        "No user is present; defaults were used.\n\"Which database?\" = \"SQLite\"\n"
    );
}

#[test]
fn lathe_tool_finds_it_by_its_other_names() {
    let project = Project::new();
    for name in ["ask", "ask_user", "AskUserQuestion"] {
        let finished = Lathe::in_project(&project)
            .args(["tool", name, r#"{"questions": {"question": "Why?"}}"#])
            .run()
            .success();
        assert!(finished.stdout.ends_with("\"Why?\" = unanswered\n"), "{finished}");
    }
}

#[test]
fn run_goes_on_with_the_defaults_and_asks_nobody() {
    let server = Server::with([Turn::tool("question", which()), Turn::text("SQLite it is.")]);
    let project = project_with(&server);
    let finished = events_of(&project).arg("go").run().success();
    assert_well_formed(&finished);
    let call = &of_kind(&finished, "tool_call")[0];
    assert_eq!(
        call["args"]["questions"][0]["options"][1],
        json!({"label": "SQLite"})
    );
    let result = &of_kind(&finished, "tool_result")[0];
    assert_eq!(
        result["details"],
        json!({"answers": [["SQLite"]], "custom": [false], "defaulted": true})
    );
    assert_eq!(of_kind(&finished, "permission"), Vec::<Value>::new());
    assert_eq!(reason(&finished), "stop");
    assert!(server.requests()[1].mentions("No user is present; defaults were used."));
}

#[test]
fn a_rule_may_take_the_tool_away() {
    let server = Server::with([Turn::tool("question", which()), Turn::text("No.")]);
    let project = project_with(&server).config(json!({"permission": {"question": "deny"}}));
    let finished = events_of(&project).arg("go").run().success();
    let result = &of_kind(&finished, "tool_result")[0];
    assert_eq!(result["details"]["error"]["kind"], "denied");
    assert!(
        !server.requests()[0].body["tools"]
            .to_string()
            .contains("\"question\"")
    );
}

async fn the_answer_reaches_the_model_and_the_snapshot_has_what_waits() {
    let server = Server::with([Turn::tool("question", which()), Turn::text("Good.")]);
    let project = project_with(&server);
    let mut live = asking(&project).await;
    let form = live.form().await;
    assert_eq!(form.about.title, "build has a question");
    let snapshot = live.snapshot().await;
    assert_eq!(snapshot.questions.len(), 1);
    assert_eq!(snapshot.questions[0].id, form.id);
    assert!(snapshot.busy);
    let answer = FormAnswer {
        picked: vec![0],
        words: Some("version 18".to_owned()),
    };
    live.fill(&form, FormReply::Answers(vec![answer]));
    live.fill(&form, FormReply::Dismissed);
    let (done, events) = live.until_turn_ended().await;
    assert_eq!(done, TurnEndReason::Stop);
    assert_eq!(
        results(&events)[0].output,
        "\"Which database?\" = \"Postgres\", \"version 18\""
    );
    let late = events
        .iter()
        .any(|event| matches!(event, Event::Notice(text) if text.contains("no longer open")));
    assert!(late, "the first answer wins and the second hears so");
    assert!(server.requests()[1].mentions("version 18"));
    assert_eq!(live.snapshot().await.questions.len(), 0);
    live.close().await;
}

async fn a_dismissed_question_ends_the_turn() {
    let server = Server::with([Turn::tool("question", which())]);
    let project = project_with(&server);
    let mut live = asking(&project).await;
    let form = live.form().await;
    live.fill(&form, FormReply::Dismissed);
    let (done, events) = live.until_turn_ended().await;
    assert_eq!(done, TurnEndReason::Cancelled);
    assert_eq!(results(&events)[0].error_kind(), Some(ErrorKind::Rejected));
    assert_eq!(server.requests().len(), 1);
    live.close().await;
}

async fn an_interrupt_withdraws_the_question() {
    let server = Server::with([Turn::tool("question", which())]);
    let project = project_with(&server);
    let mut live = asking(&project).await;
    let form = live.form().await;
    live.handle.send(Op::Interrupt).unwrap();
    let settled = |event: &Event| matches!(event, Event::Settled(settled) if settled.id == form.id);
    live.until("withdrawal", settled).await;
    let (done, events) = live.until_turn_ended().await;
    assert_eq!(done, TurnEndReason::Cancelled);
    assert_eq!(results(&events)[0].error_kind(), Some(ErrorKind::Cancelled));
    live.close().await;
}

async fn the_time_a_person_takes_is_not_the_call_s() {
    let server = Server::with([Turn::tool("question", which()), Turn::text("Good.")]);
    let project = project_with(&server);
    let mut live = asking(&project).await;
    let form = live.form().await;
    // Longer than the call itself takes on any machine that is not standing still.
    tokio::time::sleep(std::time::Duration::from_millis(400)).await;
    live.fill(&form, FormReply::Answers(Vec::new()));
    let (_, events) = live.until_turn_ended().await;
    assert!(results(&events)[0].duration_ms < 400, "{:?}", results(&events)[0]);
    live.close().await;
}

async fn hooks_hear_of_a_question() {
    let server = Server::with([Turn::tool("question", which()), Turn::text("Good.")]);
    // One write each, as two of them may run at once.
    let hook =
        json!([{"hooks": [{"type": "command", "command": "printf '%s\\n' \"$(cat)\" >> notes.json"}]}]);
    let project = project_with(&server).config(json!({"hooks": {"Notification": hook}}));
    let mut live = asking(&project).await;
    let form = live.form().await;
    live.fill(&form, FormReply::Answers(Vec::new()));
    live.until_turn_ended().await;
    live.close().await;
    let notes = project.read("notes.json");
    let told: Vec<Value> = notes
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    // What is told at about the same time comes in any order.
    let asked = told.iter().find(|note| note["kind"] == "question");
    assert_eq!(
        asked.map(|note| &note["message"]),
        Some(&json!("build has a question")),
        "{notes}"
    );
}
