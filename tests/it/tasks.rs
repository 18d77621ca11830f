//! Tasks of agents, through `lathe run`: in the foreground, in the background, and what becomes of them.

mod access;
mod cassettes;
mod limits;
mod progress;
mod survival;

use std::fs;

use serde_json::{Value, json};

use crate::run::{events_of, last, of_kind, project_with, reason, text_of};
use crate::support::{Finished, Gate, Project, Server, Turn, wait_until};

/// A text that stands in the requests of agent `helper` alone.
const HELPER: &str = "You are the helper of these tests.";

fn project(server: &Server) -> Project {
    configured(server, &json!({}))
}

fn configured(server: &Server, more: &Value) -> Project {
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
fn tasks_of_one_reply_are_queued_in_their_order() {
    let names: Vec<String> = (1..=8).map(|number| format!("number {number}")).collect();
    let calls = names.iter().fold(Turn::new(), |turn, name| {
        let order = json!({"subagent_type": "helper", "description": name, "prompt": name});
        turn.call("task", order)
    });
    let server = Server::with([calls, Turn::text("Done.")]);
    server.script_for(HELPER, names.iter().map(|_| Turn::text("Found.")));
    let project = configured(&server, &json!({"background": {"max_concurrent": 1}}));
    let finished = events_of(&project).arg("go").run().success();
    for status in ["queued", "running"] {
        let mut order: Vec<String> = Vec::new();
        for event in of_kind(&finished, "task") {
            let name = event["description"].as_str().unwrap();
            if event["status"] == status && !order.iter().any(|told| told == name) {
                order.push(name.to_owned());
            }
        }
        assert_eq!(order, names, "{status}: {finished}");
    }
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
    running.wait_for_stdout(|told| told.matches(r#""type":"usage""#).count() == 2);
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

#[test]
fn a_category_brings_its_model_and_its_words_and_no_further_tasks() {
    let server = Server::with([
        Turn::tool("task", json!({"category": "Quick", "prompt": "rename it"})),
        Turn::text("Done."),
    ]);
    server.script_for("You are agent `general`", [Turn::text("Renamed.")]);
    let models = json!({"test-model": {}, "small": {"context": 64_000}});
    let project = configured(&server, &json!({"small_model": "local/small"}));
    let project = project.config(json!({"providers": {"local": {"models": models}}}));
    let finished = events_of(&project).arg("go").run().success();
    let details = &outputs(&finished, "task")[0]["details"];
    assert_eq!(
        (&details["category"], &details["agent"]),
        (&json!("quick"), &json!("general"))
    );
    let requests = server.requests();
    let child = requests
        .iter()
        .find(|request| request.body["model"] == "small")
        .unwrap();
    assert!(
        child.mentions("rename it\n\nThis is a small, plain piece of work."),
        "{:#}",
        child.body
    );
    let tools = child.tool_names();
    assert!(!tools.iter().any(|tool| tool == "task") && tools.iter().any(|tool| tool == "call_omo_agent"));
    let unknown = Server::with([
        Turn::tool("task", json!({"category": "no", "prompt": "x"})),
        Turn::text("Done."),
    ]);
    let finished = events_of(&configured(&unknown, &json!({})))
        .arg("go")
        .run()
        .success();
    let output = outputs(&finished, "task")[0]["output"].to_string();
    assert!(
        output.contains("no category `no`") && output.contains("`ultrabrain`"),
        "{output}"
    );
}

#[test]
fn a_task_that_has_ended_goes_on_with_all_that_it_knows() {
    let server = Server::with([Turn::tool("task", task("find it")), Turn::text("It is there.")]);
    server.script_for(HELPER, [Turn::text("In a.txt.")]);
    let project = project(&server);
    let first = events_of(&project).arg("look").run().success();
    let id = outputs(&first, "task")[0]["details"]["task_id"]
        .as_str()
        .unwrap()
        .to_owned();
    server.script_for(HELPER, [Turn::text("At line 3.")]);
    server.script([
        Turn::tool("task", json!({"task_id": id, "prompt": "which line?"})),
        Turn::text("Line 3."),
    ]);
    let second = events_of(&project).args(["-c", "and where?"]).run().success();
    let result = &outputs(&second, "task")[0];
    let output = result["output"].as_str().unwrap();
    assert!(
        output.contains("resumed with 1,020 tokens of context"),
        "{output}"
    );
    assert!(
        output.contains("At line 3.") && !output.contains("In a.txt."),
        "{output}"
    );
    assert_eq!(result["details"]["resumed_with"], 1020);
    let requests = server.requests();
    let resumed = requests.iter().rfind(|request| request.mentions(HELPER)).unwrap();
    assert!(resumed.mentions("find it") && resumed.mentions("In a.txt.") && resumed.mentions("which line?"));
    // Nobody else's.
    server.script([
        Turn::tool("task", json!({"task_id": id, "prompt": "again"})),
        Turn::text("No."),
    ]);
    let other = events_of(&project).arg("another conversation").run().success();
    let refused = &outputs(&other, "task")[0];
    assert_eq!(refused["details"]["error"]["kind"], "not_found", "{other}");
}

#[test]
fn cancelling_stops_a_task_and_everything_it_started_and_no_notice_follows() {
    let (gate, end) = (Gate::new(), Gate::new());
    let server = Server::with([
        Turn::tool("task", background("find it")),
        Turn::tool("background_cancel", json!({"all": true})).gate(0, &gate),
        Turn::text("Stopped.").gate(0, &end),
    ]);
    let script = "bash -c 'echo $$ >> pids; exec sleep 600' &\necho $$ >> pids\nexec sleep 600\n";
    server.script_for(HELPER, [Turn::tool("bash", json!({"command": "bash start.sh"}))]);
    let project = configured(&server, &json!({"permission": {"bash": "allow"}})).file("start.sh", script);
    let running = events_of(&project).arg("look").spawn();
    let pids = || fs::read_to_string(project.path("pids")).unwrap_or_default();
    wait_until("both processes are there", || pids().lines().count() == 2);
    gate.open();
    end.wait_until_reached();
    // While lathe goes on: its own end would end them too.
    wait_until("no process is left", || {
        let directory = |pid: &str| fs::read_link(format!("/proc/{pid}/cwd"));
        !pids()
            .lines()
            .any(|pid| directory(pid).is_ok_and(|directory| directory == project.root()))
    });
    end.open();
    let finished = running.wait().success();
    assert_eq!(
        statuses(&finished),
        ["queued", "running", "cancelled"],
        "{finished}"
    );
    let cancelled = &outputs(&finished, "background_cancel")[0];
    assert!(
        cancelled["output"]
            .as_str()
            .unwrap()
            .contains("cancelled (was running) look around")
    );
    let notices = server.requests();
    assert!(
        !notices
            .iter()
            .any(|request| request.mentions("Use background_output")),
        "{finished}"
    );
    assert_eq!(
        outputs(&finished, "bash")[0]["details"]["error"]["kind"],
        "cancelled",
        "{finished}"
    );
}

#[test]
fn background_output_waits_for_the_end_and_what_it_fetched_is_not_told_again() {
    let gate = Gate::new();
    // The model's next turn needs the id of the task.
    let wait = json!({"command": "until [ -e go ]; do sleep 0.02; done"});
    let server = Server::with([Turn::tool("task", background("find it")).call("bash", wait)]);
    server.script_for(HELPER, [Turn::text("Found it.").gate(0, &gate)]);
    let project = configured(&server, &json!({"permission": {"bash": "allow"}}));
    let running = events_of(&project).arg("look").spawn();
    let told = running.wait_for_stdout(|told| told.contains(r#""type":"task""#));
    let line = told
        .lines()
        .find(|line| line.contains(r#""type":"task""#))
        .unwrap();
    let id = serde_json::from_str::<Value>(line).unwrap()["task"].clone();
    server.script([
        Turn::tool("background_output", json!({"task_id": id, "block": true})),
        Turn::tool("background_output", json!({"task_id": id})),
        Turn::text("Done."),
    ]);
    project.write("go", b"");
    running.wait_for_stdout(|told| told.contains(r#""tool":"background_output""#));
    gate.open();
    let finished = running.wait().success();
    let outputs = outputs(&finished, "background_output");
    let output = |place: usize| outputs[place]["output"].as_str().unwrap();
    assert!(
        output(0).contains("status: completed") && output(0).contains("Found it."),
        "{finished}"
    );
    assert!(output(1).contains("(no new output)"), "{finished}");
    let requests = server.requests();
    assert!(
        !requests
            .iter()
            .any(|request| request.mentions("Use background_output")),
        "{finished}"
    );
}

#[test]
fn a_hook_for_the_end_of_a_subagent_has_it_go_on_and_knows_the_task() {
    let server = Server::with([Turn::tool("task", task("find it")), Turn::text("Done.")]);
    server.script_for(HELPER, [Turn::text("Found."), Turn::text("Found and checked.")]);
    let command = "input=$(cat); echo \"$input\" >> hooked; case $input in *'\"stop_hook_active\":false'*) \
                   echo '{\"decision\":\"block\",\"reason\":\"check it\"}';; esac";
    let hook = json!([{"hooks": [{"type": "command", "command": command}]}]);
    let hooks = json!({"hooks": {"SubagentStop": hook, "SessionStart": hook, "UserPromptSubmit": hook}});
    let project = configured(&server, &hooks);
    let finished = events_of(&project).arg("look").run().success();
    let result = &outputs(&finished, "task")[0];
    assert!(
        result["output"].as_str().unwrap().contains("Found and checked."),
        "{finished}"
    );
    let told = project.read("hooked");
    let events: Vec<Value> = told
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of = |name: &str| {
        events
            .iter()
            .filter(|event| event["hook_event_name"] == name)
            .collect::<Vec<_>>()
    };
    // A task is no session and its prompt no prompt of the person's.
    assert_eq!(
        (of("SessionStart").len(), of("UserPromptSubmit").len()),
        (1, 1),
        "{told}"
    );
    let stops = of("SubagentStop");
    assert_eq!(stops.len(), 2, "{told}");
    assert_eq!(stops[0]["task_id"], result["details"]["task_id"]);
    assert_eq!(stops[0]["agent"], "helper");
}
