//! The command line: what can be typed, what is printed, and the exit status.

use std::fs;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Key, Lathe, Project, Protocol, Server, Terminal, Turn};

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
        "completions",
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
fn a_mistake_in_the_configuration_is_told_with_its_place_by_every_command_that_reads_it() {
    let project = Project::new().file("lathe.jsonc", "{\n  // ours\n  \"max_stepps\": 3\n}\n");
    let commands: [&[&str]; 6] = [
        &[],
        &["run", "x"],
        &["tools"],
        &["tool", "list", "{}"],
        &["config", "show"],
        &["run", "x", "--format", "json"],
    ];
    for words in commands {
        let finished = lathe(&project, words).run().assert_code(2);
        assert!(finished.stderr.contains("lathe.jsonc:3:3:"), "{finished}");
        assert!(finished.stderr.contains("max_stepps"), "{finished}");
    }
    lathe(&project, &["config", "path"]).run().success();
    lathe(&project, &["config", "schema"]).run().success();
}

#[test]
fn keys_that_cannot_be_meant_are_told_with_their_places() {
    let project = Project::new().file(
        "lathe.jsonc",
        "{ \"keybinds\": {\n  \"editor\": [\"f5\", \"ctrl+e\"],\n  \"composer-send\": \"ctrl+entr\",\n  \"pallete\": \"f1\"\n} }\n",
    );
    for words in [&[][..], &["run", "x"], &["config", "show"]] {
        let finished = lathe(&project, words).run().assert_code(2);
        for sentence in [
            "lathe.jsonc:3:20: `keybinds.composer-send`: `ctrl+entr` is not a key; did you mean `enter`?",
            "lathe.jsonc:4:14: `pallete` is not an action of `keybinds`; did you mean `palette`?",
        ] {
            assert!(finished.stderr.contains(sentence), "{finished}");
        }
    }
    let clash = "{\n  \"keybinds\": {\n    \"editor\": [\"f5\", \"ctrl+e\"] } }\n";
    project.write("lathe.jsonc", clash.as_bytes());
    let finished = lathe(&project, &[]).run().assert_code(2);
    let sentence =
        "lathe.jsonc:3:5: `ctrl+e` is both `editor`, which works anywhere, and `composer-line-end`";
    assert!(finished.stderr.contains(sentence), "{finished}");
    let schema = lathe(&project, &["config", "schema"]).run().success().json();
    let keybinds = &schema["properties"]["keybinds"]["properties"];
    assert!(
        keybinds["composer-line-end"]["description"]
            .as_str()
            .unwrap()
            .ends_with("ctrl+e, end")
    );
}

#[test]
fn a_permission_key_that_does_not_exist_is_told_with_its_place() {
    let project = Project::new().file(
        "lathe.jsonc",
        "{ \"permission\": {\n  \"bsh\": \"deny\", \"github_*\": \"ask\", \"everything_echo\": \"ask\",\n  \"stats_one\": \"ask\", \"nothing_like_it\": \"ask\" },\n  \"mcp\": { \"everything\": { \"command\": [\"x\"] } }, \"custom_tools\": [\"./tools/stats.ts\"],\n  \"agents\": { \"a\": { \"permission\": { \"Reed\": \"deny\" } } } }\n",
    );
    for words in [&[][..], &["run", "x"], &["config", "show"]] {
        let finished = lathe(&project, words).run().assert_code(2);
        for sentence in [
            "lathe.jsonc:2:10: `bsh` is not a key of `permission`; did you mean `bash`?",
            "`nothing_like_it` is not a key of `permission`; no configured server",
            "`Reed` is not a key of `agents.a.permission`; did you mean `read`?",
        ] {
            assert!(finished.stderr.contains(sentence), "{finished}");
        }
        assert_eq!(
            finished.stderr.matches("is not a key of").count(),
            3,
            "{finished}"
        );
    }
}

#[test]
fn names_of_other_programs_are_keys_of_rules() {
    let project = Project::new()
        .config(json!({"permission": {"Bash": {"echo *": "deny"}, "Read": {"a.txt": "deny"}}}))
        .file("a.txt", "a\n");
    for (tool, args) in [
        ("bash", json!({"command": "echo x"})),
        ("read", json!({"file_path": "a.txt"})),
    ] {
        let finished = lathe(
            &project,
            &["tool", "--permission-mode", "yolo", tool, &args.to_string()],
        )
        .run()
        .assert_code(1);
        assert!(finished.stdout.contains("is denied by the rule"), "{finished}");
    }
}

#[test]
fn a_project_does_not_change_what_a_person_answers_with() {
    let project = Project::new().file(
        "lathe.jsonc",
        r#"{"keybinds": {"permission-allow-once": "n", "permission-reject": "y", "editor": "f4"}}"#,
    );
    let finished = lathe(&project, &["config", "show"]).run().success();
    assert_eq!(finished.json()["keybinds"], json!({}), "it is not trusted");
    let project = project.config(json!({"trust": ["*"]}));
    let finished = lathe(&project, &["config", "show"]).run().success();
    assert!(
        finished.stderr.contains("`keybinds.permission-reject` in"),
        "{finished}"
    );
    assert_eq!(finished.json()["keybinds"], json!({"editor": "f4"}));
}

#[test]
fn an_error_before_the_session_is_an_event_as_well() {
    let project = Project::new().config(json!({"theme": 3}));
    let finished = lathe(&project, &["run", "x", "--format", "json"])
        .run()
        .assert_code(2);
    let lines = finished.json_lines();
    let kinds: Vec<_> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["error", "done"], "{finished}");
    assert_eq!(
        (&lines[0]["kind"], &lines[1]["reason"]),
        (&json!("config"), &json!("error"))
    );
}

#[test]
fn the_extra_configuration_is_read_last_and_must_be_there() {
    let project = Project::new().file("extra.jsonc", r#"{"unknown": 1}"#);
    let finished = lathe(&project, &["run", "x", "--config", "extra.jsonc"])
        .run()
        .assert_code(2);
    assert!(finished.stderr.contains("extra.jsonc:1:2:"), "{finished}");
    let finished = lathe(&project, &["run", "x", "--config", "gone.jsonc"])
        .run()
        .assert_code(2);
    assert!(finished.stderr.contains("gone.jsonc"), "{finished}");
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
    let project = project.file("notes.txt", "remember the milk\n").bytes(
        "a.png",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0",
    );
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
    assert_eq!(finished.json_lines().len(), 2, "{finished}");
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
fn tools_lists_what_is_shown_and_all_what_there_is() {
    let project = Project::new();
    let names = |words: &[&str]| -> Vec<(String, String, bool)> {
        let list = lathe(&project, words).run().success().json();
        assert_eq!(list["errors"], json!([]));
        let entry = |tool: &Value| {
            assert!(
                tool["schema"]["type"] == "object" && !tool["description"].as_str().unwrap().is_empty(),
                "{tool}"
            );
            let text = |field: &str| tool[field].as_str().unwrap().to_owned();
            (text("name"), text("set"), tool["advertised"].as_bool().unwrap())
        };
        list["tools"].as_array().unwrap().iter().map(entry).collect()
    };
    let shown = names(&["tools", "--json"]);
    assert!(
        shown.is_sorted() && shown.iter().all(|(_, _, advertised)| *advertised),
        "{shown:?}"
    );
    for name in ["bash", "edit", "glob", "grep", "read", "todowrite", "write"] {
        assert!(
            shown.iter().any(|(shown, set, _)| shown == name && set == "core"),
            "{name}: {shown:?}"
        );
    }
    let all = names(&["tools", "--all", "--json"]);
    assert!(all.len() > shown.len(), "{all:?}");
    assert!(
        all.contains(&("list".to_owned(), "extended".to_owned(), false)),
        "{all:?}"
    );
    assert!(
        all.contains(&("invalid".to_owned(), "hidden".to_owned(), false)),
        "{all:?}"
    );
}

#[test]
fn the_configuration_decides_which_tools_are_shown() {
    let project = Project::new()
        .config(json!({"tools": {"list": true, "grep": false}, "permission": {"bash": "deny"}}));
    let text = lathe(&project, &["tools"]).run().success().stdout;
    let names: Vec<_> = text
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(
        names.contains(&"list") && !names.contains(&"grep") && !names.contains(&"bash"),
        "{text}"
    );
}

#[test]
fn one_tool_is_described_with_its_schema() {
    let project = Project::new();
    let tool = lathe(&project, &["tools", "read", "--json"])
        .run()
        .success()
        .json();
    let keys: Vec<_> = tool.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["name", "set", "description", "schema"]);
    assert_eq!(tool["schema"]["required"], json!(["file_path"]), "{tool}");
    let text = lathe(&project, &["tools", "read"]).run().success().stdout;
    assert!(
        text.starts_with("read (core)\n") && text.contains("\"file_path\""),
        "{text}"
    );
    let finished = lathe(&project, &["tools", "reed"]).run().assert_code(1);
    assert!(finished.stderr.contains("did you mean `read`"), "{finished}");
}

#[test]
fn a_tool_prints_its_output_and_leaves_no_session() {
    let project = Project::new().file("a.txt", "one\ntwo\n");
    let finished = lathe(&project, &["tool", "read", r#"{"file_path": "a.txt"}"#])
        .run()
        .success();
    assert!(finished.stdout.contains("1: one\n2: two\n"), "{finished}");
    let list = lathe(&project, &["sessions", "--json"]).run().success().json();
    assert_eq!(list, json!({"sessions": []}));
}

#[test]
fn a_tool_s_result_is_the_event_of_a_run() {
    let project = Project::new().file("a.txt", "one\n");
    let finished = lathe(
        &project,
        &["tool", "read", r#"{"path": "a.txt"}"#, "--format", "json"],
    )
    .run()
    .success();
    let lines = finished.json_lines();
    assert_eq!(lines.len(), 1, "{finished}");
    let event = &lines[0];
    assert_eq!(
        (&event["type"], &event["tool"], &event["ok"]),
        (&json!("tool_result"), &json!("read"), &json!(true))
    );
    assert!(event["session"].as_str().unwrap().starts_with("ses_"), "{event}");
    assert!(event["call"].as_str().unwrap().starts_with("call_"), "{event}");
    assert!(
        event["duration_ms"].is_u64() && event["truncated"] == false && event["details"].is_object(),
        "{event}"
    );
}

#[test]
fn a_tool_that_fails_or_is_not_allowed_has_status_1() {
    let project = Project::new().file("a.txt", "one\n");
    let run = |words: &[&str]| lathe(&project, words).run();
    let missing = run(&["tool", "read", r#"{"file_path": "gone.txt"}"#]).assert_code(1);
    assert!(missing.stdout.starts_with("Error: "), "{missing}");

    let edit = r#"{"file_path": "a.txt", "old_string": "one", "new_string": "two"}"#;
    let denied = run(&["tool", "edit", edit, "--format", "json"]).assert_code(1);
    assert_eq!(denied.json()["details"]["error"]["kind"], "denied", "{denied}");
    assert_eq!(project.read("a.txt"), "one\n");
    // Without having been read: the guard is for models.
    run(&["tool", "edit", edit, "--permission-mode", "accept-edits"]).success();
    assert_eq!(project.read("a.txt"), "two\n");

    let unknown = run(&["tool", "no_such_tool", "{}", "--format", "json"]).assert_code(1);
    assert_eq!(
        unknown.json()["details"]["error"]["kind"],
        "unknown_tool",
        "{unknown}"
    );
}

#[test]
fn yolo_runs_a_command_and_a_deny_still_holds() {
    let project = Project::new().config(json!({"permission": {"bash": {"rm *": "deny"}}}));
    let run = |command: &str| {
        let args = json!({ "command": command }).to_string();
        lathe(&project, &["tool", "bash", &args, "--permission-mode", "yolo"]).run()
    };
    assert_eq!(run("echo hi; exit 0").success().stdout, "hi\n");
    run("rm -f x").assert_code(1);
}

#[test]
fn a_tool_can_use_a_session_s_state() {
    let todos = json!({"todos": [{"content": "water the plants", "status": "pending"}]});
    let server = Server::with([Turn::tool("todowrite", todos), Turn::text("ok")]);
    let project = Project::new().model(&server, Protocol::Anthropic);
    lathe(&project, &["run", "plan"]).run().success();
    let list = lathe(&project, &["sessions", "--json"]).run().success().json();
    let id = list["sessions"][0]["id"].as_str().unwrap().to_owned();
    let with = lathe(&project, &["tool", "todoread", "{}", "-s", &id])
        .run()
        .success();
    assert!(with.stdout.contains("water the plants"), "{with}");
    let without = lathe(&project, &["tool", "todoread", "{}"]).run().success();
    assert!(!without.stdout.contains("water the plants"), "{without}");
}

#[test]
fn the_files_of_the_configuration_are_listed_in_their_order() {
    let project = Project::new().git().file("sub/.keep", "");
    let finished = lathe(&project, &["config", "path"])
        .cwd(project.path("sub"))
        .run()
        .success();
    let root = project.root();
    let expected = [
        project.config_dir().join("lathe.jsonc"),
        root.join("lathe.jsonc"),
        root.join(".lathe/lathe.jsonc"),
        root.join("sub/lathe.jsonc"),
        root.join("sub/.lathe/lathe.jsonc"),
    ];
    let expected: Vec<_> = expected.iter().map(|path| path.display().to_string()).collect();
    let listed: Vec<_> = finished.stdout.lines().collect();
    let (managed, others) = listed.split_last().unwrap();
    assert_eq!(others, expected);
    assert!(managed.ends_with("/lathe/lathe-managed.jsonc"), "{managed}");
}

#[test]
fn the_merged_configuration_hides_keys_and_names_the_file_of_each_rule() {
    let project = Project::new()
        .config(json!({
            "providers": {"local": {"base_url": "http://localhost/v1", "api_key": "hush"}},
            "permission": {"edit": "allow"}
        }))
        .file(
            "lathe.jsonc",
            r#"{"theme": "ember-dark", "permission": {"bash": {"rm *": "deny"}}}"#,
        );
    let finished = lathe(&project, &["config", "show"]).run().success();
    assert!(!finished.stdout.contains("hush"), "{finished}");
    let shown = finished.json();
    assert_eq!(shown["theme"], "ember-dark");
    assert_eq!(
        shown["permission"][0]["file"],
        project.config_dir().join("lathe.jsonc").to_str().unwrap()
    );
    assert_eq!(
        shown["permission"][1]["file"],
        project.path("lathe.jsonc").to_str().unwrap()
    );
    assert_eq!(shown["permission"][1]["pattern"], "rm *");

    let schema = lathe(&project, &["config", "schema"]).run().success().json();
    assert!(schema["properties"]["providers"].is_object(), "{schema}");
}

#[test]
fn stored_permissions_are_listed_and_revoked() {
    let project = Project::new();
    assert_eq!(
        lathe(&project, &["permissions"]).run().success().stdout,
        "no stored rules\n"
    );
    let finished = lathe(&project, &["permissions", "revoke", "7"])
        .run()
        .assert_code(1);
    assert!(finished.stderr.contains("no stored rule 7"), "{finished}");
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
    let terminal = Terminal::start(&project, 110, 50, &["demo"]);
    terminal.wait_text("This is the demo");
    terminal.keys("go");
    terminal.key(Key::Enter);
    for question in ["bash wants to run", "edit wants to change", "bash wants to run"] {
        terminal.wait_text(question);
        // A question is deaf at first.
        terminal.wait_quiet(Duration::from_millis(600));
        terminal.keys("y");
    }
    let screen = terminal.wait_text("GEMINI_API_KEY");
    assert!(screen.contains("all passed"), "{screen}");
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
