//! `batch` through the program: what a script is told of the calls inside, and what is left of them after a stop or a crash.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::screen::{interrupt, open, project, say};

use super::run::{assert_well_formed, events_of, of_kind, project_with, reason, text_of};
use super::support::{Finished, Lathe, Project, Server, Terminal, Turn, wait_until};

fn bash(command: &str) -> Value {
    json!({"tool": "bash", "parameters": {"command": command}})
}

fn read(path: &str) -> Value {
    json!({"tool": "read", "parameters": {"file_path": path}})
}

fn write(path: &str) -> Value {
    json!({"tool": "write", "parameters": {"file_path": path, "content": "new\n"}})
}

fn batch(calls: &[Value]) -> Turn {
    Turn::tool("batch", json!({ "tool_calls": calls }))
}

fn yolo(project: &Project) -> Lathe {
    events_of(project).args(["--permission-mode", "yolo", "go"])
}

/// The number of a call inside another; empty for one that is not.
fn number(event: &Value) -> String {
    let call = event["call"].as_str().unwrap();
    call.split_once('.')
        .map_or_else(String::new, |(_, number)| number.to_owned())
}

/// `NUMBER TOOL ok` or the kind of its error, in the order in which the results were told.
fn results(finished: &Finished) -> Vec<String> {
    let results = of_kind(finished, "tool_result");
    let line = |event: &Value| {
        let kind = &event["details"]["error"]["kind"];
        let end = kind.as_str().unwrap_or("ok");
        format!("{} {} {end}", number(event), event["tool"].as_str().unwrap())
    };
    results.iter().map(line).collect()
}

/// The only call of the only session, as `lathe sessions show` tells it.
fn shown_batch(project: &Project) -> Value {
    let sessions = Lathe::in_project(project).args(["sessions", "list", "--json"]);
    let sessions = sessions.run().success().json();
    let id = sessions["sessions"][0]["id"].as_str().unwrap().to_owned();
    let shown = Lathe::in_project(project).args(["sessions", "show", &id, "--json"]);
    let shown = shown.run().success().json();
    let messages = shown["messages"].as_array().unwrap().clone();
    let mut parts = messages
        .iter()
        .flat_map(|message| message["parts"].as_array().unwrap());
    parts.find(|part| part["type"] == "tool").unwrap().clone()
}

fn states(batch: &Value) -> Vec<(&str, &str)> {
    let calls = batch["calls"].as_array().unwrap();
    calls
        .iter()
        .map(|call| (call["tool"].as_str().unwrap(), call["state"].as_str().unwrap()))
        .collect()
}

#[test]
fn each_call_inside_has_its_events_and_the_model_reads_one_result() {
    let server = Server::with([batch(&[read("a"), write("b"), read("a")]), Turn::text("Done.")]);
    let project = project_with(&server).file("a", "alpha\n");
    let finished = events_of(&project).arg("go").run().success();
    assert_well_formed(&finished);
    let calls = of_kind(&finished, "tool_call");
    let told: Vec<_> = calls
        .iter()
        .map(|event| (number(event), event["tool"].as_str().unwrap()))
        .collect();
    assert_eq!(
        told,
        [("", "batch"), ("1", "read"), ("2", "write"), ("3", "read")].map(|(n, tool)| (n.to_owned(), tool))
    );
    assert_eq!(calls[1]["args"], json!({"file_path": "a"}));
    assert_eq!(
        results(&finished),
        ["1 read ok", "2 write denied", "3 read ok", " batch ok"]
    );
    let asked = of_kind(&finished, "permission");
    assert_eq!(
        (number(&asked[0]).as_str(), &asked[0]["reply"]),
        ("2", &json!("reject"))
    );
    let batch = of_kind(&finished, "tool_result").pop().unwrap();
    let inner: Vec<_> = calls[1..].iter().map(|call| &call["call"]).collect();
    let listed = batch["details"]["calls"].as_array().unwrap();
    assert_eq!(listed.iter().map(|call| &call["call"]).collect::<Vec<_>>(), inner);
    assert_eq!(listed[1], json!({"call": inner[1], "tool": "write", "ok": false}));
    let second = &server.requests()[1];
    assert!(second.mentions("2 succeeded, 1 failed") && second.mentions("alpha"));
    assert_eq!(text_of(&finished), "Done.");
    assert!(!project.exists("b"));

    let shown = shown_batch(&project);
    assert_eq!(shown["tool"], "batch");
    assert_eq!(
        states(&shown),
        [("read", "done"), ("write", "denied"), ("read", "done")]
    );
    assert_eq!(shown["calls"][0]["call"], *inner[0]);
}

#[test]
fn of_twelve_calls_ten_are_run_and_all_have_a_result() {
    let twelve: Vec<_> = (0..12).map(|n| write(&format!("f{n}"))).collect();
    let server = Server::with([batch(&twelve), Turn::text("Done.")]);
    let project = project_with(&server);
    let finished = yolo(&project).run().success();
    assert_well_formed(&finished);
    let results = results(&finished);
    assert_eq!(results.len(), 13);
    assert_eq!(results[10..], ["11 write limit", "12 write limit", " batch ok"]);
    assert!(project.exists("f9") && !project.exists("f10") && !project.exists("f11"));

    let server = Server::with([batch(&twelve), Turn::text("Done.")]);
    let project = project_with(&server).config(json!({"batch": {"max_calls": 12}}));
    let finished = yolo(&project).run().success();
    assert_eq!(finished.stderr, "", "the setting is known");
    assert!(project.exists("f11"));
}

#[test]
fn calls_that_change_things_keep_their_order_inside_and_beside_other_calls() {
    let slow = |word: &str| bash(&format!("cat order 2>/dev/null; sleep 0.1; echo {word} >> order"));
    let turn = Turn::new()
        .call("batch", json!({"tool_calls": [slow("a"), slow("b")]}))
        .call("bash", json!({"command": "echo c >> order"}))
        .call(
            "batch",
            json!({"tool_calls": [slow("d"), read("order"), slow("e")]}),
        )
        .call("read", json!({"file_path": "order"}));
    let server = Server::with([turn, Turn::text("Done.")]);
    let project = project_with(&server);
    let finished = yolo(&project).run().success();
    assert_well_formed(&finished);
    assert_eq!(project.read("order"), "a\nb\nc\nd\ne\n");
    let reads = of_kind(&finished, "tool_result");
    let mut reads = reads.iter().filter(|event| event["tool"] == "read");
    let lines = |event: &Value| event["output"].as_str().unwrap().matches(": ").count();
    assert_eq!(lines(reads.next().unwrap()), 4);
    assert_eq!(lines(reads.next().unwrap()), 5);
}

#[test]
fn an_interrupt_in_the_middle_gives_every_call_its_result() {
    let calls = [read("a"), bash("touch begun; sleep 300"), write("never")];
    let server = Server::with([batch(&calls), Turn::text("Never said.")]);
    let project = project_with(&server).file("a", "alpha\n");
    let running = yolo(&project).spawn();
    wait_until("the command runs", || project.exists("begun"));
    running.signal(Signal::INT);
    let finished = running.wait().assert_code(130);
    assert_well_formed(&finished);
    assert_eq!(
        results(&finished),
        [
            "1 read ok",
            "2 bash cancelled",
            "3 write cancelled",
            " batch cancelled"
        ]
    );
    assert_eq!(reason(&finished), "cancelled");
    assert!(!project.exists("never"));
    let shown = shown_batch(&project);
    assert_eq!(shown["state"], "cancelled");
    assert_eq!(
        states(&shown),
        [("read", "done"), ("bash", "cancelled"), ("write", "cancelled")]
    );
}

#[test]
fn after_kill_9_in_the_middle_what_had_ended_is_kept_and_the_rest_is_interrupted() {
    let calls = [read("a"), bash("touch begun; sleep 300"), write("never")];
    let server = Server::with([batch(&calls)]);
    let project = project_with(&server).file("a", "alpha\n");
    let running = yolo(&project).spawn();
    wait_until("the command runs", || project.exists("begun"));
    let killed = running.wait_for_stdout(|text| text.contains("tool_result"));
    assert!(killed.contains("alpha"));
    let _ = running.kill();

    server.script([Turn::text("I see.")]);
    let again = events_of(&project).args(["-c", "go on"]).run().success();
    assert_eq!(text_of(&again), "I see.");
    let request = server.requests().pop().unwrap();
    for told in [
        "[1] read had ended: ok",
        "[2] bash was interrupted; what it did is not known",
        "[3] write was not started",
    ] {
        assert!(request.mentions(told), "{told}: {:#}", request.body);
    }
    let shown = shown_batch(&project);
    assert_eq!(shown["state"], "interrupted");
    assert_eq!(
        states(&shown),
        [
            ("read", "done"),
            ("bash", "interrupted"),
            ("write", "interrupted")
        ]
    );
    assert!(shown["calls"][0]["output"].as_str().unwrap().contains("alpha"));
}

#[test]
fn lathe_tool_runs_a_batch() {
    let project = Project::new().file("a", "alpha\n");
    let args = json!({"tool_calls": [read("a"), write("b")]}).to_string();
    let finished = Lathe::in_project(&project)
        .args(["tool", "batch", &args])
        .run()
        .success();
    assert!(
        finished
            .stdout
            .starts_with("1 succeeded, 1 failed\n\n[1] read ok\n\n"),
        "{finished}"
    );
}

#[test]
fn each_call_inside_has_its_card_its_question_and_ends_the_turn_when_refused() {
    let calls = [read("a"), bash("echo ran > mark"), write("never")];
    let server = Server::with([batch(&calls), Turn::text("Never said.")]);
    let project = project(&server).file("a", "alpha\n");
    let terminal = open(&project);
    say(&terminal, "go");
    let screen = terminal.wait_text("y once");
    for part in [
        "? Batch 3 calls",
        "  ● Read a",
        "  ? Bash echo ran",
        "  ○ Write never",
    ] {
        assert!(screen.contains(part), "{part:?} is missing in\n{screen}");
    }
    // Longer than a question is deaf.
    terminal.wait_quiet(std::time::Duration::from_millis(450));
    terminal.keys("n");
    terminal.wait_text("send");
    let after = terminal.wait_text("▲ Batch 3 calls · 1 ok · 2 failed");
    for part in ["  ● Read a", "  ⊘ Bash echo ran", "  ■ Write never"] {
        assert!(after.contains(part), "{part:?} is missing in\n{after}");
    }
    assert!(!project.exists("mark") && !project.exists("never"));
    assert_eq!(server.turns_left(), 1, "the turn ended");
    terminal.signal(Signal::KILL);
    terminal.wait_exit();

    let terminal = Terminal::start(&project, 80, 24, &["-c"]);
    let screen = terminal.wait_text("▲ Batch 3 calls · 1 ok · 2 failed");
    for part in ["  ● Read a", "  ⊘ Bash echo ran", "  ■ Write never"] {
        assert!(screen.contains(part), "{part:?} is missing in\n{screen}");
    }
}

#[test]
fn esc_stops_all_that_is_in_it() {
    let calls = [bash("touch begun; sleep 300"), write("never")];
    let server = Server::with([batch(&calls)]);
    let project = project(&server);
    let terminal = Terminal::start(&project, 80, 24, &["--permission-mode", "yolo"]);
    terminal.wait_text("send");
    say(&terminal, "go");
    wait_until("the command runs", || project.exists("begun"));
    terminal.wait_text("Bash touch begun");
    interrupt(&terminal);
    terminal.wait_text("■ Batch");
    let screen = terminal.wait_text("■ Write never");
    assert!(screen.contains("■ Bash touch begun"), "{screen}");
    assert!(!project.exists("never"));
}
