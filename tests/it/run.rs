//! `lathe run`: what it prints, in which order, and how it ends.

mod ending;
mod input;

use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::support::{Fault, Finished, Gate, Lathe, Project, Protocol, Server, Turn, Usage};

/// `lathe run --format json`, to be given more words.
pub(super) fn events_of(project: &Project) -> Lathe {
    Lathe::in_project(project).args(["run", "--format", "json"])
}

/// A project that talks to the server in the most common protocol.
pub(super) fn project_with(server: &Server) -> Project {
    Project::new().model(server, Protocol::OpenAiChat)
}

/// The events of one kind.
pub(super) fn of_kind(finished: &Finished, kind: &str) -> Vec<Value> {
    let mut events = finished.json_lines();
    events.retain(|event| event["type"] == kind);
    events
}

/// The kinds in their order, with neighbours of one kind told once.
pub(super) fn kinds(finished: &Finished) -> Vec<String> {
    let lines = finished.json_lines();
    let mut kinds: Vec<String> = lines
        .iter()
        .map(|event| event["type"].as_str().unwrap().to_owned())
        .collect();
    kinds.dedup();
    kinds
}

pub(super) fn last(finished: &Finished) -> Value {
    finished
        .json_lines()
        .pop()
        .unwrap_or_else(|| panic!("no line\n{finished}"))
}

pub(super) fn reason(finished: &Finished) -> String {
    let last = last(finished);
    assert_eq!(last["type"], "done", "{finished}");
    last["reason"].as_str().unwrap().to_owned()
}

pub(super) fn text_of(finished: &Finished) -> String {
    of_kind(finished, "text")
        .iter()
        .map(|event| event["delta"].as_str().unwrap().to_owned())
        .collect()
}

fn keys(event: &Value) -> Vec<&str> {
    event.as_object().unwrap().keys().map(String::as_str).collect()
}

/// Checks everything that holds for every stream of events, whatever happened: the first and the last line, the session
/// on each, one `tool_call` and one `tool_result` for each call, and everything about a call between the two.
#[track_caller]
pub(super) fn assert_well_formed(finished: &Finished) {
    let events = finished.json_lines();
    let first = events.first().unwrap_or_else(|| panic!("no event\n{finished}"));
    assert_eq!(first["type"], "session", "{finished}");
    assert_eq!(
        keys(first),
        ["type", "session", "model", "agent", "cwd"],
        "{finished}"
    );
    let done: Vec<_> = events.iter().filter(|event| event["type"] == "done").collect();
    assert_eq!(done, [events.last().unwrap()], "{finished}");
    assert_eq!(
        keys(done[0]),
        ["type", "session", "reason", "denied", "usage"],
        "{finished}"
    );
    for line in finished.stdout.lines() {
        assert!(line.starts_with(r#"{"type":""#), "`type` comes first: {line}");
    }
    let mut open = Vec::new();
    let mut seen = Vec::new();
    for event in &events {
        assert_eq!(event["session"], first["session"], "{finished}");
        let call = event["call"].as_str().unwrap_or_default().to_owned();
        match event["type"].as_str().unwrap() {
            "tool_call" => {
                assert_eq!(keys(event), ["type", "session", "call", "tool", "args"]);
                assert!(call.starts_with("call_"), "{event}");
                assert!(!seen.contains(&call), "told twice: {event}\n{finished}");
                seen.push(call.clone());
                open.push(call);
            }
            "permission" => {
                let expected = [
                    "type",
                    "session",
                    "call",
                    "tool",
                    "permission",
                    "patterns",
                    "reply",
                ];
                assert_eq!(keys(event), expected);
                assert!(open.contains(&call), "outside of its call: {event}\n{finished}");
            }
            "tool_update" => assert!(open.contains(&call), "outside of its call: {event}\n{finished}"),
            "tool_result" => {
                let expected = ["ok", "title", "output", "details", "truncated", "duration_ms"];
                for key in expected {
                    assert!(event.get(key).is_some(), "no `{key}` in {event}");
                }
                assert!(event["title"].as_str().unwrap().chars().count() <= 80, "{event}");
                let output = event["output"].as_str().unwrap();
                let is_control = |c: char| c.is_control() && c != '\n' && c != '\t';
                assert!(!output.contains(is_control), "control characters in {event}");
                if event["ok"] == false && event["tool"] != "bash" {
                    assert!(output.starts_with("Error: "), "{event}");
                    assert!(event["details"]["error"]["kind"].is_string(), "{event}");
                }
                let place = open.iter().position(|other| *other == call);
                open.remove(place.unwrap_or_else(|| panic!("ends without a beginning: {event}\n{finished}")));
            }
            "text" | "reasoning" => assert_eq!(keys(event), ["type", "session", "message", "delta"]),
            "usage" => assert_eq!(
                keys(event),
                [
                    "type",
                    "session",
                    "input",
                    "output",
                    "reasoning",
                    "cache_read",
                    "cache_write",
                    "cost",
                    "model"
                ]
            ),
            "retry" => assert_eq!(keys(event), ["type", "session", "attempt", "delay_ms", "reason"]),
            "context" => assert!(
                event["kind"].is_string() && event["before"].is_u64() && event["after"].is_u64(),
                "{event}"
            ),
            "error" => assert!(
                event["message"].is_string() && event["kind"].is_string(),
                "{event}"
            ),
            "session" | "done" => {}
            other => panic!("`{other}` is no kind of event\n{finished}"),
        }
    }
    assert!(open.is_empty(), "calls without a result: {open:?}\n{finished}");
}

#[test]
fn text_gives_the_answer_on_stdout_and_progress_on_stderr() {
    let server = Server::with([
        Turn::new()
            .say("First a look.")
            .call("read", json!({"file_path": "a.txt"})),
        Turn::text("It says one.\n"),
    ]);
    let project = project_with(&server).file("a.txt", "one\n");
    let finished = Lathe::in_project(&project)
        .args(["run", "what", "is", "in a.txt?"])
        .run()
        .success();
    assert_eq!(finished.stdout, "It says one.\n");
    assert!(finished.stderr.contains("local/test-model"), "{finished}");
    assert!(finished.stderr.contains("read"), "{finished}");
    assert!(server.requests()[0].mentions("what is in a.txt?"));
}

#[test]
fn a_line_of_progress_names_what_ran_and_a_refusal_is_one_line() {
    let server = Server::with([
        Turn::new()
            .call(
                "bash",
                json!({"command": "echo one\necho two", "description": "say both"}),
            )
            .call("bash", json!({"command": "touch made", "description": "make it"}))
            .call("bash", json!({"command": "rm made", "description": "remove it"}))
            .call("read", json!({"file_path": "missing.txt"})),
        Turn::text("I may not."),
    ]);
    let project = project_with(&server).config(json!({"permission": {"bash": {"rm *": "deny"}}}));
    let finished = Lathe::in_project(&project).args(["run", "go"]).run().success();
    let lines: Vec<&str> = finished.stderr.lines().skip(1).collect();
    assert_eq!(
        lines[..2],
        [
            "● bash echo one …",
            "⊘ bash touch made · nobody is here to allow it"
        ],
        "{finished}"
    );
    assert!(
        lines[2].starts_with("⊘ bash rm made · permission `bash` for"),
        "{finished}"
    );
    assert_eq!(
        lines[3..],
        ["✗ read missing.txt · `missing.txt` does not exist"],
        "{finished}"
    );
}

#[test]
fn a_plain_answer_is_session_text_usage_done() {
    let server = Server::with([Turn::new().reasoning("Thinking.").say("Hello, world.")]);
    let project = project_with(&server);
    let finished = events_of(&project).arg("hello").run().success();
    assert_well_formed(&finished);
    assert_eq!(
        kinds(&finished),
        ["session", "reasoning", "text", "usage", "done"]
    );
    let first = &finished.json_lines()[0];
    assert_eq!(first["model"], "local/test-model");
    assert_eq!(first["agent"], "build");
    assert_eq!(first["cwd"], project.root().to_str().unwrap());
    assert!(first["session"].as_str().unwrap().starts_with("ses_"));
    assert_eq!(text_of(&finished), "Hello, world.");
    let messages: Vec<_> = of_kind(&finished, "text")
        .iter()
        .map(|event| event["message"].clone())
        .collect();
    assert!(
        messages.iter().all(|message| *message == messages[0]),
        "{finished}"
    );
    assert!(messages[0].as_str().unwrap().starts_with("msg_"), "{finished}");
    assert_eq!(reason(&finished), "stop");
    assert_eq!(finished.stderr, "", "nothing happened that a person must hear of");
}

#[test]
fn the_answer_of_yolo_is_once_and_stands_between_call_and_result() {
    let server = Server::with([
        Turn::tool("bash", json!({"command": "touch made"})),
        Turn::text("Done."),
    ]);
    let project = project_with(&server);
    let finished = events_of(&project)
        .args(["--permission-mode", "yolo", "make it"])
        .run()
        .success();
    assert_well_formed(&finished);
    let about: Vec<_> = kinds(&finished)
        .into_iter()
        .filter(|kind| kind != "tool_update")
        .collect();
    assert_eq!(
        about,
        [
            "session",
            "usage",
            "tool_call",
            "permission",
            "tool_result",
            "text",
            "usage",
            "done"
        ]
    );
    let call = &of_kind(&finished, "tool_call")[0];
    assert_eq!(call["tool"], "bash");
    assert_eq!(call["args"], json!({"command": "touch made"}));
    let permission = &of_kind(&finished, "permission")[0];
    assert_eq!(permission["reply"], "once");
    assert_eq!(permission["permission"], "bash");
    assert_eq!(permission["tool"], "bash");
    assert!(
        permission["patterns"]
            .as_array()
            .unwrap()
            .contains(&json!("touch made")),
        "{finished}"
    );
    let result = &of_kind(&finished, "tool_result")[0];
    assert_eq!(
        (&result["ok"], &result["output"]),
        (&json!(true), &json!("(no output)"))
    );
    assert_eq!(result["details"]["exit"], 0);
    assert!(project.exists("made"));
}

#[test]
fn what_has_to_be_asked_is_denied_and_the_turn_goes_on() {
    let server = Server::with([
        Turn::tool("bash", json!({"command": "touch made"})),
        Turn::text("I may not."),
    ]);
    let project = project_with(&server);
    let finished = events_of(&project).arg("make it").run().success();
    assert_well_formed(&finished);
    let permission = &of_kind(&finished, "permission")[0];
    assert_eq!(permission["reply"], "reject");
    let result = &of_kind(&finished, "tool_result")[0];
    assert_eq!(result["details"]["error"]["kind"], "denied");
    assert_eq!(reason(&finished), "stop");
    assert!(!project.exists("made"));
    assert!(server.requests()[1].mentions("Error: "));
    assert_eq!(last(&finished)["denied"], 1);
}

#[test]
fn a_refused_call_fails_a_run_that_asks_for_it() {
    let server = Server::with([
        Turn::new()
            .call("bash", json!({"command": "touch made > log"}))
            .call("bash", json!({"command": "touch other"})),
        Turn::text("I may not."),
        Turn::text("Nothing to do."),
        Turn::tool("bash", json!({"command": "rm x"})),
        Turn::text("A rule says no."),
    ]);
    let project = project_with(&server).config(json!({"permission": {"bash": {"rm *": "deny"}}}));
    let run = |prompt| events_of(&project).args(["--fail-on-denied", prompt]).run();
    let refused = run("make it").assert_code(3);
    assert_eq!(reason(&refused), "stop");
    assert_eq!(last(&refused)["denied"], 2);
    // A rule that denies needs no answer.
    for prompt in ["nothing", "remove it"] {
        let finished = run(prompt).success();
        assert_eq!(last(&finished)["denied"], 0);
    }
}

#[test]
fn a_denial_by_rule_asks_nobody_and_yolo_does_not_lift_it() {
    let server = Server::with([
        Turn::new()
            .call("bash", json!({"command": "rm -rf kept"}))
            .call("write", json!({"file_path": "kept/b", "content": "x"})),
        Turn::text("I may not."),
    ]);
    let project = project_with(&server)
        .file("kept/a", "a")
        .config(json!({"permission": {"bash": {"*": "allow", "rm *": "deny"}, "edit": "deny"}}));
    let finished = events_of(&project)
        .args(["--permission-mode", "yolo", "remove it"])
        .run()
        .success();
    assert_well_formed(&finished);
    assert_eq!(of_kind(&finished, "permission"), Vec::<Value>::new());
    for result in of_kind(&finished, "tool_result") {
        assert_eq!(result["details"]["error"]["kind"], "denied", "{result}");
    }
    assert!(project.exists("kept/a") && !project.exists("kept/b"));
}

#[test]
fn accept_edits_lets_edits_of_the_project_through_and_commands_not() {
    let server = Server::with([
        Turn::new()
            .call("write", json!({"file_path": "new.txt", "content": "x\n"}))
            .call("bash", json!({"command": "touch made && mkdir -p sub"}))
            .call("bash", json!({"command": "sh -c 'echo > shell'"})),
        Turn::text("Done."),
    ]);
    let project = project_with(&server);
    let finished = events_of(&project)
        .args(["--permission-mode", "accept-edits", "go"])
        .run()
        .success();
    assert_well_formed(&finished);
    let replies: Vec<_> = of_kind(&finished, "permission")
        .iter()
        .map(|event| event["reply"].clone())
        .collect();
    assert_eq!(replies, ["once", "once", "reject"]);
    assert!(project.exists("new.txt") && project.exists("made") && !project.exists("shell"));
}

#[test]
fn plan_changes_nothing() {
    let server = Server::with([
        Turn::new()
            .call("write", json!({"file_path": "new.txt", "content": "x\n"}))
            .call("bash", json!({"command": "touch made"})),
        Turn::text("Here is a plan."),
    ]);
    let project = project_with(&server);
    let finished = events_of(&project)
        .args(["--permission-mode", "plan", "go"])
        .run()
        .success();
    assert_well_formed(&finished);
    assert!(
        of_kind(&finished, "tool_result")
            .iter()
            .all(|result| result["ok"] == false),
        "{finished}"
    );
    assert!(!project.exists("new.txt") && !project.exists("made"));
}

#[test]
fn each_request_has_its_usage_and_done_has_the_sums() {
    let usage = |input, output| Usage {
        input,
        output,
        cache_read: 100,
        cache_write: 0,
        reasoning: 3,
    };
    for protocol in Protocol::ALL {
        let server = Server::with([
            Turn::tool("read", json!({"file_path": "a.txt"})).usage(usage(1000, 50)),
            Turn::text("One.").usage(usage(2000, 7)),
        ]);
        let project = Project::new().file("a.txt", "one\n").model(&server, protocol);
        let finished = events_of(&project).arg("read").run().success();
        assert_well_formed(&finished);
        let told = of_kind(&finished, "usage");
        assert_eq!(told.len(), 2, "{protocol:?} {finished}");
        assert_eq!(
            (&told[0]["input"], &told[0]["output"]),
            (&json!(1000), &json!(50)),
            "{protocol:?}"
        );
        assert_eq!(told[0]["cache_read"], 100, "{protocol:?}");
        assert_eq!(told[1]["model"], "local/test-model");
        let cost = told[0]["cost"].as_f64().unwrap();
        assert!((cost - 0.00111).abs() < 1e-9, "{protocol:?}: {cost}");
        let sums = &last(&finished)["usage"];
        for key in ["input", "output", "reasoning", "cache_read", "cache_write"] {
            let sum: u64 = told.iter().map(|usage| usage[key].as_u64().unwrap()).sum();
            assert_eq!(sums[key], sum, "{protocol:?} {key}");
        }
        let sum: f64 = told.iter().map(|usage| usage["cost"].as_f64().unwrap()).sum();
        assert!((sums["cost"].as_f64().unwrap() - sum).abs() < 1e-9);
    }
}

#[test]
fn a_tool_is_told_by_its_own_name_and_an_unknown_one_as_it_was_called() {
    let server = Server::with([
        Turn::new()
            .call("shell", json!({"cmd": "echo hi"}))
            .call("reed", json!({"path": "a"})),
        Turn::text("Done."),
    ]);
    let project = project_with(&server);
    let finished = events_of(&project).arg("go").run().success();
    assert_well_formed(&finished);
    let mut calls = of_kind(&finished, "tool_call");
    calls.sort_by_key(|call| call["tool"].to_string());
    assert_eq!(
        (&calls[0]["tool"], &calls[1]["tool"]),
        (&json!("bash"), &json!("reed"))
    );
    assert_eq!(calls[0]["args"], json!({"command": "echo hi"}));
    let results = of_kind(&finished, "tool_result");
    let unknown = results.iter().find(|result| result["tool"] == "reed").unwrap();
    assert_eq!(unknown["details"]["resolved"], "invalid");
    assert_eq!(unknown["details"]["error"]["kind"], "unknown_tool");
    assert!(
        results
            .iter()
            .any(|result| result["tool"] == "bash" && result["ok"] == true)
    );
    // The model gets back what it wrote.
    assert!(server.requests()[1].mentions("shell"));
}

#[test]
fn progress_of_a_call_stands_between_its_beginning_and_its_end() {
    let server = Server::with([
        Turn::tool(
            "bash",
            json!({"command": "for i in 1 2 3 4 5 6 7 8; do echo line $i; done; seq 1 20000"}),
        ),
        Turn::text("Done."),
    ]);
    let project = project_with(&server);
    let finished = events_of(&project)
        .args(["--permission-mode", "yolo", "go"])
        .run()
        .success();
    assert_well_formed(&finished);
    let updates = of_kind(&finished, "tool_update");
    let streamed = |update: &Value| update["delta"].as_str().unwrap().to_owned();
    assert!(streamed(&updates[0]).starts_with("line 1\n"), "{}", updates[0]);
    assert!(streamed(updates.last().unwrap()).ends_with("20000\n"));
    let result = &of_kind(&finished, "tool_result")[0];
    assert_eq!(result["truncated"], true);
    let whole = std::fs::read_to_string(result["output_path"].as_str().unwrap()).unwrap();
    assert!(whole.starts_with("line 1\n") && whole.ends_with("20000\n"));
}
