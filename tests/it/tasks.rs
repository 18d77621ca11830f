//! Tasks of agents, through `lathe run`: in the foreground, in the background, and what becomes of them.

use serde_json::{Value, json};

use crate::run::{events_of, last, of_kind, project_with, reason, text_of};
use crate::support::{Finished, Gate, Project, Server, Turn};

/// A text that stands in the requests of agent `helper` alone.
const HELPER: &str = "You are the helper of these tests.";

fn project(server: &Server) -> Project {
    configured(server, json!({}))
}

fn configured(server: &Server, more: Value) -> Project {
    let mut config =
        json!({"agents": {"helper": {"description": "Helps", "mode": "subagent", "prompt": HELPER}}});
    for (key, value) in more.as_object().unwrap() {
        config[key] = value.clone();
    }
    project_with(server).config(config)
}

fn task(prompt: &str) -> Value {
    json!({"subagent_type": "helper", "description": "look around", "prompt": prompt})
}

fn background(prompt: &str) -> Value {
    json!({"subagent_type": "helper", "description": "look around", "prompt": prompt, "run_in_background": true})
}

/// The statuses of each task, in the order in which they were told.
fn statuses(finished: &Finished) -> Vec<String> {
    let events = of_kind(finished, "task");
    events
        .iter()
        .map(|event| event["status"].as_str().unwrap().to_owned())
        .collect()
}

fn outputs(finished: &Finished, tool: &str) -> Vec<Value> {
    let mut results = of_kind(finished, "tool_result");
    results.retain(|result| result["tool"] == tool);
    results
}

#[test]
fn a_task_in_the_foreground_answers_with_the_last_words_of_its_agent() {
    let server = Server::with([Turn::tool("task", task("find it")), Turn::text("It is in a.txt.")]);
    server.script_for(
        HELPER,
        [
            Turn::tool("read", json!({"file_path": "a.txt"})).say("I look."),
            Turn::text("Found: line 1."),
        ],
    );
    let project = project(&server).file("a.txt", "one\n");
    let finished = events_of(&project).arg("where is it?").run().success();
    assert_eq!(reason(&finished), "stop", "{finished}");
    assert_eq!(
        statuses(&finished),
        ["queued", "running", "completed"],
        "{finished}"
    );
    let result = &outputs(&finished, "task")[0];
    let id = result["details"]["task_id"].as_str().unwrap();
    assert_eq!(
        result["output"].as_str().unwrap(),
        format!("task_id: {id}\n\n<task_result>\nFound: line 1.\n</task_result>"),
    );
    assert_eq!(result["details"]["tool_calls"], 1);
    let child = result["details"]["session_id"].as_str().unwrap();
    assert_eq!(id.replace("tsk_", "ses_"), child);
    let reads = outputs(&finished, "read");
    assert_eq!(reads[0]["session"], child, "{finished}");
    assert!(text_of(&finished).ends_with("It is in a.txt."), "{finished}");
    assert_eq!(last(&finished)["session"], finished.json_lines()[0]["session"]);
}

#[test]
fn a_task_in_the_background_wakes_its_parent_once() {
    let gate = Gate::new();
    let server = Server::with([
        Turn::tool("task", background("find it")),
        Turn::text("I wait."),
        Turn::text("Done."),
    ]);
    server.script_for(HELPER, [Turn::text("Found it.").gate(0, &gate)]);
    let project = project(&server);
    let running = events_of(&project).arg("look").spawn();
    gate.wait_until_reached();
    running.wait_for_stdout(|told| told.matches(r#""usage""#).count() == 2);
    gate.open();
    let finished = running.wait().success();
    assert_eq!(reason(&finished), "stop", "{finished}");
    assert_eq!(
        statuses(&finished),
        ["queued", "running", "completed"],
        "{finished}"
    );
    assert!(text_of(&finished).ends_with("Done."), "{finished}");
    let requests = server.requests();
    assert_eq!(requests.len(), 4, "{finished}");
    let notices = requests
        .iter()
        .filter(|request| request.mentions("is completed after"));
    assert_eq!(notices.count(), 1, "{finished}");
}
