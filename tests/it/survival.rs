//! `kill -9` at any moment: the session opens again with all that was told, and goes on well formed.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use super::run::{assert_well_formed, events_of, of_kind, text_of};
use super::support::{Finished, Gate, Lathe, Project, Protocol, Recorded, Running, Server, Turn, wait_until};

fn show(project: &Project, id: &str) -> Value {
    Lathe::in_project(project)
        .args(["sessions", "show", id, "--json"])
        .run()
        .success()
        .json()
}

fn session_of(text: &str) -> String {
    let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    first["session"].as_str().unwrap().to_owned()
}

fn parts<'a>(shown: &'a Value, kind: &str) -> Vec<&'a Value> {
    let messages = shown["messages"].as_array().unwrap();
    let parts = messages
        .iter()
        .flat_map(|message| message["parts"].as_array().unwrap());
    parts.filter(|part| part["type"] == kind).collect()
}

/// The whole lines, for a process that was killed in mid-line.
fn whole_events(killed: &Finished) -> Vec<Value> {
    killed
        .stdout
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// The ids of calls and of results, as the protocol writes them, in their order. Gemini pairs by place and name.
fn pairs(request: &Recorded, protocol: Protocol) -> (Vec<String>, Vec<String>) {
    let mut calls = Vec::new();
    let mut results = Vec::new();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    match protocol {
        Protocol::OpenAiChat => {
            for message in request.body["messages"].as_array().unwrap() {
                for call in message["tool_calls"].as_array().into_iter().flatten() {
                    calls.push(text(&call["id"]));
                }
                if message["role"] == "tool" {
                    results.push(text(&message["tool_call_id"]));
                }
            }
        }
        Protocol::OpenAiResponses => {
            for item in request.body["input"].as_array().unwrap() {
                match item["type"].as_str().unwrap() {
                    "function_call" => calls.push(text(&item["call_id"])),
                    "function_call_output" => results.push(text(&item["call_id"])),
                    _ => {}
                }
            }
        }
        Protocol::Anthropic => {
            for message in request.body["messages"].as_array().unwrap() {
                for block in message["content"].as_array().unwrap() {
                    match block["type"].as_str().unwrap() {
                        "tool_use" => calls.push(text(&block["id"])),
                        "tool_result" => results.push(text(&block["tool_use_id"])),
                        _ => {}
                    }
                }
            }
        }
        Protocol::Gemini => {
            for content in request.body["contents"].as_array().unwrap() {
                for part in content["parts"].as_array().unwrap() {
                    if let Some(call) = part.get("functionCall") {
                        calls.push(text(&call["name"]));
                    }
                    if let Some(response) = part.get("functionResponse") {
                        results.push(text(&response["name"]));
                    }
                }
            }
        }
    }
    (calls, results)
}

/// Goes on with the killed session: nothing that was told is missing, each call has its result, the next request is
/// well formed, and the model is asked once.
#[track_caller]
fn assert_goes_on(project: &Project, server: &Server, protocol: Protocol, killed: &Finished) -> Value {
    let id = session_of(&killed.stdout);
    let asked = server.requests().len();
    server.script([Turn::text("Here I am again.")]);
    let again = events_of(project).args(["-c", "go on"]).run().success();
    assert_well_formed(&again);
    assert_eq!(
        session_of(&again.stdout),
        id,
        "the newest session is the killed one"
    );
    assert_eq!(text_of(&again), "Here I am again.");
    let requests = server.requests();
    assert_eq!(requests.len(), asked + 1);
    let request = requests.last().unwrap();
    assert!(request.mentions("go on"));
    let (calls, results) = pairs(request, protocol);
    assert_eq!(
        calls, results,
        "{protocol:?}: each call is paired in {:#}",
        request.body
    );

    let shown = show(project, &id);
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for event in whole_events(killed) {
        match event["type"].as_str().unwrap() {
            "tool_result" => {
                let part = parts(&shown, "tool")
                    .into_iter()
                    .find(|part| part["call"] == event["call"]);
                let part = part.unwrap_or_else(|| panic!("a result was told and is not there: {event}"));
                assert_eq!((&part["output"], &part["ok"]), (&event["output"], &event["ok"]));
            }
            "tool_call" => {
                let told = parts(&shown, "tool")
                    .iter()
                    .any(|part| part["call"] == event["call"]);
                assert!(told, "a call was told and is not there: {event}");
            }
            "text" => {
                let text = texts
                    .entry(event["message"].as_str().unwrap().to_owned())
                    .or_default();
                text.push_str(event["delta"].as_str().unwrap());
            }
            _ => {}
        }
    }
    for part in parts(&shown, "tool") {
        let state = part["state"].as_str().unwrap();
        assert!(!["pending", "running"].contains(&state), "left open: {part}");
        if state == "interrupted" {
            assert_eq!(part["ok"], false);
            assert_eq!(part["details"]["error"]["kind"], "interrupted");
            assert!(part["output"].as_str().unwrap().starts_with("Error: "), "{part}");
        }
    }
    shown
}

fn killed_when(running: Running, condition: impl Fn(&str) -> bool) -> Finished {
    running.wait_for_stdout(condition);
    let killed = running.kill();
    assert_eq!(killed.signal, Some(9));
    killed
}

#[test]
fn killed_in_mid_stream_the_prompt_and_what_was_kept_of_the_reply_are_there() {
    for protocol in Protocol::ALL {
        let server = Server::with([Turn::text("A sentence without an end.").gate(2, &Gate::new())]);
        let project = Project::new().model(&server, protocol);
        let killed = killed_when(events_of(&project).arg("hello there").spawn(), |text| {
            text.contains(r#""type":"text""#)
        });
        let shown = assert_goes_on(&project, &server, protocol, &killed);
        let texts: Vec<_> = parts(&shown, "text")
            .iter()
            .map(|part| part["text"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(texts[0], "hello there");
        assert_eq!(texts[texts.len() - 2..], ["go on", "Here I am again."]);
        assert_eq!(shown["session"]["title"], "hello there");
    }
}

#[test]
fn a_long_reply_is_kept_as_far_as_its_last_checkpoint() {
    let gate = Gate::new();
    let server = Server::with([Turn::text(&"word ".repeat(400)).rate(250.0).gate(300, &gate)]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let running = events_of(&project).arg("talk").spawn();
    let text = running.wait_for_stdout(|text| text.contains(r#""type":"text""#));
    let id = session_of(&text);
    gate.wait_until_reached();
    // What was told half a second ago is on disk; another process may look.
    wait_until("a checkpoint of more than half of the text", || {
        let shown = show(&project, &id);
        parts(&shown, "text")
            .iter()
            .any(|part| part["text"].as_str().unwrap().len() > 750)
    });
    let killed = running.kill();
    let shown = assert_goes_on(&project, &server, Protocol::OpenAiChat, &killed);
    assert!(
        parts(&shown, "text")
            .iter()
            .any(|part| part["text"].as_str().unwrap().starts_with("word word"))
    );
    assert!(
        server.requests()[1].mentions("word word"),
        "the cut reply is sent"
    );
}

/// The words for a call that had begun.
const RUNNING: &str = "lathe ended while this call was running; how much of it was done is not known";
/// The words for one that had not.
const NOT_STARTED: &str = "lathe ended before this call was started; nothing of it was done";

/// Writes a file and then says nothing, until the project is removed.
const SILENT: &str = "echo half > half.txt; while [ -e half.txt ]; do sleep 0.1; done";

#[test]
fn killed_in_a_silent_command_it_is_known_to_have_begun() {
    let server = Server::with([Turn::new()
        .call("bash", json!({"command": SILENT}))
        .call("write", json!({"file_path": "never.txt", "content": "x"}))]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let running = events_of(&project)
        .args(["--permission-mode", "yolo", "go"])
        .spawn();
    wait_until("the command has written its file", || project.exists("half.txt"));
    let killed = running.kill();
    let id = session_of(&killed.stdout);
    server.script([Turn::text("I see.")]);
    let again = events_of(&project).args(["-s", &id, "go on"]).run().success();
    assert_eq!(text_of(&again), "I see.");
    let request = server.requests().pop().unwrap();
    assert!(request.mentions(RUNNING), "{:#}", request.body);
    assert!(request.mentions(NOT_STARTED), "{:#}", request.body);
    assert!(!project.exists("never.txt"));
}

#[test]
fn a_project_directory_that_is_gone_is_said_by_each_call_and_not_made_anew() {
    let server = Server::with([
        Turn::new()
            .call("bash", json!({"command": "bash gone.sh"}))
            .call("write", json!({"file_path": "new/a.txt", "content": "x"}))
            .call("list", json!({}))
            .call("bash", json!({"command": "echo x > a.txt"})),
        Turn::text("I see."),
    ]);
    let project = Project::new()
        .model(&server, Protocol::OpenAiChat)
        .file("gone.sh", "rm -r \"$PWD\"\n");
    let run = events_of(&project).args(["--permission-mode", "yolo", "go"]);
    let finished = run.run().success();
    let said = format!(
        "Error: `{}` is the project directory and does not exist any more",
        project.root().display()
    );
    let results = of_kind(&finished, "tool_result");
    assert_eq!(results.len(), 4, "{finished}");
    for result in &results[1..] {
        assert!(result["output"].as_str().unwrap().starts_with(&said), "{result}");
    }
    assert!(!project.root().exists());
}

#[test]
fn killed_before_a_call_was_allowed_it_is_known_not_to_have_begun() {
    let server = Server::with([Turn::tool("bash", json!({"command": "echo half > half.txt"}))]);
    let hooks = json!({"PreToolUse": [{"hooks": [
        {"type": "command", "command": "touch asked; while [ -e asked ]; do sleep 0.1; done"}
    ]}]});
    let project = Project::new()
        .config(json!({ "hooks": hooks }))
        .model(&server, Protocol::OpenAiChat);
    let running = events_of(&project)
        .args(["--permission-mode", "yolo", "go"])
        .spawn();
    wait_until("the hook runs", || project.exists("asked"));
    let _ = running.kill();
    fs::remove_file(project.path("asked")).unwrap();
    let project = project.config(json!({"hooks": {"PreToolUse": []}}));
    server.script([Turn::text("I see.")]);
    let again = events_of(&project).args(["-c", "go on"]).run().success();
    assert_eq!(text_of(&again), "I see.");
    assert!(server.requests().pop().unwrap().mentions(NOT_STARTED));
    assert!(!project.exists("half.txt"));
}

#[test]
fn killed_in_a_command_its_call_is_interrupted_and_the_finished_one_keeps_its_result() {
    for protocol in Protocol::ALL {
        let server = Server::with([Turn::new()
            .say("Two steps.")
            .call("bash", json!({"command": "echo one"}))
            .call("bash", json!({"command": "echo begun; exec sleep 600"}))
            .call("read", json!({"file_path": "a.txt"}))]);
        let project = Project::new().model(&server, protocol).file("a.txt", "a\n");
        let running = events_of(&project)
            .args(["--permission-mode", "yolo", "go"])
            .spawn();
        let killed = killed_when(running, |text| text.contains(r#""delta":"begun"#));
        let shown = assert_goes_on(&project, &server, protocol, &killed);
        let states: Vec<_> = parts(&shown, "tool")
            .iter()
            .map(|part| part["state"].clone())
            .collect();
        assert_eq!(states, ["done", "interrupted", "interrupted"], "{protocol:?}");
        let told = |call: usize| parts(&shown, "tool")[call]["output"].as_str().unwrap().to_owned();
        assert!(told(1).contains(RUNNING), "{}", told(1));
        assert!(told(2).contains(NOT_STARTED), "{}", told(2));
        let request = &server.requests()[1];
        assert!(
            request.mentions(RUNNING) && request.mentions(NOT_STARTED),
            "{:#}",
            request.body
        );
        assert_eq!(parts(&shown, "tool")[0]["output"], "one");
        assert!(server.requests()[1].mentions("Two steps."));
    }
}

#[test]
fn killed_between_the_calls_and_the_next_reply_every_result_is_there() {
    for protocol in Protocol::ALL {
        let server = Server::with([
            Turn::new()
                .call("write", json!({"file_path": "made.txt", "content": "made\n"}))
                .call("read", json!({"file_path": "missing.txt"})),
            Turn::text("Never told.").gate(0, &Gate::new()),
        ]);
        let project = Project::new().model(&server, protocol);
        let running = events_of(&project)
            .args(["--permission-mode", "yolo", "go"])
            .spawn();
        server.wait_for_requests(2);
        let killed = running.kill();
        let shown = assert_goes_on(&project, &server, protocol, &killed);
        let states: Vec<_> = parts(&shown, "tool")
            .iter()
            .map(|part| part["state"].clone())
            .collect();
        assert_eq!(states, ["done", "failed"]);
        assert_eq!(project.read("made.txt"), "made\n");
    }
}

#[test]
fn killed_at_any_line_of_a_run_it_goes_on() {
    // Each line of the output is a moment; the kill comes right after it was read. At the first line nothing was said
    // yet, and such a session leaves no trace.
    for (round, protocol) in (2..=13).zip(Protocol::ALL.into_iter().cycle()) {
        let server = Server::with([
            Turn::new()
                .reasoning("Thinking about it.")
                .say("I will.")
                .call("write", json!({"file_path": "a.txt", "content": "a\n"}))
                .call("bash", json!({"command": "echo one; echo two"})),
            Turn::new().call(
                "edit",
                json!({"file_path": "a.txt", "old_string": "a", "new_string": "b"}),
            ),
            Turn::text("Done with it."),
        ]);
        let project = Project::new().model(&server, protocol);
        let running = events_of(&project)
            .args(["--permission-mode", "yolo", "go"])
            .spawn();
        let killed = killed_when(running, |text| text.matches('\n').count() >= round);
        let left = server.turns_left();
        let fresh = Server::start();
        let project = project.model(&fresh, protocol);
        let shown = assert_goes_on(&project, &fresh, protocol, &killed);
        assert_eq!(parts(&shown, "text")[0]["text"], "go", "{left} turns were left");
        if project.exists("a.txt") {
            let text = project.read("a.txt");
            assert!(
                text == "a\n" || text == "b\n",
                "a file is whole or as it was: {text:?}"
            );
        }
        let leftovers: Vec<_> = fs::read_dir(project.root())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert!(leftovers.iter().all(|name| name == "a.txt"), "{leftovers:?}");
    }
}

#[test]
fn listing_does_not_change_the_session_of_a_killed_process() {
    let server = Server::with([Turn::tool(
        "bash",
        json!({"command": "echo begun; exec sleep 600"}),
    )]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let running = events_of(&project)
        .args(["--permission-mode", "yolo", "go"])
        .spawn();
    let text = running.wait_for_stdout(|text| text.contains(r#""delta":"begun"#));
    let id = session_of(&text);
    // While it runs, the call is open for everybody who looks.
    assert_eq!(parts(&show(&project, &id), "tool")[0]["state"], "running");
    server.script([Turn::text("Another.")]);
    let other = events_of(&project).arg("something else").run().success();
    assert_eq!(text_of(&other), "Another.");
    assert_eq!(
        parts(&show(&project, &id), "tool")[0]["state"],
        "running",
        "a start interrupts nobody else's call"
    );
    running.signal(rustix::process::Signal::INT);
    let finished = running.wait().assert_code(130);
    assert_well_formed(&finished);
    assert_eq!(parts(&show(&project, &id), "tool")[0]["state"], "cancelled");
}

#[test]
fn killed_without_a_word_a_session_leaves_no_lock_behind() {
    let server = Server::with([Turn::text("Never.").gate(0, &Gate::new())]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let running = events_of(&project).arg("go").spawn();
    server.wait_for_requests(1);
    let killed = running.kill();
    let id = session_of(&killed.stdout);
    server.script([Turn::text("Free.")]);
    let again = events_of(&project).args(["-s", &id, "again"]).run().success();
    assert_eq!(text_of(&again), "Free.");
    assert_eq!(of_kind(&again, "error"), Vec::<Value>::new());
}

#[test]
fn a_damaged_transaction_record_is_reported_and_the_start_goes_on() {
    let server = Server::with([Turn::text("Hello.")]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let records = project.data_dir().join("transactions");
    fs::create_dir_all(&records).unwrap();
    for (name, bytes) in [
        ("a.record", &b"{ half"[..]),
        ("b.record", b"\xff\xfe"),
        ("c.record", b""),
    ] {
        fs::write(records.join(name), bytes).unwrap();
    }
    let finished = events_of(&project).arg("hello").run().success();
    assert_well_formed(&finished);
    assert_eq!(text_of(&finished), "Hello.");
}
