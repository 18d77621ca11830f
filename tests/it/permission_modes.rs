//! Modes that answer by themselves, and the question about a model that goes round in circles.

use serde_json::{Value, json};

use crate::run::{events_of, of_kind, project_with};
use crate::screen::{open, project, say};
use crate::support::{Key, Lathe, Project, Server, Turn};

/// A question is deaf for a shorter time.
const DEAF: std::time::Duration = std::time::Duration::from_millis(450);

fn tool(project: &Project, mode: &str, name: &str, args: &Value) -> Value {
    let finished = Lathe::in_project(project)
        .args(["tool", "--format", "json", "--permission-mode", mode, name])
        .arg(args.to_string())
        .run();
    serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{finished}"))
}

/// `ok`, or the kind of the error and the key that decided.
fn ended(result: &Value) -> String {
    if result["ok"] == true {
        return "ok".to_owned();
    }
    let error = &result["details"]["error"];
    let word = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
    format!("{} {}", word("kind"), word("key"))
}

#[test]
fn each_mode_answers_what_it_is_for_and_lifts_no_deny() {
    let project = Project::new()
        .git()
        .config(json!({"permission": {"edit": {"*.lock": "deny"}, "bash": {"rm *": "deny"}}}));
    let outside = project.outside().join("new.txt").display().to_string();
    // In the order: ask, accept-edits, plan, yolo.
    for (place, expected) in [
        ("new.txt", ["denied edit", "ok", "denied edit", "ok"]),
        ("a.lock", ["denied edit"; 4]),
        (
            ".vscode/tasks.json",
            ["denied edit", "denied protected", "denied edit", "ok"],
        ),
        (
            ".lathe/notes.md",
            ["denied edit", "denied protected", "denied edit", "ok"],
        ),
        (".lathe/plans/p.md", ["denied edit", "ok", "ok", "ok"]),
        (
            ".git/hooks/pre-commit",
            [
                "denied protected",
                "denied protected",
                "denied edit",
                "denied protected",
            ],
        ),
        (
            &outside,
            [
                "denied external_directory",
                "denied external_directory",
                "denied edit",
                "ok",
            ],
        ),
    ] {
        for (mode, expected) in ["ask", "accept-edits", "plan", "yolo"].into_iter().zip(expected) {
            let result = tool(
                &project,
                mode,
                "write",
                &json!({"file_path": place, "content": mode}),
            );
            assert_eq!(ended(&result), expected, "{place} in {mode}: {result}");
        }
    }
    for (command, expected) in [
        ("ls", ["ok"; 4]),
        // No such program: it was run all the same.
        ("make-it", ["denied bash", "denied bash", "denied bash", "ok"]),
        ("rm x", ["denied bash"; 4]),
    ] {
        for (mode, expected) in ["ask", "accept-edits", "plan", "yolo"].into_iter().zip(expected) {
            let result = tool(&project, mode, "bash", &json!({"command": command}));
            let ended = ended(&result);
            assert_eq!(ended, expected, "{command} in {mode}: {result}");
        }
    }
}

#[test]
fn a_global_deny_holds_in_mode_plan_whatever_agent_plan_may_do() {
    let project = Project::new()
        .git()
        .config(json!({"permission": {"edit": "deny", "bash": {"git log *": "deny"}}}));
    let command = |text: &str| tool(&project, "plan", "bash", &json!({"command": text}));
    assert_eq!(ended(&command("git log")), "denied bash");
    assert_eq!(ended(&command("git status")), "ok");
    let result = tool(
        &project,
        "plan",
        "write",
        &json!({"file_path": ".lathe/plans/p.md", "content": ""}),
    );
    assert_eq!(ended(&result), "denied edit", "{result}");
}

#[test]
fn what_a_person_lets_agent_plan_do_counts_in_mode_plan() {
    let plan = json!({"bash": {"touch made": "allow"}});
    let project = Project::new().config(json!({"agents": {"plan": {"permission": plan}}}));
    let command = |text: &str| tool(&project, "plan", "bash", &json!({"command": text}));
    assert_ne!(ended(&command("touch made")), "denied bash");
    assert_eq!(ended(&command("touch other")), "denied bash");
}

fn read(file: &str) -> Turn {
    Turn::tool("read", json!({"file_path": file}))
}

#[test]
fn equal_calls_are_counted_within_a_turn() {
    let server = Server::with([
        read("a"),
        read("a"),
        Turn::text("Twice."),
        read("a"),
        read("a"),
        Turn::text("Twice again."),
        read("a"),
        Turn::tool("Read", json!({"path": "a", "nonsense": 1})),
        Turn::tool("view", json!({"filePath": "a"})),
        Turn::text("Three times."),
    ]);
    let project = project(&server).file("a", "x\n");
    let terminal = open(&project);
    for (word, said) in [("one", "Twice."), ("two", "Twice again.")] {
        say(&terminal, word);
        terminal.wait_text(said);
        terminal.wait_text("⏎ send");
    }
    say(&terminal, "three");
    terminal.wait_text("read is called with the same arguments for the third time");
    terminal.wait_quiet(DEAF);
    terminal.keys("a");
    terminal.wait_text("[x] doom_loop: read  every repeated call of `read` in this project");
    terminal.key(Key::Down);
    terminal.key(Key::Enter);
    terminal.wait_text("Three times.");
    let listed = Lathe::in_project(&project)
        .args(["permissions", "list"])
        .run()
        .success();
    assert!(listed.stdout.contains("doom_loop"), "{listed}");
}

#[test]
fn rules_settle_the_question_about_equal_calls() {
    let calls = || Server::with([read("a"), read("a"), read("a"), Turn::text("Done.")]);
    for (action, ok, asked) in [
        (json!("allow"), [true; 3], 0),
        (json!({"read": "deny"}), [true, true, false], 0),
        (json!({"grep": "allow"}), [true, true, false], 1),
    ] {
        let server = calls();
        let project = project_with(&server)
            .file("a", "x\n")
            .config(json!({"permission": {"doom_loop": action}}));
        let finished = events_of(&project).arg("go").run().success();
        let results = of_kind(&finished, "tool_result");
        let oks: Vec<bool> = results.iter().map(|result| result["ok"] == true).collect();
        assert_eq!(oks, ok, "{action}: {finished}");
        let permissions = of_kind(&finished, "permission");
        assert_eq!(permissions.len(), asked, "{action}: {finished}");
        assert!(
            permissions.iter().all(|event| event["reply"] == "reject"),
            "{finished}"
        );
        if !ok[2] {
            let error = &results[2]["details"]["error"];
            assert_eq!(
                (&error["kind"], &error["key"], &error["pattern"]),
                (&json!("denied"), &json!("doom_loop"), &json!("read"))
            );
        }
    }
}

#[test]
fn questions_of_calls_side_by_side_come_in_the_order_of_the_calls() {
    let mut turn = Turn::new();
    for number in 0..12 {
        turn = turn.call("read", json!({"file_path": format!("{number}.env")}));
    }
    let server = Server::with([turn, Turn::text("Done.")]);
    let mut project = project_with(&server);
    for number in 0..12 {
        // The first takes the longest to look at.
        project = project.file(format!("{number}.env"), &"x\n".repeat(1 << (18 - number)));
    }
    let finished = events_of(&project).arg("go").run().success();
    let of = |kind: &str| -> Vec<Value> {
        let events = of_kind(&finished, kind);
        events.iter().map(|event| event["call"].clone()).collect()
    };
    let (called, asked) = (of("tool_call"), of("permission"));
    assert_eq!(called.len(), 12);
    assert_eq!(asked, called);
}
