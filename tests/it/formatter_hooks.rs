//! Hooks and commands that change the files of the model, such as formatters: the next edit, and undo.

use serde_json::{Value, json};

use crate::run::{events_of, last, of_kind, project_with};
use crate::support::{Finished, Lathe, Project, Server, Turn};

const UNFORMATTED: &str = "x=1\ny=2\nz=3\n";

/// A command that puts spaces around each `=` of the file.
fn format(path: &str) -> String {
    format!("text=$(sed 's/ *= */ = /' {path}); printf '%s\\n' \"$text\" > {path}")
}

/// A project with a hook that runs after every tool that writes.
fn hooked(server: &Server, command: &str) -> Project {
    project_with(server).config(json!({ "hooks": { "PostToolUse": [{
        "matcher": "edit|write|multiedit|apply_patch",
        "hooks": [{ "type": "command", "command": command }],
    }] } }))
}

fn read(path: &str) -> Turn {
    Turn::tool("read", json!({ "file_path": path }))
}

fn edit(path: &str, old: &str, new: &str) -> Turn {
    Turn::tool(
        "edit",
        json!({ "file_path": path, "old_string": old, "new_string": new }),
    )
}

fn write(path: &str, text: &str) -> Turn {
    Turn::tool("write", json!({ "file_path": path, "content": text }))
}

fn bash(command: &str) -> Turn {
    Turn::tool("bash", json!({ "command": command }))
}

fn patch(text: &str) -> Turn {
    let patch = format!("*** Begin Patch\n{text}*** End Patch\n");
    Turn::tool("apply_patch", json!({ "patch": patch }))
}

/// Runs one turn of these calls, and returns their results and the session's id.
fn run<const N: usize>(server: &Server, project: &Project, calls: [Turn; N]) -> (Vec<Value>, String) {
    server.script(calls.into_iter().chain([Turn::text("Done.")]));
    let finished = events_of(project)
        .args(["--permission-mode", "yolo", "go"])
        .run()
        .success();
    let results = of_kind(&finished, "tool_result");
    assert_eq!(results.len(), N, "{finished}");
    let id = last(&finished)["session"].as_str().unwrap().to_owned();
    (results, id)
}

fn output(result: &Value) -> &str {
    result["output"].as_str().unwrap()
}

#[track_caller]
fn assert_ok(results: &[Value]) {
    for result in results {
        assert_eq!(result["ok"], true, "{result}");
    }
}

#[track_caller]
fn assert_stale(result: &Value) {
    assert_eq!(result["details"]["error"]["kind"], "stale", "{result}");
}

fn sessions(project: &Project, words: &[&str]) -> Finished {
    Lathe::in_project(project).arg("sessions").args(words).run()
}

fn messages(project: &Project, id: &str) -> usize {
    let shown = sessions(project, &["show", id, "--json"]).success().json();
    shown["messages"].as_array().unwrap().len()
}

#[test]
fn an_edit_after_a_formatter_hook_is_not_stale() {
    let server = Server::start();
    let project = hooked(&server, &format("a.py")).file("a.py", UNFORMATTED);
    let calls = [
        read("a.py"),
        edit("a.py", "x=1", "x=10"),
        edit("a.py", "z = 3", "z = 30"),
    ];
    let (results, _) = run(&server, &project, calls);
    assert_ok(&results);
    let told = output(&results[1]);
    assert!(told.contains("A hook changed `a.py` after this call"), "{told}");
    assert!(told.contains("-y=2") && told.ends_with("+z = 3"), "{told}");
    let told = output(&results[2]);
    assert!(!told.contains("A hook"), "the hook changed nothing: {told}");
    assert_eq!(project.read("a.py"), "x = 10\ny = 2\nz = 30\n");
}

#[test]
fn undo_and_redo_know_the_file_as_a_formatter_hook_left_it() {
    let server = Server::start();
    let project = hooked(&server, &format("a.py")).file("a.py", UNFORMATTED);
    let calls = [read("a.py"), edit("a.py", "x=1", "x=10")];
    let (results, id) = run(&server, &project, calls);
    assert_ok(&results);
    let _ = sessions(&project, &["undo", &id]).success();
    assert_eq!(project.read("a.py"), UNFORMATTED);
    let _ = sessions(&project, &["redo", &id]).success();
    assert_eq!(project.read("a.py"), "x = 10\ny = 2\nz = 3\n");
}

#[test]
fn a_new_file_that_a_hook_formats_can_be_edited_and_goes_with_undo() {
    let server = Server::start();
    let project = hooked(&server, &format("a.py"));
    let calls = [write("a.py", UNFORMATTED), edit("a.py", "y = 2", "y = 20")];
    let (results, id) = run(&server, &project, calls);
    assert_ok(&results);
    assert_eq!(project.read("a.py"), "x = 1\ny = 20\nz = 3\n");
    let _ = sessions(&project, &["undo", &id]).success();
    assert!(!project.exists("a.py"));
}

#[test]
fn several_files_of_one_patch_are_formatted_edited_and_undone() {
    let server = Server::start();
    let both = format!("{}; {}", format("a.py"), format("b.py"));
    let project = hooked(&server, &both).file("a.py", UNFORMATTED);
    let calls = [
        patch("*** Update File: a.py\n@@\n-x=1\n+x=10\n y=2\n*** Add File: b.py\n+b=1\n"),
        edit("a.py", "z = 3", "z = 30"),
        edit("b.py", "b = 1", "b = 2"),
    ];
    let (results, id) = run(&server, &project, calls);
    assert_ok(&results);
    let told = output(&results[0]);
    assert!(told.contains("A hook changed `a.py`, `b.py` after"), "{told}");
    assert!(told.contains("+x = 10") && told.contains("+b = 1"), "{told}");
    let formatted = ["x = 10\ny = 2\nz = 30\n", "b = 2\n"];
    assert_eq!([project.read("a.py"), project.read("b.py")], formatted);
    let _ = sessions(&project, &["undo", &id]).success();
    assert_eq!(project.read("a.py"), UNFORMATTED);
    assert!(!project.exists("b.py"));
    let _ = sessions(&project, &["redo", &id]).success();
    assert_eq!([project.read("a.py"), project.read("b.py")], formatted);
}

#[test]
fn a_file_that_a_hook_deletes_comes_back_with_undo() {
    let server = Server::start();
    let project = hooked(&server, "rm -f a.py").file("a.py", UNFORMATTED);
    let calls = [read("a.py"), edit("a.py", "x=1", "x=10")];
    let (results, id) = run(&server, &project, calls);
    assert_ok(&results);
    let told = output(&results[1]);
    assert!(told.ends_with("A hook deleted `a.py` after this call."), "{told}");
    let _ = sessions(&project, &["undo", &id]).success();
    assert_eq!(project.read("a.py"), UNFORMATTED);
    let _ = sessions(&project, &["redo", &id]).success();
    assert!(!project.exists("a.py"));
}

#[test]
fn another_file_that_a_hook_changes_is_not_one_of_the_call() {
    let server = Server::start();
    let project = hooked(&server, "echo more >> other.txt").file("other.txt", "one\n");
    let calls = [
        read("other.txt"),
        write("a.py", "x = 1\n"),
        edit("other.txt", "one", "two"),
    ];
    let (results, id) = run(&server, &project, calls);
    assert_ok(&results[..2]);
    assert!(!output(&results[1]).contains("A hook"), "{}", results[1]);
    assert_stale(&results[2]);
    let _ = sessions(&project, &["undo", &id]).success();
    assert!(!project.exists("a.py"));
    // The hook ran after the failed edit too.
    assert!(project.read("other.txt").starts_with("one\nmore\n"));
}

#[test]
fn a_long_change_of_a_hook_is_told_in_part() {
    let server = Server::start();
    let project = hooked(&server, &format("a.py"));
    let (results, _) = run(&server, &project, [write("a.py", &"x=1\n".repeat(500))]);
    let told = output(&results[0]);
    assert!(told.ends_with("Read the file to see the rest."), "{told}");
    assert!(told.len() < 3000, "{told}");
}

#[test]
fn a_certain_edit_goes_on_after_a_command_changed_the_file() {
    let server = Server::start();
    let project = project_with(&server).file("a.py", UNFORMATTED);
    let calls = [
        read("a.py"),
        bash(&format("a.py")),
        edit("a.py", "z = 3", "z = 30"),
    ];
    let (results, id) = run(&server, &project, calls);
    assert_ok(&results);
    let told = output(&results[2]);
    assert!(told.contains("A command changed the file"), "{told}");
    assert_eq!(project.read("a.py"), "x = 1\ny = 2\nz = 30\n");
    let undone = sessions(&project, &["undo", &id]).assert_code(1);
    assert!(
        undone.stderr.contains("`a.py` was changed by a command"),
        "{undone}"
    );
    assert_eq!(project.read("a.py"), "x = 1\ny = 2\nz = 30\n");
}

#[test]
fn what_a_command_changed_stays_stale_for_every_other_change() {
    let server = Server::start();
    let project = project_with(&server).file("a.py", "x=1\nx=1\ny=2\n");
    let calls = [
        read("a.py"),
        bash("echo z=3 >> a.py"),
        edit("a.py", "x=1", "x=2"),
        edit("a.py", "no such text", "x"),
        write("a.py", "new\n"),
    ];
    let (results, _) = run(&server, &project, calls);
    assert_ok(&results[..2]);
    results[2..].iter().for_each(assert_stale);
    assert_eq!(project.read("a.py"), "x=1\nx=1\ny=2\nz=3\n");
}

#[test]
fn an_undo_that_restores_no_file_takes_no_message_back() {
    let server = Server::start();
    let project = project_with(&server);
    let (results, id) = run(&server, &project, [write("a.txt", "two\n")]);
    assert_ok(&results);
    let before = messages(&project, &id);
    project.write("a.txt", b"mine\n");
    for words in [&["undo", &id][..], &["undo", &id, "--skip-changed"]] {
        let refused = sessions(&project, words).assert_code(1);
        assert!(refused.stderr.contains("`a.txt` has changed since"), "{refused}");
        assert!(refused.stderr.contains("no file can be restored"), "{refused}");
        assert_eq!(messages(&project, &id), before);
    }
    assert_eq!(project.read("a.txt"), "mine\n");
    let _ = sessions(&project, &["undo", &id, "--only", "conversation"]).success();
    assert_eq!(messages(&project, &id), 0);
}
