//! Which tools a model is told of, and what `lathe tools` says of them.

use serde_json::{Value, json};

use crate::run::{assert_well_formed, events_of, of_kind, project_with};
use crate::support::{Lathe, Project, Recorded, Server, Turn};

fn described(project: &Project, name: &str) -> Value {
    Lathe::in_project(project)
        .args(["tools", name, "--json"])
        .run()
        .success()
        .json()
}

#[test]
fn a_tool_that_was_called_is_told_of_from_then_on_also_when_the_session_goes_on() {
    let batch = json!({"tool_calls": [{"tool": "todoread", "parameters": {}}]});
    let server = Server::with([
        Turn::tool("LS", json!({"path": "."})),
        Turn::tool("batch", batch),
        Turn::text("One."),
        Turn::text("Two."),
    ]);
    let project = project_with(&server);
    events_of(&project).arg("go").run().success();
    events_of(&project).args(["-c", "go on"]).run().success();
    let extended = ["batch", "list", "multiedit", "todoread"];
    let told: Vec<_> = server
        .requests()
        .iter()
        .map(|request| {
            let names = request.tool_names();
            assert!(names.is_sorted(), "{names:?}");
            let names = names.into_iter();
            names
                .filter(|name| extended.contains(&name.as_str()))
                .collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(
        told,
        [
            &[][..],
            &["list"],
            &["batch", "list", "todoread"],
            &["batch", "list", "todoread"],
        ]
    );
}

#[test]
fn what_may_not_be_used_is_not_told_of_when_it_was_called() {
    let server = Server::with([
        Turn::new()
            .call("list", json!({}))
            .call("todoread", json!({}))
            .call("invalid", json!({"tool": "x", "error": "y"})),
        Turn::text("Done."),
    ]);
    let project = project_with(&server).config(json!({
        "tools": {"li*": true, "list": false},
        "permission": {"todoread": "deny"},
    }));
    let finished = events_of(&project).arg("go").run().success();
    let kinds: Vec<_> = of_kind(&finished, "tool_result")
        .iter()
        .map(|result| result["details"]["error"]["kind"].clone())
        .collect();
    assert_eq!(kinds, ["denied", "denied", "unknown_tool"]);
    let names = server.requests()[1].tool_names();
    assert!(
        !["list", "todoread", "invalid"]
            .iter()
            .any(|name| names.contains(&(*name).to_owned())),
        "{names:?}"
    );
}

#[test]
fn a_name_that_is_no_tools_is_answered_with_those_that_are_told_of() {
    let server = Server::with([
        Turn::tool("xyzzy_quux", json!({})),
        Turn::tool("todoread", json!({})),
        Turn::tool("xyzzy_quux", json!({})),
        Turn::text("Done."),
    ]);
    let project = project_with(&server).config(json!({
        "tools": {"LS": true, "Ripgrep": false},
        "permission": {"webfetch": "deny", "write": "deny"},
    }));
    let finished = events_of(&project).arg("go").run().success();
    let results = of_kind(&finished, "tool_result");
    for (result, request) in [(0, 0), (2, 2)] {
        let told = server.requests()[request].tool_names();
        let listed: Vec<String> = told.iter().map(|name| format!("`{name}`")).collect();
        assert_eq!(
            results[result]["output"],
            format!(
                "Error: no tool named `xyzzy_quux`; there are {}",
                listed.join(", ")
            )
        );
        let is_told = |name: &str| told.contains(&name.to_owned());
        assert_eq!(is_told("todoread"), request == 2);
        assert!(
            is_told("list") && !is_told("grep") && !is_told("write"),
            "{told:?}"
        );
    }
}

/// Returns the tools that `lathe tools` lists in a project with this configuration.
fn shown(configuration: Value) -> Vec<String> {
    let project = Project::new().config(configuration);
    let listed = Lathe::in_project(&project)
        .args(["tools", "--json"])
        .run()
        .success()
        .json();
    let tools = listed["tools"].as_array().unwrap().iter();
    tools
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn wildcards_switch_tools_and_the_later_entry_wins() {
    let mut wanted = shown(json!({"tools": {"*": true}}));
    assert!(wanted.contains(&"list".to_owned()) && !wanted.contains(&"hashline_edit".to_owned()));
    wanted.retain(|name| name != "todowrite");
    let switches = json!({"*": true, "todo*": false, "todoread": true, "hashline_*": true});
    assert_eq!(shown(json!({ "tools": switches })), wanted);
}

#[test]
fn a_family_that_is_denied_for_everything_takes_all_its_tools_away() {
    for (rules, gone) in [
        (json!({"edit": "deny"}), &["edit", "multiedit", "write"][..]),
        (json!({"read": {"*": "deny"}}), &["look_at", "read"]),
        (json!({"bash": "deny"}), &["bash", "interactive_bash"]),
        (json!({"multiedit": "deny"}), &["multiedit"]),
        (json!({"edit": {"*": "deny", "docs/*": "ask"}}), &[]),
    ] {
        let all = shown(json!({"tools": {"*": true}}));
        let left = shown(json!({"tools": {"*": true}, "permission": rules}));
        let is_gone = |name: &&String| !left.contains(name);
        let missing: Vec<_> = all.iter().filter(is_gone).collect();
        assert_eq!(missing, gone, "{rules}");
    }
}

#[test]
fn the_prompt_names_the_tools_that_are_not_told_of_in_one_line() {
    let server = Server::with([Turn::text("Done.")]);
    let project = project_with(&server).config(json!({"tools": {"todoread": false}}));
    events_of(&project).arg("go").run().success();
    let system = server.requests()[0].body["messages"][0]["content"].to_string();
    let (_, line) = system.split_once("Also there, by name: ").unwrap();
    let (line, _) = line.split_once("\\n").unwrap();
    let names: Vec<_> = line.split(", ").collect();
    assert!(
        names.contains(&"list") && names.contains(&"batch") && names.is_sorted(),
        "{line}"
    );
    assert!(!names.contains(&"todoread") && !names.contains(&"read"), "{line}");
}

#[test]
fn what_is_said_of_a_tool_follows_the_configuration_also_when_it_is_not_told_of() {
    let project = Project::new().config(json!({
        "batch": {"max_calls": 3}, "bash": {"timeout_ms": 300_000}, "permission": {"bash": "deny"},
    }));
    let batch = described(&project, "batch");
    assert!(
        batch["description"].as_str().unwrap().contains("up to 3"),
        "{batch}"
    );
    let bash = described(&project, "bash");
    assert!(
        bash["description"]
            .as_str()
            .unwrap()
            .contains("Stopped after 300 s"),
        "{bash}"
    );
    assert!(!bash.to_string().contains("120000"), "{bash}");
}

#[test]
fn a_turn_that_would_end_with_open_todos_goes_on_as_often_as_the_configuration_says() {
    let todos = |status: &str| {
        Turn::tool(
            "todowrite",
            json!({"todos": [{"content": "a", "status": status}, {"content": "b", "status": "cancelled"}]}),
        )
    };
    let done = || Turn::text("Done.");
    let requests = |reminders: u32, turns: Vec<Turn>| {
        let server = Server::with(turns);
        let project = project_with(&server).config(json!({"todo": {"reminders": reminders}}));
        let finished = events_of(&project).arg("go").run().success();
        assert_well_formed(&finished);
        server.requests()
    };
    let reminded = |request: &Recorded| request.mentions("1 todo of your list is still open");
    for (reminders, turns, count) in [
        (0, vec![todos("pending"), done()], 2),
        (1, vec![todos("pending"), done(), done()], 3),
        (
            2,
            vec![todos("in_progress"), done(), todos("pending"), done(), done()],
            5,
        ),
        // Another reminder would change nothing.
        (2, vec![todos("in_progress"), done(), done()], 3),
        (5, vec![todos("pending"), done(), todos("completed"), done()], 4),
        (5, vec![todos("completed"), done()], 2),
    ] {
        let requests = requests(reminders, turns);
        assert_eq!(requests.len(), count, "{reminders}");
        assert_eq!(requests.last().is_some_and(reminded), count > 2);
    }
}

#[test]
fn open_todos_are_not_told_again_in_the_next_process() {
    let server = Server::start();
    let project = project_with(&server).config(json!({"todo": {"reminders": 3}}));
    let todos = |status: &str| {
        let todos = json!([{"content": "a", "status": status}]);
        Turn::tool("todowrite", json!({ "todos": todos }))
    };
    let said = |text: &str| Turn::text(text);
    let works = || Turn::tool("bash", json!({"command": "echo works"}));
    let mut requests = 0;
    for (turns, count) in [
        (vec![todos("pending"), said("Done."), said("I wait for you.")], 3),
        (vec![said("Still.")], 1),
        (vec![works(), said("Worked.")], 2),
        // The list is another: one reminder, and none in the next turn.
        (vec![todos("in_progress"), said("Begun."), said("I wait.")], 3),
        (vec![works(), said("Worked.")], 2),
    ] {
        server.script(turns);
        let prompt: &[&str] = if requests == 0 { &["go"] } else { &["-c", "go on"] };
        let _ = events_of(&project)
            .args(["--permission-mode", "yolo"])
            .args(prompt)
            .run()
            .success();
        requests += count;
        assert_eq!(server.requests().len(), requests);
    }
}

#[test]
fn the_limits_of_the_configuration_cut_what_a_tool_gives_at_its_end_of_the_text() {
    let project = (1..=9).fold(Project::new(), |project, number| {
        project.file(format!("file-with-a-long-name-{number}"), "x\n")
    });
    let project = project.config(json!({
        "truncate": {"max_lines": 6, "per_tool": {"glob": {"max_lines": 0}, "grep": {"max_bytes": 20}}},
    }));
    let result = |name: &str, args: Value| {
        Lathe::in_project(&project)
            .args(["tool", name, &args.to_string()])
            .args(["--permission-mode", "yolo", "--format", "json"])
            .run()
            .success()
            .json()
    };
    let bash = result("bash", json!({"command": "seq 1 20; exit 3"}));
    let path = bash["output_path"].as_str().unwrap();
    let advice = "Grep that file, or read it with `offset` and `limit`, to see the rest.";
    assert_eq!(
        bash["output"],
        format!(
            "… 14 more lines truncated …\nFull output: {path}\n{advice}\n15\n16\n17\n18\n19\n20\n[exit code 3]"
        )
    );
    assert_eq!(bash["truncated"], true);
    let all: String = (1..=20).map(|number: i32| number.to_string() + "\n").collect();
    assert_eq!(std::fs::read_to_string(path).unwrap(), all);
    let listed = result("list", json!({}));
    let text = listed["output"].as_str().unwrap();
    assert!(
        text.starts_with("./\n") && text.contains(" more lines truncated …\nFull output: /"),
        "{text}"
    );
    let found = result("glob", json!({"pattern": "file-*"}));
    assert_eq!(
        (&found["truncated"], found.get("output_path")),
        (&json!(false), None),
        "{found}"
    );
    let lines = result("grep", json!({"pattern": "x"}));
    let text = lines["output"].as_str().unwrap();
    let head = "Found 9 matches in 9\n… ";
    assert!(
        text.starts_with(head) && text.contains(" more bytes truncated …\n"),
        "{text}"
    );
}

#[test]
fn a_search_is_cut_by_the_room_that_the_last_reply_left() {
    let full = crate::support::Usage {
        input: 900,
        output: 100,
        ..Default::default()
    };
    let search = || Turn::tool("grep", json!({"pattern": "needle"}));
    let server = Server::with([search().usage(full), Turn::text("Done.")]);
    let project = project_with(&server)
        .config(json!({"providers": {"local": {"models": {"test-model": {"context": 1000}}}}}))
        .file("a", "needle\n");
    let finished = events_of(&project).arg("go").run().success();
    let result = of_kind(&finished, "tool_result")[0].clone();
    assert_eq!(
        result["output"],
        "[output suppressed: no room left in the context]"
    );
    let path = result["output_path"].as_str().unwrap();
    assert!(std::fs::read_to_string(path).unwrap().contains("  1: needle"));
}
