//! `lathe run` with tasks, as a person reads it: progress on stderr, the root's answer on stdout.

use serde_json::{Value, json};

use crate::run::project_with;
use crate::support::{Gate, Lathe, Server, Turn};

/// Texts that stand in the requests of one agent alone.
const FINDER: &str = "You are the finder of these tests.";
const TIDIER: &str = "You are the tidier of these tests.";

fn task(agent: &str, description: &str, is_background: bool) -> Value {
    json!({"subagent_type": agent, "description": description, "prompt": "Do it.", "run_in_background": is_background})
}

/// Returns a line without the time that something took.
fn without_time(line: &str) -> String {
    let parts = line.split(" · ").map(|part| match part.split_once(" in ") {
        Some(("completed", _)) => "completed",
        _ => part,
    });
    parts.collect::<Vec<_>>().join(" · ")
}

#[test]
fn progress_names_the_agent_and_the_answer_is_the_roots() {
    let gate = Gate::new();
    let server = Server::with([
        Turn::tool("task", task("finder", "who calls it", false)).say("I ask around."),
        Turn::tool("task", task("tidier", "tidy up", false)),
        Turn::tool("task", task("nobody", "help", false)),
        Turn::tool("task", task("finder", "look again", true)),
        Turn::text("I wait."),
        Turn::text("It is in a.txt."),
    ]);
    let reads = || Turn::tool("read", json!({"file_path": "a.txt"})).say("Let me see.");
    server.script_for(
        FINDER,
        [
            reads(),
            Turn::text("It is the first line.\n\nMore of it."),
            reads(),
            Turn::text("Nothing new.").gate(0, &gate),
        ],
    );
    server.script_for(
        TIDIER,
        [
            Turn::tool("bash", json!({"command": "rm a.txt"})),
            Turn::text("I may not."),
        ],
    );
    let agent = |prompt| json!({"description": "Helps", "mode": "subagent", "prompt": prompt});
    let project = project_with(&server).file("a.txt", "one\n").config(json!({
        "agents": {"finder": agent(FINDER), "tidier": agent(TIDIER)},
    }));
    let running = Lathe::in_project(&project).args(["run", "look"]).spawn();
    gate.wait_until_reached();
    // By now the root has asked for the last time before it is woken.
    server.wait_for_requests(11);
    gate.open();
    let finished = running.wait().success();
    assert_eq!(finished.stdout, "It is in a.txt.\n", "{finished}");
    let lines: Vec<String> = finished.stderr.lines().skip(1).map(without_time).collect();
    assert_eq!(
        lines,
        [
            "task finder: who calls it · started",
            "finder › ● read a.txt",
            "task finder: who calls it · completed · It is the first line.",
            "task tidier: tidy up · started",
            "tidier › ⊘ bash rm a.txt · nobody is here to allow it",
            "task tidier: tidy up · completed · I may not.",
            "✗ task nobody: help · there is no agent `nobody`",
            "task finder: look again · started",
            "finder \"look again\" › ● read a.txt",
            "task finder: look again · completed · Nothing new.",
        ],
        "{finished}"
    );
}
