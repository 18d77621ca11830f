//! Recordings of runs with tasks, and what becomes of them without a network.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{outputs, statuses};
use crate::run::{events_of, of_kind, project_with, reason, text_of};
use crate::support::{Finished, Gate, Server, Turn};

/// Texts that stand in the requests of one agent alone.
const FINDER: &str = "You are the finder of these tests.";
const TIDIER: &str = "You are the tidier of these tests.";

/// A task with the same words, whoever is to do it.
fn background(agent: &str) -> Value {
    json!({"subagent_type": agent, "description": "look", "prompt": "Look around.", "run_in_background": true})
}

/// The text of each session.
fn texts(finished: &Finished) -> Vec<String> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for event in of_kind(finished, "text") {
        let session = event["session"].as_str().unwrap();
        let text = texts.entry(session.to_owned()).or_default();
        text.push_str(event["delta"].as_str().unwrap());
    }
    let mut texts: Vec<String> = texts.into_values().collect();
    texts.sort();
    texts
}

#[test]
fn a_run_with_two_tasks_side_by_side_is_recorded_and_played_again_without_a_network() {
    let (first, second) = (Gate::new(), Gate::new());
    let wait = json!({"command": "until [ -e go ]; do sleep 0.02; done"});
    let server = Server::with([
        Turn::tool("task", background("finder")),
        Turn::tool("task", background("tidier")),
        Turn::tool("bash", wait),
        Turn::text("One is found."),
        Turn::text("Both are found."),
    ]);
    let reads = Turn::tool("read", json!({"file_path": "a.txt"}));
    server.script_for(
        FINDER,
        [reads, Turn::text("Found by the finder.").gate(0, &first)],
    );
    server.script_for(TIDIER, [Turn::text("Tidied by the tidier.").gate(0, &second)]);
    let agent = |prompt| json!({"description": "Helps", "mode": "subagent", "prompt": prompt});
    let project = project_with(&server).file("a.txt", "one\n").config(json!({
        "agents": {"finder": agent(FINDER), "tidier": agent(TIDIER)},
        "permission": {"bash": "allow"},
    }));
    let tape = project.outside().join("tape.jsonl");
    let running = events_of(&project).arg("--record").arg(&tape).arg("look").spawn();
    // One ends while the root waits for its command, so that the root hears of it with the result.
    running.wait_for_stdout(|told| told.contains("until [ -e go ]"));
    first.wait_until_reached();
    first.open();
    running.wait_for_stdout(|told| told.contains(r#""status":"completed""#));
    project.write("go", b"");
    // The other ends when the root has said its piece, and wakes it.
    running.wait_for_stdout(|told| told.matches(r#""type":"usage""#).count() == 6);
    second.wait_until_reached();
    second.open();
    let recorded = running.wait().success();
    assert!(text_of(&recorded).ends_with("Both are found."), "{recorded}");
    drop(server);

    for _ in 0..3 {
        let played = events_of(&project)
            .arg("--replay")
            .arg(&tape)
            .arg("look")
            .run()
            .success();
        assert_eq!(reason(&played), "stop", "{played}");
        assert_eq!(texts(&played), texts(&recorded), "{played}");
        assert!(text_of(&played).ends_with("Both are found."), "{played}");
        let completed = statuses(&played)
            .iter()
            .filter(|status| *status == "completed")
            .count();
        assert_eq!(completed, 2, "{played}");
        assert_eq!(outputs(&played, "read").len(), 1, "{played}");
    }
}
