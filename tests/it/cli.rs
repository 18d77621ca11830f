//! The command line: what can be typed, what is printed, and the exit status.

mod configuration;
mod tools;

use std::fs;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;

use crate::support::{Key, LATHE, Lathe, Project, Protocol, Server, Terminal, Turn};

fn lathe(project: &Project, words: &[&str]) -> Lathe {
    Lathe::in_project(project).args(words)
}

fn with_answer(text: &str) -> (Server, Project) {
    let server = Server::with([Turn::text(text)]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    (server, project)
}

/// The commands of the help, without the one that explains the others.
fn commands(help: &str) -> Vec<&str> {
    let lines = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty());
    let names = lines
        .filter(|line| !line.starts_with("    "))
        .filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").collect()
}

#[test]
fn help_names_every_command_and_version_is_one_line() {
    let project = Project::new();
    let help = lathe(&project, &["--help"]).run().success();
    let expected = [
        "run",
        "demo",
        "tools",
        "tool",
        "agents",
        "commands",
        "themes",
        "doctor",
        "config",
        "permissions",
        "sessions",
        "worktrees",
        "completions",
        "man",
    ];
    assert_eq!(commands(&help.stdout), expected, "{help}");
    for option in [
        "--model",
        "--agent",
        "--continue",
        "--session",
        "--prompt",
        "--permission-mode",
        "--config",
    ] {
        assert!(help.stdout.contains(option), "{option} is missing: {help}");
    }
    let version = lathe(&project, &["--version"]).run().success();
    assert_eq!(version.stdout, format!("lathe {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn bad_usage_has_status_2_and_says_why() {
    let project = Project::new().file("a.txt", "a\n");
    let cases: [(&[&str], &str); 12] = [
        (&["--no-such-option"], "--no-such-option"),
        (&["run", "x", "--no-such-option"], "--no-such-option"),
        (&["sesions"], "lathe sessions"),
        (&["no-such-directory"], "no-such-directory"),
        (&["a.txt"], "is not a directory"),
        (&["run"], "no prompt"),
        (&["run", "x", "-s", "nonsense"], "is not a session id"),
        (&["run", "x", "-m", "no-slash"], "provider/model"),
        (&["run", "x", "-f", "missing.txt"], "missing.txt"),
        (&["run", "x", "--replay", "missing.jsonl"], "missing.jsonl"),
        (&["run", "x", "-c", "-s", "ses_1"], "cannot be used with"),
        (&["tool", "read", "[]"], "JSON object"),
    ];
    for (words, part) in cases {
        let finished = lathe(&project, words).run().assert_code(2);
        assert!(finished.stderr.contains(part), "`{part}` is missing: {finished}");
        assert_eq!(finished.stdout, "", "{finished}");
    }
}

#[test]
fn an_error_before_the_session_is_an_event_as_well() {
    let project = Project::new().config(json!({"theme": 3}));
    let finished = lathe(&project, &["run", "x", "--format", "json"])
        .run()
        .assert_code(2);
    let lines = finished.json_lines();
    let kinds: Vec<_> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["session", "error", "done"], "{finished}");
    assert_eq!(
        (&lines[1]["kind"], &lines[2]["reason"]),
        (&json!("config"), &json!("error"))
    );
}

#[test]
fn without_a_model_the_ways_to_begin_are_told() {
    let project = Project::new();
    let finished = lathe(&project, &["run", "hello"]).run().assert_code(2);
    assert!(finished.stderr.contains("lathe demo"), "{finished}");
    let finished = lathe(&project, &[]).run().assert_code(2);
    for part in ["lathe demo", "a local server", "ANTHROPIC_API_KEY"] {
        assert!(finished.stderr.contains(part), "{part} is missing: {finished}");
    }
}

#[test]
fn the_screen_needs_a_terminal() {
    let (_server, project) = with_answer("unused");
    let finished = lathe(&project, &[]).run().assert_code(2);
    assert!(finished.stderr.contains("lathe run"), "{finished}");
    assert!(!finished.stdout.contains('\x1b'), "{finished}");
}

#[test]
fn a_run_prints_the_answer_alone_and_takes_what_is_piped() {
    let (server, project) = with_answer("It is **done**.");
    let finished = lathe(&project, &["run", "explain", "this"])
        .stdin("line one\nline two\n")
        .run()
        .success();
    assert_eq!(finished.stdout, "It is **done**.\n", "{finished}");
    let request = &server.wait_for_requests(1)[0];
    assert!(request.mentions("explain this"), "{request:?}");
    assert!(request.mentions("line two"), "{request:?}");
}

#[test]
fn attached_files_reach_the_model() {
    let (server, project) = with_answer("ok");
    let project = project
        .file("notes.txt", "remember the milk\n")
        .bytes("a.png", include_bytes!("vectors/pixel.png"));
    lathe(&project, &["run", "read", "-f", "notes.txt", "--file", "a.png"])
        .run()
        .success();
    let request = &server.wait_for_requests(1)[0];
    assert!(
        request.mentions("remember the milk") && request.mentions("iVBORw0KGgo"),
        "{request:?}"
    );

    let project = project.bytes("a.bin", &[0, 1, 2]);
    let finished = lathe(&project, &["run", "read", "-f", "a.bin"])
        .run()
        .assert_code(2);
    assert!(finished.stderr.contains("a.bin"), "{finished}");
}

#[test]
fn going_on_without_a_session_starts_one_and_says_so() {
    let (server, project) = with_answer("first");
    server.script([Turn::text("second")]);
    let finished = lathe(&project, &["run", "-c", "hello"]).run().success();
    assert!(finished.stderr.contains("new one"), "{finished}");
    let finished = lathe(&project, &["run", "-c", "again"]).run().success();
    assert!(!finished.stderr.contains("new one"), "{finished}");
    assert!(server.wait_for_requests(2)[1].mentions("hello"));
    let list = lathe(&project, &["sessions", "--json"]).run().success().json();
    assert_eq!(list["sessions"].as_array().unwrap().len(), 1, "{list}");
}

#[test]
fn a_session_that_is_not_there_has_status_1() {
    let (_server, project) = with_answer("unused");
    let id = "ses_00000000000000000000000000";
    let finished = lathe(&project, &["run", "-s", id, "hello"]).run().assert_code(1);
    assert!(finished.stderr.contains(id), "{finished}");
    let finished = lathe(&project, &["run", "-s", id, "hello", "--format", "json"])
        .run()
        .assert_code(1);
    let lines = finished.json_lines();
    assert_eq!(lines.len(), 3, "{finished}");
    assert!(lines.iter().all(|line| line["session"] == id), "{finished}");
    lathe(&project, &["sessions", "show", id]).run().assert_code(1);
    lathe(&project, &["tool", "list", "{}", "-s", id])
        .run()
        .assert_code(1);
}

#[test]
fn a_session_that_is_open_elsewhere_is_not_continued() {
    let (server, project) = with_answer("first");
    lathe(&project, &["run", "hello"]).run().success();
    let list = lathe(&project, &["sessions", "--json"]).run().success().json();
    let id = list["sessions"][0]["id"].as_str().unwrap().to_owned();
    let terminal = Terminal::start(&project, 100, 30, &["-s", &id]);
    terminal.wait_text("first");
    let finished = lathe(&project, &["run", "-s", &id, "more"]).run().assert_code(1);
    let pid = terminal.pid().as_raw_nonzero().to_string();
    assert!(
        finished.stderr.contains(&format!("process {pid}")),
        "{finished}\n{}",
        terminal.screen()
    );
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn sessions_are_listed_and_shown_in_the_shape_of_the_interface() {
    let server = Server::with([
        Turn::new()
            .say("I look.")
            .call("read", json!({"file_path": "a.txt"})),
        Turn::text("It says one."),
    ]);
    let project = Project::new()
        .file("a.txt", "one\n")
        .model(&server, Protocol::OpenAiChat);
    assert_eq!(
        lathe(&project, &["sessions"]).run().success().stdout,
        "no sessions\n"
    );
    lathe(&project, &["run", "what does a.txt say"]).run().success();

    let list = lathe(&project, &["sessions", "list", "--json"])
        .run()
        .success()
        .json();
    let session = &list["sessions"][0];
    let id = session["id"].as_str().unwrap();
    assert_eq!(session["project"], project.root().to_str().unwrap(), "{list}");
    assert_eq!(
        (&session["agent"], &session["model"]),
        (&json!("build"), &json!("local/test-model"))
    );
    assert_eq!(session["messages"], 3, "{list}");
    assert!(session["title"].as_str().unwrap().contains("a.txt"), "{list}");
    assert!(
        session["created"].as_i64() <= session["updated"].as_i64() && session["cost"].is_f64(),
        "{list}"
    );
    assert!(session.get("parent").is_none(), "{list}");

    let shown = lathe(&project, &["sessions", "show", id, "--json"])
        .run()
        .success()
        .json();
    assert_eq!(shown["session"]["id"], id);
    let messages = shown["messages"].as_array().unwrap();
    let roles: Vec<_> = messages
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["user", "assistant", "assistant"], "{shown}");
    assert!(
        messages
            .iter()
            .all(|message| message["id"].as_str().unwrap().starts_with("msg_")),
        "{shown}"
    );
    assert_eq!(
        messages[1]["parts"][0],
        json!({"type": "text", "text": "I look."})
    );
    let call = &messages[1]["parts"][1];
    assert_eq!(
        (&call["type"], &call["tool"], &call["state"]),
        (&json!("tool"), &json!("read"), &json!("done"))
    );
    assert_eq!(
        (&call["args"], &call["ok"]),
        (&json!({"file_path": "a.txt"}), &json!(true))
    );
    assert!(call["output"].as_str().unwrap().contains("1: one"), "{call}");
    for field in ["call", "title", "details", "duration_ms"] {
        assert!(!call[field].is_null(), "{field}: {call}");
    }

    let text = lathe(&project, &["sessions", "show", id]).run().success().stdout;
    assert!(
        text.contains("what does a.txt say") && text.contains("● read") && text.contains("It says one."),
        "{text}"
    );
}

#[test]
fn completions_are_printed_for_a_shell() {
    let project = Project::new();
    let script = lathe(&project, &["completions", "bash"]).run().success().stdout;
    assert!(script.contains("permission-mode"), "{script}");
    lathe(&project, &["completions", "nosuch"]).run().assert_code(2);
}

#[test]
fn there_is_a_manual_page_for_each_command() {
    let project = Project::new();
    let page = lathe(&project, &["man"]).run().success().stdout;
    assert!(
        page.contains(".SH EXAMPLES") && page.contains("lathe\\-sessions"),
        "{page}"
    );
    let help = lathe(&project, &["--help"]).run().success().stdout;
    lathe(&project, &["man", "pages/man1"]).run().success();
    for name in commands(&help) {
        let page = project.read(format!("pages/man1/lathe-{name}.1"));
        assert!(page.contains(".SH SYNOPSIS"), "{name}: {page}");
    }
    assert!(project.exists("pages/man1/lathe-sessions-export.1"));
    let refused = lathe(&project.file("taken", ""), &["man", "taken"])
        .run()
        .assert_code(1);
    assert!(refused.stderr.contains("taken"), "{refused}");
}

#[test]
fn logs_are_in_the_state_directory_and_never_on_the_terminal() {
    let (_server, project) = with_answer("ok");
    let finished = lathe(&project, &["run", "hello"])
        .env("LATHE_LOG", "trace")
        .run()
        .success();
    assert_eq!(finished.stdout, "ok\n");
    let logs = fs::read_dir(project.state_dir().join("logs")).unwrap().count();
    assert_eq!(logs, 1);
    // A state directory that cannot be used costs the logs alone.
    let (_server, project) = with_answer("ok");
    fs::remove_dir(project.state_dir()).unwrap();
    fs::write(project.state_dir(), "in the way").unwrap();
    lathe(&project, &["run", "hello"]).run().success();
}

#[test]
fn the_demo_needs_no_configuration_and_leaves_nothing_behind() {
    let project = Project::new();
    // Something moves while a helper asks, and a question takes a key once it has stood still for a moment.
    let program = ["LATHE_REDUCED_MOTION=1", LATHE, "demo"];
    let terminal = Terminal::program("env", &project, 110, 50, &program);
    terminal.wait_text("This is the demo");
    terminal.keys("go");
    terminal.key(Key::Enter);
    let answer = |question: &str| {
        terminal.wait_text(question);
        // A question is deaf at first.
        terminal.wait_quiet(Duration::from_millis(600));
        terminal.keys("y");
    };
    answer("bash wants to run");
    answer("edit wants to change");
    answer("bash wants to run");
    terminal.wait_text("all passed");
    // Two helpers work side by side, one of them asks, and what both found is used.
    let screen = terminal.wait_text("general \"titles nobody tests\"");
    assert!(
        screen.contains("Task explore: who uses slug.sh")
            && screen.contains("Task general: titles nobody tests"),
        "{screen}"
    );
    answer("build › general");
    let screen = terminal.wait_text("GEMINI_API_KEY");
    for found in [
        "an example in the README that still holds",
        "so its slug is empty",
        "c-rust",
    ] {
        assert!(screen.contains(found), "{found}\n{screen}");
    }
    terminal.signal(Signal::TERM);
    terminal.wait_exit();
    terminal.assert_restored();
    assert!(!project.data_dir().join("lathe.db").exists());
}

#[test]
fn themes_are_listed_with_their_pairs_and_where_each_came_from() {
    let project = Project::new().config(json!({"theme": "mine"}));
    let own = project.config_dir().join("themes");
    project.write(
        own.join("mine.json"),
        br#"{"name": "mine", "extends": "ember-light"}"#,
    );
    project.write(own.join("broken.json"), b"{");
    let list = lathe(&project, &["themes"]).run().success();
    let row = |name: &str| -> Vec<&str> {
        let found = list
            .stdout
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>());
        let mut rows = found.filter(|words| words.first().is_some_and(|first| *first == name));
        rows.next().unwrap_or_else(|| panic!("{name} is missing: {list}"))
    };
    assert_eq!(row("lathe-dark")[1..], ["dark", "lathe-light", "built", "in"]);
    assert_eq!(row("system")[1..], ["dark", "-", "built", "in"]);
    assert_eq!(row("mine")[1..3], ["light", "-"]);
    assert!(
        row("mine").last().unwrap().ends_with("themes/mine.json"),
        "{list}"
    );
    assert_eq!(row("broken")[1], "broken");
    assert!(list.stderr.contains("broken.json"), "{list}");
}
