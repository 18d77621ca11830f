//! `interactive_bash` through the program: real programs in terminals, driven by a scripted model.

mod ending;
mod hidden;
mod permission;
mod programs;
mod sharing;
mod typed_lines;

use serde_json::{Value, json};

use super::run::{events_of, of_kind, project_with};
use super::support::{Finished, Lathe, Project, Server, Turn};

/// A call of the tool.
fn call(args: Value) -> Turn {
    Turn::tool("interactive_bash", args)
}

fn start(name: &str, command: &str) -> Value {
    json!({"action": "start", "session": name, "command": command})
}

/// Keys that are sent until the screen shows something.
fn send(name: &str, text: &str, keys: &str, wait_for: &str) -> Value {
    json!({"action": "send", "session": name, "text": text, "keys": keys, "wait_for": wait_for, "timeout": 30_000})
}

/// A shell whose prompt is known.
fn shell() -> Value {
    let command = "env PS1='prompt> ' bash --norc --noprofile";
    json!({"action": "start", "session": "sh", "command": command, "wait_for": "prompt>", "timeout": 30_000})
}

fn yolo(project: &Project) -> Lathe {
    events_of(project).args(["--permission-mode", "yolo", "go"])
}

/// Makes the calls one after the other in a project, and returns their results.
#[track_caller]
fn results_in(project: &Project, server: &Server, calls: impl IntoIterator<Item = Value>) -> Vec<Value> {
    server.script(calls.into_iter().map(call).chain([Turn::text("Done.")]));
    let finished = yolo(project).run().success();
    results(&finished)
}

fn results(finished: &Finished) -> Vec<Value> {
    of_kind(finished, "tool_result")
}

#[track_caller]
fn results_of(calls: impl IntoIterator<Item = Value>) -> Vec<Value> {
    let server = Server::start();
    let project = project_with(&server);
    results_in(&project, &server, calls)
}

fn output(result: &Value) -> &str {
    result["output"].as_str().unwrap()
}

fn kind(result: &Value) -> &str {
    result["details"]["error"]["kind"].as_str().unwrap_or("ok")
}

#[track_caller]
fn assert_shows(result: &Value, text: &str) {
    assert!(
        output(result).contains(text),
        "no `{text}` in\n{}",
        output(result)
    );
}

fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
}

#[test]
fn every_answer_shows_the_screen_the_cursor_and_the_live_sessions() {
    let results = results_of([
        shell(),
        send("sh", "echo $((6 * 7))", "Enter", "^42$"),
        json!({"action": "list"}),
        json!({"action": "stop", "session": "sh"}),
    ]);
    assert_shows(&results[0], "[sh · running · 120x40 · cursor 1,9]\nprompt>");
    assert_shows(&results[1], "42\nprompt>");
    assert!(
        output(&results[1]).ends_with("[live sessions: sh]"),
        "{}",
        results[1]
    );
    assert_shows(
        &results[2],
        "sh running  env PS1='prompt> ' bash --norc --noprofile",
    );
    assert_eq!(output(&results[3]), "[sh · stopped]\n[live sessions: none]");
    let details = &results[1]["details"];
    assert_eq!(
        (&details["session"], &details["running"], &details["cols"]),
        (&json!("sh"), &json!(true), &json!(120))
    );
    assert_eq!(details["screen"][1][0]["t"], "42");
}

#[test]
fn a_repl_is_driven_to_its_end_and_its_status_is_told() {
    if !has("python3") {
        return;
    }
    let results = results_of([
        json!({"action": "start", "command": "python3 -q", "wait_for": ">>>", "timeout": 30_000}),
        send("omo-1", "print(21 * 2)", "Enter", "^42$"),
        send("omo-1", "exit(3)", "Enter", "never"),
        send("omo-1", "x", "", ""),
        json!({"action": "read"}),
    ]);
    assert_shows(&results[1], "42\n>>>");
    assert_shows(&results[2], "[omo-1 · exited 3 · 120x40]");
    assert_eq!(kind(&results[3]), "not_found");
    assert_shows(&results[3], "print(21 * 2)");
    assert_shows(&results[4], "exited 3");
}

#[test]
fn vim_edits_and_saves_a_file() {
    if !has("vim") {
        return;
    }
    let server = Server::start();
    let project = project_with(&server).file("note.txt", "first\n");
    let vim = json!({"action": "start", "session": "vi", "command": "vim -u NONE -n note.txt", "wait_for": "first",
        "timeout": 30_000});
    let results = results_in(
        &project,
        &server,
        [
            vim,
            send("vi", "osecond", "Escape", "second"),
            json!({"action": "send", "session": "vi", "text": ":wq", "keys": "Enter", "wait_for": "never", "timeout": 30_000}),
        ],
    );
    assert_eq!(results[0]["details"]["alt_screen"], true);
    assert_shows(&results[2], "[vi · exited 0");
    assert_eq!(project.read("note.txt"), "first\nsecond\n");
}

#[test]
fn less_is_paged_and_left() {
    if !has("less") {
        return;
    }
    let server = Server::start();
    let lines: Vec<String> = (1..=200).map(|number| format!("line {number}")).collect();
    let text = lines.join("\n");
    let project = project_with(&server).file("long.txt", &text);
    let less = json!({"action": "start", "command": "less long.txt", "rows": 10, "wait_for": "line 9", "timeout": 30_000});
    let results = results_in(
        &project,
        &server,
        [
            less,
            send("omo-1", "", "G", "line 200"),
            send("omo-1", "", "q", "never"),
        ],
    );
    assert_shows(&results[1], "line 192");
    assert_shows(&results[2], "exited 0");
}

#[test]
fn parts_of_a_change_are_staged_with_git_add_p() {
    let server = Server::start();
    let project = project_with(&server).git().file("a.txt", "one\n");
    project.run_git(&["add", "a.txt"]);
    project.write("a.txt", b"one\ntwo\n");
    let results = results_in(
        &project,
        &server,
        [
            json!({"action": "start", "command": "git add -p", "wait_for": "never", "timeout": 30_000}),
            send("omo-1", "y", "Enter", "never"),
        ],
    );
    assert_shows(&results[0], "Stage this hunk");
    assert_shows(&results[0], "[waiting for input]");
    assert_shows(&results[1], "exited 0");
    assert_shows_index(&project, "+two");
}

#[track_caller]
fn assert_shows_index(project: &Project, text: &str) {
    let staged = project.run_git(&["diff", "--cached"]);
    assert!(staged.contains(text), "{staged}");
}

#[test]
fn hidden_input_is_told_and_refused() {
    let ask = "read -s -p 'Word: ' word; echo; echo \"got ${#word}\"";
    let results = results_of([
        json!({"action": "start", "command": ask, "wait_for": "got", "timeout": 30_000}),
        json!({"action": "send", "text": "swordfish", "keys": "Enter"}),
        json!({"action": "read"}),
        json!({"action": "stop"}),
    ]);
    assert_shows(&results[0], "Word:\n[hidden input: only the user can type it]");
    assert_eq!(results[0]["details"]["waiting"], "hidden");
    assert_eq!(kind(&results[1]), "refused");
    assert!(!output(&results[2]).contains("got"), "{}", results[2]);
}

#[test]
fn a_program_that_asks_for_a_line_is_told_to_wait() {
    let results = results_of([
        json!({"action": "start", "command": "read -p 'Name: ' name; echo \"hello $name\"", "wait_for": "hello"}),
        send("omo-1", "Ada", "Enter", "hello Ada"),
    ]);
    assert_shows(&results[0], "Name:\n[waiting for input]");
    assert_shows(&results[1], "hello Ada");
}

#[test]
fn a_flood_is_followed_and_stopped_by_a_key() {
    let results = results_of([
        json!({"action": "start", "command": "yes flood", "timeout": 1000}),
        json!({"action": "send", "keys": ["C-c"], "wait_for": "never", "timeout": 30_000}),
    ]);
    // The last line may be cut.
    assert_shows(&results[0], "flood\n");
    assert_shows(&results[0], "[still running]");
    assert_shows(&results[1], "[omo-1 · killed by signal 2");
}

#[test]
fn a_wait_that_is_in_vain_is_told() {
    let results = results_of([
        json!({"action": "start", "command": "sleep 600", "wait_for": "ready", "timeout": 400}),
        json!({"action": "start", "command": "sleep 600", "session": "omo-1"}),
    ]);
    assert!(results[0]["ok"].as_bool().unwrap());
    assert_shows(&results[0], "[wait_for not seen within 0.4 s]");
    assert_eq!(kind(&results[1]), "exists");
}

#[test]
fn the_title_and_the_size_are_told_and_a_resize_after_the_end_is_refused() {
    let results = results_of([
        json!({"action": "start", "command": "printf '\\033]0;my title\\007'; stty size; cat", "cols": 100, "rows": 30,
            "wait_for": "30 100", "timeout": 30_000}),
        json!({"action": "resize", "cols": 90}),
        json!({"action": "signal", "signal": "KILL", "wait_for": "never", "timeout": 30_000}),
        json!({"action": "resize", "cols": 50}),
    ]);
    assert_eq!(results[0]["details"]["title"], "my title");
    assert_shows(&results[1], "· 90x30 ·");
    assert_shows(&results[2], "killed by signal 9");
    assert_eq!(kind(&results[3]), "not_found");
    assert_shows(&results[3], "30 100");
}

#[test]
fn more_than_eight_are_not_started() {
    let starts =
        (1..=9).map(|number| json!({"action": "start", "session": format!("s{number}"), "command": "cat"}));
    let results = results_of(starts);
    assert!(results[..8].iter().all(|result| result["ok"] == true));
    assert_eq!(kind(&results[8]), "limit");
    assert_shows(&results[8], "s1, s2");
}

#[test]
fn tmux_commands_do_the_same() {
    let tmux = |line: &str| json!({"tmux_command": line});
    let waiting =
        |line: &str, wait_for: &str| json!({"tmux_command": line, "wait_for": wait_for, "timeout": 30_000});
    let results = results_of([
        waiting("tmux new-session -d -s work -x 80 -y 24 cat", "x"),
        waiting(
            "send-keys -t work:0.0 'hello there' Enter",
            "(?s)hello there.*hello there",
        ),
        tmux("has-session -t work"),
        tmux("list-sessions"),
        tmux("send-keys -t work a; capture-pane -p"),
        tmux("split-window"),
        tmux("kill-session -t work"),
        tmux("has -t work"),
    ]);
    assert_shows(&results[0], "[work · running · 80x24");
    assert_shows(&results[1], "hello there\nhello there");
    assert_shows(&results[2], "[work · running]");
    assert_shows(&results[3], "work running  cat");
    assert_eq!(kind(&results[4]), "refused");
    assert_shows(&results[4], "every answer already shows the screen");
    assert_eq!(kind(&results[5]), "invalid_args");
    assert_eq!(output(&results[6]), "[work · stopped]\n[live sessions: none]");
    assert_eq!(kind(&results[7]), "not_found");
}

#[test]
fn arguments_that_do_not_fit_are_told() {
    let results = results_of([
        json!({"action": "send"}),
        json!({"action": "start", "tmux_command": "ls"}),
        json!({"action": "read", "session": "a b"}),
        json!({"action": "start", "command": "cat", "cols": 3}),
        json!({"action": "read", "wait_for": "("}),
        json!({"action": "read", "session": "nobody"}),
    ]);
    let kinds: Vec<&str> = results.iter().map(kind).collect();
    let expected = [
        "invalid_args",
        "invalid_args",
        "invalid_args",
        "invalid_args",
        "parse",
        "not_found",
    ];
    assert_eq!(kinds, expected);
}
