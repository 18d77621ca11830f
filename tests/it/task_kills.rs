//! `kill -9` at a random moment of a tree of eight agents: nothing that was told is lost, no call is there twice, no process
//! is left, and every task can be resumed.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use crate::support::{Finished, Lathe, Project, Protocol, Random, Server, Turn, wait_until};

const AGENTS: usize = 8;
/// The project's file to which each process of the agents' commands adds its number.
const PIDS: &str = "pids";

/// Kills one tree. Returns how many processes of its commands were running.
#[track_caller]
pub(crate) fn run(seed: u64) -> usize {
    let server = Server::start();
    let project = eight_writers(&server);
    let start = |number| json!({"subagent_type": format!("writer{number}"), "prompt": "write", "run_in_background": true});
    server.script([tasks((0..AGENTS).map(start))]);
    server.otherwise(Turn::text("Done."));
    let running = events_of(&project).arg("look").spawn();
    let lines = 12 + Random::new(seed).below(140);
    running.wait_for_stdout(|told| told.lines().count() >= lines || told.contains(r#""type":"done""#));
    let killed = running.kill();
    let started = pids(&project).len();
    wait_until("no process of the tree is left", || {
        !pids(&project).iter().any(|pid| is_running(&project, pid))
    });
    let told: Vec<Value> = whole_events(&killed);
    let known: BTreeSet<(String, String)> = told
        .iter()
        .filter(|event| event["type"] == "task")
        .map(|event| (text(&event["task"]), text(&event["session_id"])))
        .collect();
    let resume = |(task, _): &(String, String)| json!({"task_id": task, "prompt": "go on"});
    server.script([tasks(known.iter().map(resume))]);
    let again = events_of(&project).args(["-c", "go on"]).run().success();
    let events = again.json_lines();
    assert_eq!(events.last().unwrap()["reason"], "stop", "seed {seed}: {again}");
    let results: Vec<&Value> = events
        .iter()
        .filter(|event| event["type"] == "tool_result" && event["tool"] == "task")
        .collect();
    assert_eq!(results.len(), known.len(), "seed {seed}: {again}");
    let is_well = |result: &Value| result["ok"] == true && result["details"]["status"] == "completed";
    assert!(
        results.iter().all(|result| is_well(result)),
        "seed {seed}: {again}"
    );
    for (_, session) in &known {
        assert_kept(seed, &told, session, &calls(&project, session));
    }
    started
}

/// Eight agents, each of which writes two files, starts a process that would outlive its command, and says that it is
/// done as often as it is asked.
fn eight_writers(server: &Server) -> Project {
    let mut agents = json!({});
    for number in 0..AGENTS {
        let prompt = format!("You are writer {number} of these tests.");
        agents[format!("writer{number}")] =
            json!({"description": "Writes", "mode": "subagent", "prompt": prompt});
        let write = |step| {
            Turn::tool(
                "write",
                json!({"file_path": format!("{number}-{step}.txt"), "content": "x\n"}),
            )
        };
        let leave =
            format!("setsid -f bash -c 'echo $$ >> {PIDS}; exec sleep 600' > /dev/null 2>&1 < /dev/null");
        let steps = [write(1), Turn::tool("bash", json!({"command": leave})), write(2)];
        let words = (0..3).map(|_| Turn::text("Written."));
        server.script_for(&prompt, steps.into_iter().chain(words));
    }
    Project::new()
        .model(server, Protocol::OpenAiChat)
        .config(json!({"agents": agents, "permission": {"edit": "allow", "bash": "allow"}}))
}

fn events_of(project: &Project) -> Lathe {
    Lathe::in_project(project).args(["run", "--format", "json"])
}

/// A turn that calls `task` with each of these arguments.
fn tasks(arguments: impl Iterator<Item = Value>) -> Turn {
    arguments.fold(Turn::new(), |turn, arguments| turn.call("task", arguments))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// The whole lines: a process that is killed leaves one cut off.
fn whole_events(killed: &Finished) -> Vec<Value> {
    let lines = killed.stdout.lines();
    lines.filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn pids(project: &Project) -> Vec<String> {
    let text = fs::read_to_string(project.path(PIDS)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Returns true if a process of the project's has this number; another one may have it by now.
fn is_running(project: &Project, pid: &str) -> bool {
    fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|directory| directory == project.root())
}

/// The calls of a session with their states.
fn calls(project: &Project, session: &str) -> Vec<(String, String)> {
    let shown = Lathe::in_project(project)
        .args(["sessions", "show", session, "--json"])
        .run()
        .success()
        .json();
    let messages = shown["messages"].as_array().unwrap().iter();
    messages
        .flat_map(|message| message["parts"].as_array().unwrap())
        .filter(|part| part["type"] == "tool")
        .map(|part| (text(&part["call"]), text(&part["state"])))
        .collect()
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

#[test]
fn a_tree_of_eight_that_is_killed_at_any_moment_loses_and_repeats_nothing() {
    let processes: usize = (0..10).map(run).sum();
    assert!(processes > 0, "no command of theirs ever ran");
}
