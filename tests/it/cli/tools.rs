//! `lathe tools` and `lathe tool`.

use serde_json::Value;

use super::*;

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
