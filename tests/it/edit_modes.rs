//! The three ways to edit: what a model is told of, and edits by line really made.

use serde_json::{Value, json};

use crate::run::{assert_well_formed, events_of, of_kind, project_with};
use crate::support::{Finished, Lathe, Project, Recorded, Server, Turn};

const EDITORS: [&str; 5] = ["apply_patch", "edit", "hashline_edit", "multiedit", "write"];

/// The tools that change files, of those a request tells of.
fn editors(request: &Recorded) -> Vec<String> {
    let names = request.tool_names().into_iter();
    names.filter(|name| EDITORS.contains(&name.as_str())).collect()
}

fn description(request: &Recorded, tool: &str) -> String {
    let tools = request.body["tools"].as_array().unwrap();
    let function = tools.iter().map(|tool| &tool["function"]);
    let found = function.into_iter().find(|function| function["name"] == tool);
    found.unwrap()["description"].as_str().unwrap().to_owned()
}

/// Returns the tools that a model of this id is told of.
fn told(project: &Project, server: &Server, model: &str) -> Vec<String> {
    server.script([Turn::text("Done.")]);
    let model = format!("local/{model}");
    Lathe::in_project(project)
        .args(["run", "-m", &model, "go"])
        .run()
        .success();
    editors(server.requests().last().unwrap())
}

fn outputs(finished: &Finished) -> Vec<String> {
    let results = of_kind(finished, "tool_result").into_iter();
    results
        .map(|result| result["output"].as_str().unwrap().to_owned())
        .collect()
}

fn tool(project: &Project, more: &[&str], name: &str, args: &Value) -> Lathe {
    let head = ["tool", "--permission-mode", "yolo"];
    Lathe::in_project(project)
        .args(head)
        .args(more)
        .args([name, &args.to_string()])
}

#[test]
fn the_editing_tools_follow_the_model_s_id() {
    let server = Server::start();
    let project = project_with(&server);
    for (model, shown) in [
        ("gpt-5", &["apply_patch"][..]),
        ("vendor/gpt-5.1-codex", &["apply_patch"]),
        ("o3", &["apply_patch"]),
        ("openai/o4-mini", &["apply_patch"]),
        ("gpt-oss-120b", &["edit", "write"]),
        ("claude-sonnet-4-5", &["edit", "write"]),
        ("test-model", &["edit", "write"]),
        ("demo3", &["edit", "write"]),
    ] {
        assert_eq!(told(&project, &server, model), shown, "{model}");
    }
}

#[test]
fn edit_mode_in_the_configuration_overrides_the_id_and_the_model_s_own_entry_overrides_both() {
    let server = Server::start();
    let project = project_with(&server).config(json!({
        "edit": {"mode": "hashline"},
        "providers": {"local": {"models": {"own": {"edit_mode": "patch"}, "gpt-own": {"edit_mode": "replace"}}}},
    }));
    for (model, shown) in [
        ("gpt-5", &["hashline_edit", "write"][..]),
        ("claude-sonnet-4-5", &["hashline_edit", "write"]),
        ("own", &["apply_patch"]),
        ("gpt-own", &["edit", "write"]),
    ] {
        assert_eq!(told(&project, &server, model), shown, "{model}");
    }
    let requests = server.requests();
    assert!(description(&requests[0], "read").contains("LINE:HASH"));
    assert!(description(&requests[0], "write").contains("`hashline_edit`"));
    assert!(description(&requests[3], "read").contains("line numbers"));
    assert!(description(&requests[3], "write").contains("`edit`"));
}

#[test]
fn setting_the_mode_is_no_warning_and_a_wrong_one_is_an_error() {
    let project = Project::new().config(json!({"edit": {"mode": "hashline"}}));
    let show = Lathe::in_project(&project)
        .args(["config", "show"])
        .run()
        .success();
    assert!(!show.stderr.contains("edit"), "{show}");
    let project = Project::new().config(json!({"edit": {"mode": "lines"}}));
    let show = Lathe::in_project(&project)
        .args(["config", "show"])
        .run()
        .assert_code(2);
    assert!(show.stderr.contains("edit.mode"), "{show}");
}

#[test]
fn a_switch_brings_back_no_tool_of_another_mode_and_it_can_be_called_all_the_same() {
    let server = Server::start();
    let project = project_with(&server).config(json!({
        "edit": {"mode": "hashline"}, "tools": {"edit": true, "apply_patch": true, "multiedit": true},
    }));
    assert_eq!(
        told(&project, &server, "test-model"),
        ["hashline_edit", "multiedit", "write"]
    );
    let listed = Lathe::in_project(&project).args(["tools"]).run().success();
    assert!(
        listed.stdout.contains("hashline_edit") && !listed.stdout.contains("apply_patch"),
        "{listed}"
    );
    project.write("a", b"one\n");
    let args = json!({"file_path": "a", "old_string": "one", "new_string": "two"});
    tool(&project, &[], "edit", &args).run().success();
    assert_eq!(project.read("a"), "two\n");
    let project = project.config(json!({"tools": {"hashline_edit": false}}));
    assert_eq!(told(&project, &server, "test-model"), ["multiedit", "write"]);
}

#[test]
fn what_a_read_shows_is_what_an_edit_takes() {
    let server = Server::with([
        Turn::tool("read", json!({"file_path": "src/a.rs"})),
        Turn::tool(
            "hashline_edit",
            json!({"file_path": "src/a.rs", "edits": [
                {"type": "set_line", "line": "2:89|const y = 2", "text": "const y = 3"},
                {"type": "insert_after", "line": "3:18", "text": "// end"},
            ]}),
        ),
        Turn::new()
            .call(
                "hashline_edit",
                json!({"file_path": "src/a.rs", "edits": [{"type": "delete", "line": "2:89"}]}),
            )
            .call(
                "write",
                json!({"file_path": "b", "content": "1:77|const x = 1\n"}),
            ),
        Turn::tool(
            "edit",
            json!({"path": "src/a.rs", "edits": [{"op": "append", "text": "last"}], "rename": "src/b.rs"}),
        ),
        Turn::text("Done."),
    ]);
    let project = project_with(&server)
        .config(json!({"edit": {"mode": "hashline"}}))
        .file("src/a.rs", "const x = 1\r\nconst y = 2\r\n}");
    let finished = events_of(&project)
        .args(["--permission-mode", "accept-edits", "go"])
        .run()
        .success();
    assert_well_formed(&finished);
    let outputs = outputs(&finished);
    assert!(
        outputs[0]
            .contains("<content>\n1:77|const x = 1\n2:89|const y = 2\n3:18|}\n\n(end of file, 3 lines)"),
        "{}",
        outputs[0]
    );
    assert!(
        outputs[1].starts_with("Updated src/a.rs: 2 edits, +3 -2\n1:77|const x = 1\n2:"),
        "{}",
        outputs[1]
    );
    assert!(
        outputs[2].starts_with("Error: Hash mismatch at line 2: expected \"89\" but got \""),
        "{}",
        outputs[2]
    );
    assert!(
        outputs[3].starts_with("Error: ") && outputs[3].contains("tag"),
        "{}",
        outputs[3]
    );
    assert!(
        outputs[4].starts_with("Moved src/a.rs to src/b.rs: 1 edit, +2 -1\n"),
        "{}",
        outputs[4]
    );
    assert_eq!(
        project.read("src/b.rs"),
        "const x = 1\r\nconst y = 3\r\n}\r\n// end\r\nlast"
    );
    assert!(!project.exists("src/a.rs") && !project.exists("b"));
    let names: Vec<_> = of_kind(&finished, "tool_call")
        .iter()
        .map(|call| call["tool"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        names,
        ["read", "hashline_edit", "hashline_edit", "write", "hashline_edit"]
    );
    let session = finished.json_lines()[0]["session"].as_str().unwrap().to_owned();
    let shown = Lathe::in_project(&project)
        .args(["sessions", "show", &session, "--json"])
        .run()
        .success();
    assert!(
        shown.stdout.contains("\"tool\":\"hashline_edit\"")
            || shown.stdout.contains("\"tool\": \"hashline_edit\"")
    );
}

#[test]
fn a_model_that_a_session_goes_on_with_edits_in_its_own_mode() {
    let server = Server::with([
        Turn::text("One."),
        Turn::tool("read", json!({"file_path": "a"})),
        Turn::text("Two."),
    ]);
    let project = project_with(&server)
        .config(json!({"providers": {"local": {"models": {"lines": {"edit_mode": "hashline"}}}}}))
        .file("a", "const x = 1\n");
    events_of(&project).arg("go").run().success();
    let finished = events_of(&project)
        .args(["-c", "-m", "local/lines", "go on"])
        .run()
        .success();
    assert!(outputs(&finished)[0].contains("1:77|const x = 1"), "{finished}");
    let requests = server.requests();
    assert_eq!(editors(&requests[0]), ["edit", "write"]);
    assert_eq!(editors(&requests[1]), ["hashline_edit", "write"]);
}

#[test]
fn an_agent_s_model_has_its_own_mode() {
    let server = Server::with([Turn::text("Done.")]);
    let project = project_with(&server).file(
        ".lathe/agents/coder.md",
        "---\nmode: primary\nmodel: local/gpt-5\n---\nCode.\n",
    );
    events_of(&project)
        .args(["--trust", "-a", "coder", "go"])
        .run()
        .success();
    assert_eq!(editors(&server.requests()[0]), ["apply_patch"]);
}

#[test]
fn what_an_agent_s_files_say_of_edit_holds_for_the_tool_in_its_place() {
    let server = Server::start();
    let project = project_with(&server);
    for (model, tools, shown) in [
        ("gpt-5", "[read, edit]", &["apply_patch"][..]),
        ("gpt-5", "[Read, Edit, Write]", &["apply_patch"]),
        ("gpt-5", "{edit: false, write: false}", &[]),
        ("gpt-5", "{edit: false, apply_patch: true}", &["apply_patch"]),
        ("gpt-5", "[read]", &[]),
        ("claude-x", "[read, edit]", &["edit"]),
        ("claude-x", "[read, apply_patch]", &["edit"]),
        ("claude-x", "[read, write]", &["write"]),
    ] {
        let agent = format!("---\nmode: primary\nmodel: local/{model}\ntools: {tools}\n---\nCode.\n");
        let file = project.config_dir().join("agents/coder.md");
        project.write(file, agent.as_bytes());
        let patch = json!({"patch_text": "*** Begin Patch\n*** Add File: made\n+x\n*** End Patch"});
        server.script([Turn::tool("apply_patch", patch), Turn::text("Done.")]);
        let finished = events_of(&project)
            .args(["-a", "coder", "--permission-mode", "yolo", "go"])
            .run()
            .success();
        let request = server.requests().pop().unwrap();
        assert_eq!(editors(&request), shown, "{model} {tools}");
        if shown.is_empty() {
            let result = &of_kind(&finished, "tool_result")[0];
            assert_eq!(result["details"]["error"]["kind"], "denied", "{finished}");
        }
    }
}

#[test]
fn a_single_call_reads_as_the_model_would() {
    let project = Project::new()
        .config(json!({
            "model": "local/lines",
            "providers": {"local": {
                "protocol": "openai-chat", "base_url": "http://127.0.0.1:9/v1",
                "models": {"lines": {"edit_mode": "hashline"}, "other": {}},
            }},
        }))
        .file("a", "const x = 1\n");
    let read = json!({"file_path": "a"});
    let shown = |more: &[&str]| tool(&project, more, "read", &read).run().success().stdout;
    assert!(shown(&[]).contains("1:77|const x = 1"));
    assert!(shown(&["-m", "local/other"]).contains("1: const x = 1"));
    let batch = json!({"tool_calls": [{"tool": "read", "parameters": {"file_path": "a"}}]});
    let inside = tool(&project, &[], "batch", &batch).run().success().stdout;
    assert!(inside.contains("1:77|const x = 1"), "{inside}");
    let edits = json!({"file_path": "a", "edits": [{"type": "set_line", "line": "1:77", "text": null}]});
    let edited = tool(&project, &["--format", "json"], "hashline_edit", &edits)
        .run()
        .success();
    assert_eq!(edited.json()["output"], "Updated a: 1 edit, +0 -1");
    assert_eq!(project.read("a"), "");
}

#[test]
fn edits_of_a_list_go_where_they_belong_whatever_the_mode() {
    let project = Project::new().file("a", "one\ntwo\n");
    let edits = json!({"filePath": "a", "edits": [
        {"oldString": "one", "newString": "1"}, {"old_text": "two", "new_text": "2"},
    ]});
    let edited = tool(&project, &["--format", "json"], "edit", &edits)
        .run()
        .success();
    let result = edited.json();
    assert_eq!(result["output"], "Edited a: 2 edits, +2 -2");
    assert_eq!(result["details"]["edits"].as_array().unwrap().len(), 2);
    assert_eq!(project.read("a"), "1\n2\n");
    let broken = json!({"file_path": "a", "edits": [{"old_string": "1", "new_string": "x"}, {"old_string": "9", "new_string": "x"}]});
    let refused = tool(&project, &[], "multiedit", &broken).run().assert_code(1);
    assert!(refused.stdout.contains("edit 2 of 2"), "{refused}");
    assert_eq!(project.read("a"), "1\n2\n");
}
