//! `kill -9` while tasks are at work.

use std::collections::BTreeSet;

use super::*;
use crate::support::Random;
use crate::survival::{show, whole_events};

#[test]
fn a_task_that_was_cut_off_is_told_once_as_interrupted() {
    let gate = Gate::new();
    let server = Server::with([Turn::tool("task", background("find it")), Turn::text("I wait.")]);
    server.script_for(HELPER, [Turn::text("Found it.").gate(0, &gate)]);
    let project = project(&server);
    let running = events_of(&project).arg("look").spawn();
    running.wait_for_stdout(|told| told.matches(r#""type":"usage""#).count() == 2);
    server.wait_for_requests(3);
    let _ = running.kill();
    gate.open();
    for (prompt, told) in [("go on", 1), ("and now", 0)] {
        let before = server.requests().len();
        server.script([Turn::text("Yes.")]);
        let finished = events_of(&project).args(["-c", prompt]).run().success();
        assert_eq!(reason(&finished), "stop", "{finished}");
        let requests = server.requests();
        let body = requests[before].body["messages"].as_array().unwrap();
        let newest = body.iter().rev().take_while(|message| message["role"] == "user");
        let notices = newest.filter(|message| message.to_string().contains("is interrupted after"));
        assert_eq!(notices.count(), told, "{prompt}: {finished}");
    }
}

/// The calls of a session with their states.
fn calls(shown: &Value) -> Vec<(String, String)> {
    let messages = shown["messages"].as_array().unwrap().iter();
    let parts = messages.flat_map(|message| message["parts"].as_array().unwrap());
    let calls = parts.filter(|part| part["type"] == "tool");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    calls
        .map(|part| (text(&part["call"]), text(&part["state"])))
        .collect()
}

/// Eight agents, each of which writes three files and says that it is done, as often as it is asked.
fn eight_writers(server: &Server) -> Project {
    let mut agents = json!({});
    for number in 0..8 {
        let words = format!("You are writer {number} of these tests.");
        agents[format!("writer{number}")] =
            json!({"description": "Writes", "mode": "subagent", "prompt": words});
        let write = |step| {
            Turn::tool(
                "write",
                json!({"file_path": format!("{number}-{step}.txt"), "content": "x\n"}),
            )
        };
        let steps = (0..3).map(write).chain((0..3).map(|_| Turn::text("Written.")));
        server.script_for(&words, steps);
    }
    project_with(server).config(json!({"agents": agents, "permission": {"edit": "allow"}}))
}

fn one_for_each(call: impl Fn(usize) -> Value, count: usize) -> Turn {
    (0..count).fold(Turn::new(), |turn, number| turn.call("task", call(number)))
}

#[test]
fn a_tree_of_eight_that_is_killed_at_any_moment_loses_and_repeats_nothing() {
    for seed in 0..10 {
        let server = Server::start();
        let project = eight_writers(&server);
        let order = |number| json!({"subagent_type": format!("writer{number}"), "prompt": "write", "run_in_background": true});
        server.script([one_for_each(order, 8)]);
        server.otherwise(Turn::text("Done."));
        let running = events_of(&project).arg("look").spawn();
        let lines = 12 + Random::new(seed).below(90);
        running.wait_for_stdout(|told| told.lines().count() >= lines || told.contains(r#""type":"done""#));
        let killed = running.kill();
        let told = whole_events(&killed);
        let started = told.iter().filter(|event| event["type"] == "task");
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let tasks: BTreeSet<_> = started
            .map(|event| (text(&event["task"]), text(&event["session_id"])))
            .collect();
        let ids: Vec<_> = tasks.iter().map(|(task, _)| task).collect();
        server.script([one_for_each(
            |place| json!({"task_id": ids[place], "prompt": "go on"}),
            ids.len(),
        )]);
        let again = events_of(&project).args(["-c", "go on"]).run().success();
        assert_eq!(reason(&again), "stop", "seed {seed}: {again}");
        let results = outputs(&again, "task");
        assert_eq!(results.len(), tasks.len(), "seed {seed}: {again}");
        let is_well = |result: &Value| result["ok"] == true && result["details"]["status"] == "completed";
        assert!(results.iter().all(is_well), "seed {seed}: {again}");
        for (_, session) in &tasks {
            assert_kept(seed, &told, session, &calls(&show(&project, session)));
        }
    }
}

/// Every call is there once and has ended, and each that was told as done is.
#[track_caller]
fn assert_kept(seed: u64, told: &[Value], session: &str, calls: &[(String, String)]) {
    let unique: BTreeSet<_> = calls.iter().map(|(call, _)| call).collect();
    assert_eq!(unique.len(), calls.len(), "seed {seed}: a call is there twice");
    let is_ended = |state: &str| matches!(state, "done" | "interrupted");
    assert!(
        calls.iter().all(|(_, state)| is_ended(state)),
        "seed {seed}: {calls:?}"
    );
    let results = told
        .iter()
        .filter(|event| event["type"] == "tool_result" && event["session"] == session);
    for result in results {
        let kept = calls.iter().find(|(call, _)| result["call"] == call.as_str());
        assert_eq!(
            kept.map(|(_, state)| state.as_str()),
            Some("done"),
            "seed {seed}: {result}"
        );
    }
}
