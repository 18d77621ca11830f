//! `lathe run`: what it prints, in which order, and how it ends.

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

/// What holds for every stream of events, whatever happened: the first and the last line, the session on each, one
/// `tool_call` and one `tool_result` for each call, and everything about a call between the two.
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
        ["type", "session", "reason", "usage"],
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
            .call("bash", json!({"command": "touch made"})),
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
    assert_eq!(replies, ["once", "reject"]);
    assert!(project.exists("new.txt") && !project.exists("made"));
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
fn a_cut_reply_is_void_and_comes_again_under_a_new_message() {
    for protocol in Protocol::ALL {
        for fault in [
            Fault::Drop { after: 2 },
            Fault::Malformed { after: 2 },
            Fault::ErrorEvent {
                after: 2,
                message: "not now".to_owned(),
            },
        ] {
            let server = Server::with([Turn::text("The whole answer.").fail(fault.clone())]);
            let project = Project::new().model(&server, protocol);
            let finished = events_of(&project).arg("ask").run().success();
            assert_well_formed(&finished);
            let retry = of_kind(&finished, "retry");
            assert_eq!(retry.len(), 1, "{protocol:?} {fault:?} {finished}");
            assert_eq!(retry[0]["attempt"], 1);
            assert!(retry[0]["delay_ms"].as_u64().unwrap() <= 50);
            assert!(
                retry[0]["reason"].as_str().unwrap().contains("`local`"),
                "{finished}"
            );
            let events = finished.json_lines();
            let cut = events.iter().position(|event| event["type"] == "retry").unwrap();
            let message = |events: &[Value]| {
                events
                    .iter()
                    .find(|event| event["type"] == "text")
                    .map(|event| event["message"].clone())
            };
            let (before, after) = (message(&events[..cut]), message(&events[cut..]));
            assert!(
                before.is_some() && after.is_some() && before != after,
                "{finished}"
            );
            assert_eq!(of_kind(&finished, "error"), Vec::<Value>::new());

            let server = Server::with([Turn::text("The whole answer.").fail(fault)]);
            let project = Project::new().model(&server, protocol);
            let finished = Lathe::in_project(&project).args(["run", "ask"]).run().success();
            assert_eq!(finished.stdout, "The whole answer.\n");
        }
    }
}

#[test]
fn what_a_cut_reply_said_is_not_the_answer_when_no_other_comes() {
    let mut turn = Turn::text("Half of it.").fail(Fault::Drop { after: 1 });
    for _ in 0..6 {
        turn = turn.fail(Fault::status(500));
    }
    let server = Server::with([turn]);
    let project = project_with(&server);
    let finished = Lathe::in_project(&project)
        .args(["run", "ask"])
        .run()
        .assert_code(1);
    assert_eq!(finished.stdout, "", "{finished}");
}

#[test]
fn retry_after_wins_over_the_configured_wait() {
    let refusal = Fault::Http {
        status: 429,
        retry_after: Some(1),
    };
    let server = Server::with([Turn::text("Now.").fail(refusal)]);
    let project = project_with(&server);
    let finished = events_of(&project).arg("ask").run().success();
    assert_well_formed(&finished);
    let retry = of_kind(&finished, "retry");
    assert_eq!(retry[0]["delay_ms"], 1000, "{finished}");
    let requests = server.requests();
    let waited = requests[1].at.duration_since(requests[0].at);
    assert!(waited >= Duration::from_secs(1), "{waited:?}");
}

#[test]
fn a_server_that_keeps_failing_is_given_up_after_the_configured_attempts() {
    let mut turn = Turn::text("Never.");
    for _ in 0..10 {
        turn = turn.fail(Fault::status(500));
    }
    let server = Server::with([turn]);
    let project = project_with(&server);
    let finished = events_of(&project).arg("ask").run().assert_code(1);
    assert_well_formed(&finished);
    let attempts: Vec<_> = of_kind(&finished, "retry")
        .iter()
        .map(|event| event["attempt"].clone())
        .collect();
    assert_eq!(attempts, [1, 2, 3, 4, 5]);
    assert_eq!(server.requests().len(), 6);
    assert_eq!(of_kind(&finished, "error")[0]["kind"], "overloaded");
    assert_eq!(reason(&finished), "error");
}

#[test]
fn a_silent_stream_is_given_up_and_asked_again() {
    let server = Server::with([Turn::text("Here it is.").fail(Fault::Stall { after: 1 })]);
    let project = project_with(&server).config(json!({"providers": {"local": {"idle_timeout_ms": 200}}}));
    let finished = events_of(&project).arg("ask").run().success();
    assert_well_formed(&finished);
    assert!(
        of_kind(&finished, "retry")[0]["reason"]
            .as_str()
            .unwrap()
            .contains("silent"),
        "{finished}"
    );
    server.wait_for_abandoned(1);
}

#[test]
fn every_refusal_has_its_kind_and_status_1() {
    for (status, kind, tries) in [
        (400, "bad_request", 1),
        (401, "auth", 1),
        (403, "auth", 1),
        (404, "bad_request", 1),
        (413, "context", 1),
        (429, "rate_limit", 6),
        (503, "overloaded", 6),
        (529, "overloaded", 6),
    ] {
        let mut turn = Turn::text("Never.");
        for _ in 0..tries {
            turn = turn.fail(Fault::status(status));
        }
        let server = Server::with([turn]);
        let project = Project::new().model(&server, Protocol::Anthropic);
        let finished = events_of(&project).arg("ask").run().assert_code(1);
        assert_well_formed(&finished);
        let errors = of_kind(&finished, "error");
        assert_eq!(errors.len(), 1, "{status} {finished}");
        assert_eq!(errors[0]["kind"], kind, "{status} {finished}");
        let message = errors[0]["message"].as_str().unwrap();
        assert!(
            message.contains("`local`") || message.contains("`local/test-model`"),
            "{message}"
        );
        assert_eq!(server.requests().len(), tries, "{status}");
        assert_eq!(reason(&finished), "error");
    }
}

#[test]
fn an_address_where_nobody_listens_is_a_network_error() {
    let settings = |url: &str| {
        json!({"model": "local/m", "providers": {"local": {"protocol": "openai-chat", "base_url": url,
               "retry": {"max": 1, "base_ms": 1, "max_ms": 1}}}})
    };
    // Port 9 of the loopback is nobody's; `.invalid` is nobody's name.
    for url in ["http://127.0.0.1:9/v1", "http://nobody.invalid/v1"] {
        let project = Project::new().config(settings(url));
        let finished = events_of(&project).arg("ask").run().assert_code(1);
        assert_well_formed(&finished);
        let error = &of_kind(&finished, "error")[0];
        assert_eq!(error["kind"], "network", "{finished}");
        assert!(
            error["message"]
                .as_str()
                .unwrap()
                .contains("cannot be reached at `http://"),
            "{finished}"
        );
        assert_eq!(of_kind(&finished, "retry").len(), 1);
    }
}

#[test]
fn a_reply_without_room_ends_as_length_and_its_calls_do_not_run() {
    for protocol in Protocol::ALL {
        let turn = Turn::new()
            .say("I will")
            .call("bash", json!({"command": "touch made"}))
            .call("read", json!({"file_path": "a"}))
            .cut_by_length();
        let server = Server::with([turn]);
        let project = Project::new().model(&server, protocol);
        let finished = events_of(&project)
            .args(["--permission-mode", "yolo", "ask"])
            .run()
            .assert_code(1);
        assert_well_formed(&finished);
        assert_eq!(reason(&finished), "length", "{protocol:?}");
        assert!(!project.exists("made"));
        assert_eq!(
            of_kind(&finished, "tool_call").len(),
            2,
            "{protocol:?} {finished}"
        );
        for result in of_kind(&finished, "tool_result") {
            assert_eq!(result["details"]["error"]["kind"], "cancelled");
        }
    }
    let server = Server::with([Turn::text("I wi").cut_by_length()]);
    let finished = Lathe::in_project(&project_with(&server))
        .args(["run", "ask"])
        .run()
        .assert_code(1);
    assert_eq!(finished.stdout, "I wi\n");
}

#[test]
fn the_step_limit_ends_the_turn_with_every_result_in_place() {
    let server = Server::start();
    server.otherwise(Turn::tool("glob", json!({"pattern": "*.rs"})));
    let project = project_with(&server).config(json!({"max_steps": 2}));
    let finished = events_of(&project).arg("go on").run().assert_code(1);
    assert_well_formed(&finished);
    assert_eq!(reason(&finished), "max_steps");
    assert_eq!(server.requests().len(), 2);
    assert_eq!(of_kind(&finished, "tool_result").len(), 2);
}

#[test]
fn an_interrupt_in_mid_stream_is_130_and_the_last_line_says_cancelled() {
    for signal in [Signal::INT, Signal::TERM] {
        let gate = Gate::new();
        let server = Server::with([Turn::text("A long sentence that never ends.").gate(3, &gate)]);
        let project = project_with(&server);
        let running = events_of(&project).arg("talk").spawn();
        running.wait_for_stdout(|text| text.contains(r#""type":"text""#));
        running.signal(signal);
        let finished = running.wait().assert_code(130);
        assert_well_formed(&finished);
        assert_eq!(reason(&finished), "cancelled");
        server.wait_for_abandoned(1);
    }
}

#[test]
fn an_interrupt_at_the_first_line_is_heard() {
    let server = Server::with([Turn::text("Never.").gate(0, &Gate::new())]);
    let project = project_with(&server);
    let running = events_of(&project).arg("talk").spawn();
    running.wait_for_stdout(|text| text.contains('\n'));
    running.signal(Signal::INT);
    let finished = running.wait().assert_code(130);
    assert_well_formed(&finished);
    assert_eq!(reason(&finished), "cancelled");
}

#[test]
fn an_interrupt_in_a_command_stops_it_and_gives_every_call_its_result() {
    let server = Server::with([Turn::new()
        .call(
            "bash",
            json!({"command": "echo $$ > pid; echo begun; exec sleep 600"}),
        )
        .call("bash", json!({"command": "touch never"}))]);
    let project = project_with(&server);
    let running = events_of(&project)
        .args(["--permission-mode", "yolo", "wait"])
        .spawn();
    running.wait_for_stdout(|text| text.contains("begun") && text.contains("tool_update"));
    running.signal(Signal::INT);
    let finished = running.wait().assert_code(130);
    assert_well_formed(&finished);
    assert_eq!(reason(&finished), "cancelled");
    let results = of_kind(&finished, "tool_result");
    assert_eq!(results.len(), 2, "{finished}");
    for result in &results {
        assert_eq!(result["ok"], false);
        assert_eq!(result["details"]["error"]["kind"], "cancelled", "{result}");
    }
    assert!(
        results[0]["output"].as_str().unwrap().contains("begun"),
        "partial output is kept: {finished}"
    );
    assert!(
        results[1]["output"].as_str().unwrap().contains("not executed"),
        "{finished}"
    );
    assert!(!project.exists("never"));
    let pid: i32 = project.read("pid").trim().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    assert!(
        rustix::process::test_kill_process(pid).is_err(),
        "the command is gone with the run"
    );
}

#[test]
fn what_is_piped_in_is_appended_to_the_words() {
    let server = Server::with([Turn::text("Yes."), Turn::text("Yes.")]);
    let project = project_with(&server);
    let finished = events_of(&project)
        .args(["what is", "this?"])
        .stdin("line 1\nline 2\n")
        .run()
        .success();
    assert_well_formed(&finished);
    assert!(server.requests()[0].mentions("what is this?\n\nline 1\nline 2"));
    let _ = events_of(&project).stdin("only this").run().success();
    assert!(server.requests()[1].mentions("only this"));
}

#[test]
fn files_go_along_as_text_or_as_images() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0";
    for protocol in Protocol::ALL {
        let server = Server::with([Turn::text("I see.")]);
        let project = Project::new()
            .file("notes/a.txt", "alpha\n")
            .bytes("pic.png", png)
            .model(&server, protocol);
        let finished = events_of(&project)
            .args(["look", "-f", "notes/a.txt", "--file", "pic.png"])
            .run()
            .success();
        assert_well_formed(&finished);
        let request = &server.requests()[0];
        assert!(
            request.mentions("alpha") && request.mentions("notes/a.txt"),
            "{protocol:?} {:#}",
            request.body
        );
        assert!(request.mentions("iVBORw0KGgo"), "{protocol:?}");
    }
}

#[test]
fn continue_goes_on_with_the_newest_session_and_session_with_that_one() {
    let server = Server::with([
        Turn::text("One."),
        Turn::text("Two."),
        Turn::text("Three."),
        Turn::text("Four."),
    ]);
    let project = project_with(&server);
    let first = events_of(&project).arg("apples").run().success();
    let second = events_of(&project).arg("pears").run().success();
    let id = |finished: &Finished| finished.json_lines()[0]["session"].as_str().unwrap().to_owned();
    assert_ne!(id(&first), id(&second));
    let third = events_of(&project).args(["-c", "plums"]).run().success();
    assert_eq!(id(&third), id(&second));
    assert!(server.requests()[2].mentions("pears") && !server.requests()[2].mentions("apples"));
    let fourth = events_of(&project)
        .args(["-s", &id(&first), "figs"])
        .run()
        .success();
    assert_eq!(id(&fourth), id(&first));
    assert!(server.requests()[3].mentions("apples") && !server.requests()[3].mentions("pears"));
    assert_eq!(third.stderr, "");
    // The sums are those of the run.
    assert_eq!(last(&fourth)["usage"]["input"], 1000);
}

#[test]
fn continue_without_a_session_starts_one_and_says_so() {
    let server = Server::with([Turn::text("Hello.")]);
    let project = project_with(&server);
    let finished = events_of(&project).args(["-c", "hello"]).run().success();
    assert_well_formed(&finished);
    assert!(finished.stderr.contains("new one was started"), "{finished}");
}

#[test]
fn nobody_but_the_model_is_asked() {
    let server = Server::with([Turn::text("Hello.")]);
    let project = project_with(&server).config(json!({"small_model": "local/test-model"}));
    let finished = events_of(&project).arg("hello").run().success();
    assert_well_formed(&finished);
    assert_eq!(server.all_requests().len(), 1, "no title, no list of models");
}

#[test]
fn a_session_that_is_open_elsewhere_is_left_alone() {
    let gate = Gate::new();
    let server = Server::with([Turn::text("Hello there.").gate(1, &gate)]);
    let project = project_with(&server);
    let running = events_of(&project).arg("hello").spawn();
    let text = running.wait_for_stdout(|text| text.contains(r#""type":"text""#));
    let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let id = first["session"].as_str().unwrap();
    for words in [vec!["-s", id], vec!["-c"]] {
        let refused = events_of(&project).args(words).arg("me too").run().assert_code(1);
        let pid = running.pid().as_raw_nonzero().get();
        assert!(
            refused.stderr.contains(&format!("open in process {pid}")),
            "{refused}"
        );
        assert_eq!(of_kind(&refused, "error")[0]["kind"], "storage");
        assert_eq!(reason(&refused), "error");
    }
    gate.open();
    assert_well_formed(&running.wait().success());
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_reader_that_leaves_ends_the_run_quietly() {
    let server = Server::with([Turn::text(&"word ".repeat(20_000)).piece(5)]);
    let project = project_with(&server);
    let script = format!(
        "{} run --format json hello | head -1",
        env!("CARGO_BIN_EXE_lathe")
    );
    let finished = Lathe::program("sh", &project)
        .args(["-c", &script])
        .run()
        .success();
    assert_eq!(kinds(&finished), ["session"]);
    assert_eq!(finished.stderr, "");
    let script = format!(
        "{} run hello 2>&1 >/dev/null | head -0; echo ended",
        env!("CARGO_BIN_EXE_lathe")
    );
    server.script([Turn::text("Hello.")]);
    let finished = Lathe::program("sh", &project)
        .args(["-c", &script])
        .run()
        .success();
    assert_eq!(finished.stdout, "ended\n");
}

#[test]
fn a_closed_stderr_costs_no_answer() {
    let server = Server::with([Turn::tool("glob", json!({"pattern": "*"})), Turn::text("Done.")]);
    let project = project_with(&server);
    let script = format!(
        "{{ {} run hello 2>&3; }} 3>&1 1>answer | head -0",
        env!("CARGO_BIN_EXE_lathe")
    );
    let _ = Lathe::program("sh", &project)
        .args(["-c", &script])
        .run()
        .success();
    assert_eq!(project.read("answer"), "Done.\n");
}

#[test]
fn a_prompt_of_megabytes_goes_through_whole() {
    let server = Server::with([Turn::text("Long.")]);
    let project = project_with(&server);
    let prompt = format!("{}end", "0123456789abcde\n".repeat(5 * 65_536));
    let finished = events_of(&project)
        .arg("read this")
        .stdin(&prompt)
        .run()
        .success();
    assert_well_formed(&finished);
    assert!(server.requests()[0].mentions(&prompt));
}

#[test]
fn a_prompt_that_is_none_is_bad_usage() {
    let server = Server::start();
    let project = project_with(&server);
    for (words, stdin) in [
        (vec![], &b""[..]),
        (vec!["", " "], b" \n\t\n"),
        (vec!["x"], b"\xff\xfe\x00"),
    ] {
        let finished = Lathe::in_project(&project)
            .arg("run")
            .args(words)
            .stdin(stdin)
            .run()
            .assert_code(2);
        assert_eq!(finished.stdout, "");
        assert!(finished.stderr.starts_with("lathe: "), "{finished}");
    }
    let finished = Lathe::in_project(&project)
        .arg("run")
        .arg(std::ffi::OsStr::from_bytes(b"caf\xe9"))
        .run()
        .assert_code(2);
    assert!(finished.stderr.contains("UTF-8"), "{finished}");
    assert_eq!(server.all_requests().len(), 0);
}

#[test]
fn a_prompt_with_a_zero_byte_is_text_like_any_other() {
    let server = Server::with([Turn::text("Odd.")]);
    let project = project_with(&server);
    let finished = events_of(&project).stdin("a\0b").run().success();
    assert_well_formed(&finished);
    assert!(server.requests()[0].mentions("a\0b"));
}

#[test]
fn bad_usage_and_bad_configuration_are_status_2_and_ask_nobody() {
    let server = Server::start();
    let project = project_with(&server);
    for words in [
        &["--format", "yaml", "x"][..],
        &["--permission-mode", "maybe", "x"],
        &["--no-such-flag", "x"],
        &["-m", "nobody/nothing", "x"],
        &["-m", "test-model", "x"],
        &["-a", "nobody", "x"],
        &["-f", "missing.txt", "x"],
        &["--config", "missing.jsonc", "x"],
        &["--replay", "missing.jsonl", "x"],
        &["-s", "not-an-id", "x"],
    ] {
        let finished = Lathe::in_project(&project)
            .arg("run")
            .args(words)
            .run()
            .assert_code(2);
        assert_eq!(finished.stdout, "", "{finished}");
        assert!(!finished.stderr.is_empty(), "{finished}");
    }
    let project = project.file("lathe.jsonc", "{ \"modle\": 1 }");
    let finished = events_of(&project).arg("x").run().assert_code(2);
    assert!(finished.stderr.contains("lathe.jsonc:1:3"), "{finished}");
    assert_eq!(of_kind(&finished, "error")[0]["kind"], "config");
    assert_eq!(reason(&finished), "error");
    assert_eq!(server.all_requests().len(), 0);
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
